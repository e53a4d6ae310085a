// How a stop closes its share of a position: the close it asked for is looked up before another one is made.

import type { Accounts } from '../accounts.ts';
import type { Journal, Trade } from '../books/journal.ts';
import type { PositionBook } from '../books/position-book.ts';
import { NAMELESS, type ShareName } from '../books/strategy-book.ts';
import { shareOf } from '../books/strategy-books.ts';
import { type Decimal, ZERO } from '../decimal.ts';
import type { PositionCloser } from '../execution/close-positions.ts';
import { isShared } from '../execution/look-at-account.ts';
import type { PositionReading, SettlesStops } from '../execution/steady-positions.ts';
import type { ProtectionSource } from '../signal.ts';

export interface Closing {
  readonly requestId: string;
  readonly by: ProtectionSource;
  readonly quantity: Decimal;
  /** What asked for it in place of a level that was reached. */
  readonly setting?: string | undefined;
}

/** A trade of the journal, and when its first fill was. */
export interface FoundTrade extends Trade {
  readonly firstFillMs?: number;
}

export interface Closer {
  /** The trade, if it is in the journal. */
  find(requestId: string): Promise<FoundTrade | undefined>;
  /** Those of the journal whose end is not known, the oldest first. */
  unfinished(): Promise<readonly Trade[]>;
  /** Resolves when the trade has been given to its lane and is done or waits there; its outcome is in the journal. */
  close(share: ShareName, closing: Closing): Promise<void>;
  /** Whether the strategy still has a share of what the venue itself holds. */
  isHeld(share: ShareName): Promise<boolean>;
}

/** Shown where a signal shows the label of its key. */
export const LABEL = 'protection';

export function createCloser(parts: {
  journal: Pick<Journal, 'trade' | 'unfinished'>;
  closer: PositionCloser;
  accounts: Accounts;
  book: Pick<PositionBook, 'strategiesIn' | 'share'>;
  /** Compares a market with its venue; runs in the lane. */
  compare: PositionReading['compare'];
  /** Runs the work when no order of the share's market is on its way. */
  inLane: <T>(share: ShareName, work: () => Promise<T>) => Promise<T>;
  /** Books stops at the venue that have acted; undefined where none keeps any. */
  venueStops: () => SettlesStops | undefined;
}): Closer {
  const { journal, closer, accounts, book, compare, inLane, venueStops } = parts;
  return {
    async find(requestId) {
      const found = await journal.trade(requestId);
      const [first] = found?.fills.map(({ atMs }) => atMs).sort((a, b) => a - b) ?? [];
      return found && { ...found.trade, ...(first !== undefined && { firstFillMs: first }) };
    },
    unfinished: async () => (await journal.unfinished()).map(({ trade }) => trade),
    async close({ strategy, ...position }, { requestId, by, quantity, setting }) {
      const whose = strategy === NAMELESS ? {} : { strategy };
      const closes = [{ position, quantity, closesAll: false, ...whose }] as const;
      const closed = await closer.close({ requestId, source: by, label: setting ?? LABEL, closes });
      // Without an idempotency key and a body nothing can be a duplicate; the request id alone is the claim.
      if ('refused' in closed) throw new Error(`the close ${requestId} was taken for a duplicate`);
      await closed.accepted[0].dispatched;
    },
    // In the lane: an order of another strategy that is at the venue and not in our books would look like a share that is gone.
    isHeld: (name) =>
      inLane(name, async () => {
        const venue = accounts.of(name);
        const netted = (await venue.positionMode()) === 'one-way';
        const positions = await venue.positions(name.market, 'urgent');
        const isOld = await venueStops()?.settle(venue, name.market, positions);
        const now = isOld ? await venue.positions(name.market, 'urgent') : positions;
        const held = now.filter(({ side }) => netted || side === name.side);
        const books = book.strategiesIn(name).filter(({ side }) => netted || side === name.side);
        const { quantity } = shareOf(books, name, name.strategy, held);
        if (name.side === 'LONG' ? quantity > ZERO : quantity < ZERO) return true;
        const isBooked = (): boolean => (book.share(name)?.quantity ?? ZERO) > ZERO;
        if (!isShared(venue) || !isBooked()) return false;
        // Misread, unless the venue is believed: then it is taken from our books.
        const compared = await compare(venue, name.market);
        return !(compared.outcome === 'unclear' && compared.isForced) && isBooked();
      }),
  };
}
