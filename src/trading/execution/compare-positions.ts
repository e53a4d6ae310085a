// Compares our own position in a market with the venue's; where they differ the venue is right. Every market that we know of is
// compared after a start, and every one in which a look at the whole account finds something else than our books.
//
// Both sides must be looked at in the same state: a fill that the venue counts already and whose report is still on its
// way would be counted twice. So the venue's positions are read, then every resting order of the market is asked about
// and its fills are booked, then the positions are read again. Only if both readings agree, nothing happened in between.
// Less than our books have is believed only after a while: see shrunk-positions.ts.

import { accountInWords } from '../accounts.ts';
import { heldAt } from '../books/holding.ts';
import { emptyPosition, type Position, type PositionName, withHolding } from '../books/position.ts';
import type { PositionBook } from '../books/position-book.ts';
import { type MarketName, NAMELESS, type StrategyBook } from '../books/strategy-book.ts';
import { toText, ZERO } from '../decimal.ts';
import type { OnAlarm } from '../notifications/alarm.ts';
import type { PositionSide, Venue, VenuePosition } from '../venue.ts';
import type { LaneJournal } from './lane-journal.ts';
import type { RestingOrders } from './resting-orders.ts';
import { BELIEVE_LESS_AFTER_MS, type ShrunkPositions } from './shrunk-positions.ts';
import { laneNamed, laneOf } from './trade-run.ts';

export interface ComparisonParts {
  readonly book: Pick<PositionBook, 'get' | 'adopt'>;
  readonly resting: Pick<RestingOrders, 'entries' | 'apply'>;
  readonly laneJournal: Pick<LaneJournal, 'adopt'>;
  readonly shrunk: Pick<ShrunkPositions, 'note'>;
  /** Whether the venue has closed something there itself that is not in our books yet; absent means never. */
  readonly hasForced?: (venue: Venue, market: string) => Promise<boolean>;
  readonly nowMs: () => number;
  readonly onAlarm?: OnAlarm;
}

/** A market in which so much happens is compared another time. */
const MAX_LOOKS = 3;
const SIDES: readonly PositionSide[] = ['LONG', 'SHORT'];

/**
 * - `settled`: what was adopted, in words; nothing where both agree.
 * - `unclear`: something is on its way, such as an order of ours without an answer, or, `isForced`, one of the venue's own, which
 *   says why less is held; ask again later.
 * - `doubted`: the venue shows less than our books, or something else at every look. It is not believed yet, and nothing was changed.
 */
export type PositionsCompared =
  | { readonly outcome: 'settled'; readonly adopted: readonly string[] }
  | { readonly outcome: 'unclear'; readonly detail: string; readonly isForced: boolean }
  | { readonly outcome: 'doubted'; readonly detail: string };

/** Runs in the market's lane. Throws when the venue cannot be asked. */
export async function comparePositions(
  venue: Venue,
  market: string,
  parts: ComparisonParts,
): Promise<PositionsCompared> {
  const { exchange, mode, account } = venue;
  const unclear = { outcome: 'unclear', detail: `something in ${market} is not clear yet`, isForced: false } as const;
  const netted = (await venue.positionMode()) === 'one-way';
  const theirs = await agreedPositions(venue, market, parts);
  if (theirs === 'unclear') return unclear;
  if (theirs === 'unsteady') return { outcome: 'doubted', detail: unsteadyInWords(venue, market) };
  const where = { exchange, mode, account, market };
  const differences = SIDES.flatMap((side) => {
    const found = theirs.find((position) => position.side === side);
    return differenceIn({ ...where, side }, found, parts) ?? [];
  });
  if (differences.length > 0 && (await parts.hasForced?.(venue, market))) return { ...unclear, isForced: true };
  if (parts.shrunk.note(venue, market, theirs) > 0)
    return { outcome: 'doubted', detail: `${differences.map(({ detail }) => detail).join('; ')}; ${NOT_YET}` };
  const positions = differences.map(({ position }) => position);
  const atMs = parts.nowMs();
  const books = parts.book.adopt(positions, where, netted, { atMs, entryPrice: theirs[0]?.entryPrice });
  if (differences.length === 0 && books.length === 0) return { outcome: 'settled', adopted: [] };
  const details = [...differences.map(({ detail }) => detail), ...books.map(sharesInWords)];
  tell(where, details, parts);
  await parts.laneJournal.adopt({ positions, books, detail: details.join('; '), atMs }, laneNamed(where, market));
  return { outcome: 'settled', adopted: details };
}

const NOT_YET = `less than our books have is believed when the venue says so for ${BELIEVE_LESS_AFTER_MS / 1000} seconds, and until then nothing is changed`;
const unsteadyInWords = (venue: Venue, market: string): string =>
  `${accountInWords(venue)} says something else of ${market} at every look`;

function tell(where: MarketName, details: readonly string[], { onAlarm }: ComparisonParts): void {
  onAlarm?.(
    `position ${where.mode} ${where.market} on ${accountInWords(where)}`,
    `${details.join('; ')}; the venue's word was adopted. Look at what traded there besides us`,
  );
}

const sharesInWords = ({ strategy, side, quantity }: StrategyBook): string =>
  `the share of ${strategy === NAMELESS ? 'no strategy' : JSON.stringify(strategy)} is now ${side} ${toText(quantity)}`;

async function agreedPositions(
  venue: Venue,
  market: string,
  parts: ComparisonParts,
): Promise<readonly VenuePosition[] | 'unclear' | 'unsteady'> {
  const lane = laneNamed(venue, market);
  const look = async (): Promise<readonly VenuePosition[]> => {
    const positions = await venue.positions(market);
    parts.shrunk.note(venue, market, positions);
    return positions;
  };
  let before = await look();
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    for (const [clientOrderId, { run }] of parts.resting.entries()) {
      if (laneOf(run.trade) !== lane) continue;
      const lookup = await venue.findOrder(market, clientOrderId);
      if (lookup.found) await parts.resting.apply(lookup.order);
      // An order that may or may not be at the venue may or may not be in its positions.
      else if (run.state === 'unknown' && !lookup.certain) return 'unclear';
    }
    const after = await look();
    if (inWords(before) === inWords(after)) return after;
    before = after;
  }
  return 'unsteady';
}

const inWords = (positions: readonly VenuePosition[]): string =>
  positions
    .map(({ side, quantity }) => `${side} ${toText(quantity)}`)
    .sort()
    .join();

/** Our position as the venue has it, where ours is another one. */
function differenceIn(
  name: PositionName,
  found: VenuePosition | undefined,
  { book, nowMs }: ComparisonParts,
): { readonly position: Position; readonly detail: string } | undefined {
  const ours = book.get(name) ?? emptyPosition(name);
  const quantity = found?.quantity ?? ZERO;
  if (ours.quantity === quantity) return undefined;
  const where = `${name.side} ${name.market} on ${accountInWords(name)}`;
  const detail = `${where}: our books had ${toText(ours.quantity)}, the venue has ${toText(quantity)}`;
  const theirs = heldAt(quantity, found?.entryPrice ?? ZERO);
  return { position: { ...withHolding(ours, theirs), updatedAtMs: nowMs() }, detail };
}
