// What becomes of an alert whose catching up goes wrong at the venue: the order itself is never sent on a wrong position.

import { expect, it } from 'vitest';
import { toText } from '../../src/trading/decimal.ts';
import type { Sent } from '../support/gateway.ts';
import { createScriptedVenue, type Script } from '../support/scripted-venue.ts';
import { createStrategy } from '../support/tradingview-strategy.ts';
import { eventually, expectFilled, expectRefusal, freshGateway } from './answers.ts';

const RESULTS = ['tradeResult', 'notificationResult'] as const;

/** A venue that meets its next orders so, and a strategy that believes to be long 1 while nothing is held. */
async function open(...script: Script[]) {
  const venue = createScriptedVenue();
  venue.script.push(...script);
  const gateway = await freshGateway({ venues: [venue], positionCheck: 'catch_up', controls: { queueMode: 'direct' } });
  const send = (idempotencyKey: string = crypto.randomUUID()): Promise<Sent> =>
    gateway.request('POST', '/webhook/tradingview', {
      ...{ apiKey: gateway.apiKey, exchange: 'binance', ticker: 'ETHUSDT.P', idempotencyKey },
      ...createStrategy(1).moveTo(3),
    });
  const sent = (): readonly string[] => venue.sent.map(({ side, quantity }) => `${side} ${toText(quantity)}`);
  return { gateway, venue, send, sent };
}

it('refused by the venue: the order is not sent, and the key may be used again', async () => {
  const { send, sent, venue } = await open({ fail: 'rejected', message: 'no margin' });
  const key = crypto.randomUUID();
  const refused = await send(key);
  expectRefusal(refused, 'ORDER_REJECTED', ...RESULTS);
  expect(refused.body.error).toContain('so the order itself was not sent: no margin');
  expect(sent()).toEqual(['BUY 1']);
  expectFilled(await send(key));
  expect(sent()).toEqual(['BUY 1', 'BUY 1', 'BUY 2']);
  expect(new Set(venue.sent.map(({ clientOrderId }) => clientOrderId)).size).toBe(3);
});

it('proved not to have left: it is sent again under the same id, and then the order', async () => {
  const { gateway, send, sent, venue } = await open({ fail: 'not-sent' });
  await gateway.request('PUT', '/admin/queue-mode', { mode: 'failover' });
  const queued = await send();
  await gateway.until(queued.body.requestId, 'Filled');
  expect(sent()).toEqual(['BUY 1', 'BUY 1', 'BUY 2']);
  expect(venue.sent[0]?.clientOrderId).toBe(venue.sent[1]?.clientOrderId);
});

it('answered late: the order goes on with what the venue says of it', async () => {
  const { send, sent } = await open({ fail: 'unknown', taken: true });
  expectFilled(await send());
  expect(sent()).toEqual(['BUY 1', 'BUY 2']);
});

it('refused after it: the answer says that what was missing is there', async () => {
  const { gateway, send, sent } = await open({ waitMs: 1 }, { fail: 'rejected', message: 'too fast' });
  const refused = await send();
  expectRefusal(refused, 'ORDER_REJECTED', ...RESULTS);
  expect(refused.body.error).toBe('what was missing before it was sent, the order itself was not: too fast');
  expect(refused.body.tradeResult.catchUp).toMatchObject([{ side: 'BUY', executedQty: 1 }]);
  expect(refused.body.tradeResult.executedQty).toBe(0);
  // Sent once more, nothing is missing any more.
  expectFilled(await send());
  expect(sent()).toEqual(['BUY 1', 'BUY 2', 'BUY 2']);
  expect((await gateway.request('GET', '/positions')).body.result).toMatchObject([{ quantity: 3 }]);
});

it('one that nobody knows the end of counts as on its way: the next alert does not send it a second time', async () => {
  const { gateway, venue, send, sent } = await open({ fail: 'unknown', taken: false });
  venue.hiddenLooks = 1000;
  const first = await send();
  await gateway.until(first.body.requestId, 'Unknown');
  expectFilled(await send());
  expect(sent()).toEqual(['BUY 1', 'BUY 2']);
});

it('an order that is only acknowledged is waited for, and its late fill is not taken for the order', async () => {
  const { gateway, venue, send, sent } = await open({ rest: true });
  const { body } = await send();
  await gateway.until(body.requestId, 'Unknown');
  venue.fill(venue.sent[0]?.clientOrderId ?? '');
  await gateway.until(body.requestId, 'Rejected');
  const trade = await gateway.trade(body.requestId);
  expect(trade.error).toContain('too late to send the order itself');
  expect(trade.executedQty).toBe(0);
  expect(sent()).toEqual(['BUY 1']);
  await eventually(
    async () => (await gateway.request('GET', '/positions')).body.result[0]?.quantity,
    (quantity) => quantity === 1,
  );
});

it('what was sent and is gone again is not sent a second time', async () => {
  const { gateway, venue, send, sent } = await open({ waitMs: 1 }, { fail: 'not-sent' });
  await gateway.request('PUT', '/admin/queue-mode', { mode: 'failover' });
  const sending = send();
  await eventually(
    () => venue.sent.length,
    (orders) => orders === 2,
  );
  // Somebody sells it at the venue before the order is tried again.
  venue.hold('LONG', '0');
  const { requestId } = (await sending).body;
  const { error } = await gateway.until(requestId, 'Rejected');
  expect(error).toContain('although what was missing has been sent already');
  expect(sent()).toEqual(['BUY 1', 'BUY 2']);
});
