// A close that leaves something open, seen through the whole gateway: the position was misread, or the market could not fill it. The rest
// is closed by a second order, once and reduce-only, also where the process dies between the two; what still is open leaves an alarm.

import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/exchanges/exchange.ts';
import { tradeByHand } from '../support/emulated-venues/owner.ts';
import { MARKET } from '../support/live-gateway.ts';
import { STOP_VENUES, UNSEEN } from '../support/stop-venues.ts';
import { eventually, openStopsGateway, type StopsGateway } from '../support/stops-gateway.ts';

/** 0.01 as these venues write it, shown as less than half. */
const halved = (text: string): string =>
  text
    .replace(/"positionAmt":"0\.01\d*"/g, '"positionAmt":"0.004"')
    .replace(/"size":"0\.01\d*"/g, '"size":"0.004"')
    .replace(/"holdVol":100\b/g, '"holdVol":40');

/** Of an order: it is refused. */
const REFUSED: Readonly<Record<Exchange, readonly [status: number, body: object]>> = {
  binance: [400, { code: -2022, msg: 'ReduceOnly Order is rejected.' }],
  bybit: [200, { retCode: 110017, retMsg: 'current position is zero', result: {} }],
  mexc: [200, { success: false, code: 2009, message: 'Position is not exists or closed.' }],
};

/** Of a cancel: the venue does not do it, and the order stays. */
const CANCEL_REFUSED: Readonly<Record<Exchange, readonly [status: number, body: object]>> = {
  binance: [400, { code: -1016, msg: 'This service is no longer available.' }],
  bybit: [200, { retCode: 99999, retMsg: 'unheard of', result: {} }],
  mexc: [200, { success: false, code: 9999, message: 'system maintenance' }],
};

const lastStatus = async (gateway: StopsGateway) => (await gateway.ask('/trades')).result[0]?.status;

describe.each(STOP_VENUES)('$exchange', (row) => {
  async function holding(settings: Readonly<Record<string, string>> = {}): Promise<StopsGateway> {
    const gateway = await openStopsGateway(row, { settings });
    await gateway.outcome();
    expect(gateway.held()).toBe('LONG 0.01');
    return gateway;
  }
  const misread = (gateway: StopsGateway): void => gateway.emulated.faults.changeAnswer(row.positions, halved, 2);
  const TWO = ['BUY 0.01 FILLED', 'SELL 0.004 FILLED', 'SELL 0.006 FILLED'];

  test('a position that was shown too small is closed whole all the same', async () => {
    const gateway = await holding();
    misread(gateway);
    const closed = await gateway.outcome({ action: 'CLOSE_LONG', quantity: 5 });
    expect(closed).toMatchObject({ status: 'Filled', executedQty: 0.01, error: null });
    expect([gateway.held(), gateway.orders(), await gateway.booked(), gateway.alarms()]).toEqual(['', TWO, [], '']);
    const { orders } = closed as { orders: readonly { leg: string; reduceOnly: boolean; clientOrderId: string }[] };
    expect(orders.map(({ leg, reduceOnly }) => `${leg} ${reduceOnly}`)).toEqual(['close true', 'close_rest true']);
    // One more has nothing to close: it is refused, and nothing is left open for that.
    await gateway.send({ action: 'CLOSE_LONG', quantity: 5 });
    await eventually(async () => expect(await lastStatus(gateway)).toBe('Rejected'));
    expect([(await gateway.ask('/trades')).result[0]?.error, gateway.alarms()]).toEqual([
      expect.stringContaining('there is no long position in BTCUSDT'),
      '',
    ]);
  });

  test('so is one where the venue cannot be asked at first what is left', async () => {
    const gateway = await holding();
    misread(gateway);
    const { faults, market } = gateway.emulated;
    const stop = market.listen(() => {
      stop();
      faults.answerInstead(row.positions, 500, {}, 1);
    });
    const closed = await gateway.outcome({ action: 'CLOSE_LONG', quantity: 5 });
    expect(closed).toMatchObject({ status: 'Filled', executedQty: 0.01, error: null });
    expect([gateway.held(), gateway.orders(), gateway.alarms()]).toEqual(['', TWO, '']);
  });

  test('an entry that waits and that the venue keeps is told, because it may open again what was closed', async () => {
    const gateway = await holding();
    await gateway.outcome({ price: 49_000, quantity: 0.02 });
    const { faults, market } = gateway.emulated;
    faults.answerInstead(row.cancel, ...CANCEL_REFUSED[row.exchange], 1);
    const answer = await gateway.send({ action: 'CLOSE_LONG', quantity: 5 });
    const words = new RegExp(`order ${market.orders[1]?.clientOrderId} could not be canceled; it waits at the venue`);
    expect(answer).toMatchObject({ status: 200, warnings: expect.arrayContaining([expect.stringMatching(words)]) });
    expect([gateway.held(), gateway.alarms()]).toEqual(['', expect.stringMatching(words)]);
  });

  test('so is one that its owner closes', async () => {
    const gateway = await holding();
    misread(gateway);
    await gateway.ask('/positions/close', { method: 'POST', body: JSON.stringify({ all: true }) });
    await eventually(async () => expect([gateway.held(), await lastStatus(gateway)]).toEqual(['', 'Filled']));
    expect([gateway.orders(), gateway.alarms()]).toEqual([TWO, '']);
  });

  test('a part that was asked for stays a part', async () => {
    const gateway = await holding();
    misread(gateway);
    expect(await gateway.outcome({ action: 'CLOSE_LONG', quantity: 0.005 })).toMatchObject({ executedQty: 0.005 });
    expect([gateway.held(), gateway.alarms()]).toEqual(['LONG 0.005', '']);
  });

  test('a part that is cut to the step of its market is all there was to close, and raises no alarm', async () => {
    const gateway = await holding();
    const closed = await gateway.outcome({ action: 'CLOSE_LONG', quantity: 0.00555 });
    expect(closed).toMatchObject({ status: 'Filled', error: null });
    const share = { positions: [`${row.exchange}:BTCUSDT:LONG`], share: 0.333 };
    const { result } = await gateway.ask('/positions/close', { method: 'POST', body: JSON.stringify(share) });
    expect([result[0]?.error ?? null, gateway.alarms()]).toEqual([null, '']);
    expect(gateway.held()).toMatch(/^LONG 0\.00[34]/);
  });

  test('where the process ends before such a part is known to have filled, none is raised either', async () => {
    const gateway = await holding({ QUEUE_MODE: 'async' });
    const { market, faults } = gateway.emulated;
    market.listen(() => faults.answerInstead(row.orders, 500, {}, Number.POSITIVE_INFINITY));
    await gateway.send({ action: 'CLOSE_LONG', quantity: 0.00555 });
    await eventually(() => expect(market.orders.length).toBe(2));
    await gateway.stop();
    faults.clear();
    await gateway.restart();
    await eventually(async () => expect(await lastStatus(gateway)).toBe('Filled'));
    expect([(await gateway.ask('/trades')).result[0]?.error, market.orders.length]).toEqual([null, 2]);
    expect(gateway.alarms()).not.toMatch(/has not closed all/);
  });

  test('what the market could not fill even then is told', async () => {
    const gateway = await holding();
    gateway.emulated.market.setLiquidity(MARKET, '0.004');
    const closed = await gateway.outcome({ action: 'CLOSE_LONG', quantity: 5 });
    const error = expect.stringMatching(/the market could not fill the rest/);
    expect(closed).toMatchObject({ status: 'Expired', executedQty: 0.004, error });
    expect(gateway.alarms()).toMatch(/CLOSE_LONG 5 BTCUSDT on .* has not closed all: .*may still be open/);
    expect([gateway.held(), gateway.emulated.market.orders.length]).toEqual(['LONG 0.006', 3]);
  });

  test.each([1, 2, 4])('what a venue still shows for %i looks after a close is not closed again', async (looks) => {
    const gateway = await holding();
    const { faults, market } = gateway.emulated;
    let held = '';
    faults.changeAnswer(row.positions, (text) => (held = text), 1);
    await gateway.ask('/reconciliation', { method: 'POST' });
    const stop = market.listen(() => {
      stop();
      faults.changeAnswer(row.positions, () => held, looks);
    });
    const closed = await gateway.outcome({ action: 'CLOSE_LONG', quantity: 5 });
    expect(closed).toMatchObject({ status: 'Filled', executedQty: 0.01, error: null });
    expect([gateway.orders(), gateway.alarms()]).toEqual([['BUY 0.01 FILLED', 'SELL 0.01 FILLED'], '']);
  });

  test('a second order that the venue refuses is told as a part that is left', async () => {
    const gateway = await holding();
    misread(gateway);
    const { faults, market } = gateway.emulated;
    const stop = market.listen(() => {
      stop();
      faults.answerInstead(row.orders, ...REFUSED[row.exchange], 1);
    });
    const closed = await gateway.outcome({ action: 'CLOSE_LONG', quantity: 5 });
    const error = expect.stringMatching(/a part was left open and could not be closed: /);
    expect(closed).toMatchObject({ status: 'Filled', executedQty: 0.004, error });
    expect(gateway.alarms()).toMatch(/has not closed all: /);
    expect(gateway.held()).toBe('LONG 0.006');
  });

  test('so it is where the first order was canceled at the venue', async () => {
    const gateway = await holding({ QUEUE_MODE: 'async' });
    const { faults, market } = gateway.emulated;
    market.fillDelayMs = 60_000;
    const ended = gateway.outcome({ action: 'CLOSE_LONG', quantity: 5 });
    await eventually(() => expect(market.orders.length).toBe(2));
    faults.answerInstead(row.orders, ...REFUSED[row.exchange], 1);
    market.cancel(market.orders[1]!);
    expect(await ended).toMatchObject({ status: 'Expired', executedQty: 0 });
    expect([gateway.held(), gateway.alarms()]).toEqual(['LONG 0.01', expect.stringMatching(/has not closed all: /)]);
  });

  test('so it is of a position that our books do not know', async () => {
    const gateway = await openStopsGateway(row);
    const { faults, market } = gateway.emulated;
    const bought = { exchange: row.exchange, symbol: MARKET, side: 'BUY', quantity: '0.01', isHedge: false } as const;
    tradeByHand(gateway.emulated, bought);
    market.setLiquidity(MARKET, '0.004');
    const stop = market.listen(() => {
      if (market.orders.length < 2) return;
      stop();
      faults.answerInstead(row.orders, ...REFUSED[row.exchange], 1);
    });
    const closed = await gateway.outcome({ action: 'CLOSE_LONG', quantity: 5 });
    const error = expect.stringMatching(/a part was left open and could not be closed: /);
    expect(closed).toMatchObject({ status: 'Expired', executedQty: 0.004, error });
    expect([gateway.held(), gateway.alarms()]).toEqual(['LONG 0.006', expect.stringMatching(/has not closed all: /)]);
  });

  test('a second order that the venue did not take is sent again with the same id', async () => {
    const gateway = await holding({ QUEUE_MODE: 'async' });
    misread(gateway);
    const { faults } = gateway.emulated;
    const stop = gateway.emulated.market.listen(() => {
      stop();
      faults.answerInstead(row.orders, ...UNSEEN[row.exchange], 2);
    });
    await gateway.send({ action: 'CLOSE_LONG', quantity: 5 });
    await eventually(async () => expect([gateway.held(), await lastStatus(gateway)]).toEqual(['', 'Filled']));
    const sent = { method: row.orders.method ?? '', path: row.orders.path ?? '', apiKey: '' };
    expect([gateway.orders(), faults.take(sent)]).toEqual([TWO, []]);
  });

  test('where the process ends between the two orders the second is sent after the start, once', async () => {
    const gateway = await holding({ QUEUE_MODE: 'async' });
    const { market, faults } = gateway.emulated;
    market.setLiquidity(MARKET, '0.004');
    market.listen(() => faults.answerInstead(row.positions, 500, {}, Number.POSITIVE_INFINITY));
    const { requestId } = await gateway.send({ action: 'CLOSE_LONG', quantity: 5 });
    await eventually(() => expect(gateway.alarms()).toMatch(/cannot be reached/));
    expect([gateway.orders().at(-1), await lastStatus(gateway)]).toEqual(['SELL 0.004 EXPIRED', 'Enqueued']);
    await gateway.stop();
    faults.clear();
    market.setLiquidity(MARKET);
    await gateway.restart();
    await eventually(async () => expect([gateway.held(), await lastStatus(gateway)]).toEqual(['', 'Filled']));
    const ids = market.orders.map(({ clientOrderId }) => clientOrderId);
    expect([new Set(ids).size, ids.length]).toEqual([3, 3]);
    const { result } = await gateway.ask<{ result: { executedQty: number } }>(`/trades/${requestId}`);
    expect(result.executedQty).toBe(0.01);
  });
});
