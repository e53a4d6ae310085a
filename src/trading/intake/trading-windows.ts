// The hours in which entries are allowed: days and times of day in a zone of the IANA database, also over midnight.

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Day = (typeof DAYS)[number];

export interface TradingWindow {
  /** The days on which it begins; absent means every day. */
  readonly days?: readonly Day[];
  /** `09:30`. */
  readonly from: string;
  /**
   * `16:00`: the window ends when this minute begins; `24:00` is the end of the day. One that is not after `from` is of
   * the next day.
   */
  readonly to: string;
  /** Such as `Europe/Berlin`; absent means UTC. */
  readonly zone?: string;
}

const DAY_MINUTES = 1440;
/** Making one takes long, and there are few zones. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, hourCycle: 'h23' },
    ...{ weekday: 'short', hour: '2-digit', minute: '2-digit' },
  });
  formats.set(zone, made);
  return made;
}

export function isZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

export function isInWindow(window: TradingWindow, nowMs: number): boolean {
  const parts = new Map(
    formatOf(window.zone ?? 'UTC')
      .formatToParts(nowMs)
      .map(({ type, value }) => [type, value]),
  );
  const day = DAYS.indexOf((parts.get('weekday') ?? '').toLowerCase() as Day);
  const minute = Number(parts.get('hour')) * 60 + Number(parts.get('minute'));
  const from = minutesOf(window.from);
  const to = minutesOf(window.to);
  const end = to > from ? to : to + DAY_MINUTES;
  const begins = (on: number): boolean => window.days === undefined || window.days.includes(DAYS[on] as Day);
  const yesterday = (day + DAYS.length - 1) % DAYS.length;
  return (
    (begins(day) && minute >= from && minute < end) ||
    // Begun the day before and not over yet.
    (begins(yesterday) && minute + DAY_MINUTES < end)
  );
}

export const windowInWords = ({ days, from, to, zone = 'UTC' }: TradingWindow): string =>
  `${days ? `${days.join(' ')} ` : ''}${from}–${to} ${zone}`;
