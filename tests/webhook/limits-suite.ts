// Rate limits at the door, wherever they are counted: wrong keys per address, and signals per key.

import { describe, expect, it } from 'vitest';
import type { GatewayOptions, Sent, TestGateway } from '../support/gateway.ts';
import { expectFaults, expectFilled, expectRefusal } from './answers.ts';

const A = { peer: '198.51.100.1' };
const B = { peer: '198.51.100.2' };

function expectRateHeaders({ headers, body }: Sent, policy: string, limit: number): void {
  const seconds = Number(headers.get('retry-after'));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(Math.ceil(60 / limit));
  expect(headers.get('ratelimit')).toBe(`"${policy}";r=0;t=${seconds}`);
  expect(headers.get('ratelimit-policy')).toBe(`"${policy}";q=${limit};w=60`);
  expect(body.error).toContain(`${seconds} s`);
}

/** Opens a gateway whose limits go by a clock that stands still. */
export type OpenLimited = (options?: GatewayOptions) => Promise<TestGateway>;

export function describeRateLimits(name: string, open: OpenLimited): void {
  describe.concurrent(`${name}: wrong keys`, () => describeWrongKeys(open));
  describe.concurrent(`${name}: signals`, () => describeSignals(open));
}

function describeWrongKeys(open: OpenLimited): void {
  const guess = (gateway: TestGateway, from = A) => gateway.send({ apiKey: 'wrong' }, from);

  it('are 403 thirty times a minute from one address, then 429, and a good key passes all the while', async () => {
    const gateway = await open();
    for (let i = 0; i < 30; i++) expectRefusal(await guess(gateway), 'AUTHENTICATION_FAILED');
    const refused = await guess(gateway);
    expectRefusal(refused, 'TOO_MANY_FAILED_AUTHENTICATIONS');
    expectRateHeaders(refused, 'wrong-keys', 30);
    for (const from of [A, B]) expectFilled(await gateway.send({}, from));
    expectRefusal(await guess(gateway), 'TOO_MANY_FAILED_AUTHENTICATIONS');
    expectRefusal(await guess(gateway, B), 'AUTHENTICATION_FAILED');
  });

  it('count together for both spellings of an IPv4 address', async () => {
    const gateway = await open();
    for (let i = 0; i < 30; i++) await guess(gateway, i % 2 ? A : { peer: `::ffff:${A.peer}` });
    expectRefusal(await guess(gateway), 'TOO_MANY_FAILED_AUTHENTICATIONS');
  });

  it('count per client behind a trusted proxy, and cannot be blamed on others by a made-up header', async () => {
    const gateway = await open({ trustedProxies: ['10.0.0.0/8'] });
    const via = (client: string) => ({ peer: '10.0.0.1', headers: { 'x-forwarded-for': client } });
    for (let i = 0; i < 30; i++) await guess(gateway, via(`192.0.2.${i}, ${A.peer}`));
    expectRefusal(await guess(gateway, via(A.peer)), 'TOO_MANY_FAILED_AUTHENTICATIONS');
    expectRefusal(await guess(gateway, via('192.0.2.5')), 'AUTHENTICATION_FAILED');
  });

  it('are not counted for bodies of the wrong shape', async () => {
    const gateway = await open();
    for (let i = 0; i < 40; i++) expectFaults(await gateway.send({ apiKey: 'wrong', quantity: 0 }, A), 'quantity');
    expectRefusal(await guess(gateway), 'AUTHENTICATION_FAILED');
  });

  it('follow a new limit at once, and 0 turns it off', async () => {
    const gateway = await open();
    await gateway.request('PUT', '/admin/limits', { failedAuthPerMinute: 2 });
    for (let i = 0; i < 2; i++) expectRefusal(await guess(gateway), 'AUTHENTICATION_FAILED');
    expectRefusal(await guess(gateway), 'TOO_MANY_FAILED_AUTHENTICATIONS');
    await gateway.request('PUT', '/admin/limits', { failedAuthPerMinute: 0 });
    for (let i = 0; i < 40; i++) expectRefusal(await guess(gateway), 'AUTHENTICATION_FAILED');
  });

  it('at POST /webhook/tradingview count with those at POST /webhook', async () => {
    const gateway = await open();
    for (let i = 0; i < 30; i++)
      await gateway.request('POST', '/webhook/tradingview', gateway.signal({ apiKey: 'wrong' }), A);
    expectRefusal(await guess(gateway), 'TOO_MANY_FAILED_AUTHENTICATIONS');
  });
}

function describeSignals(open: OpenLimited): void {
  const limited = (webhookRatePerMinute: number) =>
    open({ controls: { limits: { webhookRatePerMinute, failedAuthPerMinute: 30 } } });

  it.each([1, 3])('of one key are served %i times, then 429', async (limit) => {
    const gateway = await limited(limit);
    for (let i = 0; i < limit; i++) expectFilled(await gateway.send());
    const refused = await gateway.send();
    expectRefusal(refused, 'RATE_LIMITED');
    expectRateHeaders(refused, 'signals', limit);
    expect(refused.body.error).toContain(limit === 1 ? '1 signal a minute' : `${limit} signals a minute`);
  });

  it('of one key leave the other keys their own allowance', async () => {
    const gateway = await limited(1);
    const { apiKey } = await gateway.keys.create({ label: 'other' });
    expectFilled(await gateway.send());
    expectRefusal(await gateway.send(), 'RATE_LIMITED');
    expectFilled(await gateway.send({ apiKey }));
    expectRefusal(await gateway.send({ apiKey }), 'RATE_LIMITED');
  });

  it('are limited by key, wherever they come from', async () => {
    const gateway = await limited(1);
    expectFilled(await gateway.send({}, A));
    expectRefusal(await gateway.send({}, B), 'RATE_LIMITED');
  });

  it('keep their spent allowance when the key is rotated', async () => {
    const gateway = await limited(1);
    expectFilled(await gateway.send());
    const { apiKey } = await gateway.keys.rotate(gateway.keys.list()[0]?.keyId as string);
    expectRefusal(await gateway.send({ apiKey }), 'RATE_LIMITED');
  });

  it('have no limit at 0', async () => {
    const gateway = await limited(0);
    const all = await Promise.all(
      Array.from({ length: 150 }, () => gateway.send({ exchange: 'mexc', quantity: 0.0001 })),
    );
    // One that a busy machine did not fill in time is answered with 202.
    for (const { status } of all) expect([200, 202]).toContain(status);
    expect(all[0]?.headers.has('ratelimit')).toBe(false);
  });

  it('follow a new limit with the very next request', async () => {
    const gateway = await limited(0);
    expectFilled(await gateway.send());
    await gateway.request('PUT', '/admin/limits', { webhookRatePerMinute: 1 });
    expectFilled(await gateway.send());
    expectRefusal(await gateway.send(), 'RATE_LIMITED');
    await gateway.request('PUT', '/admin/limits', { webhookRatePerMinute: 0 });
    expectFilled(await gateway.send());
  });

  it('are not given a new allowance by a change of another control', async () => {
    const gateway = await limited(1);
    expectFilled(await gateway.send());
    await gateway.request('PUT', '/admin/queue-mode', { mode: 'direct' });
    expectRefusal(await gateway.send(), 'RATE_LIMITED');
  });
}
