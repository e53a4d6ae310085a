// Values of the wrong kind, as old versions took them without a word: bools among numbers.

import type { Expression } from '../syntax/index.ts';
import { isNumber, joined } from './kinds.ts';
import type { Rewriter } from './rewriter.ts';

/** Makes 1 or 0 of a bool. */
export function asNumber(r: Rewriter, value: Expression): void {
  const why = 'Versions 1 to 3 take a bool for a number; version 5 does not.';
  r.changed(value.span, 'a bool is written as a number', why);
  if (value.kind === 'bool') {
    r.edits.replace(value.span, value.value ? '1' : '0');
    return;
  }
  const [open, close] = r.isEnclosed(value) ? ['', ''] : ['(', ')'];
  const [before, after] = value.kind === 'conditional' ? ['(', ')'] : ['', ''];
  r.wrap(value, `${open}${before}`, `${after} ? 1 : 0${close}`);
}

/** Values that stand beside each other: where one is a number, a bool becomes one too. */
export function fitTogether(r: Rewriter, values: readonly Expression[]): void {
  if (!isNumber(joined(values.map((value) => r.kinds.of(value))))) return;
  for (const value of values) if (r.kinds.of(value) === 'bool') asNumber(r, value);
}
