// Warnings about what depends on earlier bars and stands where it does not run once on every bar.
//
// Such a call goes on from the bars on which it ran, not from those of the chart, which is seldom what was meant. A place
// runs once on every bar unless a condition that may change from bar to bar decides about it (`if`, `switch`, `?:`, and the
// right side of `and` and `or` since v6) or a loop or `once` is around it. A condition that is known before the first bar
// skips a call always or never: nothing is said then. In a function only what is inside of it counts; where the function
// itself is called from a place of that kind, the call of it is what is warned about.

import type { Span } from '../syntax/index.ts';
import type { Checker } from './checker.ts';
import type { Expr } from './tree.ts';

/** Have a state of their own at every place, but none that is made of earlier bars. */
const WITHOUT_HISTORY: ReadonlySet<string> = new Set(['alert', 'math.random']);

const REMEDY = 'Call it outside on every bar, give its result a name, and use the name here.';

/** A built-in function that keeps a state is called. */
export function noteStateful(c: Checker, name: string, span: Span): void {
  // What is requested is worked out on all bars of the other chart, wherever the request stands.
  if (!WITHOUT_HISTORY.has(name) && !name.startsWith('request.')) noteHistoricCall(c, name, span);
}

/** A function whose value depends on what it was called with on earlier bars is called. */
export function noteHistoricCall(c: Checker, name: string, span: Span): void {
  c.usesHistory = true;
  if (!isTold(c)) return;
  const message = `The function '${name}' should be called on each calculation for consistency: here it does not run once on every bar.`;
  c.warn('notOnEveryBar', message, span, REMEDY);
}

/** The operand of `[]` could not be worked out on every run of its block after all. */
export function noteSkipped(c: Checker, operand: Expr): void {
  if (operand.kind === 'call' && operand.overload.stateful) noteStateful(c, operand.name, operand.span);
  if (operand.kind === 'user-call' && c.program.historic.has(operand.callee))
    noteHistoricCall(c, operand.callee.name, operand.span);
}

/** `operand[…]` is read. Outside of functions variables of the script, and everywhere the chart's own series, have a value on every bar. */
export function noteHistory(c: Checker, operand: Expr, span: Span): void {
  if (operand.kind === 'builtin') return;
  if (operand.kind !== 'variable') {
    c.usesHistory = true;
    return;
  }
  const { variable } = operand;
  if (variable.scope === 'global') return;
  c.usesHistory = true;
  if (!isTold(c) || !c.program.seldom.has(variable)) return;
  const message = `${variable.name} belongs to a block that does not run once on every bar: its earlier values are those of its last runs.`;
  c.warn('seldomHistory', message, span, 'Declare it outside of the block, and read its past there.');
}

/** A library's text is not the script's, and most scripts have no such place. */
const isTold = ({ place }: Checker): boolean => !place.steady && place.module.library === null;
