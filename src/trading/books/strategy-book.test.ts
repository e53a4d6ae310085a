// Strategy books: whatever is traded, closed, liquidated or found at the venue, the shares add up to the position, nobody's
// share is touched by another's signal, and what all of them earn is what the account earns.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newTrade } from '../../../tests/ports/sample-trades.ts';
import { type Decimal, decimal, minus, plus, toText, ZERO } from '../decimal.ts';
import type { OrderReport, OrderSide, PositionSide } from '../venue.ts';
import type { Trade } from './journal.ts';
import { unrealizedPnl } from './position.ts';
import { PositionBook } from './position-book.ts';
import { alignBooks, emptyBook, type MarketName, NAMELESS, type StrategyBook, sumOf } from './strategy-book.ts';
import { shareOf } from './strategy-books.ts';

const MARKET: MarketName = { exchange: 'binance', mode: 'paper', account: 'main', market: 'BTCUSDT' };
const SIDES: readonly PositionSide[] = ['LONG', 'SHORT'];

const book = (strategy: string, signed: string): StrategyBook => {
  const side = signed.startsWith('-') ? 'SHORT' : 'LONG';
  const quantity = decimal(signed.replace('-', ''));
  const price = decimal('100');
  return {
    ...emptyBook(MARKET, strategy, side),
    quantity,
    cost: (quantity * price) as StrategyBook['cost'],
    entryPrice: price,
  };
};
const inWords = (books: readonly StrategyBook[]): string[] =>
  books.map(({ strategy, side, quantity }) => `${strategy || 'nameless'} ${side} ${toText(quantity)}`);

describe('aligning', () => {
  const align = (books: readonly StrategyBook[], target: string) =>
    inWords(alignBooks(books, MARKET, decimal(target), { atMs: 1 }).changed);

  test.each([
    ['changes nothing where they add up', ['a 2', 'b -1'], '1', []],
    ['gives an increase to the nameless', ['a 2'], '3', ['nameless LONG 1']],
    ['gives an increase of a flat sum to the nameless', ['a 2', 'b -2'], '1', ['nameless LONG 1']],
    ['takes a decrease from the nameless first', ['a 2', ' 1'], '2.5', ['nameless LONG 0.5']],
    ['then from the largest', ['a 2', 'b 3', ' 1'], '1.5', ['nameless LONG 0', 'b LONG 0', 'a LONG 1.5']],
    ['leaves those that stand the other way alone', ['a 2', 'b -1'], '0.5', ['a LONG 1.5']],
    ['leaves nobody anything of a flat position', ['a 2', 'b -1'], '0', ['a LONG 0', 'b SHORT 0']],
    ['turns only the nameless around', ['a 2', 'b -1'], '-2', ['a LONG 0', 'nameless SHORT 1']],
    ['works for shorts alike', ['a -2', 'b -3'], '-4', ['b SHORT 2']],
  ] as const)('%s', (_, books, target, expected) => {
    const made = books.map((each) => book(each.slice(0, 1).trim(), each.slice(2) || each.slice(1)));
    expect(align(made, target)).toEqual(expected);
  });

  test('earns at a price and nothing without one', () => {
    const at = (price?: Decimal) =>
      alignBooks([book('a', '2')], MARKET, ZERO, { atMs: 1, ...(price && { price, fee: decimal('0.5') }) }).changed[0];
    expect(at(decimal('110'))).toMatchObject({ realizedPnl: decimal('20'), fees: decimal('0.5'), quantity: ZERO });
    expect(at()).toMatchObject({ realizedPnl: ZERO, fees: ZERO, quantity: ZERO });
  });
});

describe('a share', () => {
  const held = (side: PositionSide, quantity: string) => ({
    ...{ market: 'BTCUSDT', side, quantity: decimal(quantity), entryPrice: decimal('1') },
  });
  const quantityOf = (books: readonly StrategyBook[], strategy: string | undefined, net: string) =>
    toText(shareOf(books, MARKET, strategy, [held('LONG', net)]).quantity);

  test('of an undivided position is all of it for the nameless and nothing for a name', () => {
    expect(quantityOf([], NAMELESS, '2')).toBe('2');
    expect(quantityOf([], 'a', '2')).toBe('0');
  });

  test('is the whole position for whoever closes it', () => {
    expect(quantityOf([book('a', '1'), book('b', '1')], undefined, '2')).toBe('2');
  });

  test('is cut to what the venue holds, and that is told', () => {
    const books = [book('a', '1'), book('b', '2')];
    expect(shareOf(books, MARKET, 'a', [held('LONG', '3')])).toEqual({ quantity: decimal('1'), agrees: true });
    expect(shareOf(books, MARKET, 'b', [held('LONG', '1.5')])).toEqual({ quantity: decimal('0.5'), agrees: false });
    expect(shareOf(books, MARKET, 'a', [])).toEqual({ quantity: ZERO, agrees: false });
  });
});

describe('random fills', () => {
  const step = fc.record({
    strategy: fc.constantFrom(undefined, 'a', 'b', 'owner'),
    side: fc.constantFrom<OrderSide>('BUY', 'SELL'),
    quantity: fc.integer({ min: 1, max: 1_000_000 }),
    price: fc.integer({ min: 1, max: 1_000_000 }),
    fee: fc.integer({ min: 0, max: 1000 }),
  });
  type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
  const thousandths = (count: number): Decimal => decimal(count / 1000);
  let orders = 0;

  const tradeBy = (strategy: string | undefined): Trade => ({
    ...newTrade({ order: strategy === undefined || strategy === 'owner' ? {} : { strategy } }),
    // A stop acts on the whole position.
    ...(strategy === 'owner' && { source: 'stop-loss' as const }),
    ...{ seq: 1, state: 'sending', executedQuantity: ZERO },
  });

  /** On a netted account what stands the other way is reduced first; a stop never does more than that. */
  function reportsOf(positions: PositionBook, { strategy, side, quantity, price, fee }: Step): OrderReport[] {
    const [grows, shrinks]: readonly PositionSide[] = side === 'BUY' ? ['LONG', 'SHORT'] : ['SHORT', 'LONG'];
    const against = positions.get({ ...MARKET, side: shrinks as PositionSide })?.quantity ?? ZERO;
    const asked = thousandths(quantity);
    const reduced = asked < against ? asked : against;
    const opened = strategy === 'owner' ? ZERO : minus(asked, reduced);
    const report = (positionSide: PositionSide, amount: Decimal): OrderReport => {
      const id = `o${orders++}`;
      const fill = { fillId: `f${id}`, quantity: amount, price: thousandths(price), fee: thousandths(fee), atMs: 1 };
      return {
        ...{
          clientOrderId: id,
          orderId: id,
          market: 'BTCUSDT',
          side,
          positionSide,
          reduceOnly: positionSide === shrinks,
        },
        ...{ status: 'filled', quantity: amount, executedQuantity: amount, averagePrice: fill.price, fills: [fill] },
      };
    };
    return [
      ...(reduced > ZERO ? [report(shrinks as PositionSide, reduced)] : []),
      ...(opened > ZERO ? [report(grows as PositionSide, opened)] : []),
    ];
  }

  const sum = <T>(list: readonly T[], of: (each: T) => Decimal): Decimal => list.map(of).reduce(plus, ZERO);
  /** Every division may round at the last of twelve places. */
  const nearly = (a: Decimal, b: Decimal, steps: number): boolean => (a > b ? a - b : b - a) <= BigInt(4 * steps);

  test('the shares add up to the position, and earn what it earns, to the last digit', () => {
    let divided = 0;
    const property = fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
      const positions = new PositionBook([]);
      const mark = decimal('321.5');
      let fees = ZERO;
      for (const each of steps) {
        for (const report of reportsOf(positions, each)) {
          const before = new Map(positions.strategiesIn(MARKET).map((one) => [`${one.strategy} ${one.side}`, one]));
          const { fills, books } = positions.apply(tradeBy(each.strategy), report, new Set(), true);
          fees = plus(
            fees,
            sum(fills, ({ fee }) => fee),
          );
          const shares = positions.strategiesIn(MARKET);
          if (shares.length === 0) continue;
          divided++;
          const held = SIDES.flatMap((side) => positions.get({ ...MARKET, side }) ?? []);
          expect(sumOf(shares)).toBe(sumOf(held));
          expect(sum(shares, (one) => one.fees)).toBe(fees);
          for (const fill of fills) {
            expect(sum(fill.shares ?? [], ({ fee }) => fee)).toBe(fill.fee);
            if (each.strategy !== 'owner')
              expect(fill.shares?.map(({ strategy }) => strategy)).toEqual([each.strategy ?? NAMELESS]);
          }
          // What is written is what changed, and a signal changes no other strategy's book.
          for (const one of books) {
            const isNew = before.get(`${one.strategy} ${one.side}`) === undefined;
            if (each.strategy !== 'owner' && !isNew) expect(one.strategy).toBe(each.strategy ?? NAMELESS);
          }
          const earned = (all: readonly Parameters<typeof unrealizedPnl>[0][]) =>
            plus(
              sum(all, (one) => one.realizedPnl),
              sum(all, (one) => unrealizedPnl(one, mark)),
            );
          expect(nearly(earned(shares), earned(held), steps.length + 4)).toBe(true);
        }
      }
    });
    fc.assert(property, { numRuns: 300 });
    expect(divided).toBeGreaterThan(1000);
  });
});
