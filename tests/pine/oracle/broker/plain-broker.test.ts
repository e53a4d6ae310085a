// The oracle's broker makes the very trades and values that the golden samples of the broker expect.

import { describe, expect, it } from 'vitest';
import { barColumns, compile } from '../../../../src/pine/index.ts';
import { tickOf } from '../../../../src/pine/run/market-tick.ts';
import { barsOf, goldenSamples, isClose, optionsOf, type SampleFile } from '../../golden-files.ts';
import { isBeyondOracle } from '../beyond.ts';
import { interpret, type OracleResult } from '../interpret.ts';

/** The oracle knows no other days than those of UTC, and requests only of its own chart. */
const isKnown = ({ sample, name }: SampleFile): boolean =>
  sample.symbol?.timezone === undefined &&
  !isBeyondOracle(sample.source) &&
  name !== 'requests-know-no-bars-before-the-range';

const groups = goldenSamples().filter(({ group, samples }) => group.startsWith('broker-') && samples.some(isKnown));

describe.each(groups)('the oracle and the golden samples of $group', ({ samples }) => {
  it.each(samples.filter(isKnown).map((file) => [file.name.replaceAll('-', ' '), file] as const))('%s', (_, file) => {
    const result = oracleOn(file);
    expect(result.error).toBeNull();
    expect([...seriesFaults(file, result), ...tradeFaultsOf(file, result)]).toEqual([]);
  });
});

function oracleOn({ sample }: SampleFile): OracleResult {
  const { program } = compile(sample.source);
  if (program === null) throw new Error('it does not compile');
  const { tradeFromMs, tradeToMs } = optionsOf(sample);
  const tick = tickOf(sample.symbol ?? {});
  if (typeof tick === 'string') throw new Error(tick);
  const symbol = { ...sample.symbol, ...tick };
  const facts = Object.fromEntries(Object.entries(symbol).map(([name, value]) => [`syminfo.${name}`, value]));
  const range = { fromMs: tradeFromMs ?? Number.NEGATIVE_INFINITY, toMs: tradeToMs ?? Number.POSITIVE_INFINITY };
  return interpret(program.checked, barColumns(barsOf(sample)), { facts, range });
}

function seriesFaults({ sample }: SampleFile, { series }: OracleResult): string[] {
  return sample.series.flatMap(({ title, bar, values, rest }) => {
    const isWrong = series[title]!.some((value, at) => {
      if (bar !== null && bar !== at) return false;
      const wanted = bar !== null || rest === 'same' ? values[0] : values[at];
      return wanted !== undefined && !isClose(value, wanted);
    });
    return isWrong ? [`${title}: ${series[title]!.join(', ')}`] : [];
  });
}

function tradeFaultsOf({ sample }: SampleFile, { broker }: OracleResult): string[] {
  if (sample.trades === null) return [];
  const { closed, rows } = broker!.desk.books;
  const made = [
    ...closed.map(({ row, quantity, exitBar, exitPrice, profit }) => [
      ...[row.side, quantity, row.bar, row.price],
      ...[exitBar, exitPrice, profit],
    ]),
    ...rows.map(({ side, left, bar, price }) => [side, left, bar, price]),
  ];
  const wanted = sample.trades.map(({ direction, quantity, entryBar, entryPrice, exit }) => [
    ...[direction === 'long' ? 1 : -1, quantity, entryBar, entryPrice],
    ...(exit === null ? [] : [exit.bar, exit.price, exit.profit]),
  ]);
  const isSame =
    made.length === wanted.length &&
    made.every((trade, at) => trade.length === wanted[at]!.length && trade.every((v, i) => isClose(v, wanted[at]![i])));
  return isSame ? [] : [`made ${JSON.stringify(made)}, wanted ${JSON.stringify(wanted)}`];
}
