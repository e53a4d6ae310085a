// Times on the chart's axis and under its crosshair: in the reader's own zone, and as days where a bar is a day or longer.

import {
  defaultHorzScaleBehavior,
  type IHorzScaleBehavior,
  TickMarkType,
  type TickMarkWeightValue,
  type Time,
  type TimeScalePoint,
} from 'lightweight-charts';
import { clockTime, day, inUtc } from '../ui/times.ts';
import { behindUtc, notBehind, weightOf } from './axis-weights.ts';
import { barTime } from './bar-times.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export interface AxisTimes {
  readonly horizon: IHorzScaleBehavior<Time>;
  readonly timeScale: { readonly tickMarkFormatter: (time: Time, type: TickMarkType) => string };
  readonly localization: { readonly timeFormatter: (time: Time) => string };
}

/** `isByDay` is asked each time: another timeframe comes onto the same axis. */
export const axisTimesOf = (isByDay: () => boolean): AxisTimes => ({
  horizon: new (horizonOf(isByDay))(),
  timeScale: { tickMarkFormatter: (time, type) => tickWords(msOf(time), type, isByDay()) },
  localization: { timeFormatter: (time) => barTime(msOf(time), isByDay()) },
});

type Point = { -readonly [Name in keyof TimeScalePoint]: TimeScalePoint[Name] };

/** The library's own lets days, months and years begin at midnight of UTC: a reader elsewhere saw each under the name of the one before. */
const horizonOf = (isByDay: () => boolean) =>
  class extends defaultHorzScaleBehavior() {
    override fillWeightsForPoints(points: readonly Point[], from: number): void {
      const minutes = isByDay() ? notBehind : behindUtc;
      const at = (index: number): number => msOf(points[index]!.originalTime);
      for (let i = from; i < points.length; i += 1) {
        // Before the first there is none: as far before it as the second is behind it.
        const beforeMs = i > 0 ? at(i - 1) : points.length > 1 ? 2 * at(0) - at(1) : at(0);
        points[i]!.timeWeight = weightOf(at(i), beforeMs, minutes) as TickMarkWeightValue;
      }
    }
  };

/** Our bars have their time in seconds. */
const msOf = (time: unknown): number => Number(time) * 1000;

function tickWords(atMs: number, type: TickMarkType, isByDay: boolean): string {
  const [year, month, date] = (isByDay ? inUtc(atMs) : day(atMs)).slice(0, 10).split('-');
  if (type === TickMarkType.Year) return year!;
  if (type === TickMarkType.Month) return MONTHS[Number(month) - 1]!;
  if (type === TickMarkType.DayOfMonth) return String(Number(date));
  return clockTime(atMs).slice(0, type === TickMarkType.TimeWithSeconds ? 8 : 5);
}
