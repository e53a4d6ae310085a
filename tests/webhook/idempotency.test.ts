// One idempotencyKey trades once within 24 hours, however often and from wherever it comes.

import { describe, expect, it } from 'vitest';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { expectDuplicateOf, expectFilled, expectRefusal, freshGateway, KEY_1, KEY_2, tradeCount } from './answers.ts';

const DAY_MS = 86_400_000;

describe.concurrent('the same idempotencyKey', () => {
  it('with the same body is 409 and names the first request', async () => {
    const gateway = await freshGateway();
    const first = await gateway.send({ idempotencyKey: KEY_1 });
    expectFilled(first);
    for (let i = 0; i < 3; i++) expectDuplicateOf(await gateway.send({ idempotencyKey: KEY_1 }), first);
    expect(await tradeCount(gateway)).toBe(1);
    expectFilled(await gateway.send({ idempotencyKey: KEY_2 }));
  });

  it('with another body is 409 too', async () => {
    const gateway = await freshGateway();
    const first = await gateway.send({ idempotencyKey: KEY_1 });
    const other = { idempotencyKey: KEY_1, exchange: 'mexc', action: 'SHORT', symbol: 'ETHUSDT', quantity: 3 };
    expectDuplicateOf(await gateway.send(other), first);
  });

  it('in another case is the same UUID', async () => {
    const gateway = await freshGateway();
    const first = await gateway.send({ idempotencyKey: KEY_1 });
    expectDuplicateOf(await gateway.send({ idempotencyKey: KEY_1.toUpperCase() }), first);
  });

  it('through the TradingView door is the same key', async () => {
    const gateway = await freshGateway();
    const first = await gateway.send({ idempotencyKey: KEY_1 });
    const body = gateway.signal({ idempotencyKey: KEY_1 });
    expectDuplicateOf(await gateway.request('POST', '/webhook/tradingview', body), first);
  });

  it.each(['direct', 'async'] as const)('sent 50 times at one instant in %s mode trades once', async (queueMode) => {
    const gateway = await freshGateway({ controls: { queueMode } });
    const all = await Promise.all(Array.from({ length: 50 }, () => gateway.send({ idempotencyKey: KEY_1 })));
    const [winner, ...others] = all.sort((a, b) => a.status - b.status);
    expect(winner?.status).toBe(queueMode === 'async' ? 202 : 200);
    expect(others).toHaveLength(49);
    for (const other of others) expectDuplicateOf(other, winner as (typeof all)[0]);
    await gateway.until(winner?.body.requestId, 'Filled');
    expect((await gateway.request('GET', '/positions')).body.result[0].quantity).toBe(0.01);
  });

  it('is a duplicate until 24 hours are over, and then begins anew', async () => {
    const gateway = await freshGateway();
    const first = await gateway.send({ idempotencyKey: KEY_1 });
    gateway.clock.offsetMs = DAY_MS - 5000;
    expectDuplicateOf(await gateway.send({ idempotencyKey: KEY_1 }), first);
    gateway.clock.offsetMs = DAY_MS;
    const second = await gateway.send({ idempotencyKey: KEY_1 });
    expectFilled(second);
    expectDuplicateOf(await gateway.send({ idempotencyKey: KEY_1 }), second);
  });

  it('has the window that is configured', async () => {
    const gateway = await freshGateway({ idempotencyWindowMs: 60_000 });
    await gateway.send({ idempotencyKey: KEY_1 });
    gateway.clock.offsetMs = 60_000;
    expectFilled(await gateway.send({ idempotencyKey: KEY_1 }));
  });

  it('stays a duplicate when the clock is set back', async () => {
    const gateway = await freshGateway();
    const first = await gateway.send({ idempotencyKey: KEY_1 });
    gateway.clock.offsetMs = -DAY_MS;
    expectDuplicateOf(await gateway.send({ idempotencyKey: KEY_1 }), first);
  });

  it('survives a restart', async () => {
    const gateway = await freshGateway();
    const first = await gateway.send({ idempotencyKey: KEY_1 });
    await gateway.close();
    const again = await freshGateway({ dataDir: gateway.dataDir });
    expectDuplicateOf(await again.send({ idempotencyKey: KEY_1 }), first);
  });
});

describe.concurrent('the idempotencyKey', () => {
  it('is given back when the venue placed no order', async () => {
    const gateway = await freshGateway();
    const refused = await gateway.send({ idempotencyKey: KEY_1, action: 'CLOSE_LONG' });
    expectRefusal(refused, 'ORDER_REJECTED', 'tradeResult', 'notificationResult');
    expectFilled(await gateway.send({ idempotencyKey: KEY_1 }));
  });

  it('is given back when the venue refused the order itself', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue] });
    venue.script.push({ fail: 'rejected' });
    expect((await gateway.send({ idempotencyKey: KEY_1 })).status).toBe(422);
    expectFilled(await gateway.send({ idempotencyKey: KEY_1 }));
  });

  it('keeps a signal from coming to nothing whose second try was told that it is taken, while its venue is away', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue], controls: { queueMode: 'direct' } });
    venue.script.push({ waitMs: 1000, thenFail: 'not-sent' });
    const first = gateway.send({ idempotencyKey: KEY_1 });
    await expect.poll(async () => (await gateway.request('GET', '/trades')).body.result.length).toBe(1);
    const again = await gateway.send({ idempotencyKey: KEY_1 });
    const answer = await first;
    expect([answer.status, answer.body.tradeResult.queued]).toEqual([200, true]);
    expectDuplicateOf(again, answer);
    await gateway.until(answer.body.requestId, 'Filled');
  });

  it('is kept when the opposite position was closed before the refusal', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue] });
    venue.hold('SHORT', '1');
    venue.script.push({ waitMs: 0 }, { fail: 'rejected', message: 'margin is insufficient' });
    const refused = await gateway.send({ idempotencyKey: KEY_1 });
    expectRefusal(refused, 'ORDER_REJECTED', 'tradeResult', 'notificationResult');
    expect(refused.body.error).toBe(
      'the opposite position was closed, but opening was refused: margin is insufficient',
    );
    expectDuplicateOf(await gateway.send({ idempotencyKey: KEY_1 }), refused);
  });
});
