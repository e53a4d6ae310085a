// Calls of the script's own functions and methods, and of those of libraries: which one is meant, and its arguments.

import { qualifierFits, type Shape, sameShape, typeOf } from '../builtins/types.ts';
import { type Call, nearestName, type Span } from '../syntax/index.ts';
import type { GivenArgument } from './arguments.ts';
import type { Checker } from './checker.ts';
import { coerce } from './coerce.ts';
import { noteHistoricCall } from './consistency.ts';
import { foldUserCall } from './constant-calls.ts';
import type { CheckFault } from './faults.ts';
import { instanceOf } from './instances.ts';
import { noteRequestingCall } from './requests.ts';
import type { UserFunction, UserParameter } from './scopes.ts';
import {
  describe,
  fits,
  heldShape,
  isInt,
  isUnknown,
  notBefore,
  QUOTIENT,
  UNKNOWN_TYPE,
  unknownExpr,
  withQualifier,
} from './shapes.ts';
import type { Expr } from './tree.ts';
import { fitsParameter } from './wider-arrays.ts';

interface Refusal {
  readonly fault: CheckFault;
  readonly message: string;
  readonly span: Span;
  readonly remedy?: string;
  /** How many arguments were right before it: the form that got furthest is the one that is reported. */
  readonly matched: number;
}

/** Per parameter the argument, or null for its default. */
interface Binding {
  readonly values: readonly (GivenArgument | null)[];
  readonly exact: number;
  /** How many parameters ask for something that is known before it changes from bar to bar. */
  readonly early: number;
}

/** The form that takes the arguments; if several do, the one with the most exact types, then the earliest qualifiers. */
export function userCall(
  c: Checker,
  forms: readonly UserFunction[],
  given: readonly GivenArgument[],
  node: Call,
): Expr {
  let best: { readonly fn: UserFunction; readonly binding: Binding } | null = null;
  let worst: Refusal | null = null;
  for (const fn of forms) {
    const outcome = bind(c, fn, given, node);
    if ('fault' in outcome) {
      if (worst === null || outcome.matched > worst.matched) worst = outcome;
    } else if (best === null || isBetter(outcome, best.binding)) best = { fn, binding: outcome };
  }
  if (best !== null) return callOf(c, best.fn, best.binding, node);
  const unsure = forms.length > 1 && given.some(({ expr }) => isUnknown(expr.type.shape));
  if (worst !== null && !unsure) c.report(worst.fault, worst.message, worst.span, worst.remedy);
  return unknownExpr(node.span);
}

const isBetter = (a: Binding, b: Binding): boolean => a.exact > b.exact || (a.exact === b.exact && a.early > b.early);

/** Whether one of the forms takes the arguments, without a word if none does. */
export const takesCall = (
  c: Checker,
  forms: readonly UserFunction[],
  given: readonly GivenArgument[],
  node: Call,
): boolean => forms.some((fn) => !('fault' in bind(c, fn, given, node)));

/** Whether a value may stand before the dot of the method. */
export function takesReceiver(c: Checker, fn: UserFunction, shape: Shape): boolean {
  const first = fn.parameters[0];
  return first !== undefined && (first.shape === null || fitsParameter(shape, first.shape, c.version));
}

function bind(c: Checker, fn: UserFunction, given: readonly GivenArgument[], node: Call): Binding | Refusal {
  const { parameters, declaration } = fn;
  const name = declaration.name.text;
  const values: (GivenArgument | null)[] = parameters.map(() => null);
  let named = false;
  let exact = 0;
  for (const [i, argument] of given.entries()) {
    const refuse = (fault: CheckFault, message: string, remedy?: string): Refusal => ({
      ...{ fault, message, span: argument.span, matched: i },
      ...(remedy !== undefined && { remedy }),
    });
    if (argument.name === null && named)
      return refuse('argumentOrder', 'Arguments without a name must come before those with one.');
    named = argument.name !== null;
    const at = argument.name === null ? i : parameters.findIndex((parameter) => parameter.name === argument.name);
    const parameter = parameters[at];
    if (parameter === undefined) {
      if (argument.name === null)
        return refuse('tooManyArguments', `${name}() takes ${countText(parameters.length)}, got ${given.length}.`);
      const meant = nearestName(
        argument.name,
        parameters.map((one) => one.name),
      );
      const remedy = meant === null ? undefined : `Did you mean ${meant}?`;
      return refuse('unknownArgument', `${name}() has no argument ${argument.name}.`, remedy);
    }
    if (values[at] !== null)
      return refuse('repeatedArgument', `The argument ${parameter.name} of ${name}() is given twice.`);
    const wrong = mismatch(c, name, parameter, argument);
    if (wrong !== null) return refuse(wrong.fault, wrong.message);
    values[at] = argument;
    if (parameter.shape !== null && isExact(parameter.shape, argument.expr.type.shape)) exact += 1;
  }
  const missing = parameters.find(({ node: parameter }, i) => values[i] === null && parameter.defaultValue === null);
  const early = parameters.filter(({ qualifier }) => qualifier !== null && qualifier !== 'series').length;
  if (missing === undefined) return { values, exact, early };
  const message = `Missing argument ${missing.name} of ${name}().`;
  return { fault: 'missingArgument', message, span: node.span, matched: given.length };
}

/** A quotient of ints is an int to the forms that take one. */
const isExact = (asked: Shape, given: Shape): boolean => (given === QUOTIENT ? isInt(asked) : sameShape(asked, given));

const countText = (count: number): string =>
  count === 0 ? 'no arguments' : count === 1 ? 'one argument' : `at most ${count} arguments`;

function mismatch(c: Checker, name: string, parameter: UserParameter, { expr }: GivenArgument) {
  const { shape, qualifier } = parameter;
  const place = `the argument ${parameter.name} of ${name}()`;
  if (shape !== null && !fitsParameter(expr.type.shape, shape, c.version)) {
    const wanted = describe(typeOf(qualifier ?? 'series', shape));
    return {
      fault: 'wrongType' as const,
      message: `Wrong type for ${place}: expected ${wanted}, got ${describe(expr.type)}.`,
    };
  }
  if (shape === null && expr.type.shape.kind === 'tuple')
    return { fault: 'badTuple' as const, message: `A tuple cannot be given as ${place}.` };
  if (qualifier === null || qualifierFits(expr.type.qualifier, qualifier)) return null;
  const got = withQualifier(expr.type);
  const wanted = withQualifier(typeOf(qualifier, shape ?? expr.type.shape));
  return {
    fault: 'wrongQualifier' as const,
    message: `Qualifier too weak for ${place}: expected ${wanted}, got ${got}.`,
  };
}

function callOf(c: Checker, fn: UserFunction, { values }: Binding, node: Call): Expr {
  const { declaration, module } = fn;
  const name = declaration.name.text;
  const local = module === c.place.module ? declaration.name.span : null;
  c.refers(node.callee, { kind: declaration.method ? 'method' : 'function', name, span: local });
  if (fn.active) return c.refuse('recursion', `${name}() calls itself: functions cannot.`, node.span, 'Use a loop.');
  const foundBefore = module.findings.count;
  const args = values.map((value, i) => value?.expr ?? defaultOf(c, fn, fn.parameters[i]!));
  const instance = instanceOf(
    c,
    fn,
    args.map(({ type }) => type),
    node.span,
  );
  if (module !== c.place.module) reportInside(c, fn, foundBefore, node.span);
  if (instance === null) return unknownExpr(node.span);
  if (c.program.historic.has(instance)) noteHistoricCall(c, name, node.span);
  if (c.program.requesting.has(instance)) noteRequestingCall(c, name, node.callee.span);
  const fitted = args.map((expr, i) => coerce(expr, instance.parameters[i]!.type.shape, c.version));
  const type = isUnknown(instance.result.shape) ? UNKNOWN_TYPE : instance.result;
  // What a library answers is known when the script runs, never before.
  if (module.library !== null && module !== c.place.module && type.shape.kind !== 'union')
    return { kind: 'user-call', callee: instance, arguments: fitted, type: notBefore('simple', type), span: node.span };
  return foldUserCall({ kind: 'user-call', callee: instance, arguments: fitted, type, span: node.span });
}

/** What a default stands for where the function is declared. */
function defaultOf(c: Checker, fn: UserFunction, parameter: UserParameter): Expr {
  const { module, order } = fn;
  const functionName = fn.declaration.name.text;
  return c.at({ module, order, functionName, scope: module.globals }, () => {
    const value = c.value(parameter.node.defaultValue!);
    const { shape, qualifier } = parameter;
    if (shape === null) return value;
    const wanted = describe(typeOf(qualifier ?? 'series', shape));
    if (!fits(value.type.shape, shape, c.version)) {
      const message = `The default of ${parameter.name} is ${describe(value.type)}, not ${wanted}.`;
      return c.refuse('wrongType', message, parameter.node.defaultValue!.span);
    }
    return coerce(value, heldShape(shape, value.type.shape), c.version);
  });
}

/** A library's text is not the script's: what a call finds wrong in it is told at the call. */
function reportInside(c: Checker, fn: UserFunction, foundBefore: number, at: Span): void {
  const first = fn.module.findings.since(foundBefore).find(({ severity }) => severity === 'error');
  if (first === undefined) return;
  const name = fn.declaration.name.text;
  c.report('badLibrary', `${name}() of ${fn.module.library} cannot be called like this: ${first.message}`, at);
}
