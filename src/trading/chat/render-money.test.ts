// The result that the chat tells is the one of GET /performance: profits less fees, with the funding, which is told as a part of it.

import { expect, test } from 'vitest';
import type { AccountReport } from '../books/account-reports.ts';
import type { Performance } from '../books/performance.ts';
import { decimal, ZERO } from '../decimal.ts';
import { shownGap, twinGap } from '../twin/twin-gap.ts';
import { accountLine, performanceLine, twinLine } from './render-money.ts';

const PERFORMANCE: Performance = {
  ...{ trades: 2, wins: 1, losses: 1, gained: decimal('14'), lost: decimal('2'), averageHoldingMs: 1000 },
  ...{ pnl: decimal('12.5'), fees: decimal('0.5'), funding: ZERO, maxDrawdown: decimal('3') },
};
const REPORT: AccountReport = {
  ...{ exchange: 'binance', mode: 'paper', account: 'main', positionMode: 'one-way', leverageInUse: undefined },
  money: undefined,
  today: { realizedPnl: decimal('5'), fees: decimal('1'), funding: decimal('-0.25') },
  total: { realizedPnl: decimal('20'), fees: decimal('2'), funding: decimal('-50') },
};

test('performance has the funding in its result and beside it', () => {
  const line = performanceLine('In all', { ...PERFORMANCE, funding: decimal('-50') });
  expect(line).toBe('In all: <b>−38</b>, 2 trades, 50 % won, fees 0.5, funding −50, drawdown 3');
});

test.each([ZERO, undefined])(
  'performance without funding, or where it cannot be told apart, says nothing of it',
  (funding) => {
    const line = performanceLine('ema', { ...PERFORMANCE, funding });
    expect(line).toBe('ema: <b>+12</b>, 2 trades, 50 % won, fees 0.5, drawdown 3');
  },
);

test('an account has the funding in its results', () => {
  expect(accountLine(REPORT)).toBe(
    '<b>binance</b> (paper): a price is missing; realised after fees +3.75 today, −32 in all, with funding −50',
  );
  expect(accountLine({ ...REPORT, total: { ...REPORT.total, funding: ZERO } })).toMatch(/ \+3\.75 today, \+18 in all$/);
});

test('an account beside its twin has the parts of the gap that are not nothing', () => {
  const account = {
    exchange: 'binance',
    account: 'main',
    mode: 'live',
    sinceMs: 1,
    trades: 1,
    warnings: ['by <hand>'],
  } as const;
  const funding = { live: decimal('-1.5'), twin: decimal('-1') };
  const gap = shownGap(twinGap({ pairs: [], lone: [], funding }));
  const line = twinLine({ ...account, gap });
  expect(line).toBe(
    '<b>binance</b> (LIVE): −1.5, on paper −1, gap <b>−0.5</b>: funding −0.5; 1 trade. by &lt;hand&gt;',
  );
  expect(twinLine({ ...account, gap: undefined })).toBe('<b>binance</b> (LIVE): a price is missing');
  const none = shownGap(twinGap({ pairs: [], lone: [], funding: { live: ZERO, twin: ZERO } }));
  expect(twinLine({ ...account, trades: 2, gap: none, warnings: [] })).toBe(
    '<b>binance</b> (LIVE): +0, on paper +0, gap <b>+0</b>; 2 trades',
  );
});
