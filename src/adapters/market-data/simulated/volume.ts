// Traded volume of a simulated market: each day has a total, shared out among its minutes, so that bars of any size add up.

import { hash32, signedUnit } from './hash.ts';

const DAY_S = 86_400;
const MINUTES = 1440;
/** A day has at least this many units, so that even a second trades some. */
const MIN_UNITS_A_DAY = 1e8;
const MAX_DECIMALS = 8;
/** Spread of day, hour and minute totals: e^±spread. */
const DAY_SPREAD = 0.5;
const HOUR_SPREAD = 0.6;
const MINUTE_SPREAD = 1;

export interface VolumeCurve {
  /** Base currency traded during the seconds in [from, to). */
  between(from: number, to: number): number;
}

export function createVolumeCurve(marketSeed: number, averageDay: number): VolumeCurve {
  const decimals = Math.min(MAX_DECIMALS, Math.max(0, Math.ceil(Math.log10(MIN_UNITS_A_DAY / averageDay))));
  const scale = 10 ** decimals;
  const daySeed = hash32(marketSeed, 1_001);
  const hourSeed = hash32(marketSeed, 1_002);
  const minuteSeed = hash32(marketSeed, 1_003);
  /** Running totals of the day asked for last, in units: bars are read in order, so one day is enough. */
  const running = new Float64Array(MINUTES + 1);
  let runningDay = -1;

  const unitsOfDay = (day: number): number =>
    Math.round(averageDay * scale * Math.exp(DAY_SPREAD * signedUnit(daySeed, day)));

  function spreadOver(day: number): void {
    let sum = 0;
    for (let minute = 0; minute < MINUTES; minute++) {
      const hour = HOUR_SPREAD * signedUnit(hourSeed, day * 24 + Math.floor(minute / 60));
      sum += Math.exp(hour + MINUTE_SPREAD * signedUnit(minuteSeed, day * MINUTES + minute));
      running[minute + 1] = sum;
    }
    const total = unitsOfDay(day);
    for (let minute = 1; minute <= MINUTES; minute++) running[minute] = Math.floor((running[minute]! / sum) * total);
    runningDay = day;
  }

  /** Units traded from the day's start to a second of it; within a minute trade is even. */
  function unitsUntil(day: number, second: number): number {
    if (second === 0) return 0;
    if (second === DAY_S) return unitsOfDay(day);
    if (day !== runningDay) spreadOver(day);
    const minute = Math.floor(second / 60);
    const before = running[minute]!;
    return before + Math.floor(((running[minute + 1]! - before) * (second % 60)) / 60);
  }

  return {
    between(from, to) {
      let units = 0;
      for (let day = Math.floor(from / DAY_S); day * DAY_S < to; day++) {
        const start = Math.max(from - day * DAY_S, 0);
        const end = Math.min(to - day * DAY_S, DAY_S);
        units += unitsUntil(day, end) - unitsUntil(day, start);
      }
      return units / scale;
    },
  };
}
