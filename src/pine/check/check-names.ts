// Names on their own: variables, built-ins, and what is said of a name that is neither.

import { findFunction, findValue, isNamespace, suggestionFor } from '../builtins/index.ts';
import type { ValueEntry } from '../builtins/model.ts';
import type { PineVersion } from '../builtins/types.ts';
import { type Identifier, type Member, nearestName, type Span } from '../syntax/index.ts';
import type { Checker } from './checker.ts';
import { isExposed } from './exports.ts';
import { isBuiltinVariable, type VariableSymbol } from './scopes.ts';
import { isUnknown, unknownExpr } from './shapes.ts';
import type { Expr } from './tree.ts';

export function checkName(c: Checker, node: Identifier): Expr {
  const { name, span } = node;
  const symbol = c.find(name);
  if (symbol !== null) return variableExpr(c, symbol, node);
  const entry = findValue(name);
  if (entry?.versions.includes(c.version) === true) return builtinValue(c, entry, node);
  const { module } = c.place;
  if (module.globalNames.has(name)) return usedTooEarly(c, name, span);
  const other = otherMeaning(c, name);
  if (other !== null) return c.refuse('notAValue', `${name} is ${other.what}, not a value.`, span, other.remedy);
  return c.refuse('undeclaredName', `${name} is not declared.`, span, remedyFor(c, name));
}

/** What else the name stands for, and what is written with it. */
export function otherMeaning(c: Checker, name: string): { readonly what: string; readonly remedy: string } | null {
  const { functions, types, enums, imports } = c.place.module;
  if (types.has(name)) return { what: 'a type', remedy: `Write ${name}.new() for a new object.` };
  if (enums.has(name)) return { what: 'an enum', remedy: 'Write one of its members after a dot.' };
  if (imports.has(name)) return { what: 'a library', remedy: 'Write a name of it after a dot.' };
  if (functions.has(name) || findFunction(name) !== null) return { what: 'a function', remedy: `Write ${name}(…).` };
  return isNamespace(name) ? { what: 'a namespace', remedy: 'Write a name of it after a dot.' } : null;
}

function usedTooEarly(c: Checker, name: string, span: Span): Expr {
  const remedy = `Move the declaration of ${name} above this line; for its earlier values, declare it with "var" first.`;
  return c.refuse('usedBeforeDeclaration', `${name} is used before it is declared.`, span, remedy);
}

function variableExpr(c: Checker, symbol: VariableSymbol, node: Identifier | Member): Expr {
  const { variable, role, global } = symbol;
  const kind = role === 'parameter' || role === 'counter' ? role : 'variable';
  c.refers(node, { kind, name: variable.name, span: variable.span });
  const { module, functionName } = c.place;
  if (global && module.library !== null && (functionName !== null || variable.type.qualifier === 'const'))
    return isKnown(symbol) || functionName === null || isExposed(c)
      ? libraryConstant(c, symbol, node.span)
      : unknownExpr(node.span);
  if (global && isExposed(c) && !isKnown(symbol)) libraryConstant(c, symbol, node.span);
  return { kind: 'variable', variable, type: variable.type, span: node.span };
}

/** Whether its value is there without the lines of its script. */
const isKnown = ({ variable, value }: VariableSymbol): boolean =>
  isUnknown(variable.type.shape) ||
  variable.constant !== undefined ||
  (value !== null && variable.type.qualifier === 'const');

/** The lines of a library outside of its functions do not run where it is imported: only what is known without them counts. */
export function libraryConstant(c: Checker, { variable, value }: VariableSymbol, span: Span): Expr {
  if (isUnknown(variable.type.shape)) return unknownExpr(span);
  if (variable.constant !== undefined) return { kind: 'constant', value: variable.constant, type: variable.type, span };
  if (value !== null && variable.type.qualifier === 'const') return value;
  const remedy = 'Pass it as an argument, or make it a constant.';
  return c.refuse('badExport', `The functions of a library cannot use its variable ${variable.name}.`, span, remedy);
}

export function builtinValue(c: Checker, entry: ValueEntry, node: Identifier | Member): Expr {
  const { span } = node;
  c.refers(node, { kind: 'builtin', name: entry.name, span: null });
  if (entry.kind === 'variable' && c.place.module.library === null) noteRead(c, entry.name, span);
  if (entry.kind === 'variable') return { kind: 'builtin', name: entry.name, type: entry.type, span };
  const value = c.version === 5 ? entry.valueInV5 : entry.value;
  return { kind: 'constant', value, type: entry.type, span };
}

function noteRead({ builtinReads }: Checker, name: string, { start }: Span): void {
  const known = builtinReads.get(name);
  if (known === undefined || start < known) builtinReads.set(name, start);
}

/** Since v6 a name that was read as a built-in variable cannot be declared further down, in whatever block. */
export function checkHidden(c: Checker): void {
  for (const { name, role } of c.hidden) {
    const { text, span } = name;
    if (!isBuiltinVariable(text, c.version)) continue;
    const read = c.builtinReads.get(text);
    if (c.version === 6 && role !== 'counter' && read !== undefined && read <= span.start)
      c.report('redeclared', `${text} was already used as the built-in variable above.`, span, 'Choose another name.');
    else c.warn('hidesBuiltin', `${text} hides the built-in variable ${text}.`, span, 'Choose another name.');
  }
}

function remedyFor(c: Checker, name: string): string | undefined {
  if (!c.wantsRemedy) return undefined;
  if (name === 'return') return 'Leave out "return": the last line of a function is its value.';
  if (c.blockNames.has(name))
    return `It is declared inside of a block and known there alone: declare ${name} above the block, and change it in there with ":=".`;
  const visible: string[] = [];
  for (let scope: typeof c.place.scope | null = c.place.scope; scope !== null; scope = scope.parent)
    visible.push(...scope.names.keys());
  const meant = nearestName(name, visible) ?? builtinMeant(name, c.version);
  if (meant === null) return undefined;
  return meant.startsWith('the ') ? `Use ${meant}.` : `Did you mean ${meant}?`;
}

/** A misspelt name without a dot is hardly ever one of a namespace; a name that moved into one is. */
function builtinMeant(name: string, version: PineVersion): string | null {
  const meant = suggestionFor(name, version);
  return meant === null || !meant.includes('.') || meant.endsWith(`.${name}`) ? meant : null;
}
