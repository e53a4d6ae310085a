// What the checker finds wrong with a script: one table of codes, and the list that collects the findings.

import type { Fault } from '../builtins/call.ts';
import type { Diagnostic, Severity, Span } from '../syntax/index.ts';

/** Every finding of the checker. Codes are stable: people search for them, so a code is never reused. */
export const CHECK_CODES = {
  tooManyErrors: 'PE100',
  missingDeclaration: 'PE101',
  repeatedDeclaration: 'PE102',
  undeclaredName: 'PE103',
  undeclaredFunction: 'PE104',
  undeclaredType: 'PE105',
  unknownMember: 'PE106',
  usedBeforeDeclaration: 'PE107',
  redeclared: 'PE108',
  naNeedsType: 'PE109',
  wrongType: 'PE110',
  wrongQualifier: 'PE111',
  noValue: 'PE112',
  badTuple: 'PE113',
  badOperands: 'PE114',
  badCondition: 'PE115',
  branchesDiffer: 'PE116',
  badHistory: 'PE117',
  notChangeable: 'PE118',
  globalFromFunction: 'PE119',
  globalOnly: 'PE120',
  notCallable: 'PE121',
  notAValue: 'PE122',
  tooManyArguments: 'PE123',
  argumentOrder: 'PE124',
  repeatedArgument: 'PE125',
  unknownArgument: 'PE126',
  missingArgument: 'PE127',
  wrongConstant: 'PE128',
  badTypeArguments: 'PE129',
  notInVersion: 'PE130',
  recursion: 'PE131',
  tooManyInstances: 'PE132',
  tooDeep: 'PE133',
  badTypeDeclaration: 'PE134',
  badEnum: 'PE135',
  badFunction: 'PE136',
  badExport: 'PE137',
  missingLibrary: 'PE138',
  badLibrary: 'PE139',
  circularImport: 'PE140',
  notExported: 'PE141',
  badInput: 'PE142',
  badOutput: 'PE143',
  badDeclarationCall: 'PE144',
  badLoop: 'PE145',
  notOnEveryBar: 'PE146',
  seldomHistory: 'PE147',
  ignoredSetting: 'PE148',
  noOutput: 'PE149',
  nothingExported: 'PE150',
  hidesBuiltin: 'PE151',
  hidesOuter: 'PE152',
  tooManyLibraries: 'PE153',
} as const;

export type CheckFault = keyof typeof CHECK_CODES;

/** What the resolution of overloads finds, under the checker's codes. */
export const FAULT_OF_CALL: Readonly<Record<Fault, CheckFault>> = {
  version: 'notInVersion',
  'angle-brackets': 'badTypeArguments',
  'too-many': 'tooManyArguments',
  order: 'argumentOrder',
  twice: 'repeatedArgument',
  'unknown-name': 'unknownArgument',
  type: 'wrongType',
  qualifier: 'wrongQualifier',
  constant: 'wrongConstant',
  missing: 'missingArgument',
};

/** Beyond this many errors, or warnings, a list helps nobody; the same bound as for the syntax. */
export const MAX_FINDINGS = 200;

type Weight = Exclude<Severity, 'hint'>;

const MORE: Readonly<Record<Weight, readonly [message: string, remedy: string]>> = {
  error: [
    `There are more than ${MAX_FINDINGS} mistakes; the rest is not listed.`,
    'Repair the first ones and try again.',
  ],
  warning: [`There are more than ${MAX_FINDINGS} warnings; the rest is not listed.`, 'Look at the first ones first.'],
};

/** Collects findings; one place is blamed once per code, however many instances of a function find the same. */
export class Findings {
  readonly #found: Diagnostic[] = [];
  readonly #places = new Set<string>();
  readonly #counts: Record<Weight, number> = { error: 0, warning: 0 };

  get count(): number {
    return this.#found.length;
  }

  /** No more mistakes are listed, so none need to be thought up. */
  get isFull(): boolean {
    return this.#counts.error > MAX_FINDINGS;
  }

  report(fault: CheckFault, message: string, span: Span, remedy?: string, severity: Weight = 'error'): void {
    const place = `${fault} ${span.start} ${span.end}`;
    if (this.#counts[severity] > MAX_FINDINGS || this.#places.has(place)) return;
    this.#places.add(place);
    this.#counts[severity] += 1;
    if (this.#counts[severity] > MAX_FINDINGS) {
      const [more, next] = MORE[severity];
      this.#found.push({ code: CHECK_CODES.tooManyErrors, severity, message: more, span, remedy: next });
      return;
    }
    const finding: Diagnostic = { code: CHECK_CODES[fault], severity, message, span };
    this.#found.push(remedy === undefined ? finding : { ...finding, remedy });
  }

  /** The findings from the given place on, in the order they were made. */
  since(count: number): readonly Diagnostic[] {
    return this.#found.slice(count);
  }

  /** In the order of the text, which is the order people repair in. */
  sorted(): Diagnostic[] {
    return [...this.#found].sort((a, b) => a.span.start - b.span.start);
  }
}
