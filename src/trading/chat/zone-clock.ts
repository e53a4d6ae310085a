// What clock and calendar show somewhere on earth, also on the two days of the year on which clocks are changed.

/** A minute of somebody's calendar: the day like 2026-11-16, and the minutes since its midnight. */
export interface LocalMinute {
  readonly day: string;
  readonly minutes: number;
}

const MINUTE_MS = 60_000;
/** No clock on earth is further from UTC than 14 hours; the rest is for a day on which clocks are changed. */
const FURTHEST_MS = 16 * 60 * MINUTE_MS;

export class ZoneClock {
  readonly #format: Intl.DateTimeFormat;

  constructor(zone: string) {
    this.#format = new Intl.DateTimeFormat('en-CA', {
      ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' },
      ...{ hour: '2-digit', minute: '2-digit' },
    });
  }

  at(ms: number): LocalMinute {
    const parts = Object.fromEntries(this.#format.formatToParts(ms).map(({ type, value }) => [type, value]));
    return {
      day: `${parts.year}-${parts.month}-${parts.day}`,
      minutes: Number(parts.hour) * 60 + Number(parts.minute),
    };
  }

  /**
   * The first moment at which the clock shows this minute or a later one. Where clocks are put forward over it, that is
   * when they are; where they are put back over it, the first of its two moments.
   */
  firstMs({ day, minutes }: LocalMinute): number {
    const asUtcMs = Date.parse(`${day}T00:00:00Z`) + minutes * MINUTE_MS;
    let ms = asUtcMs - FURTHEST_MS;
    while (!this.#hasCome(this.at(ms), { day, minutes })) ms += MINUTE_MS;
    return ms;
  }

  #hasCome(shown: LocalMinute, wanted: LocalMinute): boolean {
    return shown.day > wanted.day || (shown.day === wanted.day && shown.minutes >= wanted.minutes);
  }
}

export function dayBefore(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - 24 * 60 * MINUTE_MS).toISOString().slice(0, 10);
}

/** `18:00` */
export const clockText = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
