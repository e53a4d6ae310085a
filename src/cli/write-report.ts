// Writes what a strategy made into the files that a command line names: trades as CSV, everything as a page.

import { writeFileSync } from 'node:fs';
import type { RepaintCheck } from '../library/repaint-check.ts';
import type { ScriptDiagnostic } from '../library/script-runner.ts';
import { type StrategyReport, tradesCsv } from '../pine/light.ts';
import type { LocalIo } from './command.ts';
import type { RunBars } from './run-report.ts';
import { writeFault } from './script-files.ts';
import type { ReportFiles } from './wanted-run.ts';

export interface ReportTarget extends RunBars {
  readonly repaint: RepaintCheck;
  readonly warnings: readonly ScriptDiagnostic[];
  readonly files: ReportFiles;
  readonly io: Pick<LocalIo, 'err'>;
}

/** What was written is told on standard error: standard output belongs to the outcome. */
export async function writeReport(report: StrategyReport, target: ReportTarget): Promise<void> {
  const { bars, priceSource, repaint, warnings, files, io } = target;
  if (files.trades !== undefined) writeText(files.trades, [...tradesCsv(report)].join(''), io);
  if (files.report === undefined) return;
  // Loaded only where it is asked for.
  const { reportPage } = await import('./report-page/page.ts');
  writeText(files.report, reportPage(report, bars, { repaint, priceSource, warnings }), io);
}

/** What was written is told on standard error. */
export function writeText(path: string, text: string, io: Pick<LocalIo, 'err'>): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw writeFault(path, error);
  }
  io.err(`${path} was written.`);
}
