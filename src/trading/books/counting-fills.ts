// The fills that limits count, read from the journal: all of today, and of a position that was held before today all that made it.
//
// A journal may have millions, and a process that starts or takes over is waited for. What was flat when the day began needs
// nothing from before: whoever closes today closes what was made today.

import { type Decimal, minus, negate, plus, ZERO } from '../decimal.ts';
import { CLOCK_DIFFERENCE_MS, DAY_MS } from './account-reports.ts';
import { type FillHistory, type HistoricFill, isClosing } from './fill-history.ts';
import { fillKey } from './journal.ts';
import { type PositionName, positionKey } from './position.ts';

export interface CountingFillsParts {
  readonly history: FillHistory;
  /** When the day began. */
  readonly dayMs: number;
  readonly isTraded: (fill: HistoricFill) => boolean;
  /** What the books hold now, by position. */
  readonly held: () => readonly (PositionName & { readonly quantity: Decimal })[];
  /** Fills that came while this reads, of which some are read too; by fillKey. */
  readonly meanwhile: ReadonlyMap<string, HistoricFill>;
}

/** By position, oldest first. The journal has them in the order of their trades, and one that rested may have filled late. */
export type CountingFills = ReadonlyMap<string, readonly HistoricFill[]>;

export const positionOf = (fill: HistoricFill): string => positionKey({ ...fill, side: fill.positionSide });

/** Of positions that were held before the day, so far back at a time: most were made not long ago. */
const DAYS_BACK = [0, 7, 30, 365, Number.POSITIVE_INFINITY];

/** By fillKey. With those that came meanwhile they are all that counts. */
export async function readCountingFills(parts: CountingFillsParts): Promise<ReadonlyMap<string, HistoricFill>> {
  const { history, dayMs, isTraded, meanwhile, held } = parts;
  const read = new Map<string, HistoricFill>();
  let missing: ReturnType<typeof held> | undefined;
  for (const days of DAYS_BACK) {
    const sinceMs = Math.max(0, dayMs - days * DAY_MS);
    const wanted = missing && new Set(missing.map(positionKey));
    const markets = missing && [...new Set(missing.map(({ market }) => market))];
    const filter = { writtenSinceMs: Math.max(0, sinceMs - CLOCK_DIFFERENCE_MS), ...(markets && { markets }) };
    for await (const fills of history.pages(filter))
      for (const fill of fills)
        if (fill.atMs >= sinceMs && isTraded(fill) && (wanted?.has(positionOf(fill)) ?? true))
          read.set(fillKey(fill), fill);
    // In one step with the books: a fill that comes from now on is among those that came meanwhile.
    missing = heldBefore(byPosition([read, meanwhile]), held());
    if (missing.length === 0) break;
  }
  return read;
}

export function byPosition(read: readonly ReadonlyMap<string, HistoricFill>[]): CountingFills {
  const all = new Map(read.flatMap((each) => [...each]));
  const found = Map.groupBy(all.values(), positionOf);
  for (const fills of found.values()) fills.sort((a, b) => a.atMs - b.atMs);
  return found;
}

/** Those in which something was held before the first of these fills, counted back from now. */
function heldBefore<T extends PositionName & { readonly quantity: Decimal }>(
  counted: CountingFills,
  held: readonly T[],
): readonly T[] {
  const signed = (fill: HistoricFill): Decimal => (isClosing(fill) ? negate(fill.quantity) : fill.quantity);
  return held.filter((name) => {
    const since = (counted.get(positionKey(name)) ?? []).map(signed).reduce(plus, ZERO);
    return minus(name.quantity, since) > ZERO;
  });
}
