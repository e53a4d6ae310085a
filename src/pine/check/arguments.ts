// The arguments of a call as written, each checked once, whatever the call turns out to mean.

import { findValue } from '../builtins/index.ts';
import type { Argument, Call, Expression, Span } from '../syntax/index.ts';
import type { Checker } from './checker.ts';
import type { Expr } from './tree.ts';

export interface GivenArgument {
  readonly name: string | null;
  readonly expr: Expr;
  /** As written, of a built-in constant or a quoted text. */
  readonly text?: string;
  readonly span: Span;
}

export function checkArguments(c: Checker, node: Call): GivenArgument[] {
  const given = node.arguments.map((argument) => checkArgument(c, argument));
  return c.version === 5 ? withoutRepeated(c, given) : given;
}

/** v5 takes the first of two arguments of the same name and warns; since v6 it is an error. */
function withoutRepeated(c: Checker, given: readonly GivenArgument[]): GivenArgument[] {
  const seen = new Set<string>();
  return given.filter(({ name, span }) => {
    if (name === null || !seen.has(name)) {
      if (name !== null) seen.add(name);
      return true;
    }
    c.warn(
      'repeatedArgument',
      `The argument ${name} is given twice; the first one counts.`,
      span,
      'Remove one of them.',
    );
    return false;
  });
}

function checkArgument(c: Checker, { name, value, span }: Argument): GivenArgument {
  const given = { name: name === null ? null : name.text, expr: c.value(value), span };
  const text = given.expr.kind === 'constant' ? textOf(value) : null;
  return text === null ? given : { ...given, text };
}

function textOf(node: Expression): string | null {
  if (node.kind === 'string') return `"${node.value}"`;
  const name = node.kind === 'member' ? dottedPath(node)?.join('.') : undefined;
  return name !== undefined && findValue(name)?.kind === 'constant' ? name : null;
}

/** The words of `a.b.c`, or null when anything but names is in it. */
export function dottedPath(node: Expression): string[] | null {
  if (node.kind === 'identifier') return [node.name];
  if (node.kind !== 'member') return null;
  const path = dottedPath(node.object);
  path?.push(node.property.text);
  return path;
}
