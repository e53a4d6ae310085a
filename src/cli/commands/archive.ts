// `signalbox archive`: old trades leave the journal for files of their own, and which files there are.

import { foregroundTimers } from '../../timing/timers.ts';
import { wait } from '../../timing/wait.ts';
import { type Command, noWords, type RouteCalls } from '../command.ts';
import type { Answer, Connection } from '../host.ts';
import { refusalText, succeeded } from '../refusal-text.ts';
import { cell, column, type Fields, fieldsOf, printable, rowsOf, table } from '../table.ts';

const PATH = '/admin/archive';
const LOOK_EVERY_MS = 250;
const MIB = 1024 * 1024;

export const archive: Command = {
  name: 'archive',
  summary: 'move trades that ended long ago into files of their own, while Signalbox runs or not',
  usage: ['', '--before 365d', '--before 2025-01-01'],
  flags: { before: 'trades that ended before it leave: a moment, or an age in days; without it the files are listed' },
  plan({ words, flags: { before } }) {
    noWords(words);
    if (before !== undefined) return archiving(before);
    return { method: 'GET', path: PATH, show: ({ result }, paint) => filesText(fieldsOf(result), paint) };
  },
};

const archiving = (before: string): RouteCalls => ({
  async callAll(connection, io, isJson) {
    const answer = await whole(connection, await connection.call('POST', PATH, { before }));
    const { fault } = runOf(answer);
    const isDone = succeeded(answer) && fault === null;
    if (isJson) io.out(JSON.stringify(answer.body ?? null, null, 2));
    else if (!succeeded(answer)) io.err(refusalText(answer, io.errPaint));
    else if (isDone) io.out(runText(answer, connection));
    else io.err(`It ended early, and nothing is lost: ${cell(fault)}. Run it again to go on.`);
    return isDone ? 0 : 1;
  },
});

const runOf = ({ body }: Answer): Fields => fieldsOf(fieldsOf(fieldsOf(body).result).lastRun);

/** It goes on in the instance when nobody looks any more. */
async function whole(connection: Pick<Connection, 'call'>, begun: Answer): Promise<Answer> {
  let answer = begun;
  while (succeeded(answer) && runOf(answer).isRunning === true) {
    await wait(LOOK_EVERY_MS, { timers: foregroundTimers });
    answer = await connection.call('GET', PATH);
  }
  return answer;
}

function runText(answer: Answer, { running }: Pick<Connection, 'running'>): string {
  const { trades, rows, months } = runOf(answer);
  const { folder, database } = fieldsOf(fieldsOf(answer.body).result);
  if (rows === 0) return 'Nothing old enough is left that may leave: what still counts stays.';
  const names = (months as readonly unknown[]).map(cell).join(', ');
  return [
    `${cell(trades)} trades, ${cell(rows)} rows in all, are in ${printable(cell(folder))} now (${names}); each was read back before it was deleted.`,
    database === 'postgresql'
      ? 'The room that they had in PostgreSQL is used again for new rows once it has vacuumed their tables; its files do not shrink.'
      : `The room that they had in signalbox.db is used again for new rows; the file itself does not shrink${running ? ' while Signalbox runs' : ''}.`,
  ].join('\n');
}

function filesText({ archivedBefore, files, lastRun }: Fields, paint: Parameters<typeof table>[2]): string {
  const rows = rowsOf(files).map((row) => ({ ...row, size: `${(Number(row.bytes) / MIB).toFixed(1)} MiB` }));
  const run = fieldsOf(lastRun);
  const words = run.isRunning === true ? [`A run goes on: ${cell(run.trades)} trades have left so far.`] : [];
  if (typeof archivedBefore !== 'number') return ['Nothing was archived yet.', ...words].join('\n');
  return [
    table([column('month', 'month'), column('size', 'size', { right: true }), column('file', 'file')], rows, paint),
    `Everything since ${new Date(archivedBefore).toISOString()} is in the journal.`,
    ...words,
  ].join('\n');
}
