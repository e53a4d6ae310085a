// `signalbox runs`: the kept backtests of a folder: lists, shows and compares them, changes their notes, makes them again, removes them.

import { compareRuns } from '../../library/runs/compare-runs.ts';
import { MAX_NOTE_CHARS } from '../../library/runs/kept-run.ts';
import { type Args, type LocalCommand, type LocalIo, noWords, onlyWord, UsageFault } from '../command.ts';
import { CONNECTION_FLAGS } from '../help.ts';
import { nearest } from '../parse.ts';
import { RUN_FOLDER, type RunFolder } from '../run-folder.ts';
import { printable } from '../table.ts';
import { MEMORY_MB, timeoutMsOf } from '../wanted-run.ts';

const DONE = 0;
const DIFFERENT = 1;

interface Visit {
  readonly args: Args;
  readonly words: readonly string[];
  readonly runs: RunFolder;
  readonly io: LocalIo;
  readonly isJson: boolean;
}

const VERBS: Readonly<Record<string, (visit: Visit) => Promise<number>>> = { list, show, compare, note, remove, check };

export const RUN_FOLDER_FLAG = {
  runs: `the folder of kept runs; ${RUN_FOLDER} in the current one if left out`,
} as const;

export const runs: LocalCommand = {
  name: 'runs',
  summary: 'kept backtests: list, show, compare, note, make again, remove',
  usage: [
    'list [--runs FOLDER] [--json]',
    'show <run> [--runs FOLDER]',
    'compare <run> <run> [--runs FOLDER]',
    'note <run> <words> [--runs FOLDER]',
    'check <run> [--runs FOLDER] [--timeout 600] [--url …] [--token …] [--data-dir …]',
    'remove <run> [--runs FOLDER]',
  ],
  flags: {
    ...RUN_FOLDER_FLAG,
    timeout: 'seconds after which check is stopped; 600 if left out',
    ...CONNECTION_FLAGS,
  },
  switches: { json: 'print it as JSON and nothing else' },
  async local(args, io) {
    const [verb = 'list', ...words] = args.words;
    const act = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
    if (act === undefined) {
      const near = nearest(verb, Object.keys(VERBS));
      throw new UsageFault(`runs cannot "${verb}".${near === undefined ? '' : ` Did you mean "runs ${near}"?`}`);
    }
    const { RunFolder } = await import('../run-folder.ts');
    return act({ args, words, runs: new RunFolder(folderOf(args)), io, isJson: args.switches.has('json') });
  },
};

export function folderOf({ flags: { runs: folder = RUN_FOLDER } }: Pick<Args, 'flags'>): string {
  if (folder === '') throw new UsageFault('--runs needs the name of a folder.');
  return folder;
}

const THE_RUN = 'the number of the run';

async function list({ words, runs: folder, io, isJson }: Visit): Promise<number> {
  noWords(words);
  const found = folder.list((fault) => io.err(printable(fault.message)));
  const summaries = found.map(({ trades: _, command: __, ...run }) => run);
  const { runListText } = await import('../runs-text.ts');
  io.out(isJson ? JSON.stringify(summaries, null, 2) : runListText(found, io.paint));
  return DONE;
}

async function show({ words, runs: folder, io, isJson }: Visit): Promise<number> {
  const run = folder.read(onlyWord(words, THE_RUN));
  const { runText } = await import('../runs-text.ts');
  io.out(isJson ? JSON.stringify(run, null, 2) : runText(run, io.paint));
  return DONE;
}

async function compare({ words, runs: folder, io, isJson }: Visit): Promise<number> {
  const [one, other, ...more] = words;
  if (one === undefined || other === undefined)
    throw new UsageFault('Two runs are needed; write it like: signalbox runs compare 3 7.');
  noWords(more);
  const [a, b] = [folder.read(one), folder.read(other)];
  const found = compareRuns(a, b);
  const { comparisonText } = await import('../runs-text.ts');
  io.out(isJson ? JSON.stringify({ a: a.id, b: b.id, ...found }, null, 2) : comparisonText(a, b, found, io.paint));
  return DONE;
}

async function note({ words, runs: folder, io, isJson }: Visit): Promise<number> {
  const [id, text, ...more] = words;
  if (id === undefined || text === undefined)
    throw new UsageFault('Run and note are needed; write it like: signalbox runs note 3 "with fees".');
  if (more[0] !== undefined) throw new UsageFault(`"${more[0]}" is one word too many; put the note in quotes.`);
  const noted = folder.note(id, noteOf(text));
  const told = noted.note === '' ? `Run ${id} has no note now.` : `Run ${id}: ${noted.note}`;
  io.out(isJson ? JSON.stringify({ id, note: noted.note }) : told);
  return DONE;
}

/** One line of printable text, as lists show it. */
export function noteOf(text: string): string {
  const line = text.trim();
  if (line.length > MAX_NOTE_CHARS || printable(line) !== line)
    throw new UsageFault(`A note is one line of at most ${MAX_NOTE_CHARS} printable characters.`);
  return line;
}

async function remove({ words, runs: folder, io, isJson }: Visit): Promise<number> {
  const id = onlyWord(words, THE_RUN);
  folder.remove(id);
  io.out(isJson ? JSON.stringify({ id, removed: true }) : `Run ${id} was removed.`);
  return DONE;
}

async function check({ args, words, runs: folder, io, isJson }: Visit): Promise<number> {
  const run = folder.read(onlyWord(words, THE_RUN));
  const { makeAgain } = await import('../run-again.ts');
  const scripts = await io.openScripts({ memoryMb: MEMORY_MB, timeoutMs: timeoutMsOf(args) });
  try {
    const again = await makeAgain(run, args, scripts, io);
    const found = compareRuns(run, { ...again, id: 'now' });
    const { comparisonText } = await import('../runs-text.ts');
    const verdict = found.sameResult
      ? `Run ${run.id} comes out the same with Signalbox ${again.engine}.`
      : `Run ${run.id} comes out different with Signalbox ${again.engine}.`;
    io.out(
      isJson
        ? JSON.stringify({ id: run.id, ...found }, null, 2)
        : found.sameResult
          ? verdict
          : `${verdict}\n\n${comparisonText(run, { ...again, id: 'now' }, found, io.paint)}`,
    );
    return found.sameResult ? DONE : DIFFERENT;
  } finally {
    await scripts.close();
  }
}
