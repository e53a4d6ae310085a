// Statements and blocks as JavaScript.

import type { AssignFieldStmt, Block, DeclareStmt, DeclareTupleStmt, Expr, Stmt, Variable } from '../check/tree.ts';
import { TA_KERNELS } from '../ta/index.ts';
import type { Body, Target } from './body.ts';
import { requestedNumbers } from './call-requests.ts';
import { emitTaOutputs } from './call-ta.ts';
import { needed } from './expressions.ts';
import { literal, naOf } from './literals.ts';
import { emitStructure } from './structures.ts';
import { isStructure, walkExpr } from './walk-tree.ts';

export function emitBlock(body: Body, block: Block, target: Target): void {
  for (const statement of block.statements) emitStatement(body, statement);
  if (block.value === null) return;
  mark(body, block.value);
  emitValue(body, block.value, target);
}

/** Leaves the value of an expression, which may be a structure, in a target. */
function emitValue(body: Body, expr: Expr, target: Target): void {
  if (isStructure(expr)) {
    emitStructure(body, expr, target);
    return;
  }
  const text = body.expr(expr);
  if (target.kind === 'return') body.line(`return ${text};`);
  else if (target.kind === 'name') body.line(`${target.name} = ${text};`);
  else if (hasEffect(expr)) body.line(`${text};`);
}

/** A value that nobody asks for is left out where making it changes nothing. */
const hasEffect = (expr: Expr): boolean => !['constant', 'variable', 'builtin', 'field', 'enum'].includes(expr.kind);

function emitStatement(body: Body, statement: Stmt): void {
  if (!('value' in statement)) {
    body.line(`${statement.kind};`);
    return;
  }
  if (statement.kind === 'evaluate' && isDeclaration(statement.value)) return;
  mark(body, statement.kind === 'assign-field' ? statement.target : statement.value);
  if (statement.kind === 'declare') emitDeclaration(body, statement);
  else if (statement.kind === 'declare-tuple') emitTuple(body, statement);
  else if (statement.kind === 'assign-field') emitAssignField(body, statement);
  else if (statement.kind === 'evaluate') emitValue(body, statement.value, { kind: 'none' });
  else {
    emitValue(body, statement.value, { kind: 'name', name: body.storage(statement.variable) });
    keepThrough(body, statement.variable);
    body.remember(statement.variable);
  }
}

/** indicator() and its like say what the script is; there is nothing to do on a bar. */
const isDeclaration = (expr: Expr): boolean =>
  expr.kind === 'call' && ['indicator', 'strategy', 'library', 'max_bars_back'].includes(expr.name);

const MAY_FAIL: ReadonlySet<Expr['kind']> = new Set(['user-call', 'field', 'history', 'for', 'for-in', 'while']);

/** Outputs and inputs fail only where their arguments do. */
const canFail = (expr: Expr): boolean => (expr.kind === 'call' ? expr.place === undefined : MAY_FAIL.has(expr.kind));

/** Notes where the script is, before what may end with a run-time error. */
function mark(body: Body, value: Expr): void {
  if (body.isForeign) return;
  let mayFail = false;
  walkExpr(value, (part) => {
    mayFail ||= canFail(part);
  });
  if (mayFail) body.line(`R.at = ${body.placeOf(value)};`);
}

function emitDeclaration(body: Body, { variable, value }: DeclareStmt): void {
  body.declareHistory(variable);
  if (variable.constant !== undefined && variable.history === 0 && !isStructure(value)) return;
  if (variable.mode === 'plain') {
    declarePlain(body, variable);
    emitValue(body, value, { kind: 'name', name: body.storage(variable) });
  } else emitFirstValue(body, variable, value);
  body.remember(variable);
}

/** A plot or a level, which is there on every bar whatever its name is declared with. */
const isDrawn = (value: Expr): boolean =>
  value.kind === 'call' && value.place !== undefined && value.type.shape.kind === 'object';

/** A var gets its value the first time its declaration is reached. */
function emitFirstValue(body: Body, variable: Variable, value: Expr): void {
  const { frame, name } = body.homeOf(variable);
  if (variable.mode === 'varip') body.module.followsTicks = true;
  const add = variable.mode === 'var' ? frame.value.bind(frame) : frame.kept.bind(frame);
  if (value.kind === 'constant') {
    add(`x${variable.id}`, literal(value.value));
    return;
  }
  const flag = `n${variable.id}`;
  const target = { kind: 'name', name: body.storage(variable) } as const;
  add(`x${variable.id}`, naOf(variable.type.shape, body.version));
  if (isDrawn(value)) {
    emitValue(body, value, target);
    return;
  }
  add(flag, 'false');
  body.line(`if (!${name}.${flag}) {`);
  body.maybe(() => (isStructure(value) ? emitStructure(body, value, target, true) : emitValue(body, value, target)));
  // Only now: a break or continue inside the value leaves the variable without one.
  body.line(`${name}.${flag} = true;`);
  keepThrough(body, variable);
  body.line('}');
}

function declarePlain(body: Body, variable: Variable): void {
  if (body.isField(variable)) body.module.once(`x${variable.id}`, () => declareField(body, variable));
  else body.line(`let x${variable.id};`);
}

function declareField(body: Body, variable: Variable): string {
  body.homeOf(variable).frame.kept(`x${variable.id}`, naOf(variable.type.shape, body.version));
  return '';
}

/** What can change without its variable. */
const KEPT: ReadonlySet<string> = new Set(['user', 'array', 'matrix', 'map']);

/** What a varip variable refers to is not taken back with a tick. */
function keepThrough(body: Body, variable: Variable): void {
  const { shape } = variable.type;
  const isKept = KEPT.has(shape.kind) || (shape.kind === 'object' && shape.name === 'chart.point');
  if (variable.mode !== 'varip' || !isKept) return;
  body.line(`${body.library('keepAll')}(${body.storage(variable)});`);
}

function emitTuple(body: Body, { variables, value }: DeclareTupleStmt): void {
  for (const variable of variables) {
    if (variable === null) continue;
    body.declareHistory(variable);
    declarePlain(body, variable);
  }
  const parts = tupleParts(body, value);
  for (const [index, variable] of variables.entries()) {
    if (variable === null) continue;
    body.line(`${body.storage(variable)} = ${parts(index)};`);
    body.remember(variable);
  }
}

/** Works the tuple out; what a kernel returns is taken from it without making a list on every bar. */
function tupleParts(body: Body, value: Expr): (index: number) => string {
  const whole = body.temporary();
  if (value.kind === 'call' && TA_KERNELS[value.name] !== undefined) {
    const { kernel, first, rest } = emitTaOutputs(body, value);
    body.line(`${whole} = ${first};`);
    return (index) => (index === 0 ? whole : `${kernel}.${rest[index - 1]}`);
  }
  const numbers = value.kind === 'call' ? requestedNumbers(body, value) : null;
  if (numbers !== null) return numbers;
  emitValue(body, value, { kind: 'name', name: whole });
  return (index) => `${whole}[${index}]`;
}

function emitAssignField(body: Body, { target, operator, value }: AssignFieldStmt): void {
  const { object, owner, field } = target;
  const [holder, fresh] = [body.temporary(), body.temporary()];
  body.line(`${holder} = ${needed(body, owner, field)}(${body.expr(object)});`);
  const place = `${holder}.f${field}`;
  if (operator === ':=') emitValue(body, value, { kind: 'name', name: fresh });
  else {
    // Read before the right side is worked out, which may change the field.
    body.line(`${fresh} = ${place};`);
    const right = body.expr(value);
    body.line(`${fresh} = ${compound(body, operator, fresh, right, target)};`);
  }
  if (owner === 'chart.point' || !owner.fields[field]!.varip) body.line(`${holder}.remember("f${field}");`);
  body.line(`${place} = ${fresh};`);
}

function compound(body: Body, operator: string, left: string, right: string, { type }: Expr): string {
  const isText = type.shape.kind === 'scalar' && type.shape.name === 'string';
  if (operator === '+=' && isText) return `${body.library('concatenate')}(${left}, ${right})`;
  return `(${left} ${operator[0]} ${right})`;
}
