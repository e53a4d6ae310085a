// Trades for tests, said in few words.

import type { ReportTrade } from '../trade-list.ts';

interface Said {
  readonly profit: number;
  readonly percent?: number;
  readonly direction?: 'long' | 'short';
  readonly bars?: readonly [entry: number, exit: number];
  /** When it was closed; null: it is open. */
  readonly exit?: string | null;
  readonly exitId?: string;
  readonly commission?: number;
}

export function trade({
  profit,
  percent = profit,
  direction = 'long',
  bars: [entryBar, exitBar] = [0, 0],
  exit = '2024-01-01',
  exitId = 'out',
  commission = 0,
}: Said): ReportTrade {
  return {
    direction,
    entryId: 'in',
    entryComment: '',
    entryBar,
    entryTimeMs: 0,
    entryPrice: 100,
    exit: exit === null ? null : { id: exitId, comment: '', bar: exitBar, timeMs: Date.parse(exit), price: 100 },
    quantity: 1,
    value: 100,
    commission,
    profit,
    profitPercent: percent,
    runup: 0,
    runupPercent: 0,
    drawdown: 0,
    drawdownPercent: 0,
  };
}
