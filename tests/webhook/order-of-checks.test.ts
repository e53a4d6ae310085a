// A request that is wrong in two ways gets the earlier answer: 413, 400, 403 key, 403 address, 429, 503, 409.

import { describe, expect, it } from 'vitest';
import type { GatewayErrorCode } from '../../src/services/gateway/errors.ts';
import type { Sent, TestGateway } from '../support/gateway.ts';
import {
  expectDuplicateOf,
  expectFaults,
  expectFilled,
  expectRefusal,
  freshGateway,
  KEY_1,
  tradeCount,
} from './answers.ts';

const STRANGER = { peer: '198.51.100.9' };
const kill = (gateway: TestGateway) => gateway.controls.set('killSwitch', { active: true, scope: 'all' }, 'test');
const allowOnly = (gateway: TestGateway, ...entries: string[]) => gateway.controls.set('allowlist', entries, 'test');
const limitTo = (gateway: TestGateway, webhookRatePerMinute: number) =>
  gateway.controls.set('limits', { webhookRatePerMinute, failedAuthPerMinute: 30 }, 'test');

describe.concurrent('the order of checks', () => {
  it('size before JSON', async () => {
    const gateway = await freshGateway({ frozenLimits: true });
    expectRefusal(await gateway.request('POST', '/webhook', '{'.repeat(65_537)), 'PAYLOAD_TOO_LARGE');
  });

  it('JSON before shape', async () => {
    const gateway = await freshGateway({ frozenLimits: true });
    expectRefusal(await gateway.request('POST', '/webhook', '{"quantity":0,"quantity":0}'), 'INVALID_JSON');
  });

  it('shape before key', async () => {
    const gateway = await freshGateway({ frozenLimits: true });
    expectFaults(await gateway.send({ apiKey: 'wrong', quantity: 0 }), 'quantity');
  });

  it('shape before the limit on wrong keys', async () => {
    const gateway = await freshGateway({ frozenLimits: true });
    for (let i = 0; i < 30; i++) await gateway.send({ apiKey: 'wrong' });
    expectFaults(await gateway.send({ apiKey: 'wrong', quantity: 0 }), 'quantity');
    expectRefusal(await gateway.send({ apiKey: 'wrong' }), 'TOO_MANY_FAILED_AUTHENTICATIONS');
  });

  it('key before address', async () => {
    const gateway = await freshGateway({ frozenLimits: true });
    await allowOnly(gateway, '203.0.113.1');
    expectRefusal(await gateway.send({ apiKey: 'wrong' }, STRANGER), 'AUTHENTICATION_FAILED');
  });

  it("the key's scope before address", async () => {
    const gateway = await freshGateway({ frozenLimits: true });
    await allowOnly(gateway, '203.0.113.1');
    const apiKey = await gateway.keyWith('narrow', { venues: ['mexc'] });
    expectRefusal(await gateway.send({ apiKey }, STRANGER), 'KEY_OUT_OF_SCOPE');
  });

  it('address before rate, and a blocked address uses up nothing', async () => {
    const gateway = await freshGateway({ frozenLimits: true });
    await limitTo(gateway, 1);
    await allowOnly(gateway, '127.0.0.1');
    for (let i = 0; i < 3; i++) expectRefusal(await gateway.send({}, STRANGER), 'ADDRESS_BLOCKED');
    expectFilled(await gateway.send());
    expectRefusal(await gateway.send({}, STRANGER), 'ADDRESS_BLOCKED');
  });

  it('rate before kill switch', async () => {
    const gateway = await freshGateway({ frozenLimits: true });
    await limitTo(gateway, 1);
    await kill(gateway);
    expectRefusal(await gateway.send(), 'KILL_SWITCH_ACTIVE');
    expectRefusal(await gateway.send(), 'RATE_LIMITED');
  });

  it('kill switch before duplicate', async () => {
    const gateway = await freshGateway({ frozenLimits: true });
    const first = await gateway.send({ idempotencyKey: KEY_1 });
    await kill(gateway);
    expectRefusal(await gateway.send({ idempotencyKey: KEY_1 }), 'KILL_SWITCH_ACTIVE');
    await gateway.controls.set('killSwitch', { active: false, scope: 'all' }, 'test');
    expectDuplicateOf(await gateway.send({ idempotencyKey: KEY_1 }), first);
  });

  it('duplicate before the venue', async () => {
    const gateway = await freshGateway({ frozenLimits: true });
    const first = await gateway.send({ idempotencyKey: KEY_1 });
    expectDuplicateOf(await gateway.send({ idempotencyKey: KEY_1, action: 'CLOSE_SHORT' }), first);
  });
});

describe.concurrent('a refusal before acceptance', () => {
  const refusals: [
    GatewayErrorCode,
    (gateway: TestGateway) => Promise<Sent>,
    (gateway: TestGateway) => Promise<void>,
  ][] = [
    ['INVALID_PAYLOAD', (gateway) => gateway.send({ idempotencyKey: KEY_1, quantity: 0 }), async () => {}],
    ['AUTHENTICATION_FAILED', (gateway) => gateway.send({ idempotencyKey: KEY_1, apiKey: 'wrong' }), async () => {}],
    [
      'ADDRESS_BLOCKED',
      async (gateway) => {
        await allowOnly(gateway, '203.0.113.1');
        return gateway.send({ idempotencyKey: KEY_1 });
      },
      (gateway) => allowOnly(gateway),
    ],
    [
      'RATE_LIMITED',
      async (gateway) => {
        await limitTo(gateway, 1);
        await gateway.send({ quantity: 0.0001 });
        return gateway.send({ idempotencyKey: KEY_1 });
      },
      (gateway) => limitTo(gateway, 0),
    ],
    [
      'KILL_SWITCH_ACTIVE',
      async (gateway) => {
        await kill(gateway);
        return gateway.send({ idempotencyKey: KEY_1 });
      },
      (gateway) => gateway.controls.set('killSwitch', { active: false, scope: 'all' }, 'test'),
    ],
  ];

  it.each(refusals)('with %s neither trades nor consumes the idempotency key', async (code, provoke, mend) => {
    const gateway = await freshGateway({ frozenLimits: true });
    const refused = await provoke(gateway);
    expect(refused.body.code).toBe(code);
    expect((await gateway.request('GET', '/positions')).body.result).toEqual([]);
    expect((await gateway.request('GET', `/trades/${refused.body.requestId}`)).body.code).toBe('TRADE_NOT_FOUND');
    await mend(gateway);
    const before = await tradeCount(gateway);
    expectFilled(await gateway.send({ idempotencyKey: KEY_1 }));
    expect(await tradeCount(gateway)).toBe(before + 1);
  });
});
