// Sums and differences of the display constants: `display.all - display.status_line` says where a plot is shown.

import type { PineType, Shape } from '../builtins/types.ts';
import type { BinaryOperator, Span } from '../syntax/index.ts';
import { constantValue } from './constants.ts';
import type { ConstantExpr, Expr } from './tree.ts';

const PLACES = ['data_window', 'pane', 'pine_screener', 'price_scale', 'status_line'] as const;
const DISPLAY: PineType = { qualifier: 'const', shape: { kind: 'option', name: 'plot_display' } };

const isDisplay = (shape: Shape): boolean =>
  shape.kind === 'option' && (shape.name === 'plot_display' || shape.name === 'plot_simple_display');

/** The sum or difference as a constant, its places joined by `+`; null where it is neither, or not known. */
export function displaySum(operator: BinaryOperator, left: Expr, right: Expr, span: Span): ConstantExpr | null {
  if ((operator !== '+' && operator !== '-') || !isDisplay(left.type.shape) || !isDisplay(right.type.shape))
    return null;
  const a = placesOf(constantValue(left));
  const b = placesOf(constantValue(right));
  if (a === null || b === null) return null;
  const both = PLACES.filter((place) =>
    operator === '+' ? a.has(place) || b.has(place) : a.has(place) && !b.has(place),
  );
  const value = both.length === 0 ? 'none' : both.length === PLACES.length ? 'all' : both.join('+');
  return { kind: 'constant', value, type: DISPLAY, span };
}

function placesOf(value: unknown): Set<string> | null {
  if (typeof value !== 'string') return null;
  if (value === 'all') return new Set(PLACES);
  return new Set(value === 'none' ? [] : value.split('+'));
}
