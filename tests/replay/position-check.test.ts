// A past in which missed alerts were caught up: replayed with the same setting it is the same, and with another one it differs.

import { expect, test } from 'vitest';
import { commandLineHere } from '../cli/command-line.ts';
import { openGateway } from '../support/gateway.ts';
import { createStrategy } from '../support/tradingview-strategy.ts';
import { lookAround, MINUTE_MS, SEED } from './busy-hour.ts';

test('what was caught up is caught up again', async () => {
  const gateway = await openGateway({ positionCheck: 'catch_up' });
  const startMs = Date.now();
  const strategy = createStrategy();
  for (const [to, arrives] of [
    ...([
      [1, false],
      [2, true],
      [-1, false],
      [-2, true],
    ] as const),
    ...([
      [1, false],
      [3, true],
      [1, true],
      [0, false],
      [1, true],
      [-2, false],
      [0, true],
    ] as const),
  ]) {
    gateway.clock.offsetMs += MINUTE_MS;
    const alert = strategy.moveTo(to);
    if (!arrives) continue;
    const sent = await gateway.request('POST', '/webhook/tradingview', {
      ...{ apiKey: gateway.apiKey, exchange: 'binance', ticker: 'ETHUSDT.P', strategy: 'trend', ...alert },
    });
    expect(sent.body.success).toBe(true);
  }
  gateway.clock.offsetMs += MINUTE_MS;
  await lookAround(gateway);
  const endMs = Date.now() + gateway.clock.offsetMs + 1000;
  await gateway.close();
  const replay = (positionCheck: string) =>
    commandLineHere({
      ...{ DATA_DIR: gateway.dataDir, MARKET_SEED: SEED, TRADINGVIEW_POSITION_CHECK: positionCheck },
    }).json('replay', '--from', String(startMs), '--to', String(endMs));
  const { body } = await replay('catch_up');
  expect(body.signals.filter(({ same }: { same: boolean }) => !same)).toEqual([]);
  expect(body).toMatchObject({ same: true, holdings: [], troubles: [] });
  const refusing = (await replay('refuse')).body;
  expect(refusing.same).toBe(false);
  expect(JSON.stringify(refusing.signals)).toContain('the alert says that strategy');
});
