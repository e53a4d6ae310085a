// Calls that draw or alert once per bar: what changes goes into a column, what an input decides is set on the first bar.

import type { Parameter } from '../builtins/model.ts';
import type { BuiltinCallExpr, Expr } from '../check/tree.ts';
import type { Body } from './body.ts';
import { isBool, isNumber, literal } from './literals.ts';
import { walkExpr } from './walk-tree.ts';

/** The value of the call is its place among the outputs, which is how `fill` finds its plots. */
export function emitOutput(body: Body, call: BuiltinCallExpr): string {
  const place = call.place!;
  const steps: string[] = [];
  const settings: string[] = [];
  for (const { parameter, values } of call.arguments) {
    const [value] = values;
    if (value === undefined) continue;
    if (!(isSeries(body, parameter, value) && isColumn(value))) {
      // A plot made in place is drawn on every bar like any other; the fill only needs to know which it is.
      const made = value.kind === 'call' && !isColumn(value) ? value.place : undefined;
      if (made !== undefined) steps.push(body.expr(value));
      // The run knows constants from the checked tree.
      if (made !== undefined) settings.push(`${literal(parameter.name)}: ${made}`);
      else if (value.kind !== 'constant')
        settings.push(`${literal(parameter.name)}: ${body.maybe(() => body.expr(value))}`);
      continue;
    }
    const column = body.module.columns.push({ output: place, parameter: parameter.name }) - 1;
    steps.push(`${body.output(column)} = ${asNumber(body, value)}`);
  }
  if (settings.length > 0) steps.push(`i === 0 && R.set(${place}, { ${settings.join(', ')} })`);
  return `(${[...steps, place].join(', ')})`;
}

/**
 * A function of the script may do things on every bar, also when it always gives the same value; and where a `var`
 * passes for a constant, so does what is made of it.
 */
function isSeries(body: Body, parameter: Parameter, value: Expr): boolean {
  if (value.type.qualifier === 'series') return true;
  const { constantsChange } = body.module.analysis;
  let lives = false;
  walkExpr(value, ({ kind }) => {
    if (kind === 'user-call' || (kind === 'variable' && constantsChange)) lives = true;
  });
  return lives && parameter.type.qualifier === 'series';
}

/** Plots and levels are known by their place, whatever their qualifier says. */
const isColumn = ({ type: { shape } }: Expr): boolean => shape.kind === 'scalar' || shape.kind === 'na';

/** A division by zero counts as na on the chart too; the difference is 0 for every other number. */
function withoutInfinity(body: Body, text: string): string {
  if (/^\w+$/.test(text)) return `${text} + (${text} - ${text})`;
  const value = body.temporary();
  return `(${value} = ${text}) + (${value} - ${value})`;
}

function asNumber(body: Body, value: Expr): string {
  const { shape } = value.type;
  const text = body.expr(value);
  if (isNumber(shape)) return withoutInfinity(body, text);
  if (isBool(shape)) return body.version === 6 ? `(${text} ? 1 : 0)` : `${body.library('boolNumber')}(${text})`;
  return `${body.library('colorNumber')}(${text})`;
}
