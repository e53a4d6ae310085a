// Two accounts at one emulated venue, told apart by their API keys: each has orders, stops, positions, balances, settings and streams of its
// own, at the same prices.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decimal, toText } from '../../src/trading/decimal.ts';
import type { OrderRequest, StopRequest, Venue } from '../../src/trading/venue.ts';
import { openEmulatedAccount } from '../support/emulated-account.ts';
import type { EmulatedAccount, EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';
import { STOP_VENUES } from '../support/stop-venues.ts';

const SECOND = { apiKey: 'key-of-the-second', secret: 'secret-of-the-second' };
const MARKET = 'BTCUSDT';
const BUY: OrderRequest = {
  ...{ clientOrderId: 'sbxtwoaccounts1o', market: MARKET, side: 'BUY', positionSide: 'LONG' },
  ...{ quantity: decimal('0.01'), reduceOnly: false },
};
const SELL: OrderRequest = { ...BUY, side: 'SELL', positionSide: 'SHORT', quantity: decimal('0.02') };
const REST: OrderRequest = { ...BUY, clientOrderId: 'sbxtwoaccounts2o', price: decimal('49000') };
const STOP: StopRequest = {
  ...{ clientStopId: 'sbxtwoaccounts3s', market: MARKET, kind: 'stop', positionSide: 'LONG' },
  ...{ quantity: decimal('0.01'), triggerPrice: decimal('48000') },
};

describe.each(STOP_VENUES)('$exchange', ({ exchange, start, order, setMode }) => {
  let emulated: EmulatedVenue;
  let second: EmulatedAccount;
  let main: Venue;
  let other: Venue;

  beforeEach(async () => {
    let aheadMs = 0;
    const nowMs = () => Date.now() + aheadMs;
    emulated = await start({ nowMs });
    second = emulated.openAccount(SECOND);
    for (const market of [MARKET, 'ETHUSDT']) emulated.market.setPrice(market, market === MARKET ? '50000' : '3000');
    main = await openEmulatedAccount(exchange, emulated, { nowMs });
    await main.market(MARKET);
    // MEXC tells an address its contracts once in five seconds.
    aheadMs += 6_000;
    other = await openEmulatedAccount(exchange, { ...emulated, ...second }, { nowMs });
    await other.market(MARKET);
  });

  afterEach(async () => {
    await Promise.all([main.close(), other.close()]);
    await emulated.close();
  });

  const held = ({ market }: EmulatedAccount): readonly string[] =>
    market.account.heldPositions().map(({ quantity }) => toText(quantity));

  test('an order is one of its account alone, although both have its id', async () => {
    await main.placeOrder(BUY);
    expect(await other.findOrder(MARKET, BUY.clientOrderId)).toMatchObject({ found: false });
    expect(await other.positions(MARKET)).toEqual([]);
    await other.placeOrder(SELL);
    expect([held(emulated), held(second)]).toEqual([['0.01'], ['-0.02']]);
    expect(await main.positions(MARKET)).toMatchObject([{ side: 'LONG', quantity: BUY.quantity }]);
    expect(await other.positions(MARKET)).toMatchObject([{ side: 'SHORT', quantity: SELL.quantity }]);
    const ids = [emulated, second].flatMap(({ market }) => market.orders.map(({ orderId }) => orderId));
    expect(new Set(ids).size).toBe(2);
    expect(toText((await main.summary()).balance)).not.toBe(toText((await other.summary()).balance));
  });

  test('a stop, a leverage and a position mode too', async () => {
    await setMode({ ...emulated, ...second }, exchange !== 'mexc');
    await main.placeOrder(BUY);
    await main.stops?.place(STOP);
    expect([await main.stops?.waiting(), await other.stops?.waiting()]).toMatchObject([[{ kind: 'stop' }], []]);
    await expect(other.stops?.cancel(MARKET, STOP.clientStopId)).rejects.toThrow(/does not show|in doubt|appear/);
    expect(emulated.market.stops.waiting()).toHaveLength(1);
    await main.ensureLeverage(MARKET, 7);
    expect([emulated, second].map(({ market }) => market.account.settings(MARKET).leverage === 7)).toEqual([
      true,
      false,
    ]);
    expect(await main.readPositionMode?.()).not.toBe(await other.readPositionMode?.());
  });

  test('each hears of its own orders, at prices that both have', async () => {
    const heard: string[] = [];
    main.watchOrders(({ status }) => heard.push(`main ${status}`));
    other.watchOrders(({ status }) => heard.push(`other ${status}`));
    await other.placeOrder(REST);
    emulated.faults.toldStreams.clear();
    emulated.market.setPrice(MARKET, '48999');
    await expect.poll(() => heard).toEqual(['other filled']);
    expect(held(second)).toEqual(['0.01']);
    expect(emulated.faults.toldStreams.size).toBeLessThanOrEqual(1);
  });

  test('a fault that is planned for one does not meet the other', async () => {
    emulated.faults.plan({ ...order, apiKey: SECOND.apiKey }, { type: 'drop', when: 'before' }, 100);
    expect(await main.findOrder(MARKET, BUY.clientOrderId)).toMatchObject({ found: false });
    await expect(other.findOrder(MARKET, BUY.clientOrderId)).rejects.toThrow();
  });

  test('a signature by the secret of another account is refused', async () => {
    const mixed = { ...emulated, credentials: { ...SECOND, secret: emulated.credentials.secret } };
    const wrong = await openEmulatedAccount(exchange, mixed);
    await expect(wrong.summary()).rejects.toMatchObject({ failure: 'rejected' });
    await wrong.close();
  });

  test('an API key belongs to one account', () => {
    expect(() => emulated.openAccount(SECOND)).toThrow('another account has this API key');
  });
});
