// Accounts that were liquidated are liquidated again in a replay: at the same second, at the same price, for the same fee, however
// often the past had looked at them.

import { expect, test } from 'vitest';
import { commandLineHere } from '../cli/command-line.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { lastPrice, lookAround, SEED } from './busy-hour.ts';

/** Bets on two markets at once, either way, on accounts of their own; a move of little more than one per cent ends one of them. */
const BETS = [
  { account: 'up', action: 'LONG' },
  { account: 'down', action: 'SHORT' },
] as const;
const MARKETS = ['BTCUSDT', 'ETHUSDT'];
const WORTH = 2_350_000;

/** A few steps of the market away from a liquidation. */
async function isNear(gateway: TestGateway): Promise<boolean> {
  const { body } = await gateway.request('GET', '/positions');
  return body.result.some(
    ({ markPrice, liquidationPrice }: { markPrice: number; liquidationPrice: number }) =>
      Math.abs(markPrice - liquidationPrice) < markPrice * 0.0007,
  );
}

test.each([
  ['every second when it is near', 1000],
  ['every quarter of an hour', 900_000],
])('an account that is looked at %s', { timeout: 300_000 }, async (_, stepMs) => {
  const gateway = await openGateway({ accounts: BETS.map(({ account }) => account) });
  const startMs = Date.now();
  for (const { account, action } of BETS)
    for (const symbol of MARKETS) {
      const quantity = Number((WORTH / (await lastPrice(gateway, symbol))).toFixed(2));
      const { status, body } = await gateway.send({ account, action, symbol, quantity, leverage: 50 });
      expect([status, body.error]).toEqual([200, undefined]);
      gateway.clock.offsetMs += 7;
    }
  while (gateway.deskAlarms.length === 0) {
    gateway.clock.offsetMs += (await isNear(gateway)) ? stepMs : Math.max(stepMs, 20_000);
    await lookAround(gateway);
  }
  const endMs = Date.now() + gateway.clock.offsetMs + 1000;
  await gateway.close();
  const cli = commandLineHere({ DATA_DIR: gateway.dataDir, MARKET_SEED: SEED });
  const { code, body } = await cli.json('replay', '--from', String(startMs), '--to', String(endMs), '--check');
  expect(body.signals.filter(({ same }: { same: boolean }) => !same)).toEqual([]);
  expect(body).toMatchObject({ same: true, holdings: [], troubles: [] });
  expect(code).toBe(0);
  expect(body.signals.map(({ what }: { what: string }) => what).join()).toContain('liquidation: CLOSE_');
});
