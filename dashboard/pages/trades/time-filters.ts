// From one day to another, by the reader's own calendar; both days count. A link may hold milliseconds since 1970 in their place.

import type { Filter } from '../../ui/filter-bar.tsx';

export const TIME_FILTERS: readonly Filter[] = [
  { name: 'from', label: 'From', isDay: true },
  { name: 'to', label: 'To', isDay: true },
];

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** As the server takes them: at or after `from`, and before `to`. What is no day is left to it, which says what is wrong. */
export function timesOf(query: URLSearchParams): {
  readonly from: string | undefined;
  readonly to: string | undefined;
} {
  return { from: startOf(query.get('from'), 0), to: startOf(query.get('to'), 1) };
}

function startOf(text: string | null, later: 0 | 1): string | undefined {
  if (text === null || !DAY.test(text)) return text ?? undefined;
  const [year = 0, month = 1, day = 1] = text.split('-').map(Number);
  return String(new Date(year, month - 1, day + later).getTime());
}
