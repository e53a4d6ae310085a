// Days as a calendar has them: months with their weeks from Monday on. Days are those of UTC, as the server counts them.

import { signed } from '../../ui/numbers.ts';

export interface CalendarDay<Value> {
  /** `2026-11-17`. */
  readonly day: string;
  readonly number: number;
  readonly value: Value | undefined;
}

export interface CalendarMonth<Value> {
  /** `2026-11`. */
  readonly month: string;
  readonly title: string;
  /** Seven places each; undefined is a day of another month. */
  readonly weeks: readonly (readonly (CalendarDay<Value> | undefined)[])[];
}

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];

/** What a day came to, in six characters at most below a thousand million: a place of the calendar has no room for more. */
export function shortNet(net: number): string {
  const size = Math.abs(net);
  if (size < 99.995) return signed(net);
  if (size < 9_999.5) return signed(net, 0);
  const [unit, letter, whole] = size < 999_950 ? [1e3, 'k', 99.95] : [1e6, 'M', 9.95];
  return `${signed(net / unit, size / unit < whole ? 1 : 0)}${letter}`;
}

/** Every month from the first day to the last, the newest first, and no more than so many. */
export function monthsOf<Value>(days: ReadonlyMap<string, Value>, most: number): readonly CalendarMonth<Value>[] {
  const names = [...days.keys()].sort();
  const [first, last] = [names[0], names.at(-1)];
  if (first === undefined || last === undefined) return [];
  const months: CalendarMonth<Value>[] = [];
  let [year, month] = yearAndMonth(last);
  const [firstYear, firstMonth] = yearAndMonth(first);
  while ((year > firstYear || (year === firstYear && month >= firstMonth)) && months.length < most) {
    months.push(monthOf(year, month, days));
    [year, month] = month === 1 ? [year - 1, 12] : [year, month - 1];
  }
  return months;
}

const yearAndMonth = (day: string): [year: number, month: number] => [Number(day.slice(0, 4)), Number(day.slice(5, 7))];

function monthOf<Value>(year: number, month: number, days: ReadonlyMap<string, Value>): CalendarMonth<Value> {
  const count = new Date(Date.UTC(year, month, 0)).getUTCDate();
  // Monday is the first place.
  const before = (new Date(Date.UTC(year, month - 1, 1)).getUTCDay() + 6) % 7;
  const name = `${year}-${String(month).padStart(2, '0')}`;
  const places = Array.from({ length: Math.ceil((before + count) / 7) * 7 }, (_, place) => {
    const number = place - before + 1;
    if (number < 1 || number > count) return undefined;
    const day = `${name}-${String(number).padStart(2, '0')}`;
    return { day, number, value: days.get(day) };
  });
  const weeks = Array.from({ length: places.length / 7 }, (_, week) => places.slice(week * 7, week * 7 + 7));
  return { month: name, title: `${MONTHS[month - 1]} ${year}`, weeks };
}
