// A value library for tests: calls a function by its name in Pine, as the emitted code would.

import { createValueLibrary, Journal, PineRuntimeError, type ValueHost } from '../index.ts';

export interface TestLibrary {
  readonly journal: Journal;
  /** The result, untyped as in the emitted code; the caller says what it expects. */
  call<T = unknown>(name: string, ...values: unknown[]): T;
}

export function openLibrary(overrides: Partial<ValueHost> = {}): TestLibrary {
  const journal = new Journal();
  const market = { timezone: 'UTC', session: '24x7', timeframe: '60' };
  const library = createValueLibrary({ version: 6, journal, mintick: 0.01, market, ...overrides });
  return {
    journal: overrides.journal ?? journal,
    call<T>(name: string, ...values: unknown[]): T {
      const entry = library.find(name);
      if (entry === undefined) throw new Error(`there is no ${name}`);
      if (entry.kind === 'function') return entry.call(...(values as never[])) as T;
      const [id, ...rest] = values;
      const target = entry.guard(id) as Record<string, (...rest: unknown[]) => unknown>;
      return target[entry.name]?.(...rest) as T;
    },
  };
}

/** The message of the runtime error that the call ends with. */
export function errorOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof PineRuntimeError) return error.message;
    throw error;
  }
  throw new Error('the call was expected to end with a runtime error');
}
