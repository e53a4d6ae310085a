// Structures as JavaScript statements that leave their value in a target.

import type { Shape } from '../builtins/types.ts';
import type {
  Block,
  Expr,
  ForExpr,
  ForInExpr,
  IfExpr,
  OnceExpr,
  Structure,
  SwitchExpr,
  Variable,
  WhileExpr,
} from '../check/tree.ts';
import { TOLERANCE } from '../values/index.ts';
import type { Body, Target } from './body.ts';
import { comparison } from './expressions.ts';
import { walkExpr } from './walk-tree.ts';

/** `isFirstTurnOnly`: a loop that gives a var its first value ends after one turn, as the language has it. */
export function emitStructure(body: Body, expr: Structure, target: Target, isFirstTurnOnly = false): void {
  if (expr.kind === 'if') emitIf(body, expr, target);
  else if (expr.kind === 'switch') emitSwitch(body, expr, target);
  else if (expr.kind === 'once') emitOnce(body, expr, target);
  else {
    if (expr.kind === 'for' && isCounted(expr) && !isFirstTurnOnly) {
      emitCounted(body, expr, target);
      return;
    }
    const turns = turnsOf(body, isFirstTurnOnly);
    if (expr.kind === 'for') emitFor(body, expr, target, turns);
    else if (expr.kind === 'for-in') emitForIn(body, expr, target, turns);
    else emitWhile(body, expr, target, turns);
  }
}

/** Live, the flag is taken back with everything else: the block is spent only when a bar has closed with it. */
function emitOnce(body: Body, expr: OnceExpr, target: Target): void {
  const flag = `d${body.module.number()}`;
  body.frame.value(flag, 'false');
  const condition = expr.condition === null ? '' : ` && ${body.maybe(() => body.expr(expr.condition!))}`;
  body.line(`if (!${body.frameName}.${flag}${condition}) {`);
  body.line(`${body.frameName}.${flag} = true;`);
  body.maybe(() => body.block(expr.body, target));
  body.line('}');
}

/** Conditions after the first are only looked at when those before did not hold. */
function emitIf(body: Body, { branches, otherwise }: IfExpr, target: Target): void {
  emitChain(
    body,
    branches.map(({ condition, body: block }) => ({ test: () => body.expr(condition), block })),
    otherwise,
    target,
  );
}

function emitSwitch(body: Body, expr: SwitchExpr, target: Target): void {
  const { subject, operands, arms, otherwise } = expr;
  const name = subject === null ? '' : body.temporary();
  if (subject !== null) body.line(`${name} = ${body.expr(subject)};`);
  emitChain(
    body,
    arms.map(({ match, body: block }) => ({
      test: () => (subject === null ? body.expr(match) : comparison(body, '==', operands, name, body.expr(match))),
      block,
    })),
    otherwise,
    target,
  );
}

interface Choice {
  readonly test: () => string;
  readonly block: Block;
}

/** Blocks in each other before a chain goes on outside of them: JavaScript engines run out of stack at a thousand. */
const MAX_ELSE_DEPTH = 50;

function emitChain(body: Body, choices: readonly Choice[], otherwise: Block | null, target: Target): void {
  const isLong = choices.length > MAX_ELSE_DEPTH;
  const end = `n${body.module.number()}`;
  if (isLong) body.line(`${end}: {`);
  for (const [index, { test, block }] of choices.entries()) {
    const condition = index === 0 ? test() : body.maybe(test);
    body.line(`if (${condition}) {`);
    body.maybe(() => body.block(block, target));
    body.line(isLong ? `break ${end}; }` : '} else {');
  }
  if (otherwise !== null) body.maybe(() => body.block(otherwise, target));
  body.line(isLong ? '}' : '}'.repeat(choices.length));
}

// Loops

/** The lines that open a loop's body, and those that follow its end. */
interface Turns {
  readonly opening: string;
  readonly closing: string;
}

/**
 * Every turn costs one of the bar's budget, so that a loop without end ends with a message. A loop counts its own turns
 * in a local and takes them from the budget when it ends.
 */
function turnsOf(body: Body, isFirstTurnOnly: boolean): Turns {
  const [had, left] = [body.temporary(), body.temporary()];
  body.module.hasLoops = true;
  body.line(`${had} = ${left} = R.budget;`);
  const turn = `if (--${left} < 0) R.tired();`;
  const closing = `if ((R.budget -= ${had} - ${left}) < 0) R.tired();`;
  if (!isFirstTurnOnly) return { opening: turn, closing };
  const turned = body.temporary();
  body.line(`${turned} = false;`);
  return { opening: `if (${turned}) break; ${turned} = true; ${turn}`, closing };
}

/** A loop that returns its value does so when it has ended. */
function withValue(body: Body, empty: Expr | null, target: Target, write: (inner: Target) => void): void {
  if (empty === null || target.kind === 'none') {
    write({ kind: 'none' });
    if (target.kind === 'return') body.line('return;');
    return;
  }
  // A name of its own: the body may read the variable that the loop gives a value to.
  const name = body.temporary();
  body.line(`${name} = ${body.expr(empty)};`);
  write({ kind: 'name', name });
  body.line(target.kind === 'return' ? `return ${name};` : `${target.name} = ${name};`);
}

/** Whether the turns of a loop can be counted before the first: whole numbers, one by one, to an end that stays. */
const isCounted = ({ from, to, step, toIsDynamic }: ForExpr): boolean =>
  step === null && !isFloat(from.type.shape) && !isFloat(to.type.shape) && !(toIsDynamic && mayChange(to));

/** A loop that knows its turns has nothing to look at in each but their number. */
function emitCounted(body: Body, { counter, from, to, body: block, empty }: ForExpr, target: Target): void {
  body.module.hasLoops = true;
  withValue(body, empty, target, (inner) => {
    const [turn, turns, by] = [body.temporary(), body.temporary(), body.temporary()];
    const [budget, most, done] = [body.temporary(), body.temporary(), body.temporary()];
    body.line(`${turn} = ${body.expr(from)}; ${turns} = ${body.expr(to)}; ${by} = ${turn} <= ${turns} ? 1 : -1;`);
    // An end of na makes them na, and there is none.
    body.line(
      `${turns} = Math.floor(Math.abs(${turns} - ${turn})) + 1; ${budget} = R.budget; ${most} = Math.min(${turns}, ${budget});`,
    );
    body.line(`for (${done} = 0; ${done} < ${most}; ${done}++, ${turn} += ${by}) {`);
    declareTurn(body, counter, turn);
    body.looping(() => body.block(block, inner));
    body.line('}');
    const isCutShort = `${done} === ${budget} && ${turns} > ${budget}`;
    body.line(`if ((R.budget -= ${done}) < 0 || (${isCutShort})) R.tired();`);
  });
}

function emitFor(body: Body, expr: ForExpr, target: Target, turns: Turns): void {
  const { counter, from, to, step, toIsDynamic } = expr;
  withValue(body, expr.empty, target, (inner) => {
    const [turn, end, isUp, by] = [body.temporary(), body.temporary(), body.temporary(), body.temporary()];
    body.line(`${turn} = ${body.expr(from)}; ${end} = ${body.expr(to)}; ${isUp} = ${turn} <= ${end};`);
    body.line(`${by} = ${step === null ? '1' : `${body.library('loopStep')}(${body.expr(step)})`};`);
    body.line(`if (!${isUp}) ${by} = -${by};`);
    // Steps of fractions miss the end by a hair; like every comparison of floats this one does not mind.
    const isFraction = [from, to, step].some((part) => part !== null && isFloat(part.type.shape));
    const [below, above] = isFraction ? [` + ${TOLERANCE}`, ` - ${TOLERANCE}`] : ['', ''];
    const again = toIsDynamic && mayChange(to) ? body.looping(() => `(${end} = ${body.expr(to)})`) : end;
    body.line(`for (; ${isUp} ? ${turn} <= ${again}${below} : ${turn} >= ${again}${above}; ${turn} += ${by}) {`);
    body.line(turns.opening);
    declareTurn(body, counter, turn);
    body.looping(() => body.block(expr.body, inner));
    body.line('}');
    body.line(turns.closing);
  });
}

const isFloat = (shape: Shape): boolean => shape.kind === 'scalar' && shape.name === 'float';

/** Whether a loop could find another value when it looks again. */
function mayChange(to: Expr): boolean {
  let may = false;
  walkExpr(to, (part) => {
    if (
      part.kind === 'variable'
        ? part.variable.reassigned
        : !['constant', 'binary', 'unary', 'builtin'].includes(part.kind)
    )
      may = true;
  });
  return may;
}

function declareTurn(body: Body, variable: Variable, value: string): void {
  body.declareHistory(variable);
  body.line(`let ${body.storage(variable)} = ${value};`);
  body.looping(() => body.remember(variable));
}

function emitForIn(body: Body, expr: ForInExpr, target: Target, turns: Turns): void {
  const { index, item, collection } = expr;
  const { kind } = collection.type.shape;
  withValue(body, expr.empty, target, (inner) => {
    const [list, place] = [body.temporary(), body.temporary()];
    const over = kind === 'map' ? 'mapId' : kind === 'matrix' ? 'matrixId' : 'arrayId';
    const size = kind === 'matrix' ? 'rows' : 'size';
    body.line(`${list} = ${body.library(over)}(${body.expr(collection)});`);
    const keys = kind === 'map' ? body.temporary() : '';
    if (kind === 'map') body.line(`${keys} = ${list}.keys();`);
    body.line(`for (${place} = 0; ${place} < ${kind === 'map' ? keys : list}.${size}(); ${place}++) {`);
    body.line(turns.opening);
    if (kind === 'map') {
      if (index !== null) declareTurn(body, index, `${keys}.at(${place})`);
      declareTurn(body, item, `${list}.get(${keys}.at(${place}))`);
    } else {
      if (index !== null) declareTurn(body, index, place);
      declareTurn(body, item, kind === 'matrix' ? `${list}.rowInPlace(${place})` : `${list}.at(${place})`);
    }
    body.looping(() => body.block(expr.body, inner));
    body.line('}');
    body.line(turns.closing);
  });
}

function emitWhile(body: Body, expr: WhileExpr, target: Target, turns: Turns): void {
  withValue(body, expr.empty, target, (inner) => {
    body.line(`while (${body.looping(() => body.expr(expr.condition))}) {`);
    body.line(turns.opening);
    body.looping(() => body.block(expr.body, inner));
    body.line('}');
    body.line(turns.closing);
  });
}
