// Types as a script writes them: `float`, `array<Point>`, `map<string, Lib.Side>`, read into shapes.

import {
  arrayOf,
  mapOf,
  matrixOf,
  OBJECTS,
  type ObjectName,
  SCALARS,
  type ScalarName,
  type Shape,
  scalar,
  TYPE_VARIABLES,
  variableAccepts,
} from '../builtins/types.ts';
import { nearestName, type TypeReference } from '../syntax/index.ts';
import type { Checker } from './checker.ts';
import { libraryOf, type Module } from './scopes.ts';
import { describe, holdsUnknown, UNKNOWN } from './shapes.ts';

const SCALAR_NAMES: ReadonlySet<string> = new Set(SCALARS);
/** Plots and levels are values, but a declaration cannot name their types. */
const OBJECT_NAMES: ReadonlySet<string> = new Set(OBJECTS.filter((name) => name !== 'plot' && name !== 'hline'));
const COLLECTIONS: Readonly<Record<string, number>> = { array: 1, matrix: 1, map: 2 };

/** Names no type of a script can have; it may well be called `line` or `table`, and then stands before the built-in. */
export const isReservedTypeName = (name: string): boolean => SCALAR_NAMES.has(name) || Object.hasOwn(COLLECTIONS, name);

/** The shape a reference stands for; what is wrong with it is reported, and the unknown shape stands in. */
export function readType(c: Checker, node: TypeReference): Shape {
  const path = node.path.map(({ text }) => text);
  const name = path.join('.');
  if (path.includes('')) {
    c.broken = true;
    return UNKNOWN;
  }
  if (Object.hasOwn(COLLECTIONS, name)) return readCollection(c, node, name);
  const shape = plainType(c, node, path);
  if (node.typeArguments.length > 0) {
    c.report('badTypeArguments', `${name} takes no type in angle brackets.`, node.span);
    for (const inner of node.typeArguments) readType(c, inner);
  }
  return shape;
}

function plainType(c: Checker, node: TypeReference, path: readonly string[]): Shape {
  const name = path.join('.');
  const { module } = c.place;
  if (path.length === 2) {
    const library = libraryOf(module, path);
    if (library === null) return UNKNOWN;
    if (library !== undefined) return libraryType(c, node, library, path[1]!);
  }
  const own = path.length === 1 ? typeOfModule(module, name) : null;
  if (own !== null) {
    const symbol = module.types.get(name) ?? module.enums.get(name);
    const kind = module.types.has(name) ? 'type' : 'enum';
    c.refers(node, { kind, name, span: symbol?.span ?? null });
    return own;
  }
  if (SCALAR_NAMES.has(name)) return scalar(name as ScalarName);
  if (OBJECT_NAMES.has(name)) return { kind: 'object', name: name as ObjectName };
  const known = [
    ...module.types.keys(),
    ...module.enums.keys(),
    ...SCALARS,
    ...OBJECT_NAMES,
    ...Object.keys(COLLECTIONS),
  ];
  const meant = nearestName(name, known);
  const remedy = meant === null ? 'Declare it with "type" or "enum" first.' : `Did you mean ${meant}?`;
  c.report('undeclaredType', `There is no type ${name}.`, node.span, remedy);
  return UNKNOWN;
}

/** The shape of a type or enum that a module declares, or null. */
function typeOfModule(module: Module, name: string): Shape | null {
  const type = module.types.get(name);
  if (type !== undefined) return { kind: 'user', name: type.userType.key };
  const found = module.enums.get(name);
  return found === undefined ? null : { kind: 'enum', name: found.userEnum.key };
}

function libraryType(c: Checker, node: TypeReference, library: Module, name: string): Shape {
  const symbol = library.types.get(name) ?? library.enums.get(name);
  if (symbol?.exported === true) return typeOfModule(library, name)!;
  const exported = [...library.types, ...library.enums].flatMap(([one, { exported }]) => (exported ? [one] : []));
  const meant = nearestName(name, exported);
  const remedy = meant === null ? undefined : `Did you mean ${meant}?`;
  const why = symbol === undefined ? `has no type ${name}` : `does not export its type ${name}`;
  c.report('notExported', `Library ${library.library} ${why}.`, node.span, remedy);
  return UNKNOWN;
}

function readCollection(c: Checker, node: TypeReference, name: string): Shape {
  const wanted = COLLECTIONS[name]!;
  const inner = node.typeArguments.map((reference) => readType(c, reference));
  if (inner.length !== wanted) {
    const example = wanted === 2 ? 'map<string, float>' : `${name}<float>`;
    c.report('badTypeArguments', `${name} needs its types in angle brackets.`, node.span, `Write ${example}.`);
    return UNKNOWN;
  }
  const [first, second] = inner as [Shape, Shape];
  if (inner.some(holdsUnknown)) return UNKNOWN;
  const held = second ?? first;
  if (!variableAccepts('V', held)) {
    const remedy = 'Put the inner one into a field of a type of your own.';
    c.report(
      'badTypeArguments',
      `${name === 'array' ? 'An' : 'A'} ${name} cannot hold ${describe({ qualifier: 'series', shape: held })}.`,
      node.span,
      remedy,
    );
    return UNKNOWN;
  }
  if (name === 'array') return arrayOf(held);
  if (name === 'matrix') return matrixOf(held);
  if (variableAccepts('K', first)) return mapOf(first, held);
  const message = `The keys of a map are ${TYPE_VARIABLES.K.accepts}, not ${describe({ qualifier: 'series', shape: first })}.`;
  c.report('badTypeArguments', message, node.span);
  return UNKNOWN;
}
