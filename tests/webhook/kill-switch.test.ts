// The kill switch: 503 at the door, nothing queued leaves any more, and a restart does not forget it.

import { describe, expect, it } from 'vitest';
import type { TestGateway } from '../support/gateway.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { eventually, expectFilled, expectRefusal, freshGateway, KEY_1 } from './answers.ts';

const turn = (gateway: TestGateway, body: Record<string, unknown>) =>
  gateway.request('PUT', '/admin/kill-switch', body);

describe.concurrent('the kill switch', () => {
  it('answers every signal with 503 and the remedy, from the very next request', async () => {
    const gateway = await freshGateway();
    expectFilled(await gateway.send());
    expect((await turn(gateway, { active: true })).status).toBe(200);
    for (const action of ['LONG', 'SHORT', 'CLOSE_LONG', 'CLOSE_SHORT']) {
      const sent = await gateway.send({ action });
      expectRefusal(sent, 'KILL_SWITCH_ACTIVE');
      expect(sent.body.error).toBe(
        'trading is disabled by the kill switch; switch it off to trade again ("signalbox kill-switch off")',
      );
    }
    await turn(gateway, { active: false });
    expectFilled(await gateway.send({ quantity: 0.02 }));
  });

  it('says its reason', async () => {
    const gateway = await freshGateway();
    await turn(gateway, { active: true, reason: 'holiday' });
    expect((await gateway.send()).body.error).toContain('(holiday)');
  });

  it('with scope entries still lets positions be closed', async () => {
    const gateway = await freshGateway();
    await gateway.send({ action: 'LONG' });
    await gateway.send({ action: 'SHORT', exchange: 'bybit' });
    await turn(gateway, { active: true, scope: 'entries' });
    for (const action of ['LONG', 'SHORT']) {
      const sent = await gateway.send({ action });
      expectRefusal(sent, 'KILL_SWITCH_ACTIVE');
      expect(sent.body.error).toContain('new positions are disabled');
    }
    expectFilled(await gateway.send({ action: 'CLOSE_LONG' }));
    expectFilled(await gateway.send({ action: 'CLOSE_SHORT', exchange: 'bybit' }));
    expect((await gateway.request('GET', '/positions')).body.result).toEqual([]);
  });

  it('holds for POST /webhook/tradingview too', async () => {
    const gateway = await freshGateway();
    await turn(gateway, { active: true });
    expectRefusal(await gateway.request('POST', '/webhook/tradingview', gateway.signal()), 'KILL_SWITCH_ACTIVE');
  });

  it('survives a restart', async () => {
    const gateway = await freshGateway();
    await turn(gateway, { active: true, scope: 'entries', reason: 'storm' });
    await gateway.close();
    const again = await freshGateway({ dataDir: gateway.dataDir });
    expect((await again.request('GET', '/admin/kill-switch')).body.result).toEqual({
      active: true,
      scope: 'entries',
      cancelEntries: true,
      flatten: false,
      reason: 'storm',
    });
    expectRefusal(await again.send(), 'KILL_SWITCH_ACTIVE');
  });

  it('keeps queued trades from leaving, and gives their idempotency key back', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue], controls: { queueMode: 'async' } });
    venue.script.push({ waitMs: 300 });
    const first = await gateway.send({ quantity: 1 });
    const queued = await gateway.send({ quantity: 2, idempotencyKey: KEY_1 });
    await eventually(
      () => venue.sent.length,
      (count) => count === 1,
    );
    await turn(gateway, { active: true });
    const canceled = await gateway.until(queued.body.requestId, 'Canceled');
    expect(canceled.error).toContain('kill switch');
    expect((await gateway.until(first.body.requestId, 'Filled')).executedQty).toBe(1);
    expect(venue.sent).toHaveLength(1);
    await turn(gateway, { active: false });
    expect((await gateway.send({ quantity: 2, idempotencyKey: KEY_1 })).status).toBe(202);
  });

  it('keeps a trade that waits for its venue from leaving', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue] });
    venue.down = 'not-sent';
    const waiting = await gateway.send();
    expect(waiting.body.tradeResult.queued).toBe(true);
    await turn(gateway, { active: true });
    venue.down = undefined;
    await gateway.until(waiting.body.requestId, 'Canceled');
    expect(venue.sent).toHaveLength(0);
  });

  it('answers 503 to a direct signal that it caught in the lane', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue], controls: { queueMode: 'direct' } });
    venue.script.push({ waitMs: 300 });
    const first = gateway.send({ quantity: 1 });
    const second = gateway.send({ quantity: 2 });
    await eventually(
      () => venue.sent.length,
      (count) => count === 1,
    );
    await turn(gateway, { active: true });
    expectFilled(await first);
    const caught = await second;
    expectRefusal(caught, 'KILL_SWITCH_ACTIVE', 'tradeResult', 'notificationResult');
    expect(caught.body.tradeResult.status).toBe('Canceled');
    expect(venue.sent).toHaveLength(1);
  });
});
