// The argument `sort_field` of functions that sort objects: a field by its name or number, found at compile time.

import { scalar, typeOf } from '../builtins/types.ts';
import { nearestName } from '../syntax/index.ts';
import type { Checker } from './checker.ts';
import { constantValue } from './constants.ts';
import type { BuiltinCallExpr, CallArgument, ConstantExpr, UserType } from './tree.ts';

const NAME = 'sort_field';

/** The call with the field as its number; a field that is not there, or has no order, is reported. */
export function withSortField(c: Checker, call: BuiltinCallExpr): BuiltinCallExpr {
  const index = call.arguments.findIndex(({ parameter }) => parameter.name === NAME);
  const given = call.arguments[index];
  const [expr] = given?.values ?? [];
  const type = typeOfElements(c, call);
  if (given === undefined || expr === undefined || type === undefined) return call;
  const wanted = constantValue(expr);
  const place = typeof wanted === 'string' ? type.fields.findIndex(({ name }) => name === wanted) : Number(wanted);
  const field = type.fields[place];
  if (field === undefined) {
    const names = type.fields.map(({ name }) => name);
    const meant = typeof wanted === 'string' ? nearestName(wanted, names) : null;
    const remedy = meant === null ? `It has ${names.join(', ')}.` : `Did you mean ${meant}?`;
    c.report('wrongConstant', `${type.name} has no field ${wanted}.`, expr.span, remedy);
    return call;
  }
  if (field.shape.kind !== 'scalar' || !['int', 'float', 'string'].includes(field.shape.name)) {
    const remedy = 'Sort by a field of type int, float or string.';
    c.report('wrongConstant', `The field ${field.name} of ${type.name} has no order.`, expr.span, remedy);
    return call;
  }
  const number: ConstantExpr = {
    kind: 'constant',
    value: place,
    type: typeOf('const', scalar('int')),
    span: expr.span,
  };
  const argument: CallArgument = { ...given, values: [number] };
  return { ...call, arguments: call.arguments.with(index, argument) };
}

function typeOfElements(c: Checker, call: BuiltinCallExpr): UserType | undefined {
  const shape = call.arguments[0]?.values[0]?.type.shape;
  if (shape === undefined || !('element' in shape) || shape.element.kind !== 'user') return undefined;
  return c.program.types.get(shape.element.name);
}
