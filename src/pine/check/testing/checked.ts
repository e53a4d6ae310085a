// How tests check a snippet: the program when it is right, and where which code is reported when it is not.

import { typeText } from '../../builtins/types.ts';
import { type Diagnostic, LineTable, parse } from '../../syntax/index.ts';
import { type Checked, check, type LibrarySource } from '../index.ts';
import type { CheckedProgram, Variable } from '../tree.ts';
import { printProgram } from './print-tree.ts';

export interface Setting {
  readonly version?: 5 | 6;
  readonly libraries?: readonly LibrarySource[];
  /** Whether a program with warnings is taken too. */
  readonly mayWarn?: boolean;
}

/** The snippet in a script; its own first line is line 3. */
export const scriptOf = (snippet: string, version = 6): string => `//@version=${version}\nindicator("T")\n${snippet}`;

export function checkText(
  source: string,
  libraries: readonly LibrarySource[] = [],
): Checked & { syntax: readonly Diagnostic[] } {
  const { script, version, diagnostics } = parse(source);
  return { ...check(script, { version, libraries }), syntax: diagnostics };
}

/** The program of a snippet; throws with the findings when there are any. */
export function programOf(snippet: string, setting: Setting = {}): CheckedProgram {
  const { version = 6, libraries = [], mayWarn = false } = setting;
  const source = scriptOf(snippet, version);
  const { program, diagnostics, syntax } = checkText(source, libraries);
  if (program === null || (diagnostics.length > 0 && !mayWarn) || syntax.length > 0)
    throw new Error([...syntax, ...diagnostics].map((found) => textOf(found, source)).join('\n') || 'no program');
  return program;
}

/** The statements in short, without the declaration. */
export const meaningOf = (snippet: string, setting: Setting = {}): string =>
  printProgram(programOf(snippet, setting)).split('\n').slice(1).join('\n');

/** `CODE line:column message remedy` of every finding, lines counted in the snippet. */
export function findingsOf(snippet: string, { version = 6, libraries = [] }: Setting = {}): string[] {
  const source = scriptOf(snippet, version);
  const { diagnostics, syntax } = checkText(source, libraries);
  return [...syntax, ...diagnostics].map((found) => textOf(found, source, 2));
}

/** Only the codes and places. */
export const placesOf = (snippet: string, setting: Setting = {}): string[] =>
  findingsOf(snippet, setting).map((text) => text.split(' ').slice(0, 2).join(' '));

function textOf({ code, message, remedy, span }: Diagnostic, source: string, linesAbove = 0): string {
  const { line, column } = new LineTable(source).positionAt(span.start);
  return `${code} ${line - linesAbove}:${column} ${message}${remedy === undefined ? '' : ` ${remedy}`}`;
}

/** Every variable that the main block declares, by name. */
export function variablesOf({ main }: CheckedProgram): ReadonlyMap<string, Variable> {
  const found = new Map<string, Variable>();
  for (const statement of main.statements) {
    if (statement.kind === 'declare') found.set(statement.variable.name, statement.variable);
    if (statement.kind === 'declare-tuple')
      for (const variable of statement.variables) if (variable !== null) found.set(variable.name, variable);
  }
  return found;
}

/** The type of a variable of the snippet, in words. */
export const typeOfName = (snippet: string, name: string, setting: Setting = {}): string =>
  typeText(variablesOf(programOf(snippet, setting)).get(name)!.type);
