// Calls of built-in functions: new names for them and their arguments, and values of the kind that version 5 asks for.

import { findFunction } from '../builtins/index.ts';
import type { FunctionEntry, Parameter } from '../builtins/model.ts';
import type { Argument, Call, Expression } from '../syntax/index.ts';
import { asNumber } from './fit-values.ts';
import { rewriteInput } from './inputs.ts';
import { rewriteDisplay } from './old-constants.ts';
import { rewriteIff, rewriteOffset, rewriteRsi } from './old-functions.ts';
import { newFunctionName, RENAMED_ARGUMENTS } from './old-names.ts';
import type { Rewriter } from './rewriter.ts';
import { rewriteDeclaration, rewriteOrder, rewriteSecurity, rewriteTicker } from './special-calls.ts';
import { rewriteTransparency } from './transparency.ts';

type Rule = (r: Rewriter, call: Call) => boolean;

/** Rules by the old name of a function; one that answers true has said everything about the call. */
const RULES: Readonly<Record<string, Rule>> = {
  iff: rewriteIff,
  offset: rewriteOffset,
  rsi: rewriteRsi,
  input: rewriteInput,
  security: rewriteSecurity,
  renko: rewriteTicker,
  linebreak: rewriteTicker,
  kagi: rewriteTicker,
  study: rewriteDeclaration,
  strategy: rewriteDeclaration,
  ...Object.fromEntries(
    ['plot', 'plotshape', 'plotchar', 'plotarrow', 'bgcolor', 'fill'].map((name) => [name, rewriteTransparency]),
  ),
  ...Object.fromEntries(
    ['entry', 'order', 'exit', 'close', 'close_all', 'cancel', 'cancel_all'].map((name) => [
      `strategy.${name}`,
      rewriteOrder,
    ]),
  ),
};

export function rewriteCall(r: Rewriter, call: Call): void {
  const name = r.builtIn(call);
  if (name === '' || (RULES[name]?.(r, call) ?? false)) return;
  rewriteDisplay(r, call);
  const renamed = newFunctionName(name);
  if (renamed !== null) {
    r.edits.replace(call.callee.span, renamed);
    r.changed(call.span, `${name}() is ${renamed}()`, 'Built-in functions have been in namespaces since version 5.');
  }
  const entry = findFunction(renamed ?? name);
  if (entry === null) return;
  renameArguments(r, call, entry, name);
  fitArguments(r, call, entry, name);
}

/** Names that parameters had as long as they had no better ones. */
const PLACES: Readonly<Record<string, number>> = { x: 0, y: 1, z: 2, source_a: 0, source_b: 1 };

/** The name of an argument since version 5; null where there is no such argument any more. */
function newArgumentName(entry: FunctionEntry, oldFunction: string, name: string): string | null {
  const renamed = RENAMED_ARGUMENTS[oldFunction]?.[name];
  if (renamed !== undefined) return renamed;
  if (parametersNamed(entry, name).length > 0) return name;
  const place = PLACES[name];
  return (place === undefined ? undefined : entry.overloads[0]?.parameters[place]?.name) ?? null;
}

const parametersNamed = (entry: FunctionEntry, name: string): Parameter[] =>
  entry.overloads.flatMap(({ parameters, versions }) =>
    versions.includes(5) ? parameters.filter((one) => one.name === name) : [],
  );

function renameArguments(r: Rewriter, call: Call, entry: FunctionEntry, oldFunction: string): void {
  for (const argument of call.arguments) {
    if (argument.name === null || r.isDropped(call, argument)) continue;
    const { text, span } = argument.name;
    const renamed = newArgumentName(entry, oldFunction, text);
    if (renamed === text) continue;
    if (renamed === null) {
      r.drop(call, argument);
      r.check(span, `the argument ${text} of ${oldFunction}() is left out`, 'Version 5 has no such argument.');
    } else {
      r.edits.replace(span, renamed);
      r.changed(span, `the argument ${text} of ${oldFunction}() is ${renamed}`, 'It has another name since version 5.');
    }
  }
}

/** Old versions took a bool for 1 or 0, and a number with a fraction for a whole one. */
function fitArguments(r: Rewriter, call: Call, entry: FunctionEntry, oldFunction: string): void {
  const kept = call.arguments.filter((argument) => !r.isDropped(call, argument));
  for (const [place, argument] of kept.entries()) {
    const parameters = parametersAt(entry, oldFunction, argument, place, kept.length);
    if (parameters.length > 0) fitArgument(r, argument.value, parameters, oldFunction);
  }
}

function parametersAt(
  entry: FunctionEntry,
  oldFunction: string,
  { name }: Argument,
  place: number,
  count: number,
): Parameter[] {
  if (name !== null) return parametersNamed(entry, newArgumentName(entry, oldFunction, name.text) ?? '');
  return entry.overloads.flatMap(({ parameters, versions }) => {
    if (!versions.includes(5)) return [];
    const last = parameters.at(-1);
    const isEnough = count <= parameters.length || last?.variadic === true;
    const found = parameters[place] ?? (last?.variadic ? last : undefined);
    return isEnough && found !== undefined ? [found] : [];
  });
}

function fitArgument(r: Rewriter, value: Expression, parameters: readonly Parameter[], name: string): void {
  const kind = r.kinds.of(value);
  const shapes = parameters.map(({ typeInV5 }) => typeInV5.shape);
  const isInt = shapes.every((shape) => shape.kind === 'scalar' && shape.name === 'int');
  const isNumeric = shapes.every(
    (shape) =>
      (shape.kind === 'scalar' && (shape.name === 'int' || shape.name === 'float')) ||
      (shape.kind === 'variable' && shape.name === 'N'),
  );
  if (isInt && kind === 'float') {
    r.wrap(value, 'int(', ')');
    r.check(value.span, `int() around a value of ${name}()`, 'Version 5 takes no number with a fraction here.');
  } else if (isNumeric && kind === 'bool') asNumber(r, value);
}
