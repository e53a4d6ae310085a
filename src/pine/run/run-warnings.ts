// What a run finds that its owner should know and that no look at the script alone could tell: each is told once.

import type { Position, Span } from '../syntax/index.ts';

/** Bars are missing that an account in another currency is converted with. */
export const NOT_CONVERTED = 'PE402';
/** Bars are missing that the bar magnifier looks into. */
export const NOT_MAGNIFIED = 'PE403';
/** Orders did not fill, because the account could not pay them. */
export const NOT_PAID = 'PE404';
/** The bars are not those of the timeframe that was named. */
export const ODD_TIMEFRAME = 'PE405';

/** Places count from 1, and are those of the script as it was written. */
export interface RunWarning {
  readonly severity: 'warning';
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

interface Lines {
  positionAt(offset: number): Position;
}

export class RunWarnings {
  private readonly told = new Map<string, RunWarning>();
  private readonly lines: Lines;
  private readonly declaredAt: Span;

  /** They are told at the declaration of the script. */
  constructor(lines: Lines, declaredAt: Span) {
    this.lines = lines;
    this.declaredAt = declaredAt;
  }

  /** The first of a code is kept. */
  add(code: string, message: string, remedy: string): void {
    if (this.told.has(code)) return;
    const { line, column } = this.lines.positionAt(this.declaredAt.start);
    const { line: endLine, column: endColumn } = this.lines.positionAt(this.declaredAt.end);
    this.told.set(code, { severity: 'warning', code, message, remedy, line, column, endLine, endColumn });
  }

  list(): RunWarning[] {
    return [...this.told.values()];
  }
}
