// Real strategies, live: bars that come as a mess of ticks leave the very books that history leaves, to the last digit.

import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type Bar, type BarColumns, barColumns, compile, type RunResult } from '../../src/pine/index.ts';
import { StrategyTruth } from '../../src/pine/testing/strategy-truth.ts';
import { garbageTicks } from './oracle/random-bars.ts';
import { RandomSequence } from './random-sequence.ts';

const truth = new StrategyTruth(
  fileURLToPath(new URL('./strategies/', import.meta.url)),
); /** Before the first tick; most of the trades come after it. */
const HISTORY_BARS = 15;

const rowAt = ({ time, open, high, low, close, volume }: BarColumns, index: number): Bar => ({
  ...{ time: time[index]!, open: open[index]!, high: high[index]!, low: low[index]! },
  ...{ close: close[index]!, volume: volume[index]! },
});

const booksOf = (broker: RunResult['broker']) =>
  broker && [broker.ledger.closed, broker.ledger.lots, broker.ledger.totals, [...broker.equityCurve.all()]];

it.each(truth.names())('%s', (name) => {
  const { source, bars, options } = truth.read(name);
  const { program } = compile(source);
  if (program === null) throw new Error('it does not compile');
  const rows = Array.from({ length: bars.count }, (_, index) => rowAt(bars, index));
  const closed = program.run(bars, options);
  const live = program.open(barColumns(rows.slice(0, HISTORY_BARS)), options);
  const random = new RandomSequence(7);
  const fills: string[] = [];
  for (const row of rows.slice(HISTORY_BARS)) {
    for (const tick of garbageTicks(random, row)) live.update(tick);
    for (const { id, after } of live.close(row).fills) fills.push(`${id} ${after}`);
  }
  expect(JSON.stringify(booksOf(live.broker))).toBe(JSON.stringify(booksOf(closed.broker)));
  expect(fills.length).toBeGreaterThan(0);
});
