// `signalbox migrate`: moves a whole instance from the files of its data folder into a PostgreSQL.

import { type LocalCommand, noWords } from '../command.ts';
import type { MigrateProgress, MigrateReport, ScriptHost } from '../host.ts';
import { printable } from '../table.ts';

const DONE = 0;
const CLEAR_LINE = '\r\u001b[2K';
const INTERRUPTED = 'Interrupted. Run it again: it goes on where it was.\n';

export const migrate: LocalCommand = {
  name: 'migrate',
  summary:
    'move everything that an instance has in its data folder into a PostgreSQL; interrupted, it goes on when it is run again',
  usage: ['--to postgres://user:password@host:5432/database [--json]'],
  flags: {
    to: 'the address of an empty database; DATABASE_URL if left out, which keeps its password out of the list of processes',
    'data-dir': 'data folder to move, instead of that of the settings',
  },
  switches: { json: 'print the answer as JSON and nothing else' },
  async local({ words, flags, switches }, io) {
    noWords(words);
    const report = await withProgress(io.screen, (onProgress) =>
      io.migrate({ url: flags.to, dataDir: flags['data-dir'], onProgress }),
    );
    io.out(switches.has('json') ? JSON.stringify(report, null, 2) : migrateText(report));
    return DONE;
  },
};

/** A line that says how much is done, where there is a terminal; it is gone at the end. */
async function withProgress<T>(
  screen: ScriptHost['screen'],
  work: (onProgress: (progress: MigrateProgress) => void) => Promise<T>,
): Promise<T> {
  let shown = '';
  const wipe = (): void => screen?.write(CLEAR_LINE);
  const forget = screen?.onInterrupt(() => {
    wipe();
    screen.write(INTERRUPTED);
  });
  try {
    return await work(({ step, done, of }) => {
      const line = `${step === 'copied' ? 'Copying' : 'Comparing'} ${Math.floor((100 * done) / Math.max(of, 1))}%`;
      if (line === shown) return;
      shown = line;
      screen?.write(`${CLEAR_LINE}${line} of ${of.toLocaleString('en-US')} rows`);
    });
  } finally {
    forget?.();
    wipe();
  }
}

const count = (rows: number): string => `${rows.toLocaleString('en-US')} rows`;

function migrateText({ folder, where, databases, rowsFoundThere, staying }: MigrateReport): string {
  return [
    `${printable(folder)} is moved to PostgreSQL at ${printable(where)}: ${databases.map(({ name, rows }) => `${name} (${count(rows)})`).join(', ')}. Every table was read again on both sides, and they hold the same.`,
    ...(rowsFoundThere > 0 ? [`${count(rowsFoundThere)} were there from an earlier run.`] : []),
    `In the folder stay ${staying.map(printable).join(', ')}: keep it, and back it up.`,
    'The files of the databases stay there too, as they were; without DATABASE_URL a start refuses them.',
    'Next: set DATABASE_URL to this address, then signalbox start.',
  ].join('\n');
}
