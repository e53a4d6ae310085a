// Trouble in the log: a venue that is away is said once and then ever less often, everything else each time.

import { beforeEach, describe, expect, it } from 'vitest';
import { VenueError } from '../trading/venue.ts';
import { createTroubleLog, type LogTrouble } from './trouble-log.ts';

const MINUTE_MS = 60_000;
const AWAY = new VenueError('not-sent', 'Binance cannot be reached (ECONNREFUSED)');
const LOOK = 'the stops at the venue cannot be looked at';

let nowMs: number;
let lines: (readonly [level: string, fields: object, message: string])[];
let trouble: LogTrouble;
beforeEach(() => {
  nowMs = 5;
  lines = [];
  const line = (level: string) => (fields: object, message: string) => void lines.push([level, fields, message]);
  trouble = createTroubleLog({ warn: line('warn'), error: line('error') }, () => nowMs);
});

/** Met every second for so long; the seconds at which it was said. */
function metFor(seconds: number): readonly number[] {
  const said: number[] = [];
  for (let second = 0; second < seconds; second++, nowMs += 1000) {
    const before = lines.length;
    trouble('warn', LOOK, AWAY);
    if (lines.length > before) said.push(second);
  }
  return said;
}

describe('a venue that is away', () => {
  it('is said once without a stack, then after 1, 2, 4, 8 … minutes, an hour at most', () => {
    const hour = 3600;
    expect(metFor(5 * hour)).toEqual([0, 60, 180, 420, 900, 1860, 3780, 7380, 10_980, 14_580]);
    expect(lines.slice(0, 2)).toEqual([
      ['warn', { reason: AWAY.message }, LOOK],
      ['warn', { reason: AWAY.message, timesSinceLastLine: 59 }, LOOK],
    ]);
  });

  it('is one trouble for all orders, and another one for another reason or another venue', () => {
    trouble('warn', 'the order sbx01abc cannot be looked at', AWAY);
    trouble('warn', 'the order sbx02def cannot be looked at', AWAY);
    expect(lines).toHaveLength(1);
    trouble('warn', 'the order sbx01abc cannot be looked at', new VenueError('unknown', 'Bybit does not answer'));
    expect(lines).toHaveLength(2);
  });

  it('is news again when it was not met for an hour', () => {
    metFor(70);
    nowMs += 60 * MINUTE_MS;
    expect(metFor(70)).toEqual([0, 60]);
  });
});

it('whatever else goes wrong is said each time, as it was thrown', () => {
  for (const error of [new Error('disk full'), new VenueError('rejected', 'no such order')]) {
    trouble('error', 'a trade met a fault', error, 'r-1');
    trouble('error', 'a trade met a fault', error, 'r-1');
    const line = ['error', { err: error, requestId: 'r-1' }, 'a trade met a fault'];
    expect(lines.splice(0)).toEqual([line, line]);
  }
});
