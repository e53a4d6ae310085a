// The fills of one order at a venue that lists them a week at a time.
//
// The weeks are counted from when the order was made, and the latest is asked for first: most orders need one question. Every fill
// is positive, so once those that were found add up to what was executed there can be no more, and no older week is asked for.

import { plus, ZERO } from '../../trading/decimal.ts';
import type { Fill } from '../../trading/venue.ts';
import type { VenueOrder } from './venue-adapter.ts';

const WEEK_MS = 7 * 24 * 3_600_000;
/** Some answers tell when an order last changed instead of when it was made. */
const DOUBT_MS = 60_000;

/** By the venue's clock; both ends belong to it. */
export interface Week {
  readonly startTime: number;
  readonly endTime: number;
}

/** `nowMs` is the venue's; what is older than `keptForMs` it does not tell. */
export async function fillsByWeek(
  { createdAtMs, executedQuantity }: Pick<VenueOrder, 'createdAtMs' | 'executedQuantity'>,
  nowMs: number,
  keptForMs: number,
  read: (week: Week) => Promise<readonly Fill[]>,
): Promise<readonly Fill[]> {
  const fromMs = Math.max(createdAtMs - DOUBT_MS, nowMs - keptForMs);
  const found: Fill[] = [];
  let sum = ZERO;
  for (let week = Math.max(Math.floor((nowMs - fromMs) / WEEK_MS), 0); week >= 0 && sum < executedQuantity; week -= 1) {
    const startTime = fromMs + week * WEEK_MS;
    const fills = await read({ startTime, endTime: startTime + WEEK_MS - 1 });
    found.unshift(...fills);
    sum = fills.map(({ quantity }) => quantity).reduce(plus, sum);
  }
  return found;
}
