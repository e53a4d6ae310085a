// Signals without an idempotencyKey: charting platforms resend after a 5xx, and that must not trade twice.

import { describe, expect, it } from 'vitest';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { expectDuplicateOf, expectFilled, expectRefusal, freshGateway, KEY_1 } from './answers.ts';

/** A gateway whose first signal was answered 500; from then on its venue works. */
async function afterServerError(fields: Record<string, unknown> = {}) {
  const venue = createScriptedVenue();
  const gateway = await freshGateway({ venues: [venue], controls: { queueMode: 'direct' } });
  venue.script.push({ fail: 'not-sent' });
  const failed = await gateway.send(fields);
  expectRefusal(failed, 'VENUE_UNREACHABLE', 'tradeResult', 'notificationResult');
  return { gateway, failed, venue };
}

describe.concurrent('a body that was answered 5xx', () => {
  it('is 409 when it comes again within 20 s, as often as it comes', async () => {
    const { gateway, failed, venue } = await afterServerError();
    const failedMs = performance.now();
    for (const afterMs of [0, 5000, 10_000, 15_000, 19_000]) {
      // However long this machine took for the steps before.
      gateway.clock.offsetMs = afterMs - Math.floor(performance.now() - failedMs);
      const again = await gateway.send();
      expectDuplicateOf(again, failed);
      expect(again.body.error).toContain('add an idempotencyKey');
    }
    expect(venue.sent).toHaveLength(1);
  });

  it('trades again after 20 s', async () => {
    const { gateway } = await afterServerError();
    gateway.clock.offsetMs = 20_000;
    expectFilled(await gateway.send());
  });

  it('does not stand in the way of a different body', async () => {
    const { gateway } = await afterServerError();
    expectFilled(await gateway.send({ quantity: 0.02 }));
    expectFilled(await gateway.send({ bar: 2 }));
  });

  it('does not stand in the way of the same signal from another key', async () => {
    const { gateway } = await afterServerError();
    expectFilled(await gateway.send({ apiKey: gateway.keys.create({ label: 'other' }).apiKey }));
  });

  it('with an idempotencyKey is judged by that key alone', async () => {
    const { gateway } = await afterServerError({ idempotencyKey: KEY_1 });
    expectFilled(await gateway.send({ idempotencyKey: KEY_1 }));
  });

  it('sent 20 times at one instant is refused 20 times', async () => {
    const { gateway, failed, venue } = await afterServerError();
    const all = await Promise.all(Array.from({ length: 20 }, () => gateway.send()));
    for (const sent of all) expectDuplicateOf(sent, failed);
    expect(venue.sent).toHaveLength(1);
  });

  it('by the kill switch counts too', async () => {
    const gateway = await freshGateway();
    gateway.controls.set('killSwitch', { active: true, scope: 'all' }, 'test');
    const killed = await gateway.send();
    expectRefusal(killed, 'KILL_SWITCH_ACTIVE');
    gateway.controls.set('killSwitch', { active: false, scope: 'all' }, 'test');
    expectDuplicateOf(await gateway.send(), killed);
  });

  it('by a disk that cannot be written counts too', async () => {
    const gateway = await freshGateway();
    const { journal } = gateway.data;
    const { accept, guardResend } = journal;
    const full = () => Promise.reject(new Error('the disk is full'));
    Object.assign(journal, { accept: full, guardResend: full });
    const failed = await gateway.send();
    expectRefusal(failed, 'INTERNAL');
    Object.assign(journal, { accept, guardResend });
    expectDuplicateOf(await gateway.send(), failed);
    expectFilled(await gateway.send({ quantity: 0.02 }));
  });
});

describe.concurrent('a body that was answered 2xx or 4xx', () => {
  it('trades again at once: a strategy may mean it', async () => {
    const gateway = await freshGateway();
    for (let i = 0; i < 3; i++) expectFilled(await gateway.send());
  });

  it('is not guarded after a refusal of the venue', async () => {
    const gateway = await freshGateway();
    for (let i = 0; i < 2; i++) expect((await gateway.send({ action: 'CLOSE_LONG' })).status).toBe(422);
  });
});

describe.concurrent('a restart', () => {
  it('after a crash guards every body of the last 20 s, for nobody knows which answers arrived', async () => {
    const gateway = await freshGateway();
    const sent = await gateway.send();
    expectFilled(sent);
    await gateway.close();
    const again = await freshGateway({ dataDir: gateway.dataDir, afterCrash: true });
    const { apiKey } = gateway;
    expectDuplicateOf(await again.send({ apiKey }), sent);
    expectFilled(await again.send({ apiKey, quantity: 0.02 }));
    again.clock.offsetMs = 21_000;
    expectFilled(await again.send({ apiKey }));
  });

  it('after a clean stop guards nothing that was answered well', async () => {
    const gateway = await freshGateway();
    expectFilled(await gateway.send());
    await gateway.close();
    const again = await freshGateway({ dataDir: gateway.dataDir });
    expectFilled(await again.send({ apiKey: gateway.apiKey }));
  });

  it('keeps the guard of a body that was answered 5xx', async () => {
    const { gateway, failed } = await afterServerError();
    await gateway.close();
    const again = await freshGateway({ dataDir: gateway.dataDir });
    expectDuplicateOf(await again.send({ apiKey: gateway.apiKey }), failed);
  });
});
