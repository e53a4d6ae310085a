// How the emitter calls a value function: as a method of its first argument, or as a function.

import type { Journal } from './rollback.ts';
import type { MarketHours } from './time/time-call.ts';

/** What the functions of one running script share. */
export interface ValueHost {
  readonly version: 5 | 6;
  readonly journal: Journal;
  /** The symbol's smallest step of price. */
  readonly mintick: number;
  readonly market: MarketHours;
}

/** The checker has typed the arguments of every call; here they only pass. */
export type ValueFunction = (...values: never[]) => unknown;

/** `guard(first).name(rest)`: a call site of its own in the emitted code, so that V8 can inline it. */
export interface MethodEntry {
  readonly kind: 'method';
  readonly name: string;
  /** Throws the language's error when the first argument is na, and returns it otherwise. */
  readonly guard: <T>(id: T | null | undefined) => T;
}

export interface FunctionEntry {
  readonly kind: 'function';
  readonly call: ValueFunction;
}

export type ValueEntry = MethodEntry | FunctionEntry;
export type ValueEntries = Readonly<Record<string, ValueEntry>>;

export function functions(prefix: string, calls: Readonly<Record<string, ValueFunction>>): Record<string, ValueEntry> {
  const entries: Record<string, ValueEntry> = {};
  for (const [name, call] of Object.entries(calls)) entries[prefix + name] = { kind: 'function', call };
  return entries;
}

export function methods(
  prefix: string,
  guard: MethodEntry['guard'],
  names: readonly string[],
): Record<string, ValueEntry> {
  const entries: Record<string, ValueEntry> = {};
  for (const name of names) entries[prefix + name] = { kind: 'method', name, guard };
  return entries;
}
