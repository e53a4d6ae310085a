// The types a module declares: fields and their defaults, new objects and copies.

import { type Shape, typeOf } from '../builtins/types.ts';
import { type Call, type Field, nearestName, type TypeDeclaration } from '../syntax/index.ts';
import type { GivenArgument } from './arguments.ts';
import type { Checker } from './checker.ts';
import { coerce } from './coerce.ts';
import { isFreeTypeName, keyOf } from './enums.ts';
import type { TypeSymbol } from './scopes.ts';
import { describe, fits, isUnknown, naExpr, unknownExpr } from './shapes.ts';
import type { Expr, UserField, UserType } from './tree.ts';
import { readType } from './type-references.ts';
import { fitsNew } from './wider-arrays.ts';

/** Makes the name known, so that fields can be of any type of the script, also of their own. */
export function declareType(c: Checker, node: TypeDeclaration, order: number): void {
  if (!isFreeTypeName(c, node.name)) return;
  const name = node.name.text;
  const fields: UserField[] = [];
  const key = keyOf(c, name);
  const userType: UserType = { id: c.program.nextId(), name, key, fields };
  c.place.module.types.set(name, { userType, fields, order, exported: node.exported, span: node.name.span });
  c.program.types.set(key, userType);
}

export function readFields(c: Checker, node: TypeDeclaration): void {
  const symbol = c.place.module.types.get(node.name.text);
  // A second type of the same name was reported and is not filled in.
  if (symbol === undefined || symbol.span !== node.name.span) return;
  for (const field of node.fields) readField(c, symbol, field);
}

function readField(c: Checker, { userType, fields }: TypeSymbol, node: Field): void {
  const shape = readType(c, node.type);
  const name = node.name.text;
  const defaultValue = naExpr(shape, c.version, node.span);
  if (name === '') {
    c.broken = true;
    return;
  }
  if (fields.some((field) => field.name === name)) {
    c.report('badTypeDeclaration', `The type ${userType.name} has a field ${name} twice.`, node.name.span);
    return;
  }
  fields.push({ name, shape, varip: node.varip, defaultValue });
}

/** Where the type stands among the lines, so that a default can be a constant from above. */
export function readDefaults(c: Checker, node: TypeDeclaration): void {
  const symbol = c.place.module.types.get(node.name.text);
  if (symbol === undefined || symbol.span !== node.name.span) return;
  for (const field of node.fields) {
    const at = symbol.fields.findIndex(({ name }) => name === field.name.text);
    const known = symbol.fields[at];
    if (field.defaultValue === null || known === undefined) continue;
    symbol.fields[at] = { ...known, defaultValue: readDefault(c, field, known.shape) };
  }
}

/** Known at compile time, or a built-in variable such as `close`, which is looked at when the object is made. */
function readDefault(c: Checker, node: Field, shape: Shape): Expr {
  const value = c.value(node.defaultValue!);
  if (isUnknown(value.type.shape)) return value;
  if (!fits(value.type.shape, shape, c.version)) {
    const message = `The field ${node.name.text} is ${describe(typeOf('series', shape))}, its default ${describe(value.type)}.`;
    return c.refuse('wrongType', message, node.defaultValue!.span);
  }
  if (value.type.qualifier !== 'const' && value.kind !== 'builtin') {
    const message = 'The default of a field is a constant or a built-in variable.';
    return c.refuse('wrongQualifier', message, node.defaultValue!.span, 'Give other values in new().');
  }
  return coerce(value, shape, c.version);
}

/** `T.new(…)`: fields in their order, or by name. */
export function newObject(c: Checker, userType: UserType, given: readonly GivenArgument[], node: Call): Expr {
  const values: (Expr | null)[] = userType.fields.map(() => null);
  let named = false;
  for (const [i, argument] of given.entries()) {
    const place = argument.name === null ? i : userType.fields.findIndex(({ name }) => name === argument.name);
    named ||= argument.name !== null;
    if (argument.name === null && named) {
      c.report('argumentOrder', 'Arguments without a name must come before those with one.', argument.span);
      continue;
    }
    const field = userType.fields[place];
    if (field === undefined) reportUnknownField(c, userType, argument, given.length);
    else if (values[place] !== null)
      c.report('repeatedArgument', `The field ${field.name} of ${userType.name} is given twice.`, argument.span);
    else values[place] = fieldValue(c, userType, field, argument);
  }
  const fields = userType.fields.map(({ defaultValue }, i) => values[i] ?? defaultValue);
  return { kind: 'new', userType, fields, type: objectType(userType), span: node.span };
}

const objectType = (userType: UserType) => typeOf('series', { kind: 'user', name: userType.key });

function reportUnknownField(c: Checker, { name, fields }: UserType, argument: GivenArgument, count: number): void {
  if (argument.name === null) {
    c.report('tooManyArguments', `${name}.new() takes at most ${fields.length} values, got ${count}.`, argument.span);
    return;
  }
  const meant = nearestName(
    argument.name,
    fields.map((field) => field.name),
  );
  const remedy = meant === null ? undefined : `Did you mean ${meant}?`;
  c.report('unknownArgument', `${name} has no field ${argument.name}.`, argument.span, remedy);
}

function fieldValue(c: Checker, userType: UserType, field: UserField, { expr, span }: GivenArgument): Expr {
  if (fitsNew(expr, field.shape, c.version)) return coerce(expr, field.shape, c.version);
  const wanted = describe(typeOf('series', field.shape));
  const message = `Wrong type for the field ${field.name} of ${userType.name}: expected ${wanted}, got ${describe(expr.type)}.`;
  return c.refuse('wrongType', message, span);
}

/** `T.copy(object)` and `object.copy()`. */
export function copyObject(c: Checker, userType: UserType, given: readonly GivenArgument[], node: Call): Expr {
  const [first, second] = given;
  if (first === undefined)
    return c.refuse('missingArgument', `Missing the object that ${userType.name}.copy() copies.`, node.span);
  if (second !== undefined) c.report('tooManyArguments', `${userType.name}.copy() takes one object.`, second.span);
  const { expr } = first;
  const type = objectType(userType);
  if (!fits(expr.type.shape, type.shape, c.version)) {
    c.report('wrongType', `${userType.name}.copy() takes ${userType.name}, not ${describe(expr.type)}.`, first.span);
    return unknownExpr(node.span);
  }
  return { kind: 'copy', userType, object: coerce(expr, type.shape, c.version), type, span: node.span };
}
