// The values of a search over two inputs as a table of numbers: one input along each side.

import type { SearchAxis } from '../../pine/index.ts';
import type { Candidate, Trial } from '../../pine/light.ts';

export interface HeatMap {
  readonly x: SearchAxis;
  readonly y: SearchAxis;
  /** A row for each value of y, in it a number for each of x; null where none is known. */
  readonly values: readonly (readonly (number | null)[])[];
}

/** Null unless exactly two inputs have more than one value. */
export function heatMapOf(
  axes: readonly SearchAxis[],
  candidates: readonly Candidate[],
  trials: readonly Trial[],
): HeatMap | null {
  const varied = axes.flatMap(({ values }, axis) => (values.length > 1 ? [axis] : []));
  if (varied.length !== 2) return null;
  const [first, second] = varied as [number, number];
  const [x, y] = [axes[first]!, axes[second]!];
  const values = y.values.map(() => x.values.map((): number | null => null));
  for (const { candidate, value } of trials) {
    const places = candidates[candidate]!;
    if (Number.isFinite(value)) values[places[second]!]![places[first]!] = value;
  }
  return { x, y, values };
}
