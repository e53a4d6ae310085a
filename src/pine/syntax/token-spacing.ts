// The white space between two neighbouring tokens of a line, as the formatter writes it.

import type { TokenRoles } from './parser-state.ts';
import type { Token } from './tokens.ts';

const isOperator = (token: Token | null, ...texts: readonly string[]): boolean =>
  token !== null && token.kind === 'operator' && texts.includes(token.text);

/** Whether a value ends with this token, so that a bracket after it calls or looks back, and a sign after it is binary. */
function endsValue(token: Token | null, { tight, words }: TokenRoles): boolean {
  if (token === null) return false;
  if (token.kind === 'keyword') return token.text === 'true' || token.text === 'false';
  if (token.kind === 'operator') return token.text === ')' || token.text === ']' || tight.has(token.start);
  return !words.has(token.start);
}

/** One space or nothing. `before` is the token in front of `left`, which tells a sign from a subtraction. */
export function separator(before: Token | null, left: Token | null, right: Token, roles: TokenRoles): string {
  if (left === null) return '';
  if (isOperator(left, '(', '[', '.') || isOperator(right, ')', ']', ',', '.')) return '';
  if (isOperator(right, '(', '[') && endsValue(left, roles)) return '';
  if (isOperator(left, '-', '+') && !endsValue(before, roles)) return '';
  if (roles.tight.has(right.start)) return '';
  return roles.tight.has(left.start) && left.text !== '>' ? '' : ' ';
}
