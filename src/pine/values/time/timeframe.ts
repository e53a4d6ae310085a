// Timeframe strings ("60", "15S", "D", "3M") as pure functions.

import { PineRuntimeError } from '../runtime-error.ts';

/** Ticks, seconds, minutes, days, weeks, months. */
export type TimeframeUnit = 'T' | 'S' | 'm' | 'D' | 'W' | 'M';

export interface Timeframe {
  readonly unit: TimeframeUnit;
  readonly multiplier: number;
}

/** Seconds of one unit; a month is a twelfth of the mean year, as the language counts it. */
const UNIT_SECONDS: Readonly<Record<TimeframeUnit, number>> = {
  T: 0,
  S: 1,
  m: 60,
  D: 86_400,
  W: 604_800,
  M: 2_628_003,
};

/** The largest multiplier of each unit. */
const MAX_MULTIPLIER: Readonly<Record<TimeframeUnit, number>> = { T: 1000, S: 59, m: 1440, D: 366, W: 53, M: 12 };

export function parseTimeframe(text: string): Timeframe {
  const match = /^(\d*)([TSDWM]?)$/.exec(text);
  const multiplier = match?.[1] ? Number(match[1]) : 1;
  const unit = (match?.[2] || 'm') as TimeframeUnit;
  if (match === null || text === '' || multiplier < 1 || multiplier > MAX_MULTIPLIER[unit])
    throw new PineRuntimeError(
      `Invalid timeframe "${text.slice(0, 20)}". Use minutes ("60"), seconds ("15S"), days ("D"), weeks ("W") or months ("3M").`,
    );
  return { unit, multiplier };
}

/** How the platform writes it: "60", "15S", "1D". */
export function formatTimeframe({ unit, multiplier }: Timeframe): string {
  return `${multiplier}${unit === 'm' ? '' : unit}`;
}

/** na for ticks, which have no length. */
export function inSeconds({ unit, multiplier }: Timeframe): number {
  return unit === 'T' ? Number.NaN : UNIT_SECONDS[unit] * multiplier;
}

/** Lengths that charts have in seconds. */
const SECOND_STEPS = [1, 5, 10, 15, 30, 45];
const DAY = UNIT_SECONDS.D;
const WEEK = UNIT_SECONDS.W;
const MONTH = UNIT_SECONDS.M;

/** The timeframe of this length or the next longer one; of equals, the one with the larger unit. */
export function fromSeconds(seconds: number): string {
  if (Number.isNaN(seconds)) throw new PineRuntimeError("In 'timeframe.from_seconds()' function. The length is 'na'.");
  if (seconds > 366 * DAY) return '12M';
  for (const step of SECOND_STEPS) if (seconds <= step) return `${step}S`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 1440) return `${minutes}`;
  if (seconds % MONTH === 0 && seconds / MONTH <= 12) return `${seconds / MONTH}M`;
  if (seconds % WEEK === 0 && seconds / WEEK <= 52) return `${seconds / WEEK}W`;
  return `${Math.ceil(seconds / DAY)}D`;
}

export const isTicks = (frame: Timeframe) => frame.unit === 'T';
export const isSeconds = (frame: Timeframe) => frame.unit === 'S';
export const isMinutes = (frame: Timeframe) => frame.unit === 'm';
export const isDaily = (frame: Timeframe) => frame.unit === 'D';
export const isWeekly = (frame: Timeframe) => frame.unit === 'W';
export const isMonthly = (frame: Timeframe) => frame.unit === 'M';
export const isDwm = (frame: Timeframe) => isDaily(frame) || isWeekly(frame) || isMonthly(frame);
export const isIntraday = (frame: Timeframe) => !isDwm(frame);
