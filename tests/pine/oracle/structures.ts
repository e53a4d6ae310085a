// How the oracle runs if, switch and the loops, as statements and as values.

import type {
  Block,
  Expr,
  ForExpr,
  ForInExpr,
  IfExpr,
  Structure,
  SwitchExpr,
  Variable,
} from '../../../src/pine/check/tree.ts';
import { ge, le, PineArray, PineMap, PineMatrix, PineRuntimeError } from '../../../src/pine/values/index.ts';
import type { Frame } from './memory.ts';
import { equals, holds } from './operators.ts';

/** What a structure asks of the interpreter it is part of. */
export interface Runner {
  value(expr: Expr, frame: Frame): unknown;
  block(block: Block, frame: Frame): unknown;
  give(variable: Variable, frame: Frame, value: unknown): void;
  /** Throws when the loops of a run took more turns than the oracle has patience for. */
  countTurn(): void;
}

/** `break` and `continue` on their way to the loop they belong to. */
export class LoopJump {
  readonly kind: 'break' | 'continue';

  constructor(kind: 'break' | 'continue') {
    this.kind = kind;
  }
}

/** `mostTurns` is for loops alone. */
export function runStructure(
  run: Runner,
  expr: Structure,
  frame: Frame,
  mostTurns = Number.POSITIVE_INFINITY,
): unknown {
  switch (expr.kind) {
    case 'if':
      return runIf(run, expr, frame);
    case 'switch':
      return runSwitch(run, expr, frame);
    case 'for':
      return loop(run, expr, frame, atMost(mostTurns, countingTurns(run, expr, frame)));
    case 'for-in':
      return loop(run, expr, frame, atMost(mostTurns, walkingTurns(run, expr, frame)));
    case 'while':
      return loop(
        run,
        expr,
        frame,
        atMost(mostTurns, () => holds(run.value(expr.condition, frame))),
      );
    case 'once':
      if (frame.done.has(expr)) return undefined;
      if (expr.condition !== null && !holds(run.value(expr.condition, frame))) return undefined;
      frame.done.add(expr);
      run.block(expr.body, frame);
      return undefined;
  }
}

const atMost = (mostTurns: number, goesOn: () => boolean) => {
  let turns = 0;
  return () => {
    turns += 1;
    return turns <= mostTurns && goesOn();
  };
};

function runIf(run: Runner, { branches, otherwise }: IfExpr, frame: Frame): unknown {
  const taken = branches.find(({ condition }) => holds(run.value(condition, frame)))?.body ?? otherwise;
  return taken === null ? undefined : run.block(taken, frame);
}

function runSwitch(run: Runner, { subject, operands, arms, otherwise }: SwitchExpr, frame: Frame): unknown {
  const wanted = subject === null ? true : run.value(subject, frame);
  const fits = (match: unknown) => (subject === null ? holds(match) : equals(operands, wanted, match));
  const taken = arms.find(({ match }) => fits(run.value(match, frame)))?.body ?? otherwise;
  return taken === null ? undefined : run.block(taken, frame);
}

/** Takes turns as long as `goesOn` says; stands for the value of the last turn that came to its end. */
function loop(
  run: Runner,
  expr: Extract<Structure, { kind: 'for' | 'for-in' | 'while' }>,
  frame: Frame,
  goesOn: () => boolean,
): unknown {
  let result: unknown;
  let hasResult = false;
  while (goesOn()) {
    run.countTurn();
    try {
      result = run.block(expr.body, frame);
      hasResult = true;
    } catch (jump) {
      if (!(jump instanceof LoopJump)) throw jump;
      if (jump.kind === 'break') break;
    }
  }
  if (hasResult) return result;
  return expr.empty === null ? undefined : run.value(expr.empty, frame);
}

/** The direction is that of the bounds at the start; a step says how far, never which way. v6 asks again before every turn. */
function countingTurns(run: Runner, expr: ForExpr, frame: Frame): () => boolean {
  const from = run.value(expr.from, frame) as number;
  let to = run.value(expr.to, frame) as number;
  const step = expr.step === null ? 1 : (run.value(expr.step, frame) as number);
  if (step <= 0) {
    throw new PineRuntimeError(`The step of a 'for' loop is ${step}; it must be above zero.`);
  }
  const isUp = from <= to;
  let next = from;
  return () => {
    if (expr.toIsDynamic) to = run.value(expr.to, frame) as number;
    // An na bound fails both comparisons.
    if (!(isUp ? le(next, to) : ge(next, to))) return false;
    run.give(expr.counter, frame, next);
    next += isUp ? step : -step;
    return true;
  };
}

function walkingTurns(run: Runner, { index, item, collection }: ForInExpr, frame: Frame): () => boolean {
  const walked = run.value(collection, frame);
  const give = (variable: Variable | null, value: unknown) => {
    if (variable !== null) run.give(variable, frame, value);
  };
  let place = -1;
  if (walked instanceof PineMap) {
    // The keys are those of the start, each value is what it is when its turn comes.
    const { keys } = walked.pairs();
    return () => {
      place += 1;
      if (place >= keys.length) return false;
      give(index, keys[place]);
      give(item, walked.get(keys[place]));
      return true;
    };
  }
  const size = () => (walked instanceof PineMatrix ? walked.rows() : (walked as PineArray<unknown>).size());
  if (!(walked instanceof PineMatrix || walked instanceof PineArray))
    throw new PineRuntimeError("Cannot call array methods when ID of array is 'na'.");
  return () => {
    place += 1;
    if (place >= size()) return false;
    give(index, place);
    give(item, walked instanceof PineMatrix ? walked.rowInPlace(place) : walked.at(place));
    return true;
  };
}
