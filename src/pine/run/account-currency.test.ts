// An account in another currency on bars that come live: rates that are handed in later, and days that ticks take back.

import { describe, expect, it } from 'vitest';
import { type Bar, barColumns, compile, type RunOptions } from '../index.ts';

const DAY = 86_400_000;
const SOURCE = `//@version=6
strategy("s", currency = currency.EUR)
if bar_index == 0
    strategy.entry("L", strategy.long)
plot(strategy.convert_to_account(1), "rate")
plot(strategy.openprofit, "open")`;

const bar = (day: number, close: number): Bar => ({
  ...{ time: day * DAY, open: 100, high: Math.max(100, close), low: Math.min(100, close), close },
  volume: 1,
});

/** A dollar is worth so many euros at the end of each day, from the first of January 1970 on. */
const rates = (...closes: readonly number[]): NonNullable<RunOptions['symbolBars']> => {
  const days = closes.map((close, day) => ({ ...bar(day, close), open: close, high: close, low: close }));
  return [{ symbol: 'USDEUR', timeframe: '1D', bars: barColumns(days) }];
};

function opened(history: readonly Bar[], symbolBars: RunOptions['symbolBars']) {
  const { program } = compile(SOURCE);
  if (program === null) throw new Error('it does not compile');
  return program.open(barColumns(history), { symbolBars: symbolBars ?? [] });
}

describe('an account in another currency, live', () => {
  it('takes rates that are handed in later', () => {
    const run = opened([bar(1, 100)], rates(0.5));
    expect(run.close(bar(2, 110)).values.get('rate')).toBe(0.5);
    run.handIn(rates(0.5, 0.75, 0.25));
    const third = run.close(bar(3, 110)).values;
    expect([third.get('rate'), third.get('open')]).toEqual([0.25, 2.5]);
  });

  it('does not take the rate of a day that is not over', () => {
    const run = opened([bar(1, 100)], rates(0.5, 0.75, 0.25));
    expect(run.close(bar(2, 110)).values.get('rate')).toBe(0.75);
  });

  it('has the best of a trade at the rate of its day, however many ticks take the next day back', () => {
    const run = opened([bar(1, 100), bar(2, 110)], rates(1, 0.5, 0.25));
    for (const close of [104, 120, 90]) run.update(bar(3, close));
    run.close(bar(3, 104));
    const { ledger } = run.broker!;
    // Ten dollars at 0.5 on the second day, four at 0.25 on the third.
    expect(ledger.resultOf(ledger.lots[0]!, 1, 104, 0)).toMatchObject({ profit: 1, runup: 5, drawdown: 0 });
  });
});
