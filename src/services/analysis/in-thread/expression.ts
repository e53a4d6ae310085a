// Makes a script of one Pine expression, and tells whatever is found in it at the places of the expression.

import type { Refused, ScriptDiagnostic } from '../../../library/script-runner.ts';

export type ExpressionKind = 'number' | 'condition';

const HEADS: Readonly<Record<ExpressionKind, string>> = { number: 'plot((', condition: 'plotshape((' };
const TAILS: Readonly<Record<ExpressionKind, string>> = {
  number: '), "Value", linewidth = 2)',
  condition: '), "Value", style = shape.triangleup, location = location.belowbar, size = size.small)',
};
const LINES_BEFORE = ['//@version=6', 'indicator("Expression")'];

const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']' };

/**
 * Why this is not one expression, in words; undefined when it may be one. Whoever closes our bracket early, or comments
 * it out, could go on with statements of his own. The compiler judges the rest.
 */
export function expressionFault(text: string): string | undefined {
  const open: string[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] as string;
    if (letter === '"' || letter === "'") {
      at = endOfText(text, at);
      if (at < 0) return `has a text that does not end, close it with ${letter}`;
    } else if (letter === '/' && text[at + 1] === '/') return 'has a comment, remove it';
    else if (CLOSERS[letter] !== undefined) open.push(CLOSERS[letter]);
    else if (letter === ')' || letter === ']') {
      if (open.pop() !== letter) return `has a ${letter} too many at character ${at + 1}, remove it`;
    } else if (letter === ',' && open.length === 0) return 'is a list, send one expression without a comma';
  }
  if (open.length > 0) return `has a bracket that is not closed, add ${open.at(-1)}`;
  return text.trim() === '' ? 'is empty, send an expression such as ta.rsi(close, 14)' : undefined;
}

/** The index of the closing quote; -1 when there is none on its line. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === text[start]) return at;
    if (letter === '\n' || letter === '\r') return -1;
    if (letter === '\\') at += 1;
  }
  return -1;
}

export const scriptOf = (expression: string, kind: ExpressionKind): string =>
  [...LINES_BEFORE, `${HEADS[kind]}${expression}${TAILS[kind]}`].join('\n');

/** The same outcome with its places in the expression; lines and columns from 1. */
export function placedInExpression(outcome: Refused, expression: string, kind: ExpressionKind): Refused {
  const lines = expression.split(/\r\n|\r|\n/);
  const placeOf = (line: number, column: number) => {
    const inside = Math.min(Math.max(line - LINES_BEFORE.length, 1), lines.length);
    const before = inside === 1 ? HEADS[kind].length : 0;
    // The line goes on behind the expression with text of ours; what is found there is told at the end of the expression.
    const length = (lines[inside - 1] as string).length;
    return { line: inside, column: Math.min(Math.max(column - before, 1), length + 1) };
  };
  if (outcome.kind === 'runtime-error') return { ...outcome, ...placeOf(outcome.line, outcome.column) };
  if (outcome.kind !== 'compile-failed') return outcome;
  const placed = (found: ScriptDiagnostic): ScriptDiagnostic => {
    const end = placeOf(found.endLine, found.endColumn);
    return { ...found, ...placeOf(found.line, found.column), endLine: end.line, endColumn: end.column };
  };
  return { ...outcome, diagnostics: outcome.diagnostics.map(placed) };
}
