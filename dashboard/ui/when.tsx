// A point in time: in the reader's zone, with UTC on hover.

import { clockTime, dayAndTime, inUtc } from './times.ts';

export const When = ({ atMs, nowMs }: { atMs: number; nowMs?: number }) => (
  <time class="mono" dateTime={new Date(atMs).toISOString()} title={inUtc(atMs)}>
    {nowMs === undefined ? clockTime(atMs) : dayAndTime(atMs, nowMs)}
  </time>
);
