// The tiers of a market that are asked for one by one: once for all who ask, kept, and never waited for where the venue does not answer.

import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { decimal } from '../../trading/decimal.ts';
import type { LeverageTiers } from '../../trading/leverage-tiers.ts';
import { MarketTiers, tiersFrom } from './market-tiers.ts';
import type { VenueMarket } from './venue-adapter.ts';

const TIERS: LeverageTiers = { by: 'worth', tiers: [{ upTo: decimal(1000), maxLeverage: 50 }] };
const marketOf = (symbol: string) => ({ symbol }) as VenueMarket;
const BTC = marketOf('BTCUSDT');

function opened(answer: () => Promise<LeverageTiers | undefined>) {
  const asked: string[] = [];
  const late: (() => void)[] = [];
  const clock = { nowMs: 0 };
  const after = (_: number, run: () => void) => {
    late.push(run);
    return () => {};
  };
  const tiers = new MarketTiers({
    adapter: {
      leverageTiers({ symbol }) {
        asked.push(symbol);
        return answer();
      },
    },
    monotonicMs: () => clock.nowMs,
    timers: { after } as never,
  });
  return { tiers, asked, late, clock };
}

test('are asked for once, whoever asks, and again after an hour, in the background', async () => {
  const { tiers, asked, clock } = opened(async () => TIERS);
  expect(await Promise.all([tiers.of(BTC), tiers.of(BTC)])).toEqual([TIERS, TIERS]);
  expect(asked).toEqual(['BTCUSDT']);
  await tiers.of(marketOf('ETHUSDT'));
  clock.nowMs = 3_599_999;
  expect(await tiers.of(BTC)).toBe(TIERS);
  expect(asked).toEqual(['BTCUSDT', 'ETHUSDT']);
  clock.nowMs = 3_600_000;
  expect(await tiers.of(BTC)).toBe(TIERS);
  expect(asked).toEqual(['BTCUSDT', 'ETHUSDT', 'BTCUSDT']);
});

test('that cannot be had are unknown for a minute, and what was known stays', async () => {
  let answer: () => Promise<LeverageTiers | undefined> = () => Promise.reject(new Error('away'));
  const { tiers, asked, clock } = opened(() => answer());
  expect(await tiers.of(BTC)).toBeUndefined();
  clock.nowMs = 59_999;
  expect(await tiers.of(BTC)).toBeUndefined();
  expect(asked).toHaveLength(1);
  clock.nowMs = 60_000;
  answer = async () => TIERS;
  expect(await tiers.of(BTC)).toBe(TIERS);
  clock.nowMs += 3_600_000;
  answer = async () => undefined;
  expect(await tiers.of(BTC)).toBe(TIERS);
  // Asked in the background: the next one sees what came of it, and asks no more for a minute.
  await turn();
  clock.nowMs += 59_999;
  expect(await tiers.of(BTC)).toBe(TIERS);
  expect(asked).toHaveLength(3);
});

test('a venue that hangs holds nobody up', async () => {
  const { tiers, late } = opened(() => new Promise(() => {}));
  const told = tiers.of(BTC);
  for (const run of late) run();
  expect(await told).toBeUndefined();
});

test('where the list of markets tells them nobody is asked', async () => {
  const tiers = new MarketTiers({ adapter: {}, monotonicMs: () => 0, timers: undefined as never });
  expect(await tiers.of({ ...BTC, leverageTiers: TIERS })).toBe(TIERS);
  expect(await tiers.of(BTC)).toBeUndefined();
});

test('are put in order, and are none where one of them makes no sense', () => {
  const tier = (upTo: number, maxLeverage: number) => ({ upTo: decimal(upTo), maxLeverage });
  expect(tiersFrom('worth', () => [tier(20, 5), tier(10, 9)])).toEqual({
    by: 'worth',
    tiers: [tier(10, 9), tier(20, 5)],
  });
  expect(tiersFrom('worth', () => [])).toBeUndefined();
  expect(tiersFrom('worth', () => [tier(0, 5)])).toBeUndefined();
  expect(tiersFrom('worth', () => [tier(10, 0.5)])).toBeUndefined();
  expect(
    tiersFrom('worth', () => {
      throw new Error('unreadable');
    }),
  ).toBeUndefined();
});
