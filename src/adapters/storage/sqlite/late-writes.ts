// Writes that wait for the commit: of rows that change with every trade only the last state before a commit is written.

import type { StatementSync } from 'node:sqlite';

export type Sql = (text: string) => StatementSync;

/** What the mutations of one open transaction remember; it goes with the statements when the transaction is taken back. */
interface Memory {
  readonly late: Map<string, () => void>;
  readonly notes: Map<string, unknown>;
}

const memories = new WeakMap<Sql, Memory>();

function memoryOf(sql: Sql): Memory {
  let memory = memories.get(sql);
  if (memory === undefined) {
    memory = { late: new Map(), notes: new Map() };
    memories.set(sql, memory);
  }
  return memory;
}

/**
 * Writes the row before the commit, unless a later state of it takes its place. A value that no column takes is refused
 * now: at the commit it would be too late, for by then the step it belongs to is acknowledged.
 */
export function writeLate<V extends readonly unknown[]>(
  sql: Sql,
  row: string,
  values: V,
  write: (values: V) => void,
): void {
  if (!values.every(isStorable)) throw new TypeError(`${row} has a value that cannot be stored`);
  memoryOf(sql).late.set(row, () => write(values));
}

const isStorable = (value: unknown): boolean => typeof value === 'string' || Number.isFinite(value);

export function writeAllLate(sql: Sql): void {
  const { late } = memoryOf(sql);
  for (const write of late.values()) write();
  late.clear();
}

/** A note that lives as long as the statements do: what they may have written is remembered only together with them. */
export function noteOf<T>(sql: Sql, name: string, first: () => T): T {
  const { notes } = memoryOf(sql);
  if (!notes.has(name)) notes.set(name, first());
  return notes.get(name) as T;
}
