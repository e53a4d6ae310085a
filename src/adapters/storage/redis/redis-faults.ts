// What can go wrong with a Redis, in words with the remedy. Its own messages are never passed on: they repeat commands,
// and commands hold passwords and keys.

import { StorageError } from '../../../errors/storage-error.ts';

const CORRECT_PASSWORD = 'refuses the user name or password; correct REDIS_URL';
const CLUSTER = 'belongs to a cluster, which Signalbox does not use; set REDIS_URL to a single Redis';
const BUSY = 'is not ready yet; wait a little';

/** By the first word of an answer of Redis. */
const ANSWERS: Readonly<Record<string, string>> = {
  WRONGPASS: CORRECT_PASSWORD,
  NOAUTH: CORRECT_PASSWORD,
  NOPERM: 'does not allow its user what Signalbox needs; allow it all commands on the names and channels signalbox:*',
  OOM: 'is full; raise its maxmemory, or give Signalbox a Redis of its own',
  READONLY: 'is a replica and takes no writes; set REDIS_URL to the primary',
  MISCONF: 'cannot write to its disk; free some space there and look at its log',
  NOREPLICAS: 'has too few replicas to take writes; start them',
  WRONGTYPE:
    'holds something else under a name of Signalbox; give Signalbox a database of its own, like redis://host:6379/1',
  LOADING: BUSY,
  BUSY,
  MASTERDOWN: BUSY,
  TRYAGAIN: BUSY,
  MOVED: CLUSTER,
  ASK: CLUSTER,
  CROSSSLOT: CLUSTER,
  CLUSTERDOWN: CLUSTER,
};
const NOT_REACHED = /^(?:E[A-Z]{3,}|EAI_AGAIN)$/;
const ANSWER_CODE = /^[A-Z]{2,20}\b/;

interface RedisFault extends Error {
  readonly code?: string;
  readonly command?: { readonly name?: string };
}

/** The database of the address could not be chosen; the library would go on with the first one. */
export const isWrongDatabase = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ReplyError' && (error as RedisFault).command?.name === 'select';

export const wrongDatabase = (where: string): StorageError =>
  new StorageError(`Redis at ${where} has no such database; correct the number at the end of REDIS_URL`);

export const isMissingScript = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('NOSCRIPT');

/** `lost` is why the connection is down, where that is known better than by the command that failed. */
export function redisFault(where: string, error: unknown, lost?: StorageError): StorageError {
  if (error instanceof StorageError) return error;
  const { name, code, message } = error as RedisFault;
  if (name === 'ReplyError') return new StorageError(`Redis at ${where} ${ofAnswer(message)}`);
  if (lost !== undefined) return lost;
  if (message === 'Command timed out' || message.startsWith('Socket timeout'))
    return new StorageError(`Redis at ${where} does not answer in time; see whether it is overloaded or cut off`);
  if (code !== undefined && !NOT_REACHED.test(code))
    return new StorageError(
      `Redis at ${where} cannot be trusted (${code}); correct REDIS_URL, or name its authority in NODE_EXTRA_CA_CERTS`,
    );
  const why = code === undefined ? '' : ` (${code})`;
  return new StorageError(`Redis at ${where} cannot be reached${why}; start it, or correct REDIS_URL`);
}

function ofAnswer(message: string): string {
  const [code = ''] = ANSWER_CODE.exec(message) ?? [];
  if (/invalid password|without any password configured|no password is set/.test(message)) return CORRECT_PASSWORD;
  if (/unknown command/i.test(message))
    return 'does not know a command Signalbox needs; use Redis 6 or newer with scripts allowed';
  return ANSWERS[code] ?? `refused a command (${code || 'no reason'}); look at its log`;
}
