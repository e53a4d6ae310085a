// Times on the chart's axis and under its crosshair, in the reader's own zone.

import { TickMarkType, type Time } from 'lightweight-charts';
import { clockTime, day } from '../ui/times.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export interface AxisTimes {
  readonly timeScale: { readonly tickMarkFormatter: (time: Time, type: TickMarkType) => string };
  readonly localization: { readonly timeFormatter: (time: Time) => string };
}

export const axisTimesOf = (): AxisTimes => ({
  timeScale: { tickMarkFormatter: (time, type) => tickWords(Number(time) * 1000, type) },
  localization: { timeFormatter: (time) => barTime(Number(time) * 1000) },
});

function tickWords(atMs: number, type: TickMarkType): string {
  const at = new Date(atMs);
  if (type === TickMarkType.Year) return String(at.getFullYear());
  if (type === TickMarkType.Month) return MONTHS[at.getMonth()]!;
  if (type === TickMarkType.DayOfMonth) return String(at.getDate());
  return clockTime(atMs).slice(0, type === TickMarkType.TimeWithSeconds ? 8 : 5);
}

/** `2026-11-17 14:00`. */
export const barTime = (atMs: number): string => `${day(atMs)} ${clockTime(atMs).slice(0, 5)}`;
