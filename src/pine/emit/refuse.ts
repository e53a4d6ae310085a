// What the engine knows but cannot run yet is refused at compile time, in words.

import type { Expr } from '../check/tree.ts';
import type { Body } from './body.ts';

export const NOT_AVAILABLE = 'PE301';

/** Notes the refusal; the text stands for the value until the program is thrown away. */
export function refuse(body: Body, expr: Expr, name: string): string {
  body.module.refused.push({
    code: NOT_AVAILABLE,
    severity: 'error',
    message: `${name} cannot be run yet.`,
    span: expr.span,
    remedy: 'Remove it from the script; strategies and requests come with a later release.',
  });
  return 'null';
}
