// Whether a share is still held at its venue: one that the venue does not show for a moment is not given up.

import { describe, expect, test } from 'vitest';
import { createScriptedVenue } from '../../../tests/support/scripted-venue.ts';
import { Accounts } from '../accounts.ts';
import { heldAt } from '../books/holding.ts';
import { emptyPosition, withHolding } from '../books/position.ts';
import { PositionBook } from '../books/position-book.ts';
import { NAMELESS } from '../books/strategy-book.ts';
import { decimal, ZERO } from '../decimal.ts';
import type { PositionsCompared } from '../execution/compare-positions.ts';
import { createCloser } from './close-position.ts';

const NAME = { exchange: 'binance', mode: 'paper', account: 'main', market: 'BTCUSDT', side: 'LONG' } as const;
const OURS = withHolding(emptyPosition(NAME), heldAt(decimal('0.5'), decimal('100')));

/** Our books hold 0.5, and the venue, on whose account others can trade, shows nothing. */
function isHeldWhere(compare: (book: PositionBook) => PositionsCompared): Promise<boolean> {
  const book = new PositionBook([OURS]);
  const shared = { allPositions: async () => [], allOpenOrders: async () => [] };
  const accounts = new Accounts([{ ...createScriptedVenue(), ...shared }]);
  const closer = createCloser({
    ...{ journal: {} as never, closer: {} as never, accounts, book, venueStops: () => undefined },
    inLane: (_, work) => work(),
    compare: async () => compare(book),
  });
  return closer.isHeld({ ...NAME, strategy: NAMELESS });
}

describe('a share that the venue does not show', () => {
  test('is held while the venue is not believed', async () => {
    expect(await isHeldWhere(() => ({ outcome: 'doubted', detail: 'not yet' }))).toBe(true);
  });

  test('is held where both agree at the next look', async () => {
    expect(await isHeldWhere(() => ({ outcome: 'settled', adopted: [] }))).toBe(true);
  });

  test('is gone where that was adopted', async () => {
    const adopt = (book: PositionBook): PositionsCompared => {
      book.adopt([withHolding(OURS, heldAt(ZERO, ZERO))], NAME, true, { atMs: 1 });
      return { outcome: 'settled', adopted: ['gone'] };
    };
    expect(await isHeldWhere(adopt)).toBe(false);
  });
});
