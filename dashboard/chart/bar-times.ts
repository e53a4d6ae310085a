// The name of a bar: when it began on the reader's clock, or its day where it is a day or longer.

import type { BarColumns } from '../../src/pine/light.ts';
import { clockTime, day, inUtc } from '../ui/times.ts';

const DAY_MS = 86_400_000;

/** Whether these are bars of a day or longer: exchanges begin them at midnight of UTC, wherever they are read. */
export function isByDay(bars: Pick<BarColumns, 'count' | 'time'> | undefined): boolean {
  if (bars === undefined || bars.count < 2) return false;
  return bars.time[bars.count - 1]! % DAY_MS === 0 && bars.time[bars.count - 2]! % DAY_MS === 0;
}

/** `2026-11-17 14:00`; of a bar of a day or longer its day, `2026-11-17`. */
export const barTime = (atMs: number, isDay: boolean): string =>
  isDay ? inUtc(atMs).slice(0, 10) : `${day(atMs)} ${clockTime(atMs).slice(0, 5)}`;
