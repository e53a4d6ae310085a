// The parts of a date in UTC as the oracle reads them, by the names of Pine's variables.

const DAY_MS = 86_400_000;

/** Undefined for a name that is no part of a date. */
export function calendarPart(name: string, timeMs: number): number | undefined {
  const date = new Date(timeMs);
  switch (name) {
    case 'year':
      return date.getUTCFullYear();
    case 'month':
      return date.getUTCMonth() + 1;
    case 'dayofmonth':
      return date.getUTCDate();
    case 'dayofweek':
      return date.getUTCDay() + 1;
    case 'hour':
      return date.getUTCHours();
    case 'minute':
      return date.getUTCMinutes();
    case 'second':
      return date.getUTCSeconds();
    case 'weekofyear':
      return weekOfYear(timeMs);
    default:
      return undefined;
  }
}

/** Weeks begin on Monday, and a week belongs to the year of its Thursday. */
function weekOfYear(timeMs: number): number {
  const day = Math.floor(timeMs / DAY_MS);
  // Day 0 was a Thursday.
  const thursday = day - ((day + 3) % 7) + 3;
  const year = new Date(thursday * DAY_MS).getUTCFullYear();
  return Math.floor((thursday - Date.UTC(year, 0, 1) / DAY_MS) / 7) + 1;
}
