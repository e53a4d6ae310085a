// Lists of a venue with a row that nobody here can read, through the whole gateway: an order that the owner has placed by hand, a
// position in a contract of another kind, a market with rules that make no sense. It must not take the others with it.

import { afterEach, describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/exchanges/exchange.ts';
import { createLog } from '../../src/http/log.ts';
import { decimal } from '../../src/trading/decimal.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import type { AnswerEdit, FaultMatch } from '../support/emulated-venues/faults.ts';
import { LIVE_VENUES, type LiveGateway, type LiveVenueRow, MARKET, openLiveGateway } from '../support/live-gateway.ts';
import { eventually } from '../support/stops-gateway.ts';

type Row = Readonly<Record<string, unknown>>;

interface ListRow {
  readonly orders: FaultMatch;
  readonly markets: FaultMatch;
  /** An order of a kind that nobody knows, with this client order id. */
  readonly strange: (clientOrderId: string) => Row;
  /** A position in ETHUSDT without a size that can be read. */
  readonly unreadable: Row;
  /** Puts rows into the list of an answer. */
  readonly add: (...rows: readonly Row[]) => AnswerEdit;
  /** Changes the row of ETHUSDT in the list of an answer. */
  readonly change: (changes: Row) => AnswerEdit;
  readonly malformed: Row;
  readonly halted: Row;
}

const changed =
  (isMeant: (row: Row) => boolean, changes: Row) =>
  (rows: readonly Row[]): readonly Row[] =>
    rows.map((row) => (isMeant(row) ? { ...row, ...changes } : row));

const LISTS: Readonly<Record<Exchange, ListRow>> = {
  binance: {
    orders: { method: 'GET', path: '/fapi/v1/openOrders' },
    markets: { method: 'GET', path: '/fapi/v1/exchangeInfo' },
    strange: (clientOrderId) => ({
      ...{ orderId: 77, clientOrderId, symbol: MARKET, side: 'SHORTISH', type: 'ICEBERG', status: 'HIBERNATING' },
    }),
    unreadable: { symbol: 'ETHUSDT', positionSide: 'BOTH', positionAmt: 'many' },
    add:
      (...rows) =>
      (body) => [...body, ...rows],
    change: (changes) => (body) =>
      Array.isArray(body)
        ? changed(({ symbol }) => symbol === 'ETHUSDT', changes)(body)
        : { ...body, symbols: changed(({ symbol }) => symbol === 'ETHUSDT', changes)(body.symbols) },
    malformed: { filters: [{ filterType: 'PRICE_FILTER', tickSize: 'fine' }] },
    halted: { status: 'SETTLING' },
  },
  bybit: {
    orders: { method: 'GET', path: '/v5/order/realtime' },
    markets: { method: 'GET', path: '/v5/market/instruments-info' },
    strange: (orderLinkId) => ({
      ...{ orderId: '77', orderLinkId, symbol: MARKET, side: 'Shortish', orderType: 'Iceberg' },
      ...{ orderStatus: 'Hibernating', triggerPrice: 'soon' },
    }),
    unreadable: { symbol: 'ETHUSDT', positionIdx: 0, side: 'Buy', size: 'many' },
    // One order is asked for at the same place as all of them.
    add:
      (...rows) =>
      (body, query) =>
        query.includes('orderLinkId') || query.includes('USDC')
          ? body
          : { ...body, result: { ...body.result, list: [...body.result.list, ...rows] } },
    change: (changes) => (body) => ({
      ...body,
      result: { ...body.result, list: changed(({ symbol }) => symbol === 'ETHUSDT', changes)(body.result.list) },
    }),
    malformed: { lotSizeFilter: { qtyStep: '0' } },
    halted: { status: 'Delivering' },
  },
  mexc: {
    orders: { method: 'GET', path: '/api/v1/private/order/list/open_orders*' },
    markets: { method: 'GET', path: '/api/v1/contract/detail' },
    strange: (externalOid) => ({ orderId: '77', externalOid, symbol: 'BTC_USDT', side: 9, orderType: 9, state: 77 }),
    unreadable: { symbol: 'ETH_USDT', positionType: 1, holdVol: 'many' },
    add:
      (...rows) =>
      (body) => ({ ...body, data: [...body.data, ...rows] }),
    // MEXC gives the list once in five seconds.
    change: (changes) => (body) =>
      body.data ? { ...body, data: changed(({ symbol }) => symbol === 'ETH_USDT', changes)(body.data) } : body,
    malformed: { contractSize: 'large' },
    halted: { state: 4 },
  },
};

interface Compared {
  readonly error: string | null;
  readonly differences: readonly { readonly kind: string; readonly detail: string; readonly outcome: string }[];
}

describe.each(LIVE_VENUES)('$exchange', (row: LiveVenueRow) => {
  const { exchange } = row;
  const list = LISTS[exchange];
  let lines: string[] = [];

  afterEach(() => {
    lines = [];
  });

  async function open(plan?: (faults: LiveGateway['emulated']['faults']) => void): Promise<LiveGateway> {
    const start: LiveVenueRow['start'] = async (given) => {
      const venue = await row.start(given);
      venue.market.setPrice('ETHUSDT', '3000');
      plan?.(venue.faults);
      return venue;
    };
    const log = createLog({ level: 'warn', name: 'test', destination: { write: (line) => void lines.push(line) } });
    const gateway = await openLiveGateway({ ...row, start }, { log });
    closeAtEnd(() => gateway.close());
    return gateway;
  }

  async function compare(gateway: LiveGateway): Promise<Compared> {
    for (;;) {
      const init = { method: 'POST' };
      const { result } = await gateway.ask<{ readonly result: readonly [Compared] }>('/reconciliation', init);
      if (!result[0].differences.some(({ outcome }) => outcome === 'open')) return result[0];
    }
  }

  test('an order of an unknown kind that the owner has placed does not hold up a close, and is told', async () => {
    const gateway = await open();
    await gateway.send();
    await gateway.send({ price: 49000 });
    gateway.emulated.faults.editAnswer(list.orders, list.add(list.strange('web_1')));
    const closed = await gateway.send({ action: 'CLOSE_LONG' });
    expect(closed).toMatchObject({ status: 200, tradeResult: { status: 'Filled' } });
    expect([gateway.held(), gateway.orders()]).toEqual(['', ['BUY 0.01 FILLED', 'BUY 0 CANCELED', 'SELL 0.01 FILLED']]);
    const { error, differences } = await compare(gateway);
    expect(error).toBeNull();
    expect(differences.filter(({ kind }) => kind === 'order-foreign')).toEqual([
      expect.objectContaining({ detail: expect.stringMatching(/^an order of an unknown kind in BTC_?USDT .*; 77\)/) }),
    ]);
  });

  test('an order with our prefix that cannot be read holds up a close until it can', async () => {
    const gateway = await open();
    await gateway.send();
    gateway.emulated.faults.editAnswer(list.orders, list.add(list.strange(`sbx${'7'.repeat(26)}`)));
    const closed = await gateway.send({ action: 'CLOSE_LONG' });
    expect([closed.tradeResult?.status, gateway.held()]).toEqual(['Enqueued', 'LONG 0.01']);
    gateway.emulated.faults.clear();
    await eventually(() => expect(gateway.held()).toBe(''));
  });

  test('a position that cannot be read does not hide those of other markets', async () => {
    const gateway = await open();
    await gateway.send();
    gateway.emulated.faults.editAnswer(row.positions, (body, query) =>
      /symbol=/i.test(query) ? body : list.add(list.unreadable)(body, query),
    );
    gateway.emulated.market.place({
      ...{ clientOrderId: 'web_2', symbol: MARKET, side: 'BUY', quantity: decimal('0.02'), reduceOnly: false },
      ...{ positionSide: exchange === 'mexc' ? 'LONG' : 'BOTH', timeInForce: 'GTC' },
    });
    const { error, differences } = await compare(gateway);
    expect([error, differences.map(({ outcome }) => outcome)]).toEqual([null, ['adopted']]);
    // Questions about two markets at once are one question for all of them.
    const both = await Promise.all([
      gateway.send({ action: 'CLOSE_LONG', quantity: 0.03 }),
      gateway.send({ symbol: 'ETHUSDT', quantity: 0.1 }),
    ]);
    expect(both.map(({ status }) => status)[0]).toBe(200);
    expect(gateway.held()).toBe('');
  });

  test('a market whose rules make no sense is left out, told once, and refused; the others trade', async () => {
    const gateway = await open((faults) => faults.editAnswer(list.markets, list.change(list.malformed)));
    expect(await gateway.send()).toMatchObject({ status: 200, tradeResult: { status: 'Filled' } });
    const refused = await gateway.send({ symbol: 'ETHUSDT', quantity: 0.1 });
    expect(refused).toMatchObject({ status: 422, code: 'UNKNOWN_SYMBOL' });
    expect(JSON.stringify(refused)).toContain('with rules that Signalbox cannot read');
    const told = lines.filter((line) => line.includes('whose rules cannot be read'));
    expect(told).toEqual([expect.stringContaining('["ETHUSDT"]')]);
  });

  test('a market that does not trade refuses entries, and its closes, cancels and stops are sent', async () => {
    const gateway = await open();
    const inEther = { symbol: 'ETHUSDT', quantity: 0.1 };
    await gateway.send({ ...inEther, stopLoss: 2900 });
    await gateway.send({ ...inEther, price: 2950 });
    gateway.emulated.faults.editAnswer(list.markets, list.change(list.halted));
    await gateway.restart();
    // MEXC tells its markets once in five seconds, so right after a start the answer may come later than its sender waits.
    expect(await gateway.outcome(inEther)).toMatchObject({
      status: 'Rejected',
      error: expect.stringContaining('nothing can be opened in ETHUSDT'),
    });
    const stop = { method: 'PUT', body: JSON.stringify({ stopLoss: 2910 }) };
    await gateway.ask(`/positions/${exchange}:ETHUSDT:LONG/protection`, stop);
    await eventually(() =>
      expect(gateway.emulated.market.stops.waiting('ETHUSDT').map(({ triggerPrice }) => triggerPrice)).toEqual([
        decimal('2910'),
      ]),
    );
    expect(await gateway.outcome({ ...inEther, action: 'CLOSE_LONG' })).toMatchObject({ status: 'Filled' });
    expect([gateway.held('ETHUSDT'), gateway.orders()]).toEqual([
      '',
      ['BUY 0.1 FILLED', 'BUY 0 CANCELED', 'SELL 0.1 FILLED'],
    ]);
  });
});
