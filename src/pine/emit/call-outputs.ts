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
    if (!(isSeries(parameter, value) && isColumn(value))) {
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

/** A function of the script may do things on every bar, also when it always gives the same value. */
function isSeries(parameter: Parameter, value: Expr): boolean {
  if (value.type.qualifier === 'series') return true;
  let calls = false;
  walkExpr(value, ({ kind }) => {
    if (kind === 'user-call') calls = true;
  });
  return calls && parameter.type.qualifier === 'series';
}

/** Plots and levels are known by their place, whatever their qualifier says. */
const isColumn = ({ type: { shape } }: Expr): boolean => shape.kind === 'scalar' || shape.kind === 'na';

function asNumber(body: Body, value: Expr): string {
  const { shape } = value.type;
  const text = body.expr(value);
  if (isNumber(shape)) return text;
  if (isBool(shape)) return body.version === 6 ? `(${text} ? 1 : 0)` : `${body.library('boolNumber')}(${text})`;
  return `${body.library('colorNumber')}(${text})`;
}
