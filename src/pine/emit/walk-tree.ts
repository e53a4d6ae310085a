// Walks the checked tree: every expression of a block, with what is known about how often it runs.

import type { Block, Expr, HistoryExpr, Stmt, Structure } from '../check/tree.ts';
import { constantOffset } from './constant-offset.ts';

/** The expressions directly inside one, except those in its blocks. */
export function partsOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'history':
      return [expr.operand, expr.offset];
    case 'call':
      return expr.arguments.flatMap((argument) => argument.values);
    case 'user-call':
      return expr.arguments;
    case 'field':
    case 'copy':
      return [expr.object];
    case 'new':
      return expr.fields;
    case 'unary':
    case 'to-bool':
      return [expr.operand];
    case 'binary':
      return [expr.left, expr.right];
    case 'conditional':
      return [expr.condition, expr.whenTrue, expr.whenFalse];
    case 'tuple':
      return expr.elements;
    case 'if':
      return expr.branches.map(({ condition }) => condition);
    case 'switch':
      return [...(expr.subject === null ? [] : [expr.subject]), ...expr.arms.map(({ match }) => match)];
    case 'for':
      return [expr.from, expr.to, ...(expr.step === null ? [] : [expr.step])];
    case 'for-in':
      return [expr.collection];
    case 'while':
      return [expr.condition];
    case 'once':
      return expr.condition === null ? [] : [expr.condition];
    default:
      return [];
  }
}

export function blocksOf(expr: Expr): readonly Block[] {
  switch (expr.kind) {
    case 'if':
      return [...expr.branches.map(({ body }) => body), ...(expr.otherwise === null ? [] : [expr.otherwise])];
    case 'switch':
      return [...expr.arms.map(({ body }) => body), ...(expr.otherwise === null ? [] : [expr.otherwise])];
    case 'for':
    case 'for-in':
    case 'while':
    case 'once':
      return [expr.body];
    default:
      return [];
  }
}

export const isStructure = (expr: Expr): expr is Structure =>
  ['if', 'switch', 'for', 'for-in', 'while', 'once'].includes(expr.kind);

const isLoop = (expr: Expr): boolean => expr.kind === 'for' || expr.kind === 'for-in' || expr.kind === 'while';

export type Visit = (expr: Expr, inLoop: boolean) => void;

export function walkBlock(block: Block, visit: Visit, inLoop = false): void {
  for (const statement of block.statements) walkStatement(statement, visit, inLoop);
  if (block.value !== null) walkExpr(block.value, visit, inLoop);
}

/** Every statement, also inside structures. */
export function walkStatements(statements: readonly Stmt[], visit: (statement: Stmt) => void): void {
  for (const statement of statements) {
    visit(statement);
    walkStatement(statement, (expr) => {
      for (const { statements: inner } of blocksOf(expr)) for (const deeper of inner) visit(deeper);
    });
  }
}

export function walkStatement(statement: Stmt, visit: Visit, inLoop = false): void {
  if (!('value' in statement)) return;
  if (statement.kind === 'assign-field') walkExpr(statement.target, visit, inLoop);
  walkExpr(statement.value, visit, inLoop);
}

export function walkExpr(expr: Expr, visit: Visit, inLoop = false): void {
  visit(expr, inLoop);
  // The condition of while and the end of for are looked at on every turn.
  const inside = inLoop || isLoop(expr);
  for (const part of partsOf(expr)) walkExpr(part, visit, inside);
  for (const block of blocksOf(expr)) walkBlock(block, visit, inside);
}

/** Whether to leave the expression out could change anything but its own value. */
export function isPlain(expr: Expr): boolean {
  let plain = true;
  walkExpr(expr, (part) => {
    if (part.kind === 'history') plain &&= isPlainHistory(part);
    else if (MAY_MATTER.has(part.kind)) plain = false;
  });
  return plain;
}

/** Calls do things, and a field of na is an error. */
const MAY_MATTER: ReadonlySet<Expr['kind']> = new Set(['user-call', 'call', 'new', 'copy', 'field']);

/** A value of its own must be remembered, and an offset that is worked out may be a wrong one. */
const isPlainHistory = ({ operand, offset }: HistoryExpr): boolean =>
  (operand.kind === 'builtin' || operand.kind === 'variable') && constantOffset(offset) !== undefined;
