// The jobs of a search inside a thread: many backtests of one program, each answered with figures, and the values there are to try.

import type { Backtest, Backtested, BacktestOutcome, SpaceFound } from '../../library/backtest-runner.ts';
import type { Refused } from '../../library/script-runner.ts';
import {
  type BarColumns,
  FIGURE_NAMES,
  InputFault,
  inputSpace,
  type Program,
  ScriptRuntimeError,
  SymbolInfoFault,
  strategyFigures,
  strategyReport,
} from '../../pine/index.ts';
import type { ScriptJob } from './messages.ts';

type BacktestsJob = Extract<ScriptJob, { kind: 'backtests' }>;
type SpaceJob = Extract<ScriptJob, { kind: 'space' }>;

export function backtested(job: BacktestsJob, program: Program): Backtested {
  return { kind: 'backtested', outcomes: job.backtests.map((one) => outcomeOf(one, job, program)) };
}

function outcomeOf(backtest: Backtest, job: BacktestsJob, program: Program): BacktestOutcome {
  const { inputs, tradeFromMs, tradeToMs, barsToMs = Number.POSITIVE_INFINITY } = backtest;
  const { initialCapital, wantsReports = false } = job;
  const { bars: all, ...market } = job.markets[backtest.market]!;
  const bars = barsBefore(all, barsToMs);
  try {
    const result = program.run(bars, {
      ...market,
      inputs,
      ...(tradeFromMs === undefined ? {} : { tradeFromMs }),
      ...(tradeToMs === undefined ? {} : { tradeToMs }),
      ...(initialCapital === undefined ? {} : { initialCapital }),
    });
    const figures = strategyFigures(result, bars);
    if (figures === null) return { fault: 'it is no strategy and makes no trades' };
    const numbers = FIGURE_NAMES.map((name) => figures[name]);
    const report = wantsReports ? strategyReport(result, bars) : null;
    return report === null ? { figures: numbers } : { figures: numbers, report };
  } catch (error) {
    return { fault: scriptFault(error) };
  }
}

/** What the script or the inputs are at fault for; everything else is ours, and goes on. */
function scriptFault(error: unknown): string {
  if (error instanceof ScriptRuntimeError) return `line ${error.line}, bar ${error.barIndex}: ${error.message}`;
  if (error instanceof InputFault || error instanceof SymbolInfoFault) return error.message;
  throw error;
}

/** Those that open before a moment. */
function barsBefore(bars: BarColumns, endMs: number): BarColumns {
  const { time } = bars;
  let count = bars.count;
  while (count > 0 && time[count - 1]! >= endMs) count -= 1;
  return count === bars.count ? bars : { ...bars, count };
}

export function spaceOf({ varied, fixed }: SpaceJob, program: Program): SpaceFound | Refused {
  const { scriptType, title } = program.checked;
  return { kind: 'space', space: inputSpace(program.inputs, varied, fixed), scriptType, scriptName: title };
}
