// Orders through the front door: what is open, and what becomes of a wish to cancel it.

import { beforeEach, describe, expect, it } from 'vitest';
import { decimal } from '../../src/trading/decimal.ts';
import { VenueError } from '../../src/trading/venue.ts';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { createScriptedVenue, type ScriptedVenue } from '../support/scripted-venue.ts';
import { expectFaults, expectRefusal, freshGateway } from '../webhook/answers.ts';

let venue: ScriptedVenue;
let gateway: TestGateway;
beforeEach(async () => {
  venue = createScriptedVenue();
  gateway = await freshGateway({ venues: [venue] });
});

/** A limit order that rests; returns its client order id. */
async function rest(fields: object = {}, at: TestGateway = gateway): Promise<string> {
  venue.script.push({ rest: true });
  const { body } = await at.send({ price: 90, ...fields });
  expect(body.tradeResult.status).toBe('Submitted');
  return venue.sent.at(-1)?.clientOrderId as string;
}
const cancel = (id: string, at: TestGateway = gateway): Promise<Sent> => at.request('DELETE', `/orders/${id}`);
const cancelBy = (body: object): Promise<Sent> => gateway.request('POST', '/orders/cancel', body);
const idsOf = async (query = ''): Promise<string[]> =>
  (await gateway.request('GET', `/orders${query}`)).body.result.map(
    (row: { clientOrderId: string }) => row.clientOrderId,
  );
const storyOf = async (id: string) => {
  const { body } = await gateway.request('GET', '/orders?state=all');
  const { requestId } = body.result.find((row: { clientOrderId: string }) => row.clientOrderId === id);
  return gateway.trade(requestId);
};

describe('names that are not there', () => {
  it.each([
    ['account=nope', { account: 'nope' }, 'UNKNOWN_ACCOUNT', 'there is no account "nope"; there are main, scalp'],
    [
      'exchange=bybit&account=scalp',
      { exchange: 'bybit', account: 'scalp' },
      'UNKNOWN_ACCOUNT',
      'at bybit; there are main',
    ],
    ['symbol=FOO', { symbol: 'FOO' }, 'UNKNOWN_SYMBOL', 'there is no market FOO'],
    ['symbol=BTC', { symbol: 'BTC' }, 'UNKNOWN_SYMBOL', 'did you mean BTCUSDT?'],
    [undefined, { key: 'fnud' }, 'UNKNOWN_KEY', 'no webhook key is labelled "fnud"'],
  ])('%s are told, and do not look as if nothing were open', async (query, body, code, words) => {
    gateway = await freshGateway({ accounts: ['scalp'] });
    const sent = [await cancelBy(body), ...(query ? [await gateway.request('GET', `/orders?${query}`)] : [])];
    for (const each of sent) {
      expect([each.status, each.body.code]).toEqual([422, code]);
      expect(each.body.error).toContain(words);
    }
  });

  it('are told apart from what is merely empty', async () => {
    gateway = await freshGateway({ accounts: ['scalp'] });
    for (const body of [
      { account: 'scalp' },
      { symbol: 'ETHUSDT' },
      { key: 'test-0' },
      { key: 'email' },
      { all: true },
    ])
      expect([(await cancelBy(body)).status, (await cancelBy(body)).body.result]).toEqual([200, []]);
    expect(await idsOf('?exchange=bybit&account=main&symbol=ETHUSDT&strategy=none')).toEqual([]);
  });
});

describe('GET /orders', () => {
  it('shows the open ones, newest first, each with its trade', async () => {
    await gateway.send();
    const first = await rest({ strategy: 'trend' });
    const second = await rest({ symbol: 'ETHUSDT' });
    const { status, body } = await gateway.request('GET', '/orders');
    expect(status).toBe(200);
    expect(body.result).toMatchObject([
      { clientOrderId: second, market: 'ETHUSDT', strategy: null },
      {
        ...{ clientOrderId: first, exchange: 'binance', account: 'main', mode: 'paper', market: 'BTCUSDT' },
        ...{ side: 'BUY', positionSide: 'LONG', reduceOnly: false, quantity: 0.01, price: 90 },
        ...{ status: 'Submitted', executedQty: 0, averagePrice: null, keyLabel: 'test-0', strategy: 'trend' },
      },
    ]);
  });

  it('filters by each of its parameters and pages without gap or repetition', async () => {
    await gateway.send();
    const [a, b, c] = [await rest({ strategy: 'trend' }), await rest({ symbol: 'ETHUSDT' }), await rest()];
    expect(await idsOf('?symbol=ETH/USDT')).toEqual([b]);
    expect(await idsOf('?strategy=trend')).toEqual([a]);
    expect(await idsOf('?strategy=')).toEqual([c, b]);
    expect(await idsOf('?exchange=bybit')).toEqual([]);
    expect(await idsOf('?state=Filled')).toHaveLength(1);
    expect(await idsOf('?state=all')).toHaveLength(4);
    expect(await idsOf('?limit=2')).toEqual([c, b]);
    expect(await idsOf(`?limit=2&before=${b}`)).toEqual([a]);
    expect((await idsOf(`?state=all&before=${b}`)).length).toBe(2);
  });

  it.each(['?state=canceled', '?limit=0', '?limit=501', '?before=x', '?symbol=-', '?colour=red'])(
    'refuses %s in words',
    async (query) => {
      expectRefusal(await gateway.request('GET', `/orders${query}`), 'INVALID_QUERY');
    },
  );

  it('is for the owner', async () => {
    for (const [method, path] of [
      ['GET', '/orders'],
      ['DELETE', '/orders/x'],
      ['POST', '/orders/cancel'],
    ] as const)
      expectRefusal(await gateway.request(method, path, undefined, { peer: '198.51.100.1' }), 'UNAUTHORIZED');
  });
});

describe('DELETE /orders/{clientOrderId}', () => {
  it('cancels an order, and its trade tells who asked', async () => {
    const id = await rest();
    const { status, body } = await cancel(id);
    expect([status, body.result]).toMatchObject([200, { clientOrderId: id, status: 'Canceled', executedQty: 0 }]);
    const story = await storyOf(id);
    expect(story).toMatchObject({ status: 'Canceled', error: 'canceled by api 127.0.0.1' });
    expect(story.events.map(({ kind }: { kind: string }) => kind)).toEqual([
      ...['accepted', 'sending', 'submitted', 'cancel-asked', 'canceled'],
    ]);
    expect(story.events[3].detail).toBe('by api 127.0.0.1');
    expect(await idsOf()).toEqual([]);
  });

  it('keeps what had filled before', async () => {
    const id = await rest({ quantity: 1 });
    const { cancelOrder } = venue;
    venue.cancelOrder = async (market, clientOrderId) => {
      const fill = { fillId: 'f', quantity: decimal('0.4'), price: decimal('90'), fee: decimal('0'), atMs: 1 };
      const canceled = await cancelOrder(market, clientOrderId);
      return { ...canceled, executedQuantity: decimal('0.4'), averagePrice: decimal('90'), fills: [fill] };
    };
    expect((await cancel(id)).body.result).toMatchObject({ status: 'Canceled', executedQty: 0.4, averagePrice: 90 });
    expect(await storyOf(id)).toMatchObject({ status: 'Canceled', executedQty: 0.4, fills: [{ quantity: 0.4 }] });
    expect((await gateway.request('GET', '/positions')).body.result).toMatchObject([{ side: 'LONG', quantity: 0.4 }]);
  });

  it('is 409 with its last word for one that has ended, and asks no venue', async () => {
    const id = await rest();
    await cancel(id);
    venue.cancelOrder = () => Promise.reject(new Error('must not be asked'));
    const again = await cancel(id);
    expectRefusal(again, 'ORDER_ENDED', 'result');
    expect(again.body.error).toContain('Canceled already');
    expect(again.body.result).toMatchObject({ clientOrderId: id, status: 'Canceled' });
  });

  it('tells of a fill that came before the cancel', async () => {
    const id = await rest();
    const { cancelOrder } = venue;
    venue.cancelOrder = async (market, clientOrderId) => {
      venue.cancelOrder = cancelOrder;
      venue.fill(clientOrderId);
      const lookup = await venue.findOrder(market, clientOrderId);
      if (!lookup.found) throw new Error('it is there');
      return lookup.order;
    };
    const sent = await cancel(id);
    expectRefusal(sent, 'ORDER_ENDED', 'result');
    expect(sent.body.error).toContain('Filled already: it ended at the venue before the cancel arrived');
    expect(sent.body.result).toMatchObject({ status: 'Filled', executedQty: 0.01 });
    expect(await storyOf(id)).toMatchObject({ status: 'Filled', fills: [{ quantity: 0.01 }] });
  });

  it.each(['nothing', 'sbx00000000000000000000000000o', `sbx${'v'.repeat(26)}o`])('is 404 for %s', async (id) => {
    expectRefusal(await cancel(id), 'ORDER_NOT_FOUND');
  });

  it('claims nothing while the venue cannot be reached, and works when it can', async () => {
    const id = await rest();
    const { cancelOrder } = venue;
    venue.cancelOrder = () => Promise.reject(new VenueError('not-sent', 'connection refused'));
    const sent = await cancel(id);
    expectRefusal(sent, 'VENUE_UNREACHABLE');
    expect(sent.body.error).toContain('was not canceled and stays as it is');
    expect(await idsOf()).toEqual([id]);
    expect(await storyOf(id)).toMatchObject({ status: 'Submitted', error: null });
    venue.cancelOrder = cancelOrder;
    expect((await cancel(id)).status).toBe(200);
  });

  it('of which nobody knows whether it arrived, says so and finds out', async () => {
    const id = await rest();
    const { cancelOrder } = venue;
    venue.cancelOrder = async (market, clientOrderId) => {
      await cancelOrder(market, clientOrderId);
      venue.down = 'unknown';
      throw new VenueError('unknown', 'timed out');
    };
    expectRefusal(await cancel(id), 'CANCEL_UNKNOWN');
    expect(await idsOf()).toEqual([id]);
    venue.down = undefined;
    await gateway.desk.dispatcher.reconcile();
    expect(await storyOf(id)).toMatchObject({ status: 'Canceled' });
  });

  it('that the venue refuses leaves the order as it is', async () => {
    const id = await rest();
    venue.cancelOrder = () => Promise.reject(new VenueError('rejected', 'the market is closed'));
    const sent = await cancel(id);
    expectRefusal(sent, 'ORDER_REJECTED');
    expect(sent.body.error).toContain('stays as it is: the market is closed');
    expect(await idsOf()).toEqual([id]);
  });

  it('passes the kill switch', async () => {
    const id = await rest();
    await gateway.request('PUT', '/admin/kill-switch', { active: true, cancelEntries: false });
    expect((await cancel(id)).status).toBe(200);
  });

  it('works after a restart, and asked for twice at once asks the venue once', async () => {
    const id = await rest();
    await gateway.close();
    let asked = 0;
    const { cancelOrder } = venue;
    venue.cancelOrder = (...order) => {
      asked++;
      return cancelOrder(...order);
    };
    gateway = await freshGateway({ venues: [venue], dataDir: gateway.dataDir });
    const both = await Promise.all([cancel(id), cancel(id)]);
    expect(both.map(({ status }) => status)).toEqual([200, 409]);
    expect(asked).toBe(1);
  });
});

describe('POST /orders/cancel', () => {
  it.each([
    ['nothing', {}, 'body'],
    ['all that is not true', { all: false }, 'body'],
    ['all and something else', { all: true, symbol: 'BTCUSDT' }, 'all'],
    ['a market that is none', { symbol: '-' }, 'symbol'],
    ['a side that is none', { side: 'LONG' }, 'side'],
    ['a misspelled field', { symbl: 'BTCUSDT' }, 'symbl'],
  ])('refuses %s and cancels nothing', async (_, body, field) => {
    const id = await rest();
    expectFaults(await cancelBy(body), field);
    expect(await idsOf()).toEqual([id]);
  });

  it('cancels what fits everything that is named, and lists each', async () => {
    venue.hold('LONG', '1');
    const entry = await rest({ strategy: 'trend' });
    const other = await rest({ symbol: 'ETHUSDT' });
    const { body } = await cancelBy({ exchange: 'binance', symbol: 'BTCUSDT', side: 'BUY', strategy: 'trend' });
    expect(body.result).toMatchObject([{ clientOrderId: entry, status: 'Canceled', outcome: 'canceled', error: null }]);
    expect(await idsOf()).toEqual([other]);
    expect((await cancelBy({ positionSide: 'SHORT' })).body.result).toEqual([]);
    expect((await cancelBy({ key: 'email' })).body.result).toEqual([]);
    expect((await cancelBy({ reduceOnly: true })).body.result).toEqual([]);
    expect((await cancelBy({ key: 'test-0', account: 'main' })).body.result).toMatchObject([{ clientOrderId: other }]);
  });

  it('cancels all, and tells of each that it could not', async () => {
    const [first, second] = [await rest(), await rest({ symbol: 'ETHUSDT' })];
    const { cancelOrder } = venue;
    venue.cancelOrder = (market, id) =>
      id === first ? Promise.reject(new VenueError('not-sent', 'no network')) : cancelOrder(market, id);
    const { status, body } = await cancelBy({ all: true });
    expect(status).toBe(200);
    const outcomes = body.result.map((row: { clientOrderId: string; outcome: string }) => [
      row.clientOrderId,
      row.outcome,
    ]);
    expect(outcomes.sort()).toEqual(
      [
        [first, 'unreachable'],
        [second, 'canceled'],
      ].sort(),
    );
    expect(await idsOf()).toEqual([first]);
  });

  it('also finds the order that was on its way to the venue when it was asked for', async () => {
    const reached = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const { placeOrder } = venue;
    venue.placeOrder = async (request) => {
      reached.resolve();
      await answer.promise;
      return placeOrder(request);
    };
    venue.script.push({ rest: true });
    const sent = gateway.send({ price: 90 });
    await reached.promise;
    const canceling = cancelBy({ all: true });
    answer.resolve();
    await sent;
    expect((await canceling).body.result).toMatchObject([{ outcome: 'canceled', status: 'Canceled' }]);
    expect(await idsOf()).toEqual([]);
  });
});
