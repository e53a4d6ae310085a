// Webhook keys at the door: in the body only, ended at once, and no wider than their scope.

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { expectFaults, expectFilled, expectRefusal, freshGateway } from './answers.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openGateway();
});
afterAll(() => gateway.close());

describe('the key', () => {
  it('is read from the body and never from a header, the query or a cookie', async () => {
    const { apiKey, ...rest } = gateway.signal();
    const headers = {
      authorization: `Bearer ${apiKey}`,
      'x-api-key': apiKey,
      apikey: apiKey,
      'x-internal-auth-key': apiKey,
      cookie: `apiKey=${apiKey}`,
    };
    expectFaults(await gateway.request('POST', `/webhook?apiKey=${apiKey}`, rest, { headers }), 'apiKey');
    expectRefusal(await gateway.send({ apiKey: 'wrong' }, { headers }), 'AUTHENTICATION_FAILED');
  });

  it.each([
    ['unknown', (key: string) => `whk_${'A'.repeat(key.length - 4)}`],
    ['cut by one character', (key: string) => key.slice(0, -1)],
    ['longer by one character', (key: string) => `${key}A`],
    ['in another case', (key: string) => key.toUpperCase()],
    ['surrounded by blanks', (key: string) => ` ${key} `],
    ['without its prefix', (key: string) => key.slice(4)],
  ])('that is %s is 403', async (_, change) => {
    const sent = await gateway.send({ apiKey: change(gateway.apiKey) });
    expectRefusal(sent, 'AUTHENTICATION_FAILED');
    expect(sent.body.error).not.toContain(change(gateway.apiKey).trim());
  });

  it('answers the same words whether it is unknown or revoked', async () => {
    const { key, apiKey } = await gateway.keys.create({ label: 'old' });
    await gateway.keys.revoke(key.keyId);
    const [revoked, unknown] = [await gateway.send({ apiKey }), await gateway.send({ apiKey: 'wrong' })];
    expect(revoked.body.error).toBe(unknown.body.error);
  });
});

describe('a key made at run time', () => {
  let made = 0;
  const make = async (body: { label: string; exchanges?: string[]; symbols?: string[] }) => {
    const label = `${body.label}-${++made}`;
    const sent = await gateway.request('POST', '/admin/webhook-keys', { ...body, label });
    expect(sent.status).toBe(201);
    const { keyId, apiKey } = sent.body.result;
    return { label, apiKey, path: `/admin/webhook-keys/${keyId}` };
  };

  it('opens the door with the very next request', async () => {
    const { label, apiKey } = await make({ label: 'second' });
    expect(apiKey).toMatch(/^whk_[A-Za-z0-9_-]{43}$/);
    const sent = await gateway.send({ apiKey });
    expectFilled(sent);
    expect((await gateway.trade(sent.body.requestId)).keyLabel).toBe(label);
  });

  it('is refused from the moment it is revoked', async () => {
    const { apiKey, path } = await make({ label: 'second' });
    expectFilled(await gateway.send({ apiKey }));
    expect((await gateway.request('DELETE', path)).status).toBe(200);
    expectRefusal(await gateway.send({ apiKey }), 'AUTHENTICATION_FAILED');
    expectFilled(await gateway.send());
  });

  it('that is rotated without grace is refused at once, its successor works', async () => {
    const { apiKey, path } = await make({ label: 'second' });
    const rotated = await gateway.request('POST', `${path}/rotate`);
    expect(rotated.body.result.apiKey).not.toBe(apiKey);
    expectRefusal(await gateway.send({ apiKey }), 'AUTHENTICATION_FAILED');
    expectFilled(await gateway.send({ apiKey: rotated.body.result.apiKey }));
  });

  it('that is rotated with grace works until the grace ends', async () => {
    const { apiKey, path } = await make({ label: 'second' });
    const rotated = await gateway.request('POST', `${path}/rotate`, { graceSeconds: 60 });
    expectFilled(await gateway.send({ apiKey }));
    expectFilled(await gateway.send({ apiKey: rotated.body.result.apiKey }));
    gateway.clock.offsetMs = 60_000;
    onTestFinished(() => {
      gateway.clock.offsetMs = 0;
    });
    expectRefusal(await gateway.send({ apiKey }), 'AUTHENTICATION_FAILED');
    expectFilled(await gateway.send({ apiKey: rotated.body.result.apiKey }));
  });

  it('for one exchange trades there and nowhere else', async () => {
    const { apiKey } = await make({ label: 'bybit only', exchanges: ['bybit'] });
    expectFilled(await gateway.send({ apiKey, exchange: 'bybit' }));
    const refused = await gateway.send({ apiKey, exchange: 'binance' });
    expectRefusal(refused, 'KEY_OUT_OF_SCOPE');
    expect(refused.body.error).toContain('bybit only');
  });

  it('for one market trades it in every spelling, and no other', async () => {
    const { apiKey } = await make({ label: 'btc', symbols: ['BTC/USDT'] });
    for (const symbol of ['BTCUSDT', 'btc_usdt', 'BINANCE:BTCUSDT.P', 'BTC/USDT:USDT'])
      expectFilled(await gateway.send({ apiKey, symbol }));
    for (const symbol of ['ETHUSDT', 'BTCUSDC', 'BTC'])
      expectRefusal(await gateway.send({ apiKey, symbol }), 'KEY_OUT_OF_SCOPE');
  });

  it('survives a restart, and so does its end', async () => {
    const first = await freshGateway();
    const { key, apiKey } = await first.keys.create({ label: 'second' });
    await first.close();
    const again = await freshGateway({ dataDir: first.dataDir });
    expectFilled(await again.send({ apiKey }));
    await again.request('DELETE', `/admin/webhook-keys/${key.keyId}`);
    await again.close();
    const last = await freshGateway({ dataDir: first.dataDir });
    expectRefusal(await last.send({ apiKey }), 'AUTHENTICATION_FAILED');
  });

  it('can do nothing but signal', async () => {
    const gateway = await freshGateway({ internalToken: 'a-token-of-the-owner' });
    for (const headers of [
      { 'x-internal-auth-key': gateway.apiKey },
      { authorization: `Bearer ${gateway.apiKey}` },
    ] as Record<string, string>[])
      for (const path of ['/trades', '/positions', '/admin/webhook-keys'])
        expectRefusal(await gateway.request('GET', path, undefined, { headers }), 'UNAUTHORIZED');
  });
});
