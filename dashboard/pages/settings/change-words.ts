// A change of the audit in words: only what differs, from what to what.

import { spaced } from '../../ui/spaced.ts';

/** Of two records the fields that differ; of anything else the two values. */
export function changeWords(before: unknown, after: unknown): string {
  if (isRecord(before) || isRecord(after)) {
    const [old, now] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}];
    const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
    const changed = names.filter((name) => JSON.stringify(old[name] ?? null) !== JSON.stringify(now[name] ?? null));
    const words = changed.map((name) => `${spaced(name)} ${fromTo(old[name], now[name])}`);
    if (after === null && isRecord(before)) return `removed: ${nameOf(before)}`;
    return words.join(', ') || 'nothing';
  }
  return fromTo(before, after);
}

const fromTo = (before: unknown, after: unknown): string =>
  before === undefined || before === null ? shown(after) : `${shown(before)} → ${shown(after)}`;

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(shown).join(' ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const nameOf = (record: Readonly<Record<string, unknown>>): string =>
  String(record.label ?? record.name ?? record.symbol ?? JSON.stringify(record));

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
