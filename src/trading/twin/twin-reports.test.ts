// The report of an account beside its twin: which trades are pairs, what counts as done alone, by time, strategy and price.

import { expect, test } from 'vitest';
import { positionOf } from '../../../tests/ports/sample-trades.ts';
import type { HistoricFill } from '../books/fill-history.ts';
import { TooManyFills } from '../books/performance-reports.ts';
import type { Position } from '../books/position.ts';
import { decimal, toText, ZERO } from '../decimal.ts';
import { clientOrderId } from '../execution/client-order-id.ts';
import type { FundingPayment, Venue } from '../venue.ts';
import type { MarkedTrade } from './twin-marks.ts';
import { createTwinReports, type TwinRange, type TwinReportParts } from './twin-reports.ts';

const EVER: TwinRange = { fromMs: 0, toMs: Number.POSITIVE_INFINITY };
const idOf = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;

const fill = (
  trade: number | string,
  quantity: string,
  price: string,
  more: Partial<HistoricFill> = {},
): HistoricFill => ({
  ...{ exchange: 'binance', mode: 'live', account: 'main', market: 'BTCUSDT', keyLabel: 'tv', netted: true },
  ...{ side: quantity.startsWith('-') ? 'SELL' : 'BUY', positionSide: 'LONG', fillId: 'f', realizedPnl: ZERO },
  clientOrderId: typeof trade === 'string' ? trade : clientOrderId(idOf(trade), 'open'),
  ...{ quantity: decimal(quantity.replace('-', '')), price: decimal(price), fee: ZERO, atMs: 1000 },
  ...more,
});
const onPaper = (...given: Parameters<typeof fill>) =>
  fill(given[0], given[1], given[2], { ...given[3], mode: 'paper' });
const marked = (trade: number, acceptedAtMs = 1000): MarkedTrade => ({
  ...{ tradeId: idOf(trade), exchange: 'binance', account: 'main', acceptedAtMs },
  accepted: { bid: decimal('99'), ask: decimal('101') },
  sent: { bid: decimal('99'), ask: decimal('101') },
});
const payment = (amount: string): FundingPayment => ({ amount: decimal(amount) }) as FundingPayment;
const pages = (fills: readonly HistoricFill[]) => ({
  async *pages() {
    yield fills;
  },
});

interface Given {
  readonly live?: readonly HistoricFill[];
  readonly twin?: readonly HistoricFill[];
  readonly marks?: readonly MarkedTrade[];
  readonly paid?: { readonly live?: string; readonly twin: string };
  readonly completeFromMs?: number;
  readonly more?: Partial<TwinReportParts>;
}

/** Of the report before. */
let warnings: readonly string[] = [];

/** The report of the only account: numbers that are not 0, as texts. */
async function reportOf(
  { live = [], twin = [], marks = [], paid, completeFromMs = 0, more = {} }: Given,
  range: TwinRange = EVER,
) {
  const name = { exchange: 'binance', account: 'main' } as const;
  const funding = (amount: string | undefined) => amount !== undefined && { funding: async () => [payment(amount)] };
  const reports = createTwinReports({
    twins: [
      {
        live: { ...name, mode: 'live', ...funding(paid?.live) } as Venue,
        twin: { ...name, mode: 'paper', ...funding(paid?.twin) } as Venue,
        twinHistory: pages(twin),
        marks: { of: async () => marks },
      },
    ],
    history: { ...pages(live), completeFromMs: async () => completeFromMs },
    pricesOf: () => ({ lastPrice: async () => '110' }),
    positions: async () => [],
    ...more,
  });
  const [report] = await reports({}, range);
  if (report?.gap === undefined) return report;
  warnings = report.warnings;
  const { parts, ...sums } = report.gap;
  const texts = [...Object.entries(sums), ...Object.entries(parts).filter(([, amount]) => amount !== ZERO)];
  return { trades: report.trades, ...Object.fromEntries(texts.map(([part, amount]) => [part, toText(amount)])) };
}

test('before the first trade there is no gap', async () => {
  expect(await reportOf({ live: [fill(1, '1', '101')] })).toEqual({ trades: 0, live: '0', twin: '0', gap: '0' });
});

test('the fills of one trade are one, however many orders it had', async () => {
  const live = [fill(1, '1', '101'), { ...fill(1, '1', '103'), clientOrderId: clientOrderId(idOf(1), 'flatten') }];
  const given = { live, twin: [onPaper(1, '2', '101')], marks: [marked(1)] };
  expect(await reportOf(given)).toEqual({ trades: 1, live: '16', twin: '18', gap: '-2', impact: '-2' });
});

test('a pair whose twin has no fill is a refusal, and a trade without a twin was done alone', async () => {
  const live = [fill(1, '1', '101'), fill(2, '1', '105'), fill('liquidation-1', '-1', '100')];
  expect(await reportOf({ live, marks: [marked(1)] })).toEqual({
    ...{ trades: 1, live: '4', twin: '0', gap: '4', refusal: '10', spread: '-1', other: '-5' },
  });
});

test('a trade that is archived is no refusal: its twin does not count either', async () => {
  const given = {
    live: [fill(2, '1', '101', { atMs: 3000 })],
    twin: [onPaper(1, '1', '101'), onPaper(2, '1', '101', { atMs: 3000 })],
    marks: [marked(1, 1000), marked(2, 2000)],
  };
  const found = { trades: 1, live: '9', twin: '9', gap: '0' };
  expect(await reportOf({ ...given, completeFromMs: 2000 })).toEqual(found);
  expect(await reportOf({ ...given, completeFromMs: 1000 })).not.toEqual(found);
});

test('stops of the twin are its own', async () => {
  const twin = [onPaper(1, '1', '101'), onPaper(9, '-1', '90')];
  expect(await reportOf({ live: [fill(1, '1', '101')], twin, marks: [marked(1)] })).toEqual({
    ...{ trades: 1, live: '9', twin: '-11', gap: '20', other: '20' },
  });
});

test('what was done alone before the first trade with a twin is not counted', async () => {
  const live = [fill(8, '1', '50', { atMs: 999 }), fill(1, '1', '101', { atMs: 1001 })];
  const given = { live, twin: [onPaper(1, '1', '101')], marks: [marked(1)] };
  expect(await reportOf(given)).toEqual({ trades: 1, live: '9', twin: '9', gap: '0' });
});

test('a stretch of time has the trades that were accepted in it, from its first moment and before its last', async () => {
  const given = {
    live: [fill(1, '1', '101'), fill(2, '1', '102', { atMs: 9999 }), fill(7, '-1', '109', { atMs: 2000 })],
    twin: [onPaper(1, '1', '101'), onPaper(2, '1', '101')],
    marks: [marked(1, 1000), marked(2, 2000)],
  };
  expect(await reportOf(given, { fromMs: 1000, toMs: 2000 })).toEqual({ trades: 1, live: '9', twin: '9', gap: '0' });
  expect(await reportOf(given, { fromMs: 2000, toMs: 2001 })).toEqual({
    ...{ trades: 1, live: '7', twin: '9', gap: '-2', impact: '-1', other: '-1' },
  });
});

test('a strategy has its shares, and the nameless one what is not divided', async () => {
  const share = { strategy: 'trend', quantity: decimal('0.5'), realizedPnl: ZERO, fee: decimal('0.1') };
  const rest = { ...share, strategy: '', fee: ZERO };
  const given = {
    live: [fill(1, '1', '101', { shares: [share, rest] })],
    twin: [onPaper(1, '1', '101')],
    marks: [marked(1)],
    paid: { live: '-5', twin: '-4' },
  };
  expect(await reportOf(given, { ...EVER, strategy: 'trend' })).toMatchObject({ live: '4.4', twin: '0', fees: '-0.1' });
  expect(await reportOf(given, { ...EVER, strategy: '' })).toMatchObject({ live: '4.5', twin: '9' });
  expect(await reportOf(given, { ...EVER, strategy: 'none' })).toMatchObject({ live: '0', twin: '0', gap: '0' });
});

test('funding counts where both tell it', async () => {
  const given = { live: [fill(1, '1', '101')], twin: [onPaper(1, '1', '101')], marks: [marked(1)] };
  expect(await reportOf({ ...given, paid: { live: '-1.5', twin: '-1' } })).toMatchObject({
    ...{ live: '7.5', twin: '8', gap: '-0.5', funding: '-0.5' },
  });
  expect(await reportOf({ ...given, paid: { twin: '-1' } })).toMatchObject({ live: '9', twin: '9', gap: '0' });
});

test('while a price is missing there is no gap, and the account is there all the same', async () => {
  const lastPrice = async (): Promise<never> => {
    throw new Error('the venue is away');
  };
  const given = { live: [fill(1, '1', '101')], marks: [marked(1)], more: { pricesOf: () => ({ lastPrice }) } };
  expect(await reportOf(given)).toMatchObject({ account: 'main', sinceMs: 1000, trades: 1, gap: undefined });
});

test('fills of another mode are not mixed in, and too many are refused', async () => {
  const given = { live: [fill(1, '1', '101', { mode: 'testnet' })], marks: [marked(1)] };
  expect(await reportOf(given)).toEqual({ trades: 1, live: '0', twin: '0', gap: '0' });
  const live = [fill(1, '1', '101'), fill(1, '1', '101')];
  await expect(reportOf({ live, marks: [marked(1)], more: { maxFills: 1 } })).rejects.toThrow(TooManyFills);
});

test('an account that holds something else than its trades come to is told, where that can be said', async () => {
  const held = (quantity: string) => [positionOf({ mode: 'live', quantity: decimal(quantity) })];
  const live = [fill(1, '1', '101'), fill(2, '0.5', '101'), fill('by-itself', '-0.2', '101')];
  const given = { live, marks: [marked(1), marked(2)] };
  const warned = async (positions: readonly Position[], range?: TwinRange) => {
    await reportOf({ ...given, more: { positions: async () => positions } }, range);
    return warnings;
  };
  expect(await warned([])).toEqual([
    expect.stringContaining('BTCUSDT: the trades counted here come to 1.3, and the account holds 0.'),
  ]);
  expect(await warned(held('1.3'))).toEqual([]);
  expect(await warned([{ ...held('1.3')[0]!, account: 'scalp' }])).toHaveLength(1);
  expect(await warned([], { ...EVER, toMs: 5000 })).toEqual([]);
  expect(await warned([], { ...EVER, strategy: '' })).toEqual([]);
});
