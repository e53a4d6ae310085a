// Places of a script that can look ahead or change the past: what somebody whose script repaints should look at first.

import type { BuiltinCallExpr, CheckedProgram, Expr } from '../check/tree.ts';
import { walkBlock } from '../emit/walk-tree.ts';
import type { Span } from '../syntax/index.ts';

export interface Suspect {
  readonly span: Span;
  /** What it does, and what helps. */
  readonly words: string;
}

/** Variables that are another thing on the newest bar than they are when that bar is old. */
const OF_THE_MOMENT: Readonly<Record<string, string>> = {
  'barstate.islast': 'barstate.islast is true on another bar each time.',
  'barstate.isrealtime': 'barstate.isrealtime is true live and never in history.',
  'barstate.ishistory': 'barstate.ishistory is true in history and never live.',
  'barstate.isconfirmed': 'barstate.isconfirmed is always true in history.',
  'barstate.islastconfirmedhistory': 'barstate.islastconfirmedhistory is true on another bar each time.',
  last_bar_index: 'last_bar_index grows with the chart.',
  last_bar_time: 'last_bar_time grows with the chart.',
  timenow: 'timenow is the time of the run.',
};

export function suspectsOf({ main, functions }: CheckedProgram): Suspect[] {
  const found = new Map<number, Suspect>();
  const look = (expr: Expr): void => {
    const words = wordsFor(expr);
    if (words !== null && !found.has(expr.span.start)) found.set(expr.span.start, { span: expr.span, words });
  };
  // Places inside of a library mean nothing to the script.
  const own = functions.filter(({ library }) => library === null);
  for (const block of [main, ...own.map(({ body }) => body)]) walkBlock(block, look);
  return [...found.values()].sort((a, b) => a.span.start - b.span.start);
}

function wordsFor(expr: Expr): string | null {
  if (expr.kind === 'builtin') return OF_THE_MOMENT[expr.name] ?? null;
  return expr.kind === 'call' && expr.name.startsWith('request.security') ? wordsForRequest(expr) : null;
}

function wordsForRequest(call: BuiltinCallExpr): string | null {
  const given = (name: string): Expr | undefined =>
    call.arguments.find(({ parameter }) => parameter.name === name)?.values[0];
  if (given('expression')?.kind === 'history') return null;
  const lookahead = given('lookahead');
  if (lookahead?.kind !== 'constant' || lookahead.value !== 'lookahead_on')
    return 'live, a request of a longer timeframe shows a period that is not over. Ask for expression[1] with lookahead_on.';
  return 'lookahead_on gives the value of a period before it has ended. Ask for expression[1] with it, or leave it out.';
}
