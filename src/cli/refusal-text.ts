// Whether a route did what it was asked for, and its refusal in words for a terminal.

import type { Answer } from './host.ts';
import type { Paint } from './paint.ts';
import { cell, fieldsOf, printable, printableLines, rowsOf } from './table.ts';

export function succeeded({ status, body }: Answer): boolean {
  return status >= 200 && status < 300 && fieldsOf(body).success !== false;
}

/** Whole, because its last words are the remedy. */
export function refusalText(answer: Answer, paint: Paint): string {
  const body = fieldsOf(answer.body);
  const code = typeof body.code === 'string' ? ` ${cell(body.code)}` : '';
  // The gateway says error, the script worker message.
  const told = body.error ?? body.message;
  const reason = typeof told === 'string' ? printableLines(told) : 'the answer gives no reason.';
  return `${paint('red', `Refused (${answer.status}${code}):`)} ${reason}`;
}

/** Of a script that does not compile: the first fault is in the words of the refusal, the others follow. */
export function scriptRefusalText(answer: Answer, paint: Paint): string {
  const others = rowsOf(fieldsOf(answer.body).diagnostics).slice(1);
  const lines = others.map(
    ({ line, message, remedy }) => `  line ${cell(line)}: ${printable(`${message} ${remedy ?? ''}`)}`,
  );
  return [refusalText(answer, paint), ...lines].join('\n');
}
