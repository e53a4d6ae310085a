// Points of the chart, `chart.point`: objects with a time, a bar index and a price, which drawings copy.

import { functions, type ValueEntries } from '../values/entry.ts';
import { PineObject } from '../values/objects.ts';
import type { Journal } from '../values/rollback.ts';

/** Fields as the emitter names those of a user type: `f0` time in ms, `f1` bar index, `f2` price. */
export class ChartPoint extends PineObject {
  f0: number;
  f1: number;
  f2: number;

  constructor(journal: Journal, time: number, index: number, price: number) {
    super(journal);
    this.f0 = time;
    this.f1 = index;
    this.f2 = price;
  }

  override copy(): ChartPoint {
    return new ChartPoint(this.journal, this.f0, this.f1, this.f2);
  }
}

/** The place of a point on the axis a drawing uses; na for a point that is na. */
export function placeOf(point: ChartPoint | null, xloc: unknown): number {
  if (point === null) return Number.NaN;
  return xloc === 'bar_time' ? point.f0 : point.f1;
}

export function priceOf(point: ChartPoint | null): number {
  return point === null ? Number.NaN : point.f2;
}

export interface PointHost {
  readonly journal: Journal;
  readonly barIndex: () => number;
  readonly timeMs: () => number;
  readonly close: () => number;
}

export function pointEntries(host: PointHost): ValueEntries {
  const { journal } = host;
  return functions('chart.point.', {
    new: (time: number, index: number, price: number) => new ChartPoint(journal, time, index, price),
    copy: (point: ChartPoint | null) => point?.copy() ?? null,
    from_index: (index: number, price: number) => new ChartPoint(journal, Number.NaN, index, price),
    from_time: (time: number, price: number) => new ChartPoint(journal, time, Number.NaN, price),
    now: (price: number = host.close()) => new ChartPoint(journal, host.timeMs(), host.barIndex(), price),
  });
}
