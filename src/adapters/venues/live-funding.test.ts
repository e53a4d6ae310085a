// Funding of a real account: read without a gap, in stretches that every venue answers for, however long nobody read it.

import { expect, test } from 'vitest';
import type { FundingStore, VenueFunding } from '../../trading/books/funding-store.ts';
import { decimal, ZERO } from '../../trading/decimal.ts';
import { readFunding } from './binance/funding.ts';
import { LiveFunding } from './live-funding.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Payments every eight hours, and what was asked for and kept. */
function opened(readToMs?: number) {
  const asked: [fromMs: number, toMs: number][] = [];
  const kept = new Set<string>();
  let readTo = readToMs;
  let nowMs = 100 * DAY_MS;
  const store: FundingStore = {
    async add(_, payments, toMs) {
      for (const { fundingId } of payments) kept.add(fundingId);
      readTo = toMs;
    },
    readTo: async () => readTo,
    range: async () => [],
    total: async () => ZERO,
  };
  const funding = async (fromMs: number, toMs: number): Promise<VenueFunding[]> => {
    asked.push([fromMs, toMs]);
    const found: VenueFunding[] = [];
    for (let atMs = Math.ceil(fromMs / (8 * HOUR_MS)) * 8 * HOUR_MS; atMs < toMs && atMs <= nowMs; atMs += 8 * HOUR_MS)
      found.push({ fundingId: String(atMs / HOUR_MS), market: 'BTCUSDT', atMs, amount: decimal('1') });
    return found;
  };
  const of = { exchange: 'binance', mode: 'live', account: 'main' } as const;
  const live = new LiveFunding({ of, adapter: { funding }, store, markets: async () => [], nowMs: () => nowMs });
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { live, asked, kept, pass };
}

test('begins with the hour before the account was first opened', async () => {
  const { live, asked } = opened();
  await live.read();
  expect(asked).toEqual([[100 * DAY_MS - HOUR_MS, 100 * DAY_MS + HOUR_MS]]);
});

test('goes on an hour before it ended, for payments that are listed late', async () => {
  const { live, asked, pass } = opened();
  await live.read();
  pass(60_000);
  await live.read();
  expect(asked[1]).toEqual([100 * DAY_MS - HOUR_MS, 100 * DAY_MS + 60_000 + HOUR_MS]);
});

test('makes up for weeks in which nobody read it, and asks for no more than a week at once', async () => {
  const { live, asked, kept } = opened(80 * DAY_MS);
  await live.read();
  expect(Math.max(...asked.map(([fromMs, toMs]) => toMs - fromMs))).toBeLessThanOrEqual(7 * DAY_MS);
  // The payments of twenty days, three a day, with both ends.
  expect(kept.size).toBe(61);
});

test('Binance is asked again from where its answer was cut', async () => {
  const rows = Array.from({ length: 2500 }, (_, at) => ({
    ...{ symbol: 'BTCUSDT', income: '-1', tranId: String(at), time: String(1000 + at) },
  }));
  const client = {
    send: async ({ params = {} }: { readonly params?: Readonly<Record<string, unknown>> }) =>
      rows.filter(({ time }) => Number(time) >= Number(params.startTime)).slice(0, Number(params.limit)),
  };
  const found = await readFunding(client, 0, 10_000);
  expect(new Set(found.map(({ fundingId }) => fundingId)).size).toBe(2500);
});
