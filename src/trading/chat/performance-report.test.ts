// /performance in the owner's chat where accounts are of several modes: real money stands first, marked, and is never added to play money.

import { expect, test } from 'vitest';
import { performanceOf } from '../books/performance.ts';
import type { PerformanceOfMode } from '../books/performance-reports.ts';
import { decimal, ZERO } from '../decimal.ts';
import type { VenueMode } from '../venue.ts';
import { createReports, type ReportParts } from './reports.ts';

const COMMAND = 'performance';
const ALL = { by: 'symbol', fromMs: 0, toMs: Number.POSITIVE_INFINITY } as const;
const closed = (mode: VenueMode, pnl: string): PerformanceOfMode => {
  const place = {
    exchange: 'binance',
    mode,
    account: 'main',
    market: 'BTCUSDT',
    keyLabel: 'tv',
    netted: true,
  } as const;
  const order = { side: 'SELL', positionSide: 'LONG', clientOrderId: 'o', fillId: 'f', atMs: 1 } as const;
  const amounts = { price: decimal('1'), quantity: decimal('1'), realizedPnl: decimal(pnl), fee: ZERO };
  return { mode, ...performanceOf([{ ...place, ...order, ...amounts }], ALL) };
};
const nothing = (mode: VenueMode): PerformanceOfMode => ({ mode, ...performanceOf([], ALL) });

async function told(reports: readonly PerformanceOfMode[]): Promise<readonly string[]> {
  const { [COMMAND]: report } = createReports({ performanceReports: async () => reports } as unknown as ReportParts);
  const text = (await report?.(['symbol'])) ?? '';
  return text
    .split('\n')
    .slice(1)
    .map((line) => line.split(', ', 1)[0] as string);
}

test('each mode has its own total, live first', async () => {
  expect(await told([closed('live', '-40'), closed('paper', '100')])).toEqual([
    'In all (LIVE): <b>−40</b>',
    'In all (paper): <b>+100</b>',
    'BTCUSDT (LIVE): <b>−40</b>',
    'BTCUSDT (paper): <b>+100</b>',
  ]);
});

test('a mode in which nothing was traded is left out, and the other keeps its mark', async () => {
  expect(await told([nothing('live'), closed('paper', '1')])).toEqual([
    'In all (paper): <b>+1</b>',
    'BTCUSDT (paper): <b>+1</b>',
  ]);
  expect(await told([nothing('live'), nothing('paper')])).toEqual(['Nothing was traded yet.']);
});

test('real money alone is marked, play money alone is not', async () => {
  expect((await told([closed('live', '1')]))[0]).toBe('In all (LIVE): <b>+1</b>');
  expect((await told([closed('paper', '1')]))[0]).toBe('In all: <b>+1</b>');
});
