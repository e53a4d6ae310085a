// The span of time that a history request covers: a week at most, the last one where nothing is said.

import { refuse } from './errors.ts';
import type { Parameters } from './parameters.ts';

const DAY_MS = 86_400_000;
const LONGEST_DAYS = 7;

/** Both ends belong to it. */
export interface TimeWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

export function timeWindowOf(parameters: Parameters, nowMs: number): TimeWindow {
  const [start, end] = [parameters.integer('startTime'), parameters.integer('endTime')];
  const week = LONGEST_DAYS * DAY_MS;
  const toMs = end ?? (start === undefined ? nowMs : start + week);
  const fromMs = start ?? toMs - week;
  if (fromMs > toMs) throw refuse('-1023');
  if (toMs - fromMs > week) throw refuse('-4165', String(LONGEST_DAYS));
  return { fromMs, toMs };
}

export const isWithin = (atMs: number, { fromMs, toMs }: TimeWindow): boolean => atMs >= fromMs && atMs <= toMs;
