// What limits count: the same whether it was followed as it came or read from the journal after a restart.

import { describe, expect, test } from 'vitest';
import { nextRequestId, orderOf, positionOf, START_MS } from '../../../tests/ports/sample-trades.ts';
import type { AccountName } from '../accounts.ts';
import { type Decimal, decimal, negate, toText, ZERO } from '../decimal.ts';
import type { OrderReport, OrderSide } from '../venue.ts';
import { DAY_MS } from './account-reports.ts';
import type { HistoricFill } from './fill-history.ts';
import { heldAt } from './holding.ts';
import type { Trade } from './journal.ts';
import { LimitFacts } from './limit-facts.ts';
import { withHolding } from './position.ts';
import { PositionBook } from './position-book.ts';

const NAME = { exchange: 'binance', mode: 'paper', account: 'main', market: 'BTCUSDT' } as const;
const LONG = { ...NAME, side: 'LONG' } as const;

/** Books whose fills are in a journal, and what limits count of them: followed from the beginning, and read afresh. */
function open() {
  const book = new PositionBook([]);
  const journal: HistoricFill[] = [];
  let [failures, fillsRead] = [0, 0];
  let onRead: (() => void) | undefined;
  const factsOf = (): LimitFacts =>
    new LimitFacts({
      journal: { probe: async () => {} },
      history: {
        async *pages({ writtenSinceMs = 0, markets }) {
          const found = journal.filter(
            ({ atMs: filledMs, market }) => filledMs >= writtenSinceMs && (markets?.includes(market) ?? true),
          );
          fillsRead += found.length;
          yield found.sort((a, b) => (a.clientOrderId < b.clientOrderId ? -1 : 1));
          onRead?.();
        },
      },
      pastTrades: {
        async *pages() {
          if (failures-- > 0) throw new Error('the disk is away');
          yield [];
        },
      },
      book,
      isTraded: ({ mode, account }) => mode === NAME.mode && account === NAME.account,
      nowMs: () => START_MS + 1000,
    });
  let seq = 0;
  let atMs = START_MS;
  /** Buys (a negative quantity: sells) for a key; `seq` where the order is an earlier one that was resting. */
  const fill = (keyLabel: string, quantity: string, price = '100', order = ++seq): void => {
    const size = decimal(quantity.replace('-', ''));
    const side: OrderSide = quantity.startsWith('-') ? 'SELL' : 'BUY';
    const trade: Trade = {
      ...{ requestId: nextRequestId(), receivedAtMs: START_MS, source: 'webhook', keyLabel, mode: 'paper' },
      ...{ account: 'main', order: orderOf({ action: side === 'BUY' ? 'LONG' : 'CLOSE_LONG' }), seq: order },
      ...{ state: 'filled', executedQuantity: size },
    };
    const clientOrderId = `o${order}`.padEnd(4, 'x');
    const fills = [{ fillId: `f${atMs}`, quantity: size, price: decimal(price), fee: ZERO, atMs: ++atMs }];
    const report: OrderReport = {
      ...{ clientOrderId, orderId: clientOrderId, market: 'BTCUSDT', side, positionSide: 'LONG' },
      ...{ reduceOnly: side === 'SELL', status: 'filled', quantity: size, executedQuantity: size, fills },
      averagePrice: decimal(price),
    };
    const booked = book.apply(trade, report, new Set(), true);
    journal.push(
      ...booked.fills.map((each) => ({
        ...each,
        ...NAME,
        keyLabel,
        side,
        positionSide: 'LONG' as const,
        netted: true,
      })),
    );
  };
  return {
    ...{ book, factsOf, fill },
    /** The number of the next order, for one that rests and fills later. */
    rest: (): number => ++seq,
    /** A key's loss in this market that another account has in the same journal: of another mode, or one that is gone. */
    lossOf: (keyLabel: string, loss: string, account: Partial<AccountName>): void => {
      const clientOrderId = `o${++seq}`.padEnd(4, 'x');
      journal.push({
        ...{ ...NAME, ...account, keyLabel, side: 'SELL', positionSide: 'LONG', netted: true, clientOrderId },
        ...{ fillId: `f${atMs}`, quantity: decimal('1'), price: decimal('100'), fee: ZERO, atMs: ++atMs },
        realizedPnl: negate(decimal(loss)),
      });
    },
    /** The owner did something at the venue by hand, and the books took it over. */
    byHand: (quantity: string): void => {
      const position = positionOf({ updatedAtMs: ++atMs });
      const held = heldAt(decimal(quantity), decimal('100'));
      book.adopt([withHolding(position, held)], NAME, true, { atMs });
    },
    /** What follows was so many days ago. */
    daysAgo: (days: number): void => {
      atMs = START_MS - days * DAY_MS;
    },
    fillsRead: () => fillsRead,
    failOnce: (): void => {
      failures = 1;
    },
    whileReading: (what: () => void): void => {
      onRead = () => {
        onRead = undefined;
        what();
      };
    },
  };
}

const holders = (facts: LimitFacts): string => ['a', 'b', 'c'].filter((key) => facts.isHeldBy(LONG, key)).join('');
const results = (facts: LimitFacts): readonly string[] =>
  ['key:a', 'key:b', 'key:c', 'account:binance:main'].map((owner) => toText(facts.resultToday(owner) as Decimal));

type House = ReturnType<typeof open>;
type Story = readonly [string, (house: House) => void, string, readonly string[]];

/** The journal is read back in steps, and each of these days is in another one. */
const MADE_LONG_AGO = [8, 31, 400].map(
  (days): Story => [
    `made ${days} days ago and closed in part today by another key`,
    ({ fill, daysAgo }) => {
      daysAgo(days);
      fill('a', '1');
      daysAgo(0);
      fill('b', '-0.5', '80');
    },
    'a',
    ['-10', '0', '0', '-10'],
  ],
);

const STORIES: readonly Story[] = [
  ...MADE_LONG_AGO,
  ['made by one key', ({ fill }) => fill('a', '1'), 'a', ['0', '0', '0', '0']],
  [
    'closed by its key and made again by another',
    ({ fill }) => {
      fill('a', '1');
      fill('a', '-1', '90');
      fill('b', '1');
      fill('b', '-0.5', '80');
    },
    'b',
    ['-10', '-10', '0', '-20'],
  ],
  [
    'made by two and closed in part by a third',
    ({ fill }) => {
      fill('a', '1');
      fill('b', '1');
      fill('c', '-1', '95');
    },
    'ab',
    ['-5', '-5', '0', '-5'],
  ],
  [
    'made anew by an order that had rested before the close',
    ({ fill, rest }) => {
      const resting = rest();
      fill('a', '1');
      fill('a', '-1', '90');
      fill('b', '1', '100', resting);
    },
    'b',
    ['-10', '0', '0', '-10'],
  ],
  [
    'closed at the venue by hand and made again by another key',
    ({ fill, byHand }) => {
      fill('a', '1');
      byHand('0');
      fill('b', '1');
      fill('b', '-0.5', '80');
    },
    'b',
    ['0', '-10', '0', '-10'],
  ],
  [
    'closed, then made by hand and added to by another key',
    ({ fill, byHand }) => {
      fill('a', '1');
      fill('a', '-1', '90');
      byHand('0.2');
      fill('b', '1');
    },
    'b',
    ['-10', '0', '0', '-10'],
  ],
  [
    'made three days ago, added to today and closed in part',
    ({ fill, daysAgo }) => {
      daysAgo(3);
      fill('a', '1');
      daysAgo(0);
      fill('b', '1');
      fill('b', '-1', '90');
    },
    'ab',
    ['-10', '-10', '0', '-10'],
  ],
  [
    'made yesterday and closed today by another key',
    ({ fill, daysAgo }) => {
      daysAgo(1);
      fill('a', '1');
      daysAgo(0);
      fill('b', '-1', '90');
    },
    '',
    ['-10', '0', '0', '-10'],
  ],
  [
    'held since yesterday, when it was closed in between at a loss',
    ({ fill, daysAgo }) => {
      daysAgo(1);
      fill('a', '1');
      fill('a', '-1', '90');
      fill('b', '1');
      daysAgo(0);
    },
    'b',
    ['0', '0', '0', '0'],
  ],
  [
    'made yesterday by an order that went on to fill today, behind another one',
    ({ fill, daysAgo, rest }) => {
      daysAgo(1);
      const resting = rest();
      fill('a', '1', '100', resting);
      fill('c', '1');
      daysAgo(0);
      fill('b', '-1', '90');
      fill('a', '1', '100', resting);
    },
    'ac',
    ['-10', '0', '-10', '-10'],
  ],
  [
    'closed at last',
    ({ fill }) => {
      fill('a', '1');
      fill('b', '-1', '90');
    },
    '',
    ['-10', '0', '0', '-10'],
  ],
];

describe('a position', () => {
  test.each(STORIES)('%s counts the same followed and read', async (_, story, held, lost) => {
    const house = open();
    const followed = house.factsOf();
    await followed.load();
    story(house);
    const read = house.factsOf();
    await read.load();
    expect({ held: holders(followed), lost: results(followed) }).toEqual({ held, lost });
    expect({ held: holders(read), lost: results(read) }).toEqual({ held, lost });
  });

  test('that changes hands while the journal is read counts for its new key', async () => {
    const house = open();
    house.fill('a', '1');
    const facts = house.factsOf();
    house.whileReading(() => {
      house.fill('a', '-1', '90');
      house.fill('b', '1');
    });
    await facts.load();
    expect({ held: holders(facts), lost: results(facts) }).toEqual({ held: 'b', lost: ['-10', '0', '0', '-10'] });
  });

  test('made days ago that is closed by another key while the journal is read counts for the key that made it', async () => {
    const house = open();
    house.daysAgo(3);
    house.fill('a', '1');
    house.daysAgo(0);
    const facts = house.factsOf();
    house.whileReading(() => house.fill('b', '-1', '90'));
    await facts.load();
    expect({ held: holders(facts), lost: results(facts) }).toEqual({ held: '', lost: ['-10', '0', '0', '-10'] });
  });
});

describe('what another account has lost today', () => {
  test.each([
    ['of another mode', { mode: 'live' }],
    ['that is gone', { account: 'sold' }],
  ] as const)('%s counts for nobody who trades now', async (_, account) => {
    const house = open();
    house.fill('a', '1');
    house.fill('a', '-0.5', '80');
    house.lossOf('a', '500', account);
    const facts = house.factsOf();
    await facts.load();
    expect({ held: holders(facts), lost: results(facts) }).toEqual({ held: 'a', lost: ['-10', '0', '0', '-10'] });
    expect(toText(facts.resultToday('symbol:BTCUSDT'))).toBe('-10');
  });
});

describe('a long journal', () => {
  test('is not read for positions that were flat when the day began', async () => {
    const house = open();
    house.daysAgo(2);
    for (let round = 0; round < 50; round += 1) {
      house.fill('a', '1');
      house.fill('a', '-1', '90');
    }
    house.daysAgo(0);
    house.fill('b', '1');
    house.fill('b', '-0.5', '80');
    const facts = house.factsOf();
    await facts.load();
    expect({ held: holders(facts), lost: results(facts) }).toEqual({ held: 'b', lost: ['0', '-10', '0', '-10'] });
    expect(house.fillsRead()).toBe(2);
  });
});

describe('a position that was made this week', () => {
  test('is read from then on, however long its market was traded before', async () => {
    const house = open();
    house.daysAgo(20);
    for (let round = 0; round < 50; round += 1) {
      house.fill('a', '1');
      house.fill('a', '-1', '90');
    }
    house.daysAgo(3);
    house.fill('b', '1');
    house.daysAgo(0);
    house.fill('c', '-0.5', '80');
    const facts = house.factsOf();
    await facts.load();
    expect({ held: holders(facts), lost: results(facts) }).toEqual({ held: 'b', lost: ['0', '-10', '0', '-10'] });
    expect(house.fillsRead()).toBe(3);
  });
});

describe('a journal that could not be read', () => {
  test('counts once when it can be read again', async () => {
    const house = open();
    house.fill('a', '1');
    house.fill('a', '-1', '90');
    const facts = house.factsOf();
    house.failOnce();
    await expect(facts.load()).rejects.toThrow('the disk is away');
    expect(facts.isLoaded).toBe(false);
    await facts.load();
    expect(results(facts)).toEqual(['-10', '0', '0', '-10']);
  });
});
