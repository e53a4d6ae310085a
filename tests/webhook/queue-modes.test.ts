// The three queue modes against a venue that is away, late, or loses its answers: nothing is lost, nothing is sent twice.

import { describe, expect, it } from 'vitest';
import { ANSWER_DEADLINE_MS } from '../../src/trading/execution/dispatch.ts';
import type { Sent } from '../support/gateway.ts';
import { timed } from '../support/lived-time.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { eventually, expectDuplicateOf, expectFilled, expectRefusal, freshGateway, KEY_1 } from './answers.ts';

function expectQueued(sent: Sent, price = 0): void {
  expect(sent.status).toBe(200);
  expect(sent.body).toEqual({
    success: true,
    requestId: expect.any(String),
    tradeResult: {
      ...{ success: true, orderId: '', status: 'Enqueued', executedQty: 0, price, queued: true },
      ...{ mode: 'paper', account: 'main' },
    },
    notificationResult: null,
  });
}

describe.concurrent('a lost answer', () => {
  it('to an order that was taken is found at the first look', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue] });
    venue.script.push({ fail: 'unknown', taken: true });
    expectFilled(await gateway.send());
    expect(venue.sent).toHaveLength(1);
  });

  it('to an order that shows only after a while is waited for', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue] });
    venue.script.push({ fail: 'unknown', taken: true });
    venue.hiddenLooks = 2;
    expectFilled(await gateway.send());
    expect(venue.sent).toHaveLength(1);
  });

  it('that says "duplicate" is success', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue] });
    venue.script.push({ fail: 'duplicate', taken: true });
    expectFilled(await gateway.send());
    expect(venue.sent).toHaveLength(1);
  });

  it('to an order the venue proves it never saw is sent again under the same id', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue] });
    venue.script.push({ fail: 'unknown' });
    venue.certain = true;
    const sent = await gateway.send();
    expect(sent.body.tradeResult.queued).toBe(true);
    await gateway.until(sent.body.requestId, 'Filled');
    expect(new Set(venue.sent.map((order) => order.clientOrderId)).size).toBe(1);
  });

  it('to an order the venue proves it never saw is 500 in direct mode', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue], controls: { queueMode: 'direct' } });
    venue.script.push({ fail: 'unknown' });
    venue.certain = true;
    expectRefusal(await gateway.send(), 'VENUE_UNREACHABLE', 'tradeResult', 'notificationResult');
    expect(venue.sent).toHaveLength(1);
  });

  it('that stays lost ends as Unknown, keeps its key, and is settled when the venue shows the order', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue], answerDeadlineMs: ANSWER_DEADLINE_MS });
    venue.script.push({ fail: 'unknown', taken: true, message: 'timed out' });
    venue.hiddenLooks = Number.POSITIVE_INFINITY;
    const sent = await gateway.send({ idempotencyKey: KEY_1 });
    expect([sent.status, sent.body.status]).toEqual([202, 'Enqueued']);
    const unknown = await gateway.until(sent.body.requestId, 'Unknown');
    expect(unknown.error).toContain(`look for order ${venue.sent[0]?.clientOrderId}`);
    expectDuplicateOf(await gateway.send({ idempotencyKey: KEY_1 }), sent);
    venue.hiddenLooks = 0;
    await gateway.desk.dispatcher.reconcile();
    expect((await gateway.until(sent.body.requestId, 'Filled')).executedQty).toBe(0.01);
    expect(venue.sent).toHaveLength(1);
  }, 30_000);

  it('is taken up by the next process', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue], controls: { queueMode: 'async' } });
    venue.script.push({ fail: 'unknown', taken: true });
    venue.hiddenLooks = Number.POSITIVE_INFINITY;
    const sent = await gateway.send();
    await eventually(
      () => venue.sent.length,
      (count) => count === 1,
    );
    await gateway.close();
    venue.hiddenLooks = 0;
    const again = await freshGateway({ venues: [venue], dataDir: gateway.dataDir });
    await again.until(sent.body.requestId, 'Filled');
    expect(venue.sent).toHaveLength(1);
  });
});

describe.concurrent('the deadline', () => {
  it.for(['direct', 'failover'] as const)(
    'in %s mode answers 202 after 2.5 s while execution goes on',
    async (queueMode) => {
      const venue = createScriptedVenue();
      const controls = { queueMode };
      const gateway = await freshGateway({ venues: [venue], controls, answerDeadlineMs: ANSWER_DEADLINE_MS });
      venue.script.push({ waitMs: 2700 });
      const { result: sent, elapsedMs, livedMs } = await timed(() => gateway.send());
      expect(elapsedMs).toBeGreaterThan(2490);
      expect(livedMs).toBeLessThan(2900);
      expect(sent.status).toBe(202);
      expect(sent.body).toEqual({
        success: true,
        requestId: expect.any(String),
        status: 'Enqueued',
        message: `still being executed; GET /trades/${sent.body.requestId} tells the outcome`,
      });
      expect((await gateway.until(sent.body.requestId, 'Filled')).executedQty).toBe(0.01);
      expect(venue.sent).toHaveLength(1);
    },
  );
});

describe.concurrent('failover', () => {
  it('queues a trade whose venue cannot be reached, and executes it when the venue is back', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue] });
    venue.down = 'not-sent';
    const sent = await gateway.send({ idempotencyKey: KEY_1 });
    expectQueued(sent);
    expect((await gateway.trade(sent.body.requestId)).status).toBe('Enqueued');
    expectDuplicateOf(await gateway.send({ idempotencyKey: KEY_1 }), sent);
    venue.down = undefined;
    expect((await gateway.until(sent.body.requestId, 'Filled')).executedQty).toBe(0.01);
    expect(venue.sent).toHaveLength(1);
  });

  it('queues a trade whose order was refused a connection, and sends it once more under the same id', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue] });
    venue.script.push({ fail: 'not-sent' });
    const sent = await gateway.send({ price: 99 });
    expectQueued(sent, 99);
    const trade = await gateway.until(sent.body.requestId, 'Filled');
    expect(venue.sent.map((order) => order.clientOrderId)).toEqual(Array(2).fill(trade.orders[0].clientOrderId));
    expect(trade.orders).toHaveLength(1);
  });

  it('lets a queued trade expire rather than execute it late, and gives its key back', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue], signalMaxAgeMs: 2000 });
    venue.down = 'not-sent';
    const sent = await gateway.send({ idempotencyKey: KEY_1 });
    expectQueued(sent);
    const expired = await gateway.until(sent.body.requestId, 'Expired');
    expect(expired.error).toContain('SIGNAL_MAX_AGE_S');
    venue.down = undefined;
    expectFilled(await gateway.send({ idempotencyKey: KEY_1 }));
    expect(venue.sent).toHaveLength(1);
  });

  it('serves other markets while one venue is away', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue] });
    venue.down = 'not-sent';
    expectQueued(await gateway.send());
    expectFilled(await gateway.send({ exchange: 'bybit' }));
  });

  it('takes a queued trade up again after a restart', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue] });
    venue.down = 'not-sent';
    const sent = await gateway.send();
    await gateway.close();
    venue.down = undefined;
    const again = await freshGateway({ venues: [venue], dataDir: gateway.dataDir });
    expect(again.recovered).toBe(1);
    await again.until(sent.body.requestId, 'Filled');
    expect(venue.sent).toHaveLength(1);
  });
});

describe.concurrent('direct', () => {
  it('answers 500 when the venue cannot be reached, sends nothing later and gives the key back', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue], controls: { queueMode: 'direct' } });
    venue.script.push({ fail: 'not-sent', message: 'connection refused' });
    const sent = await gateway.send({ idempotencyKey: KEY_1 });
    expectRefusal(sent, 'VENUE_UNREACHABLE', 'tradeResult', 'notificationResult');
    expect(sent.body.error).toContain('nothing was sent: connection refused');
    expect(sent.body.tradeResult).toMatchObject({ success: false, status: 'Rejected', queued: false });
    expectFilled(await gateway.send({ idempotencyKey: KEY_1 }));
    expect((await gateway.trade(sent.body.requestId)).status).toBe('Rejected');
  });
});

describe.concurrent('the queue mode', () => {
  it('is changed at run time, in force with the next request, and survives a restart', async () => {
    const gateway = await freshGateway();
    expectFilled(await gateway.send());
    await gateway.request('PUT', '/admin/queue-mode', { mode: 'async' });
    expect((await gateway.send()).status).toBe(202);
    await gateway.close();
    const again = await freshGateway({ dataDir: gateway.dataDir });
    expect((await again.request('GET', '/admin/queue-mode')).body.result).toEqual({ mode: 'async' });
    expect((await again.send({ quantity: 0.02 })).status).toBe(202);
  });

  it('async runs the trades of one market in the order they came', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue], controls: { queueMode: 'async' } });
    const quantities = Array.from({ length: 20 }, (_, i) => i + 1);
    const sent = await Promise.all(quantities.map((quantity) => gateway.send({ quantity })));
    for (const { status } of sent) expect(status).toBe(202);
    for (const { body } of sent) await gateway.until(body.requestId, 'Filled');
    const order = venue.sent.map(({ clientOrderId }) => clientOrderId);
    expect([...order].sort()).toEqual(order);
    expect(new Set(order).size).toBe(20);
  });
});
