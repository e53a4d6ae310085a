// Instances of user functions: one per combination of argument types, so that every variable in a body has one type.

import { type PineType, typeOf } from '../builtins/types.ts';
import type { Span } from '../syntax/index.ts';
import { rememberFirst } from './check-history.ts';
import type { Checker } from './checker.ts';
import { Scope, type UserFunction } from './scopes.ts';
import { heldShape, isUnknown, NA_ALONE, typeKey, UNKNOWN, VOID_TYPE } from './shapes.ts';
import type { FunctionInstance } from './tree.ts';

/** A script of thousands of lines has some hundred; more come from functions that call functions with ever new types. */
export const MAX_INSTANCES = 2000;

/** The instance for these argument types; null when there are too many, which is reported. */
export function instanceOf(
  c: Checker,
  fn: UserFunction,
  given: readonly PineType[],
  at: Span,
): FunctionInstance | null {
  const types = given.map((type, i) => parameterTypeFor(fn, i, type));
  const dry = c.place.dry || types.some(({ shape }) => isUnknown(shape));
  const key = `${dry ? 'dry' : ''}${types.map(typeKey).join(';')}`;
  const known = fn.instances.get(key);
  if (known !== undefined) return known;
  if (c.program.instanceCount >= MAX_INSTANCES || c.isExhausted) {
    const remedy = 'Give the parameters types, so that calls share one form.';
    const message = 'The functions of the script are called with too many combinations of types.';
    c.report('tooManyInstances', message, at, remedy);
    return null;
  }
  c.program.instanceCount += 1;
  const instance = build(c, fn, types, dry);
  fn.instances.set(key, instance);
  if (!dry) c.program.functions.push(instance);
  return instance;
}

function parameterTypeFor(fn: UserFunction, at: number, given: PineType): PineType {
  const { shape, qualifier } = fn.parameters[at]!;
  if (shape !== null) return typeOf(qualifier ?? given.qualifier, heldShape(shape, given.shape));
  return typeOf(qualifier ?? given.qualifier, given.shape.kind === 'na' ? NA_ALONE : given.shape);
}

function build(c: Checker, fn: UserFunction, types: readonly PineType[], dry: boolean): FunctionInstance {
  const { declaration, module, order } = fn;
  const name = declaration.name.text;
  const scope = new Scope(module.globals);
  const { usesHistory, requests, remembered } = c;
  c.usesHistory = false;
  c.requests = false;
  c.remembered = new Map();
  fn.active = true;
  const place = { module, scope, order, functionName: name, local: true, dry, steady: true, lazy: 'no' as const };
  const instance = c.at(place, (): FunctionInstance => {
    const parameters = fn.parameters.map(({ node }, i) => c.declare(node.name, types[i]!, { role: 'parameter' }));
    const { statements, value } = c.block(declaration.body, 'tail', 'const');
    const body = { statements: [...rememberFirst(c, declaration.name.span), ...statements], value };
    const result = value?.type ?? VOID_TYPE;
    const { version, library } = module;
    return { id: c.program.nextId(), name, parameters, body, result, version, library };
  });
  fn.active = false;
  if (c.usesHistory) c.program.historic.add(instance);
  if (c.requests) c.program.requesting.add(instance);
  c.usesHistory = usesHistory;
  c.requests = requests;
  c.remembered = remembered;
  return instance;
}

/** Looks for mistakes in a function that nobody calls: parameters without a type fit everywhere. */
export function checkUncalled(c: Checker, fn: UserFunction): void {
  if (fn.instances.size > 0) return;
  const types = fn.parameters.map(({ shape, qualifier }) => typeOf(qualifier ?? 'const', shape ?? UNKNOWN));
  c.at({ dry: true }, () => instanceOf(c, fn, types, fn.declaration.name.span));
}
