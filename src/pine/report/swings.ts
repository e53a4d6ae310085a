// The largest fall from a high and the largest rise from a low of an account, each in money and in percent.

export interface Swings {
  readonly maxDrawdown: number;
  /** Of the high it fell from. */
  readonly maxDrawdownPercent: number;
  readonly maxRunup: number;
  /** Of what was reached. */
  readonly maxRunupPercent: number;
}

/** Money and percent are each a largest of their own. */
export function swingsOf(start: number, values: Iterable<number>): Swings {
  let [high, low] = [start, start];
  let [maxDrawdown, maxDrawdownPercent, maxRunup, maxRunupPercent] = [0, 0, 0, 0];
  for (const value of values) {
    high = Math.max(high, value);
    low = Math.min(low, value);
    maxDrawdown = Math.max(maxDrawdown, high - value);
    maxRunup = Math.max(maxRunup, value - low);
    if (high > 0) maxDrawdownPercent = Math.max(maxDrawdownPercent, ((high - value) / high) * 100);
    if (value > 0) maxRunupPercent = Math.max(maxRunupPercent, ((value - low) / value) * 100);
  }
  return { maxDrawdown, maxDrawdownPercent, maxRunup, maxRunupPercent };
}
