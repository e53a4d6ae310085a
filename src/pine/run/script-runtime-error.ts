// The error that a script ends a run with, and where in the script and on which bar it did so.

import { type MissingBars, MissingBarsError } from './request/missing-bars.ts';

/** The script ended with an error of its own: a bad index, a call of runtime.error(). */
export class ScriptRuntimeError extends Error {
  override readonly name = 'ScriptRuntimeError';
  readonly barIndex: number;
  /** Place in the script, from 1. */
  readonly line: number;
  readonly column: number;
  /** The bars that it requested in vain. */
  readonly missingBars: MissingBars | undefined;

  constructor(message: string, place: { barIndex: number; line: number; column: number }, options?: ErrorOptions) {
    super(message, options);
    const { cause } = options ?? {};
    if (cause instanceof MissingBarsError) this.missingBars = cause.missing;
    else this.missingBars = cause instanceof ScriptRuntimeError ? cause.missingBars : undefined;
    this.barIndex = place.barIndex;
    this.line = place.line;
    this.column = place.column;
  }
}
