// The walk over a script: every expression is rewritten after those it is made of, so that what stands around comes last.

import type { Binary, BinaryOperator, Expression, Node } from '../syntax/index.ts';
import { childrenOf } from '../syntax/index.ts';
import { rewriteCall } from './calls.ts';
import { asNumber, fitTogether } from './fit-values.ts';
import { dottedName } from './names.ts';
import { rewriteLineStyle } from './old-constants.ts';
import { newValueName } from './old-names.ts';
import type { Rewriter } from './rewriter.ts';

/** Operators that compute with numbers. */
const COMPUTES: ReadonlySet<BinaryOperator> = new Set(['+', '-', '*', '/', '%', '<', '<=', '>', '>='] as const);

export function rewriteExpressions(r: Rewriter, node: Node): void {
  switch (node.kind) {
    case 'call':
      for (const argument of node.arguments)
        if (!rewriteLineStyle(r, node, argument)) rewriteExpressions(r, argument.value);
      rewriteCall(r, node);
      return;
    case 'member':
      rename(r, node);
      return;
    default:
      for (const child of childrenOf(node)) rewriteExpressions(r, child);
  }
  switch (node.kind) {
    case 'identifier':
      if (r.names.of.has(node)) return;
      rename(r, node);
      return;
    case 'binary':
      checkDivision(r, node);
      if (COMPUTES.has(node.operator)) for (const side of [node.left, node.right]) numberOf(r, side);
      if (node.operator === '==' || node.operator === '!=') compareNumbers(r, node);
      return;
    case 'unary':
      if (node.operator !== 'not') numberOf(r, node.operand);
      return;
    case 'conditional':
      fitTogether(r, [node.whenTrue, node.whenFalse]);
      return;
    case 'history':
      rewriteHistory(r, node.operand, node.offset);
      return;
    default:
  }
}

/** Until version 3 it is not told whether two whole constants leave a fraction. */
function checkDivision(r: Rewriter, { operator, left, right, span }: Binary): void {
  if (r.version > 3 || operator !== '/' || left.kind !== 'int' || right.kind !== 'int') return;
  if (right.value !== 0 && left.value % right.value === 0) return;
  const why = `Version 5 leaves the fraction out: write ${left.value}.0 / ${right.value} if it is wanted.`;
  r.check(span, 'a division of two whole constants', why);
}

function rename(r: Rewriter, node: Expression): void {
  const name = dottedName(node);
  const renamed = newValueName(name);
  if (renamed === null) return;
  r.edits.replace(node.span, renamed);
  r.changed(node.span, `${name} is ${renamed}`, 'Built-in names have been in namespaces since versions 4 and 5.');
}

function numberOf(r: Rewriter, value: Expression): void {
  if (r.kinds.of(value) === 'bool') asNumber(r, value);
}

/** A bool beside a number; whoever compares with true or false asks for a bool, and gets it. */
function compareNumbers(r: Rewriter, { left, right }: Binary): void {
  if (left.kind !== 'bool' && right.kind !== 'bool') fitTogether(r, [left, right]);
}

function rewriteHistory(r: Rewriter, operand: Expression, offset: Expression): void {
  if (r.kinds.of(offset) === 'float') {
    r.wrap(offset, 'int(', ')');
    r.check(offset.span, 'int() around an offset', 'Version 5 takes no number with a fraction here.');
  }
  if (operand.kind !== 'history') return;
  const { start, end } = r.whole(operand);
  if (r.edits.source[end] === ')') return;
  r.edits.before(start, '(');
  r.edits.after(end, ')');
  r.changed(operand.span, 'x[1][2] is (x[1])[2]', 'Since version 5 "[]" cannot follow "[]".');
}
