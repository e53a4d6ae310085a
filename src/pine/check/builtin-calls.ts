// Calls of built-in functions: the overload that is meant, and its arguments in the order of the signature.

import type { Refused, Resolved } from '../builtins/call.ts';
import { type FunctionEntry, parameterType } from '../builtins/model.ts';
import { resolveOverload } from '../builtins/resolve-overload.ts';
import { TypeBindings } from '../builtins/type-bindings.ts';
import { type PineType, type Shape, sameShape, scalar, typeOf } from '../builtins/types.ts';
import type { Call } from '../syntax/index.ts';
import type { GivenArgument } from './arguments.ts';
import type { Checker } from './checker.ts';
import { coerce, cut } from './coerce.ts';
import { noteStateful } from './consistency.ts';
import { defaultExpr } from './defaults.ts';
import { FAULT_OF_CALL } from './faults.ts';
import { recordCall } from './recorded-calls.ts';
import { noteRequest } from './requests.ts';
import {
  holdsUnknown,
  isInt,
  isUnknown,
  NA_ALONE,
  QUOTIENT,
  UNEVEN,
  UNKNOWN_TYPE,
  unknownExpr,
  withPlainNames,
} from './shapes.ts';
import { noteShown } from './shown.ts';
import { withSortField } from './sort-field.ts';
import type { BuiltinCallExpr, CallArgument, Expr } from './tree.ts';
import { readType } from './type-references.ts';

export interface BuiltinCall {
  readonly entry: FunctionEntry;
  readonly given: readonly GivenArgument[];
  readonly node: Call;
  /** The first argument stands before the dot. */
  readonly method: boolean;
  readonly typeArguments: readonly Shape[];
}

export const typeArgumentsOf = (c: Checker, node: Call): Shape[] =>
  node.typeArguments.map((reference) => readType(c, reference));

/** What the table says to a call; nothing is reported. */
export function resolveBuiltin(c: Checker, { entry, given, method, typeArguments }: BuiltinCall): Resolved | Refused {
  return resolveOverload(entry, {
    version: c.version,
    arguments: given.map(({ name, expr, text }) => ({ name, type: expr.type, ...(text !== undefined && { text }) })),
    typeArguments,
    method,
    dynamicRequests: c.place.module.dynamicRequests,
  });
}

export function builtinCall(c: Checker, call: BuiltinCall): Expr {
  if (call.typeArguments.some(holdsUnknown)) return unknownExpr(call.node.span);
  let tried = call;
  let resolution = resolveBuiltin(c, tried);
  // A quotient of ints is a float until an int is asked for.
  for (let cuts = 0; !resolution.ok && cuts < call.given.length; cuts++) {
    const cut = withCutQuotient(c, tried, resolution);
    if (cut === null) break;
    tried = cut;
    resolution = resolveBuiltin(c, tried);
  }
  return resolution.ok ? finishBuiltin(c, tried, resolution) : finishBuiltin(c, call, resolveBuiltin(c, call));
}

function withCutQuotient(c: Checker, call: BuiltinCall, { fault, argument }: Refused): BuiltinCall | null {
  const blamed = argument === null ? undefined : call.given[argument];
  if (fault !== 'type' || blamed === undefined || blamed.expr.type.shape !== QUOTIENT) return null;
  const expr = coerce(blamed.expr, scalar('int'), c.version);
  return { ...call, given: call.given.with(argument!, { ...blamed, expr }) };
}

/** Reports what was refused, or builds what was resolved. */
export function finishBuiltin(c: Checker, call: BuiltinCall, resolution: Resolved | Refused): Expr {
  const { entry, given, node } = call;
  c.refers(node.callee, { kind: 'builtin', name: entry.name, span: null });
  noteShown(c, entry.name);
  const unsure = given.some(({ expr }) => isUnknown(expr.type.shape));
  if (!resolution.ok) {
    reportRefusal(c, call, resolution, unsure);
    return { ...unknownExpr(node.span), type: sharedResult(c, entry) };
  }
  if (resolution.overload.globalOnly && c.place.local) reportLocal(c, call);
  if (resolution.overload.stateful) noteStateful(c, entry.name, node.span);
  if (entry.namespace === 'request') noteRequest(c, entry.name, node.callee.span);
  const type = unsure ? sharedResult(c, entry) : unevenResult(entry.name, resolution.type);
  const built: BuiltinCallExpr = {
    kind: 'call',
    name: entry.name,
    overload: resolution.overload,
    arguments: argumentsOf(c, call, resolution),
    typeArguments: call.typeArguments,
    type: holdsUnknown(type.shape) ? UNKNOWN_TYPE : type,
    span: node.span,
  };
  return unsure ? built : recordCall(c, withSortField(c, built), node);
}

/** Of ints these answer what is called an int and has a fraction. */
const UNEVEN_RESULTS: ReadonlySet<string> = new Set([
  ...['avg', 'median', 'percentile_linear_interpolation', 'percentrank', 'stdev', 'variance'].map(
    (one) => `array.${one}`,
  ),
  ...['avg', 'median', 'det'].map((one) => `matrix.${one}`),
  'ta.median',
]);

const unevenResult = (name: string, type: PineType): PineType =>
  isInt(type.shape) && UNEVEN_RESULTS.has(name) ? typeOf(type.qualifier, UNEVEN) : type;

/** Every form of the function that might have been meant answers the same, or it is not known what it answers. */
function sharedResult(c: Checker, { overloads }: FunctionEntry): PineType {
  const results = overloads.filter(({ versions }) => versions.includes(c.version)).map(({ result }) => result);
  const [first] = results;
  if (first === undefined || holdsVariable(first.shape)) return UNKNOWN_TYPE;
  if (!results.every(({ shape }) => sameShape(shape, first.shape))) return UNKNOWN_TYPE;
  return typeOf(first.fromArguments ? 'const' : first.qualifier, first.shape);
}

const holdsVariable = (shape: Shape): boolean =>
  shape.kind === 'variable' ||
  ('element' in shape && holdsVariable(shape.element)) ||
  (shape.kind === 'map' && (holdsVariable(shape.key) || holdsVariable(shape.value)));

/** Says nothing where an argument that was already reported may be to blame. */
function reportRefusal(c: Checker, { entry, given, node }: BuiltinCall, refused: Refused, unsure: boolean): void {
  const at = refused.argument === null ? undefined : given[refused.argument];
  if (unsure) {
    const forms = entry.overloads.filter(({ versions }) => versions.includes(c.version)).length;
    if (forms > 1 || (at !== undefined && isUnknown(at.expr.type.shape))) return;
  }
  c.report(FAULT_OF_CALL[refused.fault], withPlainNames(refused.message), at?.span ?? node.span);
}

function reportLocal(c: Checker, { entry, node }: BuiltinCall): void {
  const remedy = 'Call it at the left margin; pass na or a condition where it should show nothing.';
  c.report('globalOnly', `Cannot use '${entry.name}' in local scope.`, node.callee.span, remedy);
}

function argumentsOf(c: Checker, call: BuiltinCall, { slots, overload }: Resolved): CallArgument[] {
  let bindings: TypeBindings | null = null;
  const concrete = (shape: Shape): Shape => {
    if (!holdsVariable(shape)) return shape;
    if (bindings === null) {
      bindings = new TypeBindings(c.version);
      for (const [i, name] of overload.typeArguments.entries()) bindings.fix(name, call.typeArguments[i]!);
      for (const slot of slots)
        for (const index of slot.arguments)
          bindings.accept(call.given[index]!.expr.type.shape, parameterType(slot.parameter, c.version).shape);
    }
    const filled = bindings.fill(shape);
    return holdsVariable(filled) ? NA_ALONE : filled;
  };
  return slots.map(({ parameter, arguments: indices }): CallArgument => {
    const { shape } = parameterType(parameter, c.version);
    const fitted = (expr: Expr): Expr => {
      if (expr.type.shape === UNEVEN && isInt(shape)) return cut(expr, shape);
      return needsShape(expr.type.shape, shape) ? coerce(expr, concrete(shape), c.version) : expr;
    };
    if (indices.length > 0) return { parameter, values: indices.map((index) => fitted(call.given[index]!.expr)) };
    const fallback = defaultExpr(parameter, c.version, call.node.span);
    return { parameter, values: fallback === null ? [] : [fitted(fallback)] };
  });
}

/** Most arguments have the shape that is asked for; only na, and numbers for v5's bools, do not. */
const needsShape = (from: Shape, to: Shape): boolean =>
  from.kind === 'na' || (to.kind === 'scalar' && to.name === 'bool' && from.kind === 'scalar' && from.name !== 'bool');
