// How each field of a pasted body was taken: what it holds, whether it counts, what it was read as, and what is wrong with it.

import { maskSecrets } from '../../http/mask-secrets.ts';
import type { ReadField, ReadSignalView } from './check-schemas.ts';

/** A hostile body could hold thousands; a template has a few dozen. */
const MAX_FIELDS = 100;
const MAX_NAME_CHARS = 64;
const MAX_SENT_CHARS = 256;

export interface Reading {
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
  readonly signal: ReadSignalView | null;
  /** Keys that have no form to be found by. */
  readonly knownKeys: readonly string[];
}

/** None where the body is no object of JSON. */
export function fieldsRead(value: unknown, reading: Reading): ReadField[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value)
    .slice(0, MAX_FIELDS)
    .map(([name, sent]) => fieldRead(name, sent, reading));
}

function fieldRead(name: string, sent: unknown, { faults, warnings, signal, knownKeys }: Reading): ReadField {
  const about = (sentence: string): boolean => sentence.startsWith(`${name}:`) || sentence.startsWith(`${name}.`);
  const fault = faults.find(about);
  const warning = warnings.find(about);
  const isIgnored = warning !== undefined && /\bignored\b/.test(warning);
  const hide = (text: string): string =>
    maskSecrets(knownKeys.reduce((hidden, key) => hidden.replaceAll(key, '***'), text));
  const shown = name === 'apiKey' ? '"***"' : hide(JSON.stringify(sent)).slice(0, MAX_SENT_CHARS);
  return {
    field: hide(name).slice(0, MAX_NAME_CHARS),
    sent: shown,
    use: fault !== undefined ? 'refused' : isIgnored ? 'ignored' : 'read',
    readAs: fault === undefined && !isIgnored && signal ? readAs(name, signal) : null,
    note: fault ?? warning ?? null,
  };
}

/** Other names of the same thing. */
const SAME: Readonly<Record<string, keyof ReadSignalView>> = {
  symbol: 'market',
  ticker: 'market',
  contracts: 'quantity',
};

function readAs(name: string, signal: ReadSignalView): string | null {
  const protect = signal.protect[name === 'trailPercent' ? 'trail' : name];
  if (protect !== undefined) return protect;
  const same = Object.hasOwn(SAME, name) ? SAME[name] : undefined;
  const field = same ?? (Object.hasOwn(signal, name) ? (name as keyof ReadSignalView) : undefined);
  const value = field === undefined || field === 'protect' ? null : signal[field];
  return value === null ? null : String(value);
}
