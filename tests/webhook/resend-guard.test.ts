// Signals without an idempotencyKey: charting platforms resend after a 5xx, and that must not trade twice.

import { describe, expect, it } from 'vitest';
import { StorageError, UnknownOutcomeError } from '../../src/errors/storage-error.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { expectDuplicateOf, expectFilled, expectRefusal, freshGateway, KEY_1 } from './answers.ts';

/** A gateway that could not tell what became of its first signal; from then on its disk works. */
async function afterServerError(fields: Record<string, unknown> = {}) {
  const venue = createScriptedVenue();
  const gateway = await freshGateway({ venues: [venue], controls: { queueMode: 'direct' } });
  const { journal } = gateway.data;
  const { accept } = journal;
  Object.assign(journal, { accept: () => Promise.reject(new UnknownOutcomeError('the disk failed')) });
  const failed = await gateway.send(fields);
  Object.assign(journal, { accept });
  expectRefusal(failed, 'STORAGE_UNKNOWN');
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
    expect(venue.sent).toHaveLength(0);
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
    expectFilled(await gateway.send({ apiKey: (await gateway.keys.create({ label: 'other' })).apiKey }));
  });

  it('with an idempotencyKey is judged by that key alone', async () => {
    const { gateway } = await afterServerError({ idempotencyKey: KEY_1 });
    expectFilled(await gateway.send({ idempotencyKey: KEY_1 }));
  });

  it('sent 20 times at one instant is refused 20 times', async () => {
    const { gateway, failed, venue } = await afterServerError();
    const all = await Promise.all(Array.from({ length: 20 }, () => gateway.send()));
    for (const sent of all) expectDuplicateOf(sent, failed);
    expect(venue.sent).toHaveLength(0);
  });

  it('after half of a reversal was sent is guarded: the other half may not be what the resend means', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue], controls: { queueMode: 'direct' } });
    expectFilled(await gateway.send({ action: 'SHORT' }));
    venue.script.push({ waitMs: 1 }, { fail: 'not-sent' });
    const failed = await gateway.send();
    expectRefusal(failed, 'VENUE_UNREACHABLE', 'tradeResult', 'notificationResult');
    expectDuplicateOf(await gateway.send(), failed);
  });

  it('by a fault of our own counts too', async () => {
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

describe.concurrent('a body that was answered 5xx although certainly nothing was sent', () => {
  it('trades when it comes again: the venue could not be reached', async () => {
    const venue = createScriptedVenue();
    const gateway = await freshGateway({ venues: [venue], controls: { queueMode: 'direct' } });
    venue.script.push({ fail: 'not-sent' });
    expectRefusal(await gateway.send(), 'VENUE_UNREACHABLE', 'tradeResult', 'notificationResult');
    expectFilled(await gateway.send());
  });

  it('trades when it comes again: the kill switch was on', async () => {
    const gateway = await freshGateway();
    await gateway.controls.set('killSwitch', { active: true, scope: 'all' }, 'test');
    for (let i = 0; i < 2; i++) expectRefusal(await gateway.send(), 'KILL_SWITCH_ACTIVE');
    await gateway.controls.set('killSwitch', { active: false, scope: 'all' }, 'test');
    expectFilled(await gateway.send());
  });

  it('trades when it comes again: the disk was full', async () => {
    const gateway = await freshGateway();
    const { journal } = gateway.data;
    const { accept } = journal;
    Object.assign(journal, { accept: () => Promise.reject(new StorageError('the disk is full')) });
    expectRefusal(await gateway.send(), 'STORAGE_FAILED');
    Object.assign(journal, { accept });
    expectFilled(await gateway.send());
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
