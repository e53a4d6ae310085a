// The run of a script right here, as a thread would answer it.

import type { RunDone } from '../../../library/script-runner.ts';
import { type BarColumns, compile, type RunOptions, strategyReport } from '../../../pine/index.ts';

export function ranInTest(source: string, bars: BarColumns, options: RunOptions = {}): RunDone {
  const { program, diagnostics } = compile(source);
  if (program === null) throw new Error(diagnostics.map(({ message }) => message).join(' '));
  const result = program.run(bars, options);
  const report = strategyReport(result, bars);
  return { kind: 'result', result: { ...result, broker: null }, report, warnings: result.warnings, runMs: 1 };
}
