// What we send to MEXC for an order, a stop and a leverage, and what we read there, beside the numbers that MEXC publishes. They are
// written out here whole, so that nothing of the adapter decides what is right: ccxt, beside which the other venues are held, closes
// hedge positions there with the wrong side.
//
// | field         | MEXC's numbers                                                                |
// |---------------|-------------------------------------------------------------------------------|
// | side          | 1 opens a long, 2 closes a short, 3 opens a short, 4 closes a long            |
// | type          | 1 limit, 2 post-only, 3 IOC, 4 FOK, 5 market; the same for `orderType`         |
// | openType      | 1 isolated, 2 cross                                                           |
// | positionMode  | 1 both sides at once (hedge), 2 one-way; `reduceOnly` is known in one-way only |
// | positionType  | 1 long, 2 short                                                               |
// | triggerType   | 1 at this price or above, 2 at this price or below                            |
// | trend         | 1 the last price, 2 the fair price, 3 the index price                         |
// | executeCycle  | 1 for a day, 2 for a week                                                     |
// | state         | 1 not looked at yet, 2 open, 3 done, 4 canceled, 5 refused                    |

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decimal, toText } from '../../src/trading/decimal.ts';
import { clientOrderId } from '../../src/trading/execution/client-order-id.ts';
import type { OrderRequest, StopRequest, Venue } from '../../src/trading/venue.ts';
import { openEmulatedAccount } from '../support/emulated-account.ts';
import { DEFAULT_MARKETS } from '../support/emulated-venues/market-spec.ts';
import { MexcClient } from '../support/emulated-venues/mexc/mexc-client.ts';
import { type MexcVenue, startMexcVenue } from '../support/emulated-venues/mexc/mexc-venue.ts';

const ORDERS = '/api/v1/private/order/create';
const PLANS = '/api/v1/private/planorder/place';
const LEVERAGES = '/api/v1/private/position/change_leverage';

const MODES = [
  { mode: 'hedge', positionMode: 1 },
  { mode: 'one-way', positionMode: 2 },
] as const;

type Deed = Pick<OrderRequest, 'side' | 'positionSide' | 'reduceOnly'>;
const OPEN_LONG: Deed = { side: 'BUY', positionSide: 'LONG', reduceOnly: false };
const CLOSE_SHORT: Deed = { side: 'BUY', positionSide: 'SHORT', reduceOnly: true };
const OPEN_SHORT: Deed = { side: 'SELL', positionSide: 'SHORT', reduceOnly: false };
const CLOSE_LONG: Deed = { side: 'SELL', positionSide: 'LONG', reduceOnly: true };
const DEEDS: readonly (readonly [words: string, deed: Deed, side: number])[] = [
  ['opens a long', OPEN_LONG, 1],
  ['closes a short', CLOSE_SHORT, 2],
  ['opens a short', OPEN_SHORT, 3],
  ['closes a long', CLOSE_LONG, 4],
];

let emulated: MexcVenue;
let owner: MexcClient;
let venue: Venue;
let ids: number;

beforeEach(async () => {
  ids = 0;
  emulated = await startMexcVenue();
  emulated.market.setPrice('BTCUSDT', '50000');
  owner = new MexcClient(emulated);
  venue = await openEmulatedAccount('mexc', emulated);
});
afterEach(async () => {
  await venue.close();
  await emulated.close();
});

const order = (changes: Partial<OrderRequest> = {}): OrderRequest => {
  ids += 1;
  return {
    ...{ clientOrderId: `sbx-mexc-${ids}`, market: 'BTCUSDT', ...OPEN_LONG, quantity: decimal('0.013') },
    ...changes,
  };
};

const setMode = (positionMode: number) => owner.post('position/change_position_mode', { positionMode });
const setTerms = (openType: number, leverage: number) =>
  Promise.all(
    [1, 2].map((positionType) =>
      owner.post('position/change_leverage', { symbol: 'BTC_USDT', openType, leverage, positionType }),
    ),
  );

/** What the last requests to a path had in their bodies. */
const sentTo = (path: string): readonly unknown[] =>
  emulated.requests.filter((each) => each.method === 'POST' && each.path === path).map(({ body }) => JSON.parse(body));
const lastTo = (path: string): unknown => sentTo(path).at(-1);

/** So that there is something to close. */
async function openFor({ positionSide, reduceOnly }: Deed): Promise<void> {
  if (reduceOnly) await venue.placeOrder(order(positionSide === 'LONG' ? OPEN_LONG : OPEN_SHORT));
}

describe('an order', () => {
  describe.each(MODES)('of an account in $mode mode', ({ mode, positionMode }) => {
    test.each(DEEDS)('that %s', async (_, deed, side) => {
      await setMode(positionMode);
      await openFor(deed);
      const request = order(deed);
      expect(await venue.placeOrder(request)).toMatchObject({ ...deed, status: 'filled' });
      expect(lastTo(ORDERS)).toEqual({
        ...{ symbol: 'BTC_USDT', side, type: 5, vol: '130', openType: 2, leverage: 20 },
        ...{ externalOid: request.clientOrderId, positionMode },
        // A hedge account does not take the word: there the side alone says it.
        ...(mode === 'one-way' && deed.reduceOnly && { reduceOnly: true }),
      });
      expect(await venue.positions('BTCUSDT')).toMatchObject(
        deed.reduceOnly ? [] : [{ side: deed.positionSide, quantity: decimal('0.013') }],
      );
    });
  });

  test.each<[string, Partial<OrderRequest>, object]>([
    ['at market', {}, { type: 5 }],
    ['that rests', { price: decimal('49000.1') }, { type: 1, price: '49000.1' }],
    ['that is GTC', { price: decimal('49000.1'), timeInForce: 'GTC' }, { type: 1, price: '49000.1' }],
    ['that is post-only', { price: decimal('49000'), postOnly: true }, { type: 2, price: '49000' }],
    ['that is IOC', { price: decimal('50500'), timeInForce: 'IOC' }, { type: 3, price: '50500' }],
    ['that is FOK', { price: decimal('50500'), timeInForce: 'FOK' }, { type: 4, price: '50500' }],
  ])('%s', async (_, changes, kind) => {
    const request = order(changes);
    await venue.placeOrder(request);
    expect(lastTo(ORDERS)).toEqual({
      ...{ symbol: 'BTC_USDT', side: 1, ...kind, vol: '130', openType: 2, leverage: 20 },
      ...{ externalOid: request.clientOrderId, positionMode: 1 },
    });
  });

  test.each([
    ['isolated', 1, 7],
    ['cross', 2, 33],
  ])('has the margin of its market, %s, and its leverage', async (_, openType, leverage) => {
    await setTerms(openType, leverage);
    await venue.placeOrder(order());
    expect(lastTo(ORDERS)).toMatchObject({ openType, leverage });
    // Closing it says the same: MEXC wants the field with every order.
    await venue.placeOrder(order(CLOSE_LONG));
    expect(lastTo(ORDERS)).toMatchObject({ side: 4, openType, leverage });
  });

  test('has an id of at most the 32 characters that MEXC takes, as it is', async () => {
    const longest = clientOrderId('ffffffff-ffff-ffff-ffff-ffffffffffff.999', 'open');
    expect(longest).toHaveLength(32);
    await venue.placeOrder(order({ clientOrderId: longest }));
    expect(lastTo(ORDERS)).toMatchObject({ externalOid: longest });
    const tooLong = owner.order({ externalOid: `${longest}x` });
    expect(await tooLong).toMatchObject({ success: false, code: 2030 });
  });

  test('that rests is canceled by its id, and asked for by it', async () => {
    const { clientOrderId: id } = await venue.placeOrder(order({ price: decimal('49000') }));
    expect(await venue.cancelOrder('BTCUSDT', id)).toMatchObject({ status: 'canceled' });
    expect(lastTo('/api/v1/private/order/cancel_with_external')).toEqual({ symbol: 'BTC_USDT', externalOid: id });
    const asked = emulated.requests.filter(({ path }) => path === `/api/v1/private/order/external/BTC_USDT/${id}`);
    expect(asked.map(({ method, rawQuery }) => [method, rawQuery])).toContainEqual(['GET', '']);
  });
});

test.each([
  ['0.0001', '0.013', '130'],
  ['0.01', '1.5', '150'],
  ['1', '7', '7'],
  ['100', '300', '3'],
  ['1000000', '2000000', '2'],
])(
  'contracts of %s: %s in base currency are %s of them, in orders, stops, positions and fills',
  async (contractSize, quantity, vol) => {
    const [bitcoin] = DEFAULT_MARKETS;
    const spec = { ...bitcoin!, contractSize: decimal(contractSize), maxQuantity: decimal('5000000') };
    const other = await startMexcVenue({ specs: [spec], wallet: '1000000' });
    other.market.setPrice('BTCUSDT', '0.6');
    const account = await openEmulatedAccount('mexc', other);
    const bodyTo = (wanted: string) => JSON.parse(other.requests.findLast(({ path }) => path === wanted)?.body ?? '');
    const report = await account.placeOrder(order({ quantity: decimal(quantity) }));
    expect(bodyTo(ORDERS)).toMatchObject({ vol });
    expect(report.fills.map((fill) => toText(fill.quantity))).toEqual([quantity]);
    expect(await account.positions('BTCUSDT')).toMatchObject([{ quantity: decimal(quantity) }]);
    await account.stops?.place({ ...STOP, quantity: decimal(quantity), triggerPrice: decimal('0.5') });
    expect(bodyTo(PLANS)).toMatchObject({ vol });
    expect(await account.stops?.waiting('BTCUSDT')).toMatchObject([{ quantity: decimal(quantity) }]);
    await account.close();
    await other.close();
  },
);

const STOP: StopRequest = {
  ...{ clientStopId: 'sbx-mexc-stop', market: 'BTCUSDT', kind: 'stop', positionSide: 'LONG' },
  ...{ quantity: decimal('0.013'), triggerPrice: decimal('49000.1') },
};

describe('a plan order', () => {
  const [below, above] = ['49000.1', '51000.1'];
  const STOPS: readonly (readonly [Pick<StopRequest, 'kind' | 'positionSide'>, string, object])[] = [
    [{ kind: 'stop', positionSide: 'LONG' }, below, { side: 4, triggerType: 2 }],
    [{ kind: 'take-profit', positionSide: 'LONG' }, above, { side: 4, triggerType: 1 }],
    [{ kind: 'stop', positionSide: 'SHORT' }, above, { side: 2, triggerType: 1 }],
    [{ kind: 'take-profit', positionSide: 'SHORT' }, below, { side: 2, triggerType: 2 }],
  ];

  describe.each(MODES)('of an account in $mode mode', ({ mode, positionMode }) => {
    test.each(STOPS)('%o at %s', async (what, triggerPrice, numbers) => {
      await setMode(positionMode);
      await openFor({ ...(what.positionSide === 'LONG' ? CLOSE_LONG : CLOSE_SHORT) });
      const request = { ...STOP, ...what, triggerPrice: decimal(triggerPrice) };
      await venue.stops?.place(request);
      expect(lastTo(PLANS)).toEqual({
        ...{ symbol: 'BTC_USDT', ...numbers, triggerPrice, vol: '130', orderType: 5, trend: 1, executeCycle: 2 },
        ...{ openType: 2, leverage: 20 },
        ...(mode === 'one-way' && { reduceOnly: true }),
      });
      expect(await venue.stops?.waiting('BTCUSDT')).toEqual([{ ...request, state: 'waiting' }]);
      // It acts on the side that it was meant for: nothing is left, and nothing is turned around.
      emulated.market.setPrice('BTCUSDT', triggerPrice === below ? '48000' : '52000');
      expect(await venue.positions('BTCUSDT')).toEqual([]);
    });
  });

  test('has the margin and the leverage of its market, and is canceled by the id that MEXC gave it', async () => {
    await setTerms(1, 7);
    await venue.placeOrder(order());
    await venue.stops?.place(STOP);
    expect(lastTo(PLANS)).toMatchObject({ openType: 1, leverage: 7 });
    const { answer } = emulated.requests.findLast(({ path }) => path === PLANS) ?? {};
    await venue.stops?.cancel('BTCUSDT', STOP.clientStopId);
    const orderId = (answer as { data: string }).data;
    expect(lastTo('/api/v1/private/planorder/cancel')).toEqual([{ symbol: 'BTC_USDT', orderId }]);
    expect(emulated.market.stops.waiting()).toEqual([]);
  });
});

describe('a leverage', () => {
  test('is set for both directions of a market where nothing is held, with the margin that it has', async () => {
    await setTerms(1, 5);
    await venue.ensureLeverage('BTCUSDT', 7);
    const common = { symbol: 'BTC_USDT', openType: 1, leverage: 7 };
    expect(sentTo(LEVERAGES).slice(-2)).toEqual([
      { ...common, positionType: 1 },
      { ...common, positionType: 2 },
    ]);
  });

  test('of a position is set by the id of the position', async () => {
    await venue.placeOrder(order(OPEN_SHORT));
    const [position] = (await owner.get('private/position/open_positions')).data;
    // As at MEXC itself, where both directions have a leverage of their own.
    const path = '/api/v1/private/position/leverage';
    emulated.faults.editAnswer({ path }, (body) => ({
      ...body,
      data: body.data.map((row: object, index: number) => ({ ...row, leverage: index === 0 ? 7 : 20 })),
    }));
    await venue.ensureLeverage('BTCUSDT', 7);
    expect(lastTo(LEVERAGES)).toEqual({ positionId: String(position.positionId), leverage: 7 });
  });

  test('that is as it should be is not set again', async () => {
    await venue.ensureLeverage('BTCUSDT', 20);
    expect(sentTo(LEVERAGES)).toEqual([]);
  });
});

describe('what MEXC tells of an order', () => {
  const PATH = '/api/v1/private/order/external/BTC_USDT/sbx-asked';
  /** As in MEXC's own examples: an order that waits, of contracts of 0.0001 BTC. */
  const ROW = {
    ...{
      orderId: '102015012431820288',
      symbol: 'BTC_USDT',
      positionId: 1394917,
      price: 49000.1,
      vol: 130,
      leverage: 20,
    },
    ...{ side: 1, category: 1, orderType: 1, dealAvgPrice: 0, dealVol: 0, takerFee: 0, makerFee: 0, profit: 0 },
    ...{ feeCurrency: 'USDT', openType: 2, state: 2, externalOid: 'sbx-asked', errorCode: 0, usedMargin: 0 },
    ...{ createTime: 1609992674000, updateTime: 1609992674000 },
  };
  const told = async (changes: object) => {
    const answer = { success: true, code: 0, data: { ...ROW, ...changes } };
    emulated.faults.answerInstead({ path: PATH }, 200, answer);
    const found = await venue.findOrder('BTCUSDT', 'sbx-asked');
    return found.found ? found.order : undefined;
  };

  test.each(DEEDS)('that %s', async (_, deed, side) => {
    expect(await told({ side })).toEqual({
      ...{ clientOrderId: 'sbx-asked', orderId: '102015012431820288', market: 'BTCUSDT', ...deed },
      ...{ status: 'submitted', quantity: decimal('0.013'), executedQuantity: decimal('0') },
      ...{ averagePrice: undefined, fills: [] },
    });
  });

  test.each([
    [{ state: 1 }, 'submitted'],
    [{ state: 2 }, 'submitted'],
    [{ state: 4 }, 'canceled'],
    // Nobody cancels these but the market, which could not fill them.
    [{ state: 4, orderType: 3 }, 'expired'],
    [{ state: 4, orderType: 4 }, 'expired'],
    [{ state: 4, orderType: 5 }, 'expired'],
    [{ state: 5, errorCode: 2 }, 'rejected'],
  ])('%o means %s', async (changes, status) => {
    expect(await told(changes)).toMatchObject({ status });
  });

  test('a side or a state that MEXC does not publish is no answer', async () => {
    await expect(told({ side: 5 })).rejects.toThrow();
    await expect(told({ state: 6 })).rejects.toThrow();
  });
});
