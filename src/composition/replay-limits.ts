// Reads the limits that a replay sets otherwise: `strategy:ema.entriesPerDay=3`, `key:main.symbols=BTCUSDT,ETHUSDT`, or `=none`.

import { tradeLimitsSchema } from '../services/gateway/restriction-schemas.ts';
import { readSubject, SUBJECT_KINDS } from '../trading/intake/restrictions.ts';
import type { LimitChange } from '../trading/replay/replayed-limits.ts';

const FORM = /^(.+)\.([A-Za-z]+)=(.+)$/s;
const NONE = 'none';
const LISTS: ReadonlySet<string> = new Set(['venues', 'symbols', 'actions', 'accounts']);

/** Throws with every fault at once. */
export function readLimitChanges(texts: readonly string[]): readonly LimitChange[] {
  const read = texts.map(readOne);
  const faults = read.flatMap((each) => (typeof each === 'string' ? [each] : []));
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return read as readonly LimitChange[];
}

/** The fault in words, where it is none. */
function readOne(text: string): LimitChange | string {
  const [, who = '', name = '', value = ''] = FORM.exec(text) ?? [];
  const subject = readSubject(who);
  if (subject === undefined)
    return `--set ${text}: write it like strategy:ema.entriesPerDay=3; limits belong to a ${SUBJECT_KINDS.join(', ')}`;
  if (!Object.hasOwn(tradeLimitsSchema.shape, name))
    return `--set ${text}: there is no limit ${name}; there are ${Object.keys(tradeLimitsSchema.shape).join(', ')}`;
  if (value === NONE) return { subject, limits: { [name]: undefined } };
  const parsed = tradeLimitsSchema.safeParse({ [name]: LISTS.has(name) ? value.split(',') : jsonOf(value) });
  if (parsed.success) return { subject, limits: parsed.data };
  return `--set ${text}: ${parsed.error.issues.map(({ message }) => message).join('; ')}`;
}

/** A number or a JSON value as it is written; any other text stays a text, which the schema refuses. */
function jsonOf(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
