// What can go wrong with a PostgreSQL, in words with the remedy, by the codes of its answers and of the network.

import { errorText } from '../../../errors/error-text.ts';
import { StorageError } from '../../../errors/storage-error.ts';

const CORRECT_PASSWORD = 'refuses the user name or password; correct DATABASE_URL';
const STOPPING = 'is shutting down or just starting; wait a little, or start it again';
const TOO_BUSY = 'has too many changes of the same rows at once; try again';

/** By SQLSTATE. */
const ANSWERS: Readonly<Record<string, string>> = {
  '28P01': CORRECT_PASSWORD,
  '28000': CORRECT_PASSWORD,
  '3D000': 'has no such database; create it (CREATE DATABASE), or correct DATABASE_URL',
  '42501':
    'does not allow its user what Signalbox needs; make that user the owner of the database (ALTER DATABASE … OWNER TO …)',
  '08P01':
    'takes no settings with a connection, as a pooler does not (PgBouncer); set DATABASE_URL to the address of the server itself',
  '25006': 'is a standby or set to read-only and takes no writes; set DATABASE_URL to the primary',
  '40001': TOO_BUSY,
  '40P01': TOO_BUSY,
  '53100': 'has no space left on its disk; free some space there',
  '53200': 'has no memory left; give its machine more, or lower its shared_buffers and work_mem',
  '53300': 'has too many connections; raise its max_connections, or end other programs that use it',
  '55P03': 'has rows that another program has locked for too long; end that program, then try again',
  '57014': 'took too long for a statement; see whether it is overloaded',
  '57P01': STOPPING,
  '57P02': STOPPING,
  '57P03': STOPPING,
  '58030': 'failed to read or write its disk; check that disk, and look at its log',
  XX001: 'found its data damaged; look at its log, and restore a backup',
  XX002: 'found an index damaged; look at its log, and rebuild that index (REINDEX)',
};
const NOT_REACHED = /^(?:E[A-Z]{3,}|EAI_AGAIN)$/;
const SQLSTATE = /^[0-9A-Z]{5}$/;

/** What its library says when nothing came back in time. */
const NO_ANSWER = ['Query read timeout', 'timeout expired'];

/** The connection ended without a word of the server. */
export class LostConnection extends Error {
  constructor(cause: unknown) {
    super(errorText(cause), { cause });
    this.name = 'LostConnection';
  }
}

interface PostgresFault extends Error {
  readonly code?: string;
  readonly severity?: string;
}

/** An SQLSTATE, or a code of the network. */
export const codeOf = (error: unknown): string | undefined => (error as PostgresFault | undefined)?.code;

/** Another transaction was in the way. The same work may succeed when it is run again. */
export const isConflict = (error: unknown): boolean => ['40001', '40P01'].includes(codeOf(error) ?? '');

/** A statement of a transaction in which an earlier one has failed; that one is the cause. */
export const isAftermath = (error: unknown): boolean => codeOf(error) === '25P02';

/** A statement was prepared that does not fit any more, as when another process has changed a table. */
export const isOutdated = (error: unknown): boolean => ['0A000', '26000'].includes(codeOf(error) ?? '');

/** The values or the work itself are at fault; anything else is about the database, and concerns everybody. */
export function isOfTheWrite(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof StorageError || error instanceof LostConnection) return false;
  const code = codeOf(error);
  return code === undefined || /^2[23]/.test(code);
}

/** It hangs, or the network does: another try would only wait as long. */
export const isWithoutAnswer = (error: unknown): boolean =>
  error instanceof Error && NO_ANSWER.some((text) => error.message.includes(text));

/** `where` is host, port and database. Messages of the server are passed on only where nothing better is known. */
export function postgresFault(where: string, error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  return new StorageError(`PostgreSQL at ${where} ${wordsOf(error)}`, { cause: error });
}

function wordsOf(error: unknown): string {
  const code = codeOf(error);
  const message = errorText(error);
  const known = code === undefined ? undefined : ANSWERS[code];
  if (known !== undefined) return known;
  if (isWithoutAnswer(error)) return 'does not answer in time; see whether it is overloaded or cut off';
  if (/password/.test(message) && code === undefined) return CORRECT_PASSWORD;
  if (/SSL connection/.test(message))
    return 'does not speak TLS; turn it on there (ssl = on), or leave sslmode out of DATABASE_URL';
  if (code !== undefined && SQLSTATE.test(code) && !NOT_REACHED.test(code))
    return `refused a statement (${code}: ${message}); look at its log`;
  if (code !== undefined && !NOT_REACHED.test(code))
    return `cannot be trusted (${code}); correct DATABASE_URL, or name its authority in NODE_EXTRA_CA_CERTS`;
  if (code !== undefined) return `cannot be reached (${code}); start it, or correct DATABASE_URL`;
  if (/terminated|not queryable/.test(message))
    return 'was lost in the midst of it; see whether it runs, then try again';
  return `failed: ${message}`;
}
