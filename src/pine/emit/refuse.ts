// What the engine knows but cannot run yet is refused at compile time, in words.

import type { Expr } from '../check/tree.ts';
import type { Diagnostic } from '../syntax/index.ts';
import type { Body } from './body.ts';
import type { Refusal } from './module.ts';

/** The code of what is right in a script and cannot be run by this release. */
export const NOT_AVAILABLE = 'PE301';

/** How many names are told; a strategy calls dozens, and the first say enough. */
const MAX_NAMES = 5;

/** Notes the refusal; the text stands for the value until the program is thrown away. */
export function refuse(body: Body, expr: Expr, name: string): string {
  body.module.refused.push({ name, span: expr.span });
  return 'null';
}

/** One finding at the first place, however many calls there are: the script is not at fault. */
export function findingsOf(refused: readonly Refusal[]): Diagnostic[] {
  const [first] = refused.toSorted((a, b) => a.span.start - b.span.start);
  if (first === undefined) return [];
  const names = [...new Set(refused.map(({ name }) => name))];
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  const message = `${names.slice(0, MAX_NAMES).join(', ')}${more} cannot be run yet.`;
  const remedy = 'Remove what is named from the script; requests come with a later release.';
  return [{ code: NOT_AVAILABLE, severity: 'error', message, span: first.span, remedy }];
}
