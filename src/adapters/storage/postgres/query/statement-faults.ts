// What PostgreSQL says about a statement of POST /query, in the words and kinds that SQLite's faults have there.

import type { QueryDeclined } from '../../../../trading/books/data-query.ts';
import type { QueryFailed } from '../../sql/query/messages.ts';
import { WRITABLE } from '../../sql/query/policy.ts';
import { codeOf, postgresFault } from '../postgres-faults.ts';
import { Unprintable } from './unprintable.ts';

const TOO_MUCH_MEMORY = 'the statement needs too much memory; narrow it with WHERE and LIMIT';
const VALUE_TOO_LARGE = 'a value grew past 1048576 bytes; select less';

/** By SQLSTATE; `undefined` words are the server's own. */
const KINDS: readonly [RegExp, QueryDeclined['kind'], string?][] = [
  [/^SB001$/, 'too-large', VALUE_TOO_LARGE],
  [/^SB002$/, 'refused'],
  [/^SB003$/, 'invalid'],
  [/^53[24]00$/, 'too-large', TOO_MUCH_MEMORY],
  [/^54000$/, 'too-large', VALUE_TOO_LARGE],
  [/^54001$/, 'invalid', 'the statement is nested too deep; make it flatter'],
  [/^(?:55P03|40P01|40001)$/, 'busy', 'the rows are locked by another program; try again'],
  [/^42501$/, 'refused', 'this cannot be reached here'],
  [/^25006$/, 'refused', `only ${WRITABLE} can be written, by INSERT, UPDATE, DELETE or REPLACE`],
  [/^23502$/, 'invalid'],
  [/^(?:0A|2[0-3]|42|54)/, 'invalid'],
];

/** Names that only we have given, and the server's signs for where it means. */
const REWORDED: readonly [RegExp, string][] = [
  [/"?\bn\d+"?\."?(\w+)"?/g, '$1'],
  [/\bquery\./g, ''],
  [/^operator does not exist: (.*)$/, 'types that do not fit each other: $1; CAST one of them'],
  [/^function (.*) does not exist$/, 'types that do not fit: $1; CAST them'],
];

export interface FaultContext {
  readonly where: string;
  readonly limitMs: number;
  /** What to do about a statement that has used up its time. */
  readonly remedy: string;
}

export function statementFault(error: unknown, { where, limitMs, remedy }: FaultContext): QueryDeclined | QueryFailed {
  if (error instanceof Unprintable) return { kind: error.kind, reason: error.message };
  const code = codeOf(error) ?? '';
  const { message, column } = error as { message: string; column?: string };
  if (code === '57014' || /^Query read timeout/.test(message))
    return { kind: 'timeout', reason: `stopped after ${limitMs} ms; ${remedy}` };
  if (/^XX000$/.test(code) && /memory alloc/.test(message)) return { kind: 'too-large', reason: VALUE_TOO_LARGE };
  if (code === '23505') return { kind: 'invalid', reason: `UNIQUE constraint failed: ${WRITABLE}.signal_id` };
  if (code === '23502') return { kind: 'invalid', reason: `NOT NULL constraint failed: ${WRITABLE}.${column}` };
  const known = KINDS.find(([pattern]) => pattern.test(code));
  if (known === undefined) return { kind: 'failed', reason: postgresFault(where, error).message };
  const [, kind, words] = known;
  return { kind, reason: words ?? REWORDED.reduce((text, [theirs, ours]) => text.replace(theirs, ours), message) };
}
