// Assignments: what may be changed from where, and whether the new value fits.

import { findValue } from '../builtins/index.ts';
import { laterQualifier, qualifierFits, typeOf } from '../builtins/types.ts';
import type { Assignment, BinaryOperator, Expression, Identifier } from '../syntax/index.ts';
import { binary } from './check-operators.ts';
import type { Checker } from './checker.ts';
import { coerce } from './coerce.ts';
import { isReference, mismatch, noteFraction, noteGiven, read } from './given-values.ts';
import type { Scope, VariableSymbol } from './scopes.ts';
import { isInt, isUnknown, QUOTIENT, UNKNOWN } from './shapes.ts';
import type { Expr, FieldExpr, Stmt } from './tree.ts';
import { fitsGiven } from './wider-arrays.ts';

export function checkAssignment(c: Checker, node: Assignment, out: Stmt[]): Expr | null {
  if (node.target.kind === 'identifier') return assignVariable(c, node, node.target, out);
  const target = c.value(node.target);
  const value = c.value(node.value);
  if (target.kind === 'field') return assignField(c, node, target, value, out);
  // What is neither a name nor a field was already reported.
  if (!isUnknown(target.type.shape) && node.target.kind === 'member')
    c.report('notChangeable', 'Only a variable or a field can be given a value.', node.target.span);
  return null;
}

function assignVariable(c: Checker, node: Assignment, target: Identifier, out: Stmt[]): Expr | null {
  const given = c.value(node.value);
  const symbol = c.find(target.name);
  if (symbol === null) return undeclaredTarget(c, node, target);
  const { variable } = symbol;
  const kind = symbol.role === 'parameter' || symbol.role === 'counter' ? symbol.role : 'variable';
  c.refers(target, { kind, name: variable.name, span: variable.span });
  if (!isChangeable(c, symbol, target)) return null;
  const here: Expr = { kind: 'variable', variable, type: variable.type, span: target.span };
  const value =
    node.operator === ':=' ? given : binary(c, node.operator.slice(0, -1) as BinaryOperator, here, given, node.span);
  const { shape } = variable.type;
  if (!fitsGiven(value, shape, c.version) || value.type.shape.kind === 'tuple') {
    c.report('wrongType', ...mismatch(variable.name, variable.type, value));
    return null;
  }
  checkGivenQualifier(c, symbol, value);
  if (isInt(shape) && value.type.shape === QUOTIENT) noteFraction(c, symbol.node);
  out.push({ kind: 'assign', variable, value: coerce(value, shape, c.version), span: node.span });
  return read(variable);
}

/** The value counts, and whether the blocks around the assignment run at all. */
function checkGivenQualifier(c: Checker, { variable, node, asked }: VariableSymbol, value: Expr): void {
  let qualifier = value.type.qualifier;
  for (let scope: Scope | null = c.place.scope; scope !== null; scope = scope.parent) {
    if (scope.names.get(node.text)?.variable === variable) break;
    qualifier = laterQualifier(qualifier, scope.under);
  }
  noteGiven(c, node, qualifier);
  if (asked === null || qualifierFits(qualifier, asked) || isReference(variable.type.shape)) return;
  const message = `${node.text} is declared ${asked}, and what it is given here is ${qualifier}.`;
  c.report('wrongQualifier', message, value.span, `Leave out "${asked}" in its declaration.`);
}

function undeclaredTarget(c: Checker, node: Assignment, target: Identifier): null {
  const { name } = target;
  if (c.place.module.globalNames.has(name)) {
    const remedy = `Move the declaration of ${name} above this line.`;
    c.report('usedBeforeDeclaration', `${name} is changed before it is declared.`, target.span, remedy);
    return null;
  }
  if (findValue(name) !== null) {
    const message = `${name} is a built-in variable and cannot be changed.`;
    c.report('notChangeable', message, target.span, 'Keep the value in a variable of another name.');
    return null;
  }
  const remedy = node.operator === ':=' ? `Declare it with "${name} = …" first.` : `Declare ${name} first.`;
  c.report('undeclaredName', `${name} is not declared.`, target.span, remedy);
  // Known from here on, so that it is blamed once.
  c.declare({ kind: 'name', text: name, span: target.span }, typeOf('series', UNKNOWN));
  return null;
}

function isChangeable(c: Checker, { role, global }: VariableSymbol, target: Identifier): boolean {
  const { name, span } = target;
  if (role === 'const') {
    c.report('notChangeable', `${name} is a constant.`, span, 'Leave out "const" in its declaration to change it.');
    return false;
  }
  if (role === 'parameter') {
    c.report('notChangeable', `Cannot modify the function parameter ${name}.`, span, 'Copy it into a variable first.');
    return false;
  }
  if (role === 'counter') {
    c.report(
      'notChangeable',
      `Cannot modify the loop variable ${name}.`,
      span,
      'Use a "while" loop, or another variable.',
    );
    return false;
  }
  if (global && c.place.functionName !== null) {
    const remedy = 'Return the new value and assign it outside, or keep it in a field of an object.';
    c.report('globalFromFunction', `Cannot modify global variable '${name}' in function.`, span, remedy);
    return false;
  }
  return true;
}

function assignField(c: Checker, node: Assignment, target: FieldExpr, given: Expr, out: Stmt[]): Expr | null {
  const { operator } = node;
  const { shape } = target.type;
  const value =
    operator === ':=' ? given : binary(c, operator.slice(0, -1) as BinaryOperator, target, given, node.span);
  if (!fitsGiven(value, shape, c.version)) {
    c.report('wrongType', ...mismatch(`The field ${fieldName(node.target)}`, target.type, value));
    return null;
  }
  const kept = operator === ':=' || value.kind !== 'binary' ? value : value.right;
  out.push({ kind: 'assign-field', target, operator, value: coerce(kept, shape, c.version), span: node.span });
  return isPlain(target) ? target : null;
}

const fieldName = (node: Expression): string => (node.kind === 'member' ? node.property.text : '');

/** Whether reading it again gives the same and does nothing. */
const isPlain = (expr: Expr): boolean => expr.kind === 'variable' || (expr.kind === 'field' && isPlain(expr.object));
