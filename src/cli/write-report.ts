// Writes what a strategy made into the files that a command line names: trades as CSV, everything as a page.

import { writeFileSync } from 'node:fs';
import type { BarColumns } from '../pine/index.ts';
import { type StrategyReport, tradesCsv } from '../pine/light.ts';
import type { LocalIo } from './command.ts';
import { writeFault } from './script-files.ts';
import type { ReportFiles } from './wanted-run.ts';

export interface ReportTarget {
  readonly bars: BarColumns;
  readonly files: ReportFiles;
  readonly io: Pick<LocalIo, 'err'>;
}

/** What was written is told on standard error: standard output belongs to the outcome. */
export async function writeReport(report: StrategyReport, { bars, files, io }: ReportTarget): Promise<void> {
  if (files.trades !== undefined) write(files.trades, [...tradesCsv(report)].join(''), io);
  if (files.report === undefined) return;
  // Loaded only where it is asked for.
  const { reportPage } = await import('./report-page/page.ts');
  write(files.report, reportPage(report, bars), io);
}

export function write(path: string, text: string, io: Pick<LocalIo, 'err'>): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw writeFault(path, error);
  }
  io.err(`${path} was written.`);
}
