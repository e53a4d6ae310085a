// What variables are given, by declarations and assignments: whether it fits, and how late it is known.

import { laterQualifier, type PineType, type Qualifier, type Shape } from '../builtins/types.ts';
import type { Name } from '../syntax/index.ts';
import type { Checker } from './checker.ts';
import { describe, isInt, QUOTIENT } from './shapes.ts';
import type { Expr, Variable } from './tree.ts';

/** The variable as an expression, right after it was given its value. */
export const read = (variable: Variable): Expr => ({
  kind: 'variable',
  variable,
  type: variable.type,
  span: variable.span,
});

/** What is said of a value that does not fit: the message, where, and the remedy if there is one. */
export function mismatch(name: string, declared: PineType, value: Expr): [string, Expr['span'], string?] {
  const message = `${name} is ${describe(declared)} and cannot hold ${describe(value.type)}.`;
  const number = describe(declared).endsWith(' int') && describe(value.type).endsWith(' float');
  return number ? [message, value.span, 'Wrap the value in int(), or declare it as float.'] : [message, value.span];
}

/** Objects and collections are always series; `const` before them only says that the variable keeps its first one. */
export const isReference = ({ kind }: Shape): boolean =>
  kind === 'object' || kind === 'user' || kind === 'array' || kind === 'matrix' || kind === 'map';

/** Of a variable that is given other values: as late known as the latest of them; one that keeps them is a series. */
export function qualifierOf(c: Checker, name: Name, first: Qualifier, kept = false): Qualifier {
  const { assumed } = c.place.module;
  // v5 is known for taking a `var` that only ever adds constants for a constant.
  noteGiven(c, name, kept && c.version === 6 ? 'series' : first);
  return assumed === null ? 'series' : laterQualifier(first, assumed.get(name) ?? 'const');
}

/** The shape of a variable; an int that is given a quotient further down holds its fraction. */
export const withFractions = (c: Checker, name: Name, shape: Shape): Shape =>
  isInt(shape) && c.program.fractional.has(placeOf(c, name)) ? QUOTIENT : shape;

/** Of this the declaration above must know: the text is looked at once more. */
export function noteFraction(c: Checker, name: Name): void {
  c.program.fractional.add(placeOf(c, name));
}

/** Libraries are read anew in every round: a place tells the same name. */
const placeOf = (c: Checker, { span }: Name): string => `${c.place.module.library ?? ''}@${span.start}`;

export function noteGiven(c: Checker, name: Name, qualifier: Qualifier): void {
  const { given } = c.place.module;
  given.set(name, laterQualifier(given.get(name) ?? 'const', qualifier));
}
