// Markets in which a venue shows less than our books, and for how long it has been saying so.
//
// A venue that answers with an empty list for a moment looks like an owner who has closed by hand. Believed at once it would empty our
// books, and the stop of a position that is still there would be taken away as one that nobody needs. So what would take protection
// away is believed when every look of 30 seconds has missed the same. Fills, stops and liquidations are booked as trades before
// anything is compared, and are no difference then; nor does a trade between two looks change what is missing, so a market that is
// traded all the time is believed as soon as a quiet one. What has grown is believed at once: it only adds what must be guarded.
//
//   less than our books ──► doubted ──every look misses the same for 30 s──► believed
//                              └──a look misses anything else, or nobody can look──► begins anew, or is over

import { type Spell, seenAgain } from '../../timing/spell.ts';
import type { AccountName } from '../accounts.ts';
import type { PositionBook } from '../books/position-book.ts';
import { minus, toText, ZERO } from '../decimal.ts';
import type { PositionSide, Venue, VenuePosition } from '../venue.ts';
import { isShared } from './look-at-account.ts';
import { laneNamed } from './trade-run.ts';

/** Longer than venues need to show a position again after a fault of theirs, and short enough for an owner who waits for it. */
export const BELIEVE_LESS_AFTER_MS = 30_000;
/** What nobody could look at for so long begins anew: an outage between two empty answers is no word of the venue. */
const UNSEEN_MS = 45_000;
const SIDES: readonly PositionSide[] = ['LONG', 'SHORT'];

interface Doubted {
  readonly account: string;
  readonly market: string;
  /** By how much our books have more than the venue shows, for each side. */
  readonly missing: string;
  readonly spell: Spell;
}

export class ShrunkPositions {
  readonly #book: Pick<PositionBook, 'get'>;
  readonly #monotonicMs: () => number;
  /** By lane. */
  readonly #doubted = new Map<string, Doubted>();

  constructor({ book, monotonicMs }: { book: Pick<PositionBook, 'get'>; monotonicMs: () => number }) {
    this.#book = book;
    this.#monotonicMs = monotonicMs;
  }

  /**
   * Notes what a look at a market has shown. Returns for how long the venue has to go on saying so until it is believed: 0 where it is,
   * where nothing is less, and where the venue is our own.
   */
  note(venue: Venue, market: string, theirs: readonly VenuePosition[]): number {
    if (!isShared(venue)) return 0;
    const lane = laneNamed(venue, market);
    const { exchange, mode, account } = venue;
    const sides = SIDES.map((side) => ({
      ours: this.#book.get({ exchange, mode, account, market, side })?.quantity ?? ZERO,
      found: theirs.find((position) => position.side === side)?.quantity ?? ZERO,
    }));
    if (sides.every(({ ours, found }) => found >= ours)) {
      this.#doubted.delete(lane);
      return 0;
    }
    const missing = sides.map(({ ours, found }) => toText(minus(ours, found))).join();
    const before = this.#doubted.get(lane);
    const spell = seenAgain(before?.missing === missing ? before.spell : undefined, this.#monotonicMs(), UNSEEN_MS);
    this.#doubted.set(lane, { account: laneNamed(venue, ''), market, missing, spell });
    return this.#leftMs(spell);
  }

  /** A look at the whole account is one at each of its markets that are in doubt. */
  noteAll(venue: Venue, positions: readonly VenuePosition[]): void {
    for (const { market } of this.#of(venue))
      this.note(
        venue,
        market,
        positions.filter((position) => position.market === market),
      );
  }

  /** When the first of the account's markets in doubt can be believed; undefined where none is waited for. */
  nextInMs(account: AccountName): number | undefined {
    const waits = this.#of(account).map(({ spell }) => this.#leftMs(spell));
    const [next] = waits.filter((leftMs) => leftMs > 0).toSorted((a, b) => a - b);
    return next;
  }

  #of(account: AccountName): readonly Doubted[] {
    return [...this.#doubted.values()].filter((each) => each.account === laneNamed(account, ''));
  }

  #leftMs({ sinceMs }: Spell): number {
    return Math.max(0, sinceMs + BELIEVE_LESS_AFTER_MS - this.#monotonicMs());
  }
}
