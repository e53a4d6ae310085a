// The constant arguments of a built-in call by the name of the parameter, and the answer when one cannot be taken.

import type { Span } from '../syntax/index.ts';
import { constantValue } from './constants.ts';
import type { BuiltinCallExpr, ConstantValue, Expr } from './tree.ts';

/** Why a declaration, an input or an output cannot be taken, for a diagnostic. */
export interface SpecRefusal {
  readonly refused: true;
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** What to do about it, in one sentence. */
  readonly remedy: string;
  readonly span: Span;
}

export const isRefused = <T extends object>(spec: T | SpecRefusal): spec is SpecRefusal => 'refused' in spec;

/** A refusal on its way out; it never leaves `orRefusal`. */
class Refusal extends Error {
  readonly answer: SpecRefusal;

  constructor(answer: SpecRefusal) {
    super(answer.message);
    this.answer = answer;
  }
}

/** What `read` makes of the call, or the first refusal it came upon. */
export function orRefusal<T extends object>(read: () => T): T | SpecRefusal {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  }
}

/** Texts of a script are quoted in messages only as far as a line of a list shows them. */
const MAX_QUOTED_LENGTH = 60;

/** A value as messages show it: texts in quotes, na by its name. */
export function quoted(value: unknown): string {
  if (value === null || Number.isNaN(value)) return 'na';
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > MAX_QUOTED_LENGTH ? `${value.slice(0, MAX_QUOTED_LENGTH)}…` : value);
}

export class CallConstants {
  readonly #call: BuiltinCallExpr;

  constructor(call: BuiltinCallExpr) {
    this.#call = call;
  }

  /** The argument or its default; null where it is left out and the default is in words. */
  expr(name: string): Expr | null {
    return this.#call.arguments.find(({ parameter }) => parameter.name === name)?.values[0] ?? null;
  }

  /** Undefined where it is left out, or stands at a default that only the chart knows, such as syminfo.currency. */
  value(name: string): ConstantValue | undefined {
    const expr = this.expr(name);
    return expr === null || this.#isDefault(name, expr) ? undefined : this.constantOf(name, expr);
  }

  /** The value of an expression that stands in the argument of this name. */
  constantOf(name: string, expr: Expr): ConstantValue {
    const value = constantValue(expr);
    if (value !== undefined) return value;
    return this.refuse(
      name,
      `The value of the '${name}' argument of ${this.#call.name}() is not known before the script runs.`,
      'Write the value itself, or a variable that is given a constant and never changed.',
    );
  }

  /** Null where it is left out or na. */
  text(name: string): string | null {
    const value = this.value(name);
    return typeof value === 'string' ? value : null;
  }

  /** Null where it is left out or na. */
  number(name: string): number | null {
    const value = this.value(name);
    return typeof value === 'number' && !Number.isNaN(value) ? value : null;
  }

  flag(name: string): boolean {
    return this.value(name) === true;
  }

  /** Ends the reading with a diagnostic at the argument, or at the call where it is left out. */
  refuse(name: string, message: string, remedy: string): never {
    const span = this.expr(name)?.span ?? this.#call.span;
    throw new Refusal({ refused: true, message, remedy, span });
  }

  #isDefault(name: string, expr: Expr): boolean {
    if (expr.kind !== 'builtin') return false;
    const parameter = this.#call.arguments.find((one) => one.parameter.name === name)?.parameter;
    return [parameter?.fallback, parameter?.fallbackInV5].some((fallback) => fallback?.text === expr.name);
  }
}
