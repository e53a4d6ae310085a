// What is wrong with a script, as data: one table of codes, and the list that collects the findings.

import type { Span } from './span.ts';

export type Severity = 'error' | 'warning' | 'hint';

export interface Diagnostic {
  readonly code: string;
  readonly severity: Severity;
  /** What is wrong, in one sentence. */
  readonly message: string;
  readonly span: Span;
  /** What to do about it, in one sentence; absent where the message already says it. */
  readonly remedy?: string;
}

/** Every finding of the front end. Codes are stable: people search for them, so a code is never reused. */
export const SYNTAX_CODES = {
  sourceTooLarge: 'PE001',
  missingVersion: 'PE002',
  oldVersion: 'PE003',
  unknownVersion: 'PE004',
  tooDeep: 'PE005',
  tooManyErrors: 'PE006',
  unexpectedCharacter: 'PE007',
  foreignOperator: 'PE008',
  unterminatedString: 'PE009',
  badColor: 'PE010',
  badNumber: 'PE011',
  blockComment: 'PE012',
  unexpectedIndent: 'PE013',
  unevenDedent: 'PE014',
  missingBlock: 'PE015',
  unexpectedToken: 'PE016',
  missingExpression: 'PE017',
  unclosedBracket: 'PE018',
  strayBracket: 'PE019',
  missingName: 'PE020',
  reservedName: 'PE021',
  missingType: 'PE022',
  missingMember: 'PE023',
  missingArgument: 'PE024',
  missingValue: 'PE025',
  equalsInExpression: 'PE026',
  badTarget: 'PE027',
  badTuple: 'PE028',
  structureInExpression: 'PE029',
  nestedDeclaration: 'PE030',
  elseWithoutIf: 'PE031',
  outsideLoop: 'PE032',
  badSwitch: 'PE033',
  badFor: 'PE034',
  badImport: 'PE035',
  badExport: 'PE036',
  needsNewerVersion: 'PE037',
  badDeclaration: 'PE038',
  afterHistory: 'PE039',
  wrappedString: 'PE040',
  converted: 'PE041',
} as const;

/** The code of the warning that a script of an old version was converted. */
export const CONVERTED = SYNTAX_CODES.converted;

/** The code of what a script shows of the past and did not show then. */
export const REPAINTS = 'PE401';

export type SyntaxFault = keyof typeof SYNTAX_CODES;

/** A finding before it has its code. */
export interface SyntaxFinding {
  readonly fault: SyntaxFault;
  readonly message: string;
  readonly span: Span;
  readonly remedy?: string;
}

/** Beyond this many findings a text is not a script with mistakes but something else, and a list helps nobody. */
export const MAX_DIAGNOSTICS = 200;

/** Collects findings in the order they are made, up to the limit. */
export class DiagnosticList {
  readonly #found: Diagnostic[] = [];

  error(fault: SyntaxFault, message: string, span: Span, remedy?: string): void {
    if (this.#found.length > MAX_DIAGNOSTICS) return;
    if (this.#found.length === MAX_DIAGNOSTICS) {
      const code = SYNTAX_CODES.tooManyErrors;
      const text = `There are more than ${MAX_DIAGNOSTICS} mistakes; the rest is not listed.`;
      this.#found.push({
        code,
        severity: 'error',
        message: text,
        span,
        remedy: 'Repair the first ones and try again.',
      });
      return;
    }
    const finding: Diagnostic = { code: SYNTAX_CODES[fault], severity: 'error', message, span };
    this.#found.push(remedy === undefined ? finding : { ...finding, remedy });
  }

  warning(fault: SyntaxFault, message: string, span: Span, remedy: string): void {
    if (this.#found.length >= MAX_DIAGNOSTICS) return;
    this.#found.push({ code: SYNTAX_CODES[fault], severity: 'warning', message, span, remedy });
  }

  /** In the order of the text, which is the order people repair in. */
  sorted(): Diagnostic[] {
    return [...this.#found].sort((a, b) => a.span.start - b.span.start);
  }
}

export const hasErrors = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some(({ severity }) => severity === 'error');
