// The address allowlist: off until set, in force with the next request, and not to be talked around with headers.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { expectFilled, expectRefusal, freshGateway } from './answers.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openGateway();
});
afterEach(() => put(gateway));
afterAll(() => gateway.close());

const put = (gateway: TestGateway, ...entries: string[]) => gateway.request('PUT', '/admin/allowlist', { entries });

async function expectAllowed(gateway: TestGateway, peer: string, headers?: Record<string, string>): Promise<void> {
  expectFilled(await gateway.send({}, { peer, headers }));
}
async function expectBlocked(gateway: TestGateway, peer: string, headers?: Record<string, string>): Promise<string> {
  const sent = await gateway.send({}, { peer, headers });
  expectRefusal(sent, 'ADDRESS_BLOCKED');
  return sent.body.error;
}

describe('the allowlist', () => {
  it('lets everybody in while it is empty', async () => {
    for (const peer of ['198.51.100.7', '2001:db8::1', '127.0.0.1']) await expectAllowed(gateway, peer);
  });

  it('with one address lets in that one only, and tells the other its address', async () => {
    await put(gateway, '198.51.100.7');
    await expectAllowed(gateway, '198.51.100.7');
    expect(await expectBlocked(gateway, '198.51.100.8')).toContain('198.51.100.8');
    await expectBlocked(gateway, '127.0.0.1');
  });

  it.each([
    ['198.51.100.0/24', ['198.51.100.0', '198.51.100.255'], ['198.51.99.255', '198.51.101.0']],
    ['198.51.100.4/30', ['198.51.100.4', '198.51.100.7'], ['198.51.100.3', '198.51.100.8']],
    ['198.51.100.7/32', ['198.51.100.7'], ['198.51.100.6']],
    ['0.0.0.0/0', ['1.2.3.4', '255.255.255.255'], ['2001:db8::1']],
    ['2001:db8::/32', ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'], ['2001:db7:ffff::1', '2001:db9::']],
    ['2001:db8::1', ['2001:db8::1', '2001:DB8:0:0:0:0:0:1'], ['2001:db8::2']],
    ['::1/128', ['::1'], ['::2', '127.0.0.1']],
  ])('with %s lets in its first and last address and not their neighbours', async (entry, inside, outside) => {
    await put(gateway, entry);
    for (const peer of inside) await expectAllowed(gateway, peer);
    for (const peer of outside) await expectBlocked(gateway, peer);
  });

  it.each(['tradingview', 'TradingView'])('with the word %s lets in the four published addresses', async (word) => {
    await put(gateway, word);
    for (const peer of ['52.89.214.238', '34.212.75.30', '54.218.53.128', '52.32.178.7'])
      await expectAllowed(gateway, peer);
    for (const peer of ['52.89.214.239', '34.212.75.29', '127.0.0.1']) await expectBlocked(gateway, peer);
  });

  it('takes words, addresses and ranges together', async () => {
    await put(gateway, 'tradingview', '198.51.100.7', '2001:db8::/64');
    for (const peer of ['52.32.178.7', '198.51.100.7', '2001:db8::abcd']) await expectAllowed(gateway, peer);
    await expectBlocked(gateway, '198.51.100.6');
  });

  it('knows an IPv4 address in its IPv6 form', async () => {
    await put(gateway, '198.51.100.0/24');
    await expectAllowed(gateway, '::ffff:198.51.100.7');
    await expectAllowed(gateway, '::ffff:c633:6407');
    await expectBlocked(gateway, '::ffff:198.51.101.7');
  });

  it('is not fooled by X-Forwarded-For from a peer that is no trusted proxy', async () => {
    const gateway = await freshGateway({ trustedProxies: ['10.0.0.0/8'] });
    await put(gateway, 'tradingview');
    await expectBlocked(gateway, '198.51.100.7', { 'x-forwarded-for': '52.89.214.238' });
  });

  it('takes the right-most untrusted hop of a trusted proxy', async () => {
    const gateway = await freshGateway({ trustedProxies: ['10.0.0.0/8', '::1'] });
    await put(gateway, 'tradingview');
    const forwarded = (value: string) => ({ 'x-forwarded-for': value });
    await expectAllowed(gateway, '10.0.0.1', forwarded('52.89.214.238'));
    await expectAllowed(gateway, '::1', forwarded('52.89.214.238, 10.9.9.9'));
    await expectAllowed(gateway, '10.0.0.1', forwarded('192.0.2.1, 52.89.214.238:443'));
    await expectBlocked(gateway, '10.0.0.1', forwarded('52.89.214.238, 198.51.100.7'));
    await expectBlocked(gateway, '10.0.0.1', forwarded('52.89.214.238, nonsense'));
    await expectBlocked(gateway, '10.0.0.1');
  });

  it('is changed through the admin API, in force at once, both ways', async () => {
    const peer = '198.51.100.7';
    await expectAllowed(gateway, peer);
    await put(gateway, '203.0.113.1');
    await expectBlocked(gateway, peer);
    await put(gateway, peer);
    await expectAllowed(gateway, peer);
    await put(gateway);
    await expectAllowed(gateway, '203.0.113.200');
  });

  it('survives a restart', async () => {
    const gateway = await freshGateway();
    await put(gateway, '203.0.113.1');
    await gateway.close();
    const again = await freshGateway({ dataDir: gateway.dataDir });
    await expectBlocked(again, '198.51.100.7');
    await expectAllowed(again, '203.0.113.1');
  });

  it.each(['localhost', '1.2.3', '1.2.3.4/33', '2001:db8::/129', '1.2.3.4/', '01.2.3.4', 'trading view', '*', ''])(
    'refuses %j and stays as it was',
    async (entry) => {
      await put(gateway, '203.0.113.1');
      const sent = await put(gateway, '198.51.100.7', entry);
      expect([sent.status, sent.body.code]).toEqual([400, 'INVALID_PAYLOAD']);
      expect(sent.body.error).toContain('entries');
      await expectBlocked(gateway, '198.51.100.7');
    },
  );
});
