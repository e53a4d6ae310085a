// Stops that the owner set, moved and took away by hand are set, moved and taken away again in a replay, at the same moments.

import { expect, test } from 'vitest';
import { commandLineHere } from '../cli/command-line.ts';
import { openGateway } from '../support/gateway.ts';
import { lookAround, SEED } from './busy-hour.ts';

const KEYS = ['binance:BTCUSDT:LONG', 'binance:ETHUSDT:LONG', 'binance:SOLUSDT:LONG'] as const;

test('a day of stops by hand, replayed, is the same day', async () => {
  const gateway = await openGateway();
  const startMs = Date.now();
  const put = async (key: string, body: object): Promise<void> => {
    gateway.clock.offsetMs += 1000;
    const answer = await gateway.request('PUT', `/positions/${key}/protection`, body);
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  };
  for (const [symbol, quantity] of [
    ['BTCUSDT', 0.05],
    ['ETHUSDT', 1],
    ['SOLUSDT', 30],
  ] as const) {
    await gateway.send({ symbol, quantity, stopLoss: { percent: 0.1 } });
    gateway.clock.offsetMs += 7;
  }
  await put(KEYS[0], { stopLoss: { percent: 30 } });
  await put(KEYS[0], { takeProfit: { percent: 0.05 }, trail: { percent: 0.05 } });
  await put(KEYS[1], { stopLoss: { percent: 20 }, maxHoldSeconds: 3600 });
  await gateway.request('DELETE', `/positions/${KEYS[2]}/protection`);
  for (let step = 0; step < 10; step++) {
    gateway.clock.offsetMs += 600_000;
    await lookAround(gateway);
  }
  const audit = await gateway.request('GET', '/admin/audit');
  expect(audit.body.result.map(({ setting }: { setting: string }) => setting)).toEqual(Array(4).fill('stops'));
  const endMs = Date.now() + gateway.clock.offsetMs + 1000;
  await gateway.close();
  const cli = commandLineHere({ DATA_DIR: gateway.dataDir, MARKET_SEED: SEED });
  const stretch = ['replay', '--from', String(startMs), '--to', String(endMs)];
  const { body } = await cli.json(...stretch, '--check');
  expect(body.signals.filter(({ same }: { same: boolean }) => !same)).toEqual([]);
  expect(body).toMatchObject({ same: true, holdings: [], troubles: [], stopsLeftOut: 0 });
  const whats = body.signals.map(({ what }: { what: string }) => what);
  expect(whats.filter((what: string) => /^(take-profit|trailing-stop): .* BTCUSDT/.test(what))).toHaveLength(1);
  expect(whats.filter((what: string) => /^time-stop: .* ETHUSDT/.test(what))).toHaveLength(1);
  expect(whats.filter((what: string) => /SOLUSDT/.test(what))).toHaveLength(1);
  // Where the replay never opens a position there is nothing to guard, and that is said.
  const shut = ['--set', 'symbol:BTCUSDT.entriesPerDay=0', '--set', 'symbol:SOLUSDT.entriesPerDay=0'];
  expect((await cli.json(...stretch, ...shut)).body).toMatchObject({ same: false, stopsLeftOut: 3 });
  expect(await cli.done(...stretch, ...shut)).toContain('3 changes of stops by hand left out');
});
