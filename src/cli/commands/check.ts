// `signalbox check`: compiles scripts and shows everything the compiler has to say, without running them.

import type { Checked, RunRequest, ScriptDiagnostic } from '../../library/script-runner.ts';
import type { BarColumns, LibrarySource } from '../../pine/index.ts';
import { CANNOT_RUN_YET, REPAINTS } from '../../pine/light.ts';
import { codeFrames } from '../code-frame.ts';
import { type Args, type LocalCommand, type LocalIo, UsageFault } from '../command.ts';
import type { CommandScripts } from '../host.ts';
import { librariesOf } from '../library-folder.ts';
import { CommandFiles, fileName, libraryFiles } from '../script-files.ts';
import { printable } from '../table.ts';
import { LIBRARIES_FLAG } from '../wanted-run.ts';

/** A compiler that needs longer has met something that is no script. */
const LIMITS = { memoryMb: 1024, timeoutMs: 60_000 };

export const LIBRARY_FLAG = { library: 'a library the script imports, like ns/Name/1=file.pine; once for each' };

interface FileReport {
  readonly file: string;
  readonly ok: boolean;
  readonly diagnostics: Checked['diagnostics'];
}

export const check: LocalCommand = {
  name: 'check',
  summary: 'compile .pine scripts and show what is wrong with them',
  usage: [
    'script.pine… [--library ns/Name/1=file.pine]… [--libraries folder]',
    'script.pine… --repaint --bars bars.csv [--timeframe 60] [--library ns/Name/1=file.pine]…',
  ],
  flags: {
    bars: 'CSV file with time,open,high,low,close[,volume] that --repaint runs the scripts over',
    timeframe: 'timeframe of these bars as Pine writes it; told by their times if left out',
    ...LIBRARIES_FLAG,
  },
  lists: LIBRARY_FLAG,
  switches: {
    json: 'print the findings as JSON and nothing else',
    repaint: 'also run each script over bars, at once and bar by bar, and fail where its past changes',
  },
  async local(args, io) {
    if (args.words.length === 0)
      throw new UsageFault('The script is missing; write it like: signalbox check script.pine.');
    const wanted = libraryFiles(args.lists.library ?? []);
    const chart = chartIn(args);
    const scripts = await io.openScripts(LIMITS);
    try {
      const reader = new CommandFiles(io);
      const files = await readFiles(args.words, reader);
      const named = await reader.libraries(wanted);
      const bars = chart === null ? null : await barsOf(chart.file, reader);
      const reports: FileReport[] = [];
      for (const { file, source } of files) {
        const libraries = await librariesOf(source, named, args.flags.libraries, reader);
        const checked = await checkOne(scripts, file, source, libraries);
        const isRun = bars !== null && checked.ok;
        const report = isRun ? await runOne(scripts, checked, { source, libraries, bars, ...chart?.options }) : checked;
        if (!args.switches.has('json')) show(report, source, io);
        reports.push(report);
      }
      const ok = reports.every((report) => report.ok);
      if (args.switches.has('json')) io.out(JSON.stringify({ ok, files: reports }, null, 2));
      return ok ? 0 : 1;
    } finally {
      await scripts.close();
    }
  },
};

interface Chart {
  readonly file: string;
  readonly options: { readonly timeframe?: string };
}

/** The bars to look for repainting on; null where nobody asks for that. */
function chartIn({ flags: { bars, timeframe }, switches }: Args): Chart | null {
  if (!switches.has('repaint')) {
    if (bars !== undefined) throw new UsageFault('--bars is for --repaint; give that too, or leave the bars out.');
    return null;
  }
  if (!bars) throw new UsageFault('--repaint needs bars; name a CSV file of them with --bars bars.csv.');
  return { file: bars, options: timeframe === undefined ? {} : { timeframe } };
}

async function barsOf(path: string, reader: CommandFiles): Promise<BarColumns> {
  // Most checks need no bars, and start sooner without what reads them.
  const { readBars } = await import('../read-bars.ts');
  return readBars(path, await reader.bars(path));
}

/** A script whose past changes has failed its check. */
async function runOne(scripts: CommandScripts, checked: FileReport, request: RunRequest): Promise<FileReport> {
  const outcome = await scripts.run({ ...request, isTimeframeMeasured: true, checksRepaint: true });
  const { file } = checked;
  if (outcome.kind === 'runtime-error') {
    const { message, line, column, barIndex } = outcome;
    const place = { line, column, endLine: line, endColumn: column + 1 };
    const found = { ...place, severity: 'error', code: '', message: `on bar ${barIndex}: ${message}` } as const;
    return { ...checked, ok: false, diagnostics: [...checked.diagnostics, found] };
  }
  if (outcome.kind !== 'result')
    throw new Error(
      `${printable(file)}: ${outcome.kind === 'compile-failed' ? 'it does not compile' : outcome.reason}`,
    );
  const { repaint } = outcome;
  if (repaint?.kind === 'not-checked') throw new Error(`${printable(file)}: ${repaint.reason}`);
  const repainted = outcome.warnings.filter(({ code }) => code === REPAINTS);
  return { ...checked, ok: repainted.length === 0, diagnostics: [...checked.diagnostics, ...repainted] };
}

/** All of them first: a wrong path among many should not be found at the end. */
async function readFiles(paths: readonly string[], reader: CommandFiles): Promise<{ file: string; source: string }[]> {
  const files: { file: string; source: string }[] = [];
  for (const path of paths) files.push({ file: fileName(path), source: await reader.script(path) });
  return files;
}

async function checkOne(
  scripts: CommandScripts,
  file: string,
  source: string,
  libraries: readonly LibrarySource[],
): Promise<FileReport> {
  const outcome = await scripts.check({ source, libraries });
  if (outcome.kind !== 'checked') throw new Error(`${printable(file)}: ${outcome.reason}`);
  const diagnostics = outcome.diagnostics.map(asNote);
  return { file, ok: !diagnostics.some(({ severity }) => severity === 'error'), diagnostics };
}

/** What this release cannot run is no mistake of the script: it is noted, and keeps nobody from committing it. */
const asNote = (found: ScriptDiagnostic): ScriptDiagnostic =>
  found.code === CANNOT_RUN_YET ? { ...found, severity: 'hint' } : found;

function show({ file, ok, diagnostics }: FileReport, source: string, io: LocalIo): void {
  if (diagnostics.length > 0) io.err(`${codeFrames(file, source, diagnostics, io.errPaint)}\n`);
  const count = (severity: string): number => diagnostics.filter((found) => found.severity === severity).length;
  const parts = [
    counted(count('error'), 'error'),
    counted(count('warning'), 'warning'),
    counted(count('hint'), 'note'),
  ].filter((part) => part !== '');
  const verdict = ok ? io.paint('green', 'ok') : io.paint('red', 'failed');
  io.out(`${printable(file)}: ${verdict}${parts.length > 0 ? `, ${parts.join(', ')}` : ''}`);
}

const counted = (count: number, what: string): string =>
  count === 0 ? '' : `${count} ${what}${count === 1 ? '' : 's'}`;
