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

export const positionOf = (fill: HistoricFill): string => positionKey({ ...fill, side: fill.positionSide });

/** Of positions that were held before the day, so far back at a time: most were made not long ago. */
const DAYS_BACK = [0, 7, 30, 365, Number.POSITIVE_INFINITY];

/** With those that came meanwhile they are all that counts. */
export async function readCountingFills(parts: CountingFillsParts): Promise<CountingFills> {
  const { history, dayMs, isTraded, meanwhile, held } = parts;
  const read = new CountingFills();
  let missing: ReturnType<typeof held> | undefined;
  for (const days of DAYS_BACK) {
    const sinceMs = Math.max(0, dayMs - days * DAY_MS);
    const wanted = missing && new Set(missing.map(positionKey));
    const markets = missing && [...new Set(missing.map(({ market }) => market))];
    const filter = { writtenSinceMs: Math.max(0, sinceMs - CLOCK_DIFFERENCE_MS), ...(markets && { markets }) };
    for await (const fills of history.pages(filter))
      for (const fill of fills)
        if (fill.atMs >= sinceMs && isTraded(fill) && (wanted?.has(positionOf(fill)) ?? true)) read.add(fill);
    // In one step with the books: a fill that comes from now on is among those that came meanwhile.
    missing = heldBefore(read, meanwhile, held());
    if (missing.length === 0) break;
  }
  return read;
}

/** Each fill once, however often it was read, and what all of them have made of each position, so that nobody adds up a million. */
export class CountingFills {
  /** By position, then by fillKey. */
  readonly #fills = new Map<string, Map<string, HistoricFill>>();
  readonly #made = new Map<string, Decimal>();

  add(fill: HistoricFill): void {
    const [position, key] = [positionOf(fill), fillKey(fill)];
    const known = this.#fills.get(position) ?? new Map<string, HistoricFill>();
    if (!known.has(key)) this.#made.set(position, plus(this.made(position), signed(fill)));
    this.#fills.set(position, known.set(key, fill));
  }

  has(fill: HistoricFill): boolean {
    return this.#fills.get(positionOf(fill))?.has(fillKey(fill)) ?? false;
  }

  made(position: string): Decimal {
    return this.#made.get(position) ?? ZERO;
  }

  /** By position, oldest first. The journal has them in the order of their trades, and one that rested may have filled late. */
  *inOrder(): Iterable<readonly [position: string, fills: readonly HistoricFill[]]> {
    for (const [position, fills] of this.#fills) yield [position, [...fills.values()].sort((a, b) => a.atMs - b.atMs)];
  }
}

const signed = (fill: HistoricFill): Decimal => (isClosing(fill) ? negate(fill.quantity) : fill.quantity);

/** Those in which something was held before the first of these fills, counted back from now. */
function heldBefore<T extends PositionName & { readonly quantity: Decimal }>(
  read: CountingFills,
  meanwhile: CountingFillsParts['meanwhile'],
  held: readonly T[],
): readonly T[] {
  const unread = [...meanwhile.values()].filter((fill) => !read.has(fill));
  return held.filter((name) => {
    const position = positionKey(name);
    const since = unread.filter((fill) => positionOf(fill) === position).map(signed);
    return minus(name.quantity, since.reduce(plus, read.made(position))) > ZERO;
  });
}
