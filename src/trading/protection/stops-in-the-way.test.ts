// What of the stops of a market is in the way of an order, and for whom an order waits while it is not clear what a stop has done.

import { describe, expect, test } from 'vitest';
import { newTrade } from '../../../tests/ports/sample-trades.ts';
import type { Trade } from '../books/journal.ts';
import type { StrategyBook } from '../books/strategy-book.ts';
import { decimal, ZERO } from '../decimal.ts';
import type { Action, SignalSource } from '../signal.ts';
import { StopsInTheWay } from './stops-in-the-way.ts';
import { openKeptStops, shareOf } from './testing/kept-stops.ts';

const [A, B] = [shareOf('a'), shareOf('b')];

/** Shares, of which the first has its stop at the venue. */
async function open(shares: readonly StrategyBook[]) {
  const { says, standing, venue, market, kept } = openKeptStops();
  await kept(shares[0] as StrategyBook);
  const inTheWay = new StopsInTheWay({
    ...{ standing, venues: [venue], monotonicMs: () => 0, lookAfter: async () => {} },
    positions: {
      share: ({ strategy }) => shares.find((each) => each.strategy === strategy),
      sharesOf: ({ side }) => shares.filter((each) => each.side === side),
    },
    ...{ onTrouble: () => {}, onMadeWay: () => {} },
  });
  return { says, standing, venue, market, inTheWay };
}

const tradeOf = (strategy: string, action: Action, source: SignalSource = 'webhook'): Trade => ({
  ...newTrade({ source, order: { action, strategy } }),
  ...{ seq: 1, state: 'accepted', executedQuantity: ZERO },
});

describe('while nobody knows what became of a stop, and the venue holds something else than our books', () => {
  test.each([
    ['does not wait where only one strategy holds something', [A], undefined],
    ['waits where two do', [A, B], 'it is not clear yet what became of the stop'],
  ] as const)('an order %s', async (_, shares, error) => {
    const { says, inTheWay, venue, market } = await open(shares);
    says.of = 'in doubt';
    const settled = inTheWay.settle(venue, market, []);
    if (error === undefined) expect(await settled).toBe(false);
    else await expect(settled).rejects.toThrow(error);
  });

  test('an order waits for nothing where the two agree', async () => {
    const { says, inTheWay, venue, market } = await open([A, B]);
    says.of = 'in doubt';
    expect(await inTheWay.settle(venue, market, [{ side: 'LONG', quantity: decimal(6) } as never])).toBe(false);
  });
});

describe('an order', () => {
  /** How many stops stood each time when it was written down what is being done. */
  const made = async (shares: readonly StrategyBook[], trade: Trade) => {
    const { says, inTheWay, venue, standing } = await open(shares);
    says.of = 'ended';
    const before: number[] = [];
    await inTheWay.makeWay(trade, venue, async () => before.push(standing.all().length));
    return { before, left: standing.all().length };
  };

  test('that takes no stop away writes nothing down first', async () => {
    expect(await made([A, B], tradeOf('b', 'LONG'))).toEqual({ before: [], left: 1 });
    expect(await made([A], tradeOf('a', 'CLOSE_LONG'))).toEqual({ before: [], left: 1 });
  });

  test('that takes one away has written that down before', async () => {
    expect(await made([A, B], tradeOf('a', 'CLOSE_LONG'))).toEqual({ before: [1], left: 0 });
  });

  test.each([
    ['a target leaves the stop of its share, which guards the rest', 'target', 0],
    ['a stop of our own guard takes it away', 'stop-loss', 1],
    ['a take profit of our own guard takes it away', 'take-profit', 1],
  ] as const)('of %s', async (_, source, count) => {
    const { inTheWay, venue } = await open([A]);
    expect(await inTheWay.inTheWayOf(tradeOf('a', 'CLOSE_LONG', source), venue)).toHaveLength(count);
  });
});
