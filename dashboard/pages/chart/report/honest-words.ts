// What whoever reads a report must know of it before its figures: where its bars come from, which there are, and what was left out.

import type { BarColumns, RunResult } from '../../../../src/pine/index.ts';
import { barTime, isByDay } from '../../../chart/bar-times.ts';
import { fixed } from '../../../ui/numbers.ts';

export interface HonestWords {
  /** Whether the prices are those of no market. */
  readonly isSimulated: boolean;
  /** Which bars it was run over. */
  readonly bars: string;
  /** What the figures do not show by themselves. */
  readonly warnings: readonly string[];
}

export interface RunFacts {
  readonly bars: Pick<BarColumns, 'count' | 'time'>;
  readonly result: Pick<RunResult, 'leftOut' | 'warnings'>;
  /** Trades, open ones too. */
  readonly trades: number;
  /** Where the prices come from. */
  readonly source: string | undefined;
  readonly isReplay: boolean;
}

export function honestWords(facts: RunFacts): HonestWords {
  const { bars, result, trades, source, isReplay } = facts;
  const [count, leftOut] = [bars.count, result.leftOut];
  const used = count - leftOut;
  const isDay = isByDay(bars);
  const [first, last] = [bars.time[leftOut], bars.time[count - 1]];
  const span =
    first === undefined || last === undefined
      ? ''
      : ` from ${barTime(first, isDay).slice(0, 10)} to ${barTime(last, isDay)}`;
  return {
    isSimulated: source === 'simulated',
    bars: `${fixed(used, 0)} closed ${used === 1 ? 'bar' : 'bars'}${span}${isReplay ? ', as far as the replay has come' : ''}`,
    warnings: [
      ...(leftOut > 0
        ? [
            `Cut: the script calculates its last ${fixed(used, 0)} bars alone (calc_bars_count); ${fixed(leftOut, 0)} before them are left out.`,
          ]
        : []),
      ...(trades === 0 ? ['The strategy made no trades on these bars.'] : []),
      ...result.warnings.map(({ message, remedy }) => `${message} ${remedy}`),
    ],
  };
}
