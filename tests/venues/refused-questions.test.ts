// A venue that refuses what is asked before a close, seen through the whole gateway: the close waits for it and is told, an entry is
// refused. So is a close whose order the venue refused unseen; one that ends refused leaves an alarm.

import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/exchanges/exchange.ts';
import { LIVE_VENUES, type LiveGateway } from '../support/live-gateway.ts';
import { STOP_VENUES } from '../support/stop-venues.ts';
import { eventually, openStopsGateway } from '../support/stops-gateway.ts';

type Refusal = readonly [status: number, body: object];

/** Of a question: that the key may not ask it, that nobody may now, and what nobody here knows. */
const REFUSED: Readonly<Record<Exchange, readonly Refusal[]>> = {
  binance: [
    [400, { code: -2015, msg: 'Invalid API-key, IP, or permissions for action.' }],
    [400, { code: -1016, msg: 'This service is no longer available.' }],
  ],
  bybit: [
    [200, { retCode: 10010, retMsg: 'Unmatched IP', result: {} }],
    [200, { retCode: 10009, retMsg: 'The IP has been banned', result: {} }],
    [200, { retCode: 99999, retMsg: 'unheard of', result: {} }],
  ],
  mexc: [
    [200, { success: false, code: 406, message: 'The accessed IP is not in the whitelist' }],
    [200, { success: false, code: 9999, message: 'system maintenance' }],
  ],
};
/** Of an order: the venue did not look at it. */
const UNSEEN: Readonly<Record<Exchange, Refusal>> = {
  binance: [503, { code: -1008, msg: 'Service Unavailable' }],
  bybit: [200, { retCode: 10019, retMsg: 'the trade service is restarting', result: {} }],
  mexc: [200, { success: false, code: 801, message: 'server busy' }],
};
/** Of an order: whatever is wrong with it, it stays so. */
const REFUSED_ORDER: Readonly<Record<Exchange, Refusal>> = {
  binance: [400, { code: -4003, msg: 'Quantity less than zero.' }],
  bybit: [200, { retCode: 110003, retMsg: 'Order price exceeds the allowable range', result: {} }],
  mexc: [200, { success: false, code: 6001, message: 'Trading forbidden' }],
};
const ATTEMPTS = 3;
/** An address that is banned for a while cannot reach the venue. */
const TOLD = /refuses what is asked before CLOSE_LONG 0.01 BTCUSDT|bybit cannot be reached: .*fewer requests/;

const statusOf = async (gateway: LiveGateway): Promise<unknown> => (await gateway.ask('/trades')).result[0]?.status;

test('has a row for every venue', () => {
  expect(Object.keys(REFUSED)).toEqual(LIVE_VENUES.map(({ exchange }) => exchange));
});

describe.each(STOP_VENUES)('$exchange', (row) => {
  test.each(['failover', 'async'])(
    'in %s a close waits for a venue that refuses what is asked before it',
    async (mode) => {
      const gateway = await openStopsGateway(row, { settings: { QUEUE_MODE: mode } });
      for (const [status, body] of REFUSED[row.exchange]) {
        await gateway.outcome();
        expect(gateway.held()).toBe('LONG 0.01');
        gateway.emulated.faults.answerInstead(row.positions, status, body, ATTEMPTS);
        await gateway.send({ action: 'CLOSE_LONG' });
        await eventually(() => expect(gateway.alarms()).toMatch(TOLD));
        await eventually(async () => expect(await statusOf(gateway)).toBe('Filled'));
        // A key that was refused is asked about every 15 seconds.
        await eventually(() => expect([gateway.held(), gateway.alarms()]).toEqual(['', '']));
      }
    },
  );

  test('in direct its sender is told at once, and an entry does not wait', async () => {
    const gateway = await openStopsGateway(row, { settings: { QUEUE_MODE: 'direct' } });
    const [[status, body]] = REFUSED[row.exchange] as [Refusal];
    await gateway.outcome();
    gateway.emulated.faults.answerInstead(row.positions, status, body);
    expect(await gateway.outcome({ action: 'CLOSE_LONG' })).toMatchObject({ status: 'Rejected' });
    expect(gateway.alarms()).toMatch(/CLOSE_LONG 0.01 BTCUSDT on .* was refused: .*may still be open/);
    gateway.emulated.faults.answerInstead(row.positions, status, body);
    expect(await gateway.outcome({ quantity: 0.02 })).toMatchObject({ status: 'Rejected' });
    expect(gateway.held()).toBe('LONG 0.01');
  });

  test('a close that the venue did not look at is sent again', async () => {
    const gateway = await openStopsGateway(row, { settings: { QUEUE_MODE: 'async' } });
    await gateway.outcome();
    gateway.emulated.faults.answerInstead(row.orders, ...UNSEEN[row.exchange]);
    await gateway.send({ action: 'CLOSE_LONG' });
    await eventually(async () => expect(await statusOf(gateway)).toBe('Filled'));
    expect([gateway.held(), gateway.orders()]).toEqual(['', ['BUY 0.01 FILLED', 'SELL 0.01 FILLED']]);
  });

  test('a close whose order the venue refuses leaves an alarm, one without a position does not', async () => {
    const gateway = await openStopsGateway(row);
    expect(await gateway.outcome({ action: 'CLOSE_LONG' })).toMatchObject({ status: 'Rejected' });
    expect(gateway.alarms()).toBe('');
    await gateway.outcome();
    gateway.emulated.faults.answerInstead(row.orders, ...REFUSED_ORDER[row.exchange]);
    expect(await gateway.outcome({ action: 'CLOSE_LONG' })).toMatchObject({ status: 'Rejected' });
    expect(gateway.alarms()).toMatch(/CLOSE_LONG 0.01 BTCUSDT on .* was refused: .*may still be open/);
  });
});
