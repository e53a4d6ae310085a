// Time zones without a call of Intl per bar: the offset of a stretch of time is looked up once and kept.

import { PineRuntimeError } from '../runtime-error.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './civil.ts';

/** How far apart samples are when changes of the clock are looked for; no zone changed twice within a week since 1970. */
const SAMPLE_MS = 7 * DAY_MS;
/** Zones are kept by name; this is well above the number of names there are. */
const MAX_ZONES = 2000;
/** Outside these years nobody's bars are; offsets there are those at the edge. */
const FIRST_YEAR = 1900;
const LAST_YEAR = 2200;
const FIRST_MS = Date.UTC(FIRST_YEAR, 0, 1);
const LAST_MS = Date.UTC(LAST_YEAR, 0, 1);

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

/**
 * Answers from the stretch of the last question when it can, which on a chart is nearly always. Otherwise the year's
 * stretches are searched, and a year that was never asked for is measured with about sixty calls of Intl.
 */
export class Zone {
  readonly name: string;
  private readonly measure: (timeMs: number) => number;
  private readonly years = new Map<number, readonly Stretch[]>();
  private from = 0;
  private to = 0;
  private offset = 0;

  constructor(name: string, measure: (timeMs: number) => number) {
    this.name = name;
    this.measure = measure;
  }

  /** What is added to UTC for the local clock at this time, in milliseconds. */
  offsetAt(timeMs: number): number {
    if (!(timeMs >= this.from && timeMs < this.to)) this.find(timeMs);
    return this.offset;
  }

  toLocal(timeMs: number): number {
    return timeMs + this.offsetAt(timeMs);
  }

  /**
   * The time at which the local clock shows this. A clock time that occurs twice means the first; one that is skipped
   * is read with the offset before the skip, which gives the time that much later.
   */
  toUtc(localMs: number): number {
    const before = this.offsetAt(localMs - DAY_MS);
    const early = localMs - before;
    if (this.offsetAt(early) === before) return early;
    const after = this.offsetAt(localMs + DAY_MS);
    const late = localMs - after;
    return this.offsetAt(late) === after ? late : early;
  }

  private find(timeMs: number): void {
    const time = Math.min(Math.max(timeMs, FIRST_MS), LAST_MS - 1);
    // na has no offset; zero lets it stay na in every sum.
    if (Number.isNaN(time)) {
      this.use({ from: 0, to: 0, offset: 0 });
      return;
    }
    const year = new Date(time).getUTCFullYear();
    let stretches = this.years.get(year);
    if (stretches === undefined) {
      stretches = this.measureYear(year);
      this.years.set(year, stretches);
    }
    for (const stretch of stretches)
      if (time < stretch.to) {
        this.use(stretch);
        return;
      }
  }

  private use(stretch: Stretch): void {
    this.from = stretch.from;
    this.to = stretch.to;
    this.offset = stretch.offset;
  }

  private measureYear(year: number): Stretch[] {
    const end = Date.UTC(year + 1, 0, 1);
    const stretches: Stretch[] = [];
    let from = Date.UTC(year, 0, 1);
    let offset = this.measure(from);
    let known = from;
    while (known < end) {
      const next = Math.min(known + SAMPLE_MS, end);
      const nextOffset = this.measure(next);
      if (nextOffset !== offset) {
        const change = this.changeBetween(known, next, offset);
        stretches.push({ from, to: change, offset });
        from = change;
        offset = nextOffset;
      }
      known = next;
    }
    if (from < end) stretches.push({ from, to: end, offset });
    return stretches;
  }

  /** The first millisecond at which the offset is no longer the old one. */
  private changeBetween(before: number, after: number, offset: number): number {
    let low = before;
    let high = after;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.measure(middle) === offset) low = middle;
      else high = middle;
    }
    return high;
  }
}

const zones = new Map<string, Zone>();

/** The zone of an IANA name ("America/New_York") or an offset ("UTC", "UTC0", "UTC-5", "GMT+0530", "+05:30"). */
export function zoneOf(name: string): Zone {
  let zone = zones.get(name);
  if (zone === undefined) {
    zone = new Zone(name, fixedOffset(name) ?? namedOffset(name));
    if (zones.size >= MAX_ZONES) zones.clear();
    zones.set(name, zone);
  }
  return zone;
}

/** Whether a text names a time zone rather than a session: some scripts pass one where the other belongs. */
export function looksLikeZone(text: string): boolean {
  return text.includes('/') || /^(UTC|GMT)/.test(text);
}

function fixedOffset(name: string): ((timeMs: number) => number) | null {
  const match = /^(?:UTC|GMT)?(?:([+-])(\d{1,2})(?::?(\d{2}))?)?$/.exec(name === 'UTC0' ? 'UTC' : name);
  if (match === null || name === '') return null;
  const hours = Number(match[2] ?? 0);
  const minutes = Number(match[3] ?? 0);
  if (hours > 18 || minutes > 59) throw unknownZone(name);
  const size = hours * HOUR_MS + minutes * MINUTE_MS;
  const offset = match[1] === '-' ? 0 - size : size;
  return () => offset;
}

function namedOffset(name: string): (timeMs: number) => number {
  const format = formatOf(name);
  return (timeMs) => {
    const parts = [0, 0, 0, 0, 0, 0];
    for (const { type, value } of format.formatToParts(timeMs)) {
      const place = PARTS.indexOf(type);
      if (place >= 0) parts[place] = Number(value);
    }
    const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts;
    const local = Date.UTC(year, month - 1, day, hour, minute, second);
    return local - Math.floor(timeMs / 1000) * 1000;
  };
}

const PARTS: readonly string[] = ['year', 'month', 'day', 'hour', 'minute', 'second'];

function formatOf(name: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    throw unknownZone(name);
  }
}

function unknownZone(name: string): PineRuntimeError {
  return new PineRuntimeError(
    `Unknown time zone "${name}". Use a name such as "America/New_York" or an offset such as "UTC-5".`,
  );
}
