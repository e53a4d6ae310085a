// Plans: never more than asked for or held, never both sides on a one-way account, always on step and tick.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { orderOf } from '../../../tests/ports/sample-trades.ts';
import { ACTION_MEANING } from '../action.ts';
import { sumOf } from '../books/strategy-book.ts';
import { type Decimal, decimal, times, toText, ZERO } from '../decimal.ts';
import { ACTIONS, type SignalOrder } from '../signal.ts';
import type { Market, PositionSide, VenuePosition } from '../venue.ts';
import { heldFor, planOrders, type VenueFacts } from './plan-orders.ts';

const MARKET: Market = {
  symbol: 'BTCUSDT',
  tickSize: decimal('0.1'),
  stepSize: decimal('0.001'),
  minQuantity: decimal('0.002'),
  minNotional: decimal('5'),
  maxLeverage: 50,
};
const held = (side: PositionSide, quantity: string | Decimal): VenuePosition => ({
  market: 'BTCUSDT',
  side,
  quantity: typeof quantity === 'string' ? decimal(quantity) : quantity,
  entryPrice: decimal('100'),
});
/** Without a share all that is held is the strategy's own. */
type Facts = Omit<VenueFacts, 'share'> & Partial<Pick<VenueFacts, 'share'>>;
const facts = (positions: readonly VenuePosition[] = [], changes: Partial<VenueFacts> = {}): Facts => ({
  account: 'binance',
  market: MARKET,
  positionMode: 'one-way',
  positions,
  executed: ZERO,
  ...changes,
});
const plan = (changes: Partial<SignalOrder>, of: Facts = facts()) => {
  const order = orderOf(changes);
  return planOrders(order, { share: { quantity: sumOf(heldFor(order.action, of)), agrees: true }, ...of });
};
function ordersOf(of: ReturnType<typeof plan>) {
  if ('refusal' in of) throw new Error(`refused: ${of.refusal}`);
  return of;
}
const refusalOf = (of: ReturnType<typeof plan>): string => ('refusal' in of ? of.refusal : 'not refused');

describe('opening', () => {
  test.each([
    ['LONG', 'BUY', 'LONG'],
    ['SHORT', 'SELL', 'SHORT'],
  ] as const)('%s from flat is one order', (action, side, positionSide) => {
    const { orders, notes } = ordersOf(plan({ action }));
    const quantity = decimal('0.5');
    expect(orders).toEqual([
      {
        ...{ leg: 'open', side, positionSide, reduceOnly: false, quantity, price: undefined },
        ...{ givenUp: ZERO, mustEndFlat: false },
      },
    ]);
    expect(notes).toEqual([]);
  });

  test('adds to the same side without closing it', () => {
    expect(ordersOf(plan({ action: 'LONG' }, facts([held('LONG', '3')]))).orders.map(({ leg }) => leg)).toEqual([
      'open',
    ]);
  });

  test('against a held side flattens all of it first on a one-way account', () => {
    const { orders } = ordersOf(plan({ action: 'LONG' }, facts([held('SHORT', '3')])));
    expect(orders).toMatchObject([
      {
        leg: 'flatten',
        side: 'BUY',
        positionSide: 'SHORT',
        reduceOnly: true,
        quantity: decimal('3'),
        mustEndFlat: true,
      },
      { leg: 'open', side: 'BUY', positionSide: 'LONG', reduceOnly: false, quantity: decimal('0.5') },
    ]);
  });

  test('with a limit price never gives up a held other side of a one-way account', () => {
    const limit = { action: 'LONG', price: decimal('90') } as const;
    const answer = plan(limit, facts([held('SHORT', '3')]));
    expect(answer).toMatchObject({ cause: 'opposite-position' });
    expect(refusalOf(plan(limit, facts([held('SHORT', '3')], { positionMode: 'hedge' })))).toBe('not refused');
    expect(refusalOf(plan(limit, facts([held('LONG', '3')])))).toBe('not refused');
  });

  test('against a held side leaves it alone on a hedge account', () => {
    const { orders } = ordersOf(plan({ action: 'LONG' }, facts([held('SHORT', '3')], { positionMode: 'hedge' })));
    expect(orders.map(({ leg }) => leg)).toEqual(['open']);
  });

  test.each([
    ['0.002', true],
    ['0.0029', true],
    ['0.0019999', false],
    ['0.0001', false],
  ])('%s of a minimum of 0.002', (quantity, passes) => {
    const answer = plan({ quantity: decimal(quantity) });
    if (passes) expect(ordersOf(answer).orders[0]?.quantity).toBe(decimal('0.002'));
    else expect(refusalOf(answer)).toMatch(/is too small .* the minimum is 0\.002, in steps of 0\.001/);
  });

  describe('worth too little', () => {
    const refusal = (notional: string) =>
      `an order of ${notional} USDT is below the minimum of 5 USDT on BTCUSDT; raise the quantity`;
    const at = (lastPrice: string | undefined, positions: readonly VenuePosition[] = []) =>
      facts(positions, { market: { ...MARKET, lastPrice: lastPrice === undefined ? undefined : decimal(lastPrice) } });
    const half = { quantity: decimal('0.5') };

    test.each([
      ['10', 'not refused'],
      ['9.9', refusal('4.95')],
    ])('at a last price of %s a market order is %s', (lastPrice, words) => {
      expect(refusalOf(plan(half, at(lastPrice)))).toBe(words);
    });

    test('goes by the limit price where there is one, as it stands on the tick', () => {
      expect(refusalOf(plan({ ...half, price: decimal('9.94') }, at('100')))).toBe(refusal('4.95'));
      expect(refusalOf(plan({ ...half, price: decimal('9.96') }, at('1')))).toBe('not refused');
    });

    test('says when the step made it so', () => {
      const between = { quantity: decimal('0.5049') };
      expect(refusalOf(plan(between, at('9.9')))).toBe(
        'an order of 4.9896 USDT is below the minimum of 5 USDT on BTCUSDT ' +
          '(0.5049 was cut to 0.504: BTCUSDT trades in steps of 0.001); raise the quantity',
      );
    });

    test('is left to the venue when nobody knows a price', () => {
      expect(refusalOf(plan(half, at(undefined)))).toBe('not refused');
    });

    test.each(['one-way', 'hedge'] as const)('refuses a reversal before anything is flattened, %s', (positionMode) => {
      const held1 = { ...at('9.9', [held('SHORT', '1')]), positionMode };
      expect(refusalOf(plan({ ...half, action: 'LONG' }, held1))).toBe(refusal('4.95'));
    });

    test('never stops a close', () => {
      const tiny = { action: 'CLOSE_SHORT', quantity: decimal('0.001') } as const;
      expect(ordersOf(plan(tiny, at('0.1', [held('SHORT', '1')]))).orders).toHaveLength(1);
    });
  });

  test('clamps the leverage to the maximum of the market and says so', () => {
    expect(ordersOf(plan({ leverage: 50 }))).toMatchObject({ leverage: 50, notes: [] });
    const clamped = ordersOf(plan({ leverage: 125 }));
    expect(clamped.leverage).toBe(50);
    expect(clamped.notes).toEqual([{ kind: 'leverage-clamped', detail: "125 to the market's maximum 50" }]);
    expect(ordersOf(plan({})).leverage).toBeUndefined();
  });

  test('notes what was rounded', () => {
    const { notes } = ordersOf(plan({ quantity: decimal('0.5019'), price: decimal('100.16') }));
    expect(notes).toEqual([
      { kind: 'quantity-rounded', detail: '0.5019 to 0.501' },
      { kind: 'price-rounded', detail: '100.16 to 100.2' },
    ]);
  });

  test.each(['LONG', 'CLOSE_LONG'] as const)('%s with a price below half a tick is refused', (action) => {
    const answer = plan({ action, price: decimal('0.04') }, facts([held('LONG', '1')]));
    expect(refusalOf(answer)).toBe('the price is below the smallest tick of BTCUSDT, 0.1');
  });
});

describe('closing', () => {
  test.each([
    ['CLOSE_LONG', 'SELL', 'LONG'],
    ['CLOSE_SHORT', 'BUY', 'SHORT'],
  ] as const)('%s is reduce-only', (action, side, positionSide) => {
    const { orders } = ordersOf(plan({ action }, facts([held(positionSide, '2')])));
    expect(orders).toMatchObject([{ leg: 'close', side, positionSide, reduceOnly: true, mustEndFlat: false }]);
  });

  test('without a position of that side is refused', () => {
    expect(refusalOf(plan({ action: 'CLOSE_LONG' }))).toBe('there is no long position in BTCUSDT on binance to close');
    expect(refusalOf(plan({ action: 'CLOSE_LONG' }, facts([held('SHORT', '1')])))).toMatch(/no long position/);
  });

  test.each([
    ['0.4', '0.4', false],
    ['0.5', '0.5', true],
    ['9', '0.5', true],
  ])('%s of 0.5 held closes %s', (asked, closed, flat) => {
    const planned = plan({ action: 'CLOSE_LONG', quantity: decimal(asked) }, facts([held('LONG', '0.5')]));
    expect(ordersOf(planned).orders[0]).toMatchObject({ quantity: decimal(closed), mustEndFlat: flat });
    const warned = asked === '9' ? ['quantity: 9 were to be closed and only 0.5 are held: 0.5 are closed'] : [];
    expect(ordersOf(planned).warnings).toEqual(warned);
  });

  test('all of a position that is off the step takes all of it', () => {
    const { orders, notes } = ordersOf(
      plan({ action: 'CLOSE_LONG', quantity: decimal('1') }, facts([held('LONG', '0.1234567')])),
    );
    expect(orders[0]?.quantity).toBe(decimal('0.1234567'));
    expect(notes).toEqual([{ kind: 'closes-all', detail: '0.1234567 are held, 1 were named' }]);
  });

  test('less than a step is refused, but less than the opening minimum is not', () => {
    const positions = facts([held('LONG', '1')]);
    expect(refusalOf(plan({ action: 'CLOSE_LONG', quantity: decimal('0.0009') }, positions))).toMatch(/too small/);
    expect(ordersOf(plan({ action: 'CLOSE_LONG', quantity: decimal('0.001') }, positions)).orders).toHaveLength(1);
  });

  test('with a limit price need not end flat, and never sets a leverage', () => {
    const order = { action: 'CLOSE_LONG', price: decimal('110'), quantity: decimal('1'), leverage: 5 } as const;
    const { orders, leverage } = ordersOf(plan(order, facts([held('LONG', '1')])));
    expect(orders[0]?.mustEndFlat).toBe(false);
    expect(leverage).toBeUndefined();
  });
});

test('whatever is asked and held, a plan keeps every rule', () => {
  const amounts = fc.bigInt({ min: 1n, max: 10n ** 16n }).map((units) => units as Decimal);
  const grids = fc.constantFrom('1', '0.5', '0.001', '0.00000001').map(decimal);
  const sides = fc.constantFrom<PositionSide>('LONG', 'SHORT');
  const world = fc.record({
    action: fc.constantFrom(...ACTIONS),
    quantity: amounts,
    price: fc.option(amounts, { nil: undefined }),
    leverage: fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined }),
    stepSize: grids,
    tickSize: grids,
    positionMode: fc.constantFrom('one-way', 'hedge'),
    lastPrice: fc.option(amounts, { nil: undefined }),
    holding: fc.uniqueArray(fc.tuple(sides, amounts), { maxLength: 2, selector: ([side]) => side }),
  });
  fc.assert(
    fc.property(
      world,
      ({ action, quantity, price, leverage, stepSize, tickSize, positionMode, lastPrice, holding }) => {
        const positions = (positionMode === 'one-way' ? holding.slice(0, 1) : holding).map(([side, size]) =>
          held(side, size),
        );
        const market = { ...MARKET, stepSize, tickSize, minQuantity: stepSize, lastPrice };
        const answer = plan({ action, quantity, price, leverage }, facts(positions, { market, positionMode }));
        if ('refusal' in answer) return;
        const book = new Map(positions.map((position) => [position.side, position.quantity]));
        for (const order of answer.orders) {
          const before = book.get(order.positionSide) ?? ZERO;
          expect(order.quantity > ZERO).toBe(true);
          if (order.reduceOnly) expect(order.quantity <= before).toBe(true);
          else expect(order.quantity % stepSize).toBe(0n);
          const worth = order.price ?? lastPrice;
          if (order.leg === 'open' && worth !== undefined)
            expect(times(order.quantity, worth) >= market.minNotional).toBe(true);
          if (order.leg !== 'flatten') expect(order.quantity <= quantity).toBe(true);
          if (order.leg === 'close' && order.quantity !== before) expect(order.quantity % stepSize).toBe(0n);
          if (order.price !== undefined) expect(order.price > ZERO && order.price % tickSize === 0n).toBe(true);
          book.set(
            order.positionSide,
            (order.reduceOnly ? before - order.quantity : before + order.quantity) as Decimal,
          );
          const sidesHeld = [...book.values()].filter((size) => size > ZERO).length;
          if (positionMode === 'one-way') expect(sidesHeld).toBeLessThanOrEqual(1);
        }
        expect(answer.orders.every(({ reduceOnly }) => reduceOnly || !ACTION_MEANING[action].closes)).toBe(true);
        if (answer.leverage !== undefined) expect(answer.leverage).toBeLessThanOrEqual(market.maxLeverage);
      },
    ),
    { numRuns: 500 },
  );
});

describe('several strategies on a netted account', () => {
  const share = (quantity: string, agrees = true) => ({ quantity: decimal(quantity), agrees });
  const legs = (of: ReturnType<typeof plan>) =>
    ordersOf(of).orders.map(
      ({ leg, side, positionSide, reduceOnly, quantity, givenUp }) =>
        `${leg} ${side} ${toText(quantity)} ${positionSide}${reduceOnly ? ' reduce-only' : ''} gives up ${toText(givenUp)}`,
    );
  const one = { quantity: decimal('1') };

  test.each([
    // own share, net, action, legs
    ['0', held('LONG', '3'), 'SHORT', ['open SELL 1 LONG reduce-only gives up 0']],
    ['0', held('LONG', '1'), 'SHORT', ['open SELL 1 LONG reduce-only gives up 0']],
    [
      '0',
      held('LONG', '0.4'),
      'SHORT',
      ['flatten SELL 0.4 LONG reduce-only gives up 0', 'open SELL 0.6 SHORT gives up 0'],
    ],
    [
      '2',
      held('LONG', '0.5'),
      'SHORT',
      ['flatten SELL 0.5 LONG reduce-only gives up 0.5', 'open SELL 2.5 SHORT gives up 1.5'],
    ],
    ['-2', held('LONG', '0.5'), 'LONG', ['open BUY 3 LONG gives up 2']],
    [
      '-2',
      held('LONG', '0.5'),
      'SHORT',
      ['flatten SELL 0.5 LONG reduce-only gives up 0', 'open SELL 0.5 SHORT gives up 0'],
    ],
    ['3', held('LONG', '3'), 'CLOSE_LONG', ['close SELL 1 LONG reduce-only gives up 0']],
    ['0.3', held('LONG', '3'), 'CLOSE_LONG', ['close SELL 0.3 LONG reduce-only gives up 0']],
    [
      '1',
      held('LONG', '0.4'),
      'CLOSE_LONG',
      ['flatten SELL 0.4 LONG reduce-only gives up 0', 'close SELL 0.6 SHORT gives up 0'],
    ],
    ['1', held('SHORT', '2'), 'CLOSE_LONG', ['close SELL 1 SHORT gives up 0']],
    ['-1', held('LONG', '2'), 'CLOSE_SHORT', ['close BUY 1 LONG gives up 0']],
  ] as const)('a share of %s, %o held: %s', (own, net, action, expected) => {
    expect(legs(plan({ ...one, action }, facts([net], { share: share(own) })))).toEqual(expected);
  });

  test('a close opens nothing where our books do not explain what the venue holds', () => {
    const of = (net: VenuePosition) => facts([net], { share: share('1', false) });
    const partly = plan({ ...one, action: 'CLOSE_LONG' }, of(held('LONG', '0.4')));
    expect(legs(partly)).toEqual(['close SELL 0.4 LONG reduce-only gives up 0']);
    expect(ordersOf(partly).notes.map(({ kind }) => kind)).toContain('share-not-there');
    expect(refusalOf(plan({ ...one, action: 'CLOSE_LONG' }, of(held('SHORT', '2'))))).toMatch(
      /^there is no long position/,
    );
  });

  test('a limit close never opens the other side', () => {
    const limit = { ...one, action: 'CLOSE_LONG', price: decimal('100') } as const;
    expect(legs(plan(limit, facts([held('LONG', '0.4')], { share: share('1') })))).toEqual([
      'close SELL 0.4 LONG reduce-only gives up 0',
    ]);
    expect(refusalOf(plan(limit, facts([held('SHORT', '1')], { share: share('1') })))).toMatch(
      /^signals without a strategy hold LONG 1 BTCUSDT on binance, but .* holds SHORT 1 BTCUSDT, .*leave out price to close at market; nothing was sent$/,
    );
    expect(refusalOf(plan(limit, facts([], { share: share('1') })))).toContain('as a whole holds no BTCUSDT');
  });

  test("what another strategy holds cannot be closed, and the words name the strategy's own share", () => {
    const others = facts([held('LONG', '2')], { share: share('0') });
    expect(refusalOf(plan({ action: 'CLOSE_LONG', strategy: 'trend' }, others))).toBe(
      'the long position of 2 BTCUSDT on binance has no share of strategy "trend"; ' +
        'send the strategy that opened it (GET /positions shows the shares)',
    );
    expect(refusalOf(plan({ action: 'CLOSE_LONG' }, others))).toMatch(/no share of signals without a strategy;/);
  });

  test('a rest too small to open is refused before anything is sent', () => {
    const market = { ...MARKET, lastPrice: decimal('100') };
    const against = (quantity: string) => facts([held('SHORT', quantity)], { share: share('0'), market });
    expect(refusalOf(plan({ ...one, action: 'LONG' }, against('0.99')))).toMatch(/only 0\.01 would be left to open/);
    expect(refusalOf(plan({ ...one, action: 'LONG' }, against('0.95')))).toBe('not refused');
  });

  test('goes on where an earlier order of the same trade left it', () => {
    // SHORT 1 with nothing of its own against LONG 0.4: 0.4 are sold, 0.6 are left to sell.
    const after = facts([], { share: share('-0.4'), executed: decimal('-0.4') });
    expect(legs(plan({ ...one, action: 'SHORT' }, after))).toEqual(['open SELL 0.6 SHORT gives up 0']);
    // A reversal of its own 2: they are sold, the new 1 is left.
    const reversed = facts([], { share: share('0'), executed: decimal('-2') });
    expect(legs(plan({ ...one, action: 'SHORT' }, reversed))).toEqual(['open SELL 1 SHORT gives up 0']);
    const closing = facts([], { share: share('0.6'), executed: decimal('-0.4') });
    expect(legs(plan({ ...one, action: 'CLOSE_LONG' }, closing))).toEqual(['close SELL 0.6 SHORT gives up 0']);
  });
});
