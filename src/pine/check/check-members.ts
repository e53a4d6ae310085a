// Names with a dot: built-ins of a namespace, members of enums and libraries, and fields of objects.

import { findFunction, findValue, isNamespace, suggestionFor } from '../builtins/index.ts';
import { fieldsOf } from '../builtins/object-fields.ts';
import { typeOf } from '../builtins/types.ts';
import { type Member, nearestName } from '../syntax/index.ts';
import { dottedPath } from './arguments.ts';
import { builtinValue, libraryConstant, otherMeaning } from './check-names.ts';
import type { Checker } from './checker.ts';
import { enumMember } from './enums.ts';
import { libraryOf, type Module, type VariableSymbol } from './scopes.ts';
import { describe, isUnknown, unknownExpr } from './shapes.ts';
import type { Expr } from './tree.ts';

export function checkMember(c: Checker, node: Member): Expr {
  const path = dottedPath(node);
  if (path?.at(-1) === '' && c.find(path[0]!) === null && otherMeaning(c, path[0]!) !== null) {
    // `ta.` with the name still to come.
    c.broken = true;
    return unknownExpr(node.span);
  }
  if (path === null || path.includes('')) return checkField(c, node);
  const [root] = path as [string, ...string[]];
  const symbol = c.find(root);
  const entry = findValue(path.join('.'));
  const builtin = entry?.versions.includes(c.version) === true ? entry : null;
  if (symbol !== null) {
    const field = path.length === 2 && hasField(c, symbol, path[1]!);
    return builtin !== null && !field ? builtinValue(c, builtin, node) : checkField(c, node);
  }
  const { module } = c.place;
  const library = libraryOf(module, path);
  if (library !== undefined) return libraryMember(c, node, library, path);
  const own = path.length === 2 ? module.enums.get(root) : undefined;
  if (own !== undefined) return enumMember(c, own.userEnum, node);
  if (builtin !== null) return builtinValue(c, builtin, node);
  if (isNamespace(path.slice(0, -1).join('.'))) return unknownBuiltin(c, node, path.join('.'));
  return checkField(c, node);
}

function hasField(c: Checker, { variable }: VariableSymbol, name: string): boolean {
  const { shape } = variable.type;
  if (shape.kind === 'object') return fieldsOf(shape.name).has(name);
  return shape.kind === 'user' && c.program.types.get(shape.name)?.fields.some((field) => field.name === name) === true;
}

function unknownBuiltin(c: Checker, node: Member, name: string): Expr {
  const entry = findFunction(name);
  if (entry !== null)
    return c.refuse('notAValue', `${name} is a function, not a value.`, node.span, `Write ${name}(…).`);
  if (findValue(name) !== null) {
    const when = c.version === 5 ? 'exists only since Pine v6' : 'no longer exists in Pine v6';
    return c.refuse('notInVersion', `${name} ${when}.`, node.span);
  }
  const meant = c.wantsRemedy ? suggestionFor(name, c.version) : null;
  const remedy = meant === null ? undefined : `Did you mean ${meant}?`;
  return c.refuse('undeclaredName', `There is no ${name}.`, node.span, remedy);
}

/** `alias.CONSTANT` and `alias.Enum.member`. */
function libraryMember(c: Checker, node: Member, library: Module | null, path: readonly string[]): Expr {
  if (library === null) return unknownExpr(node.span);
  const name = path[1]!;
  const found = library.enums.get(name);
  if (path.length === 3 && found?.exported === true) return enumMember(c, found.userEnum, node);
  const symbol = library.globals.names.get(name);
  if (path.length === 2 && symbol?.exported === true) return libraryConstant(c, symbol, node.span);
  const known = symbol !== undefined || found !== undefined || library.functions.has(name) || library.types.has(name);
  const why = known ? `does not export a value ${name}` : `has no ${name}`;
  return c.refuse('notExported', `Library ${library.library} ${why}.`, node.span);
}

/** A field of an object: of a user type, or of a chart.point. */
function checkField(c: Checker, node: Member): Expr {
  const object = c.value(node.object);
  const name = node.property.text;
  const { shape } = object.type;
  if (name === '') c.broken = true;
  if (isUnknown(shape) || name === '') return unknownExpr(node.span);
  if (shape.kind === 'user') {
    const owner = c.program.types.get(shape.name)!;
    const field = owner.fields.findIndex((one) => one.name === name);
    const found = owner.fields[field];
    if (found === undefined)
      return unknownField(
        c,
        node,
        describe(object.type),
        owner.fields.map((one) => one.name),
      );
    c.refers(node, { kind: 'field', name: `${owner.name}.${name}`, span: null });
    if (isUnknown(found.shape)) return unknownExpr(node.span);
    return { kind: 'field', object, owner, field, type: typeOf('series', found.shape), span: node.span };
  }
  const fields = shape.kind === 'object' ? [...fieldsOf(shape.name)] : [];
  const field = fields.findIndex(([one]) => one === name);
  const found = fields[field];
  if (found === undefined)
    return unknownField(
      c,
      node,
      describe(object.type),
      fields.map(([one]) => one),
    );
  return { kind: 'field', object, owner: 'chart.point', field, type: found[1], span: node.span };
}

function unknownField(c: Checker, { property }: Member, owner: string, names: readonly string[]): Expr {
  const meant = nearestName(property.text, names);
  const remedy =
    meant !== null ? `Did you mean ${meant}?` : names.length > 0 ? `It has ${names.join(', ')}.` : undefined;
  return c.refuse('unknownMember', `${owner} has no field ${property.text}.`, property.span, remedy);
}
