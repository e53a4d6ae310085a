// Refused signals are kept with their reason, whoever sent them and through whichever door, and no secret is kept with them.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandLineHere } from '../cli/command-line.ts';
import { openGateway, type Sent, type TestGateway } from '../support/gateway.ts';
import { startGatewayProcess } from '../support/process.ts';
import { expectRefusal, KEY_1, KEY_2 } from '../webhook/answers.ts';

const DAY_MS = 24 * 60 * 60_000;
const STATIC_KEY = 'my "own" static key';
const WRONG_KEY = `whk_${'wR0ng-Ke7_'.repeat(5).slice(0, 43)}`;
/** It could be the name of a market. */
const MARKET_KEY = 'MYSTATICKEY2026';
/** A shorter piece of a key, in whatever spelling, helps nobody to guess the rest. */
const PIECE_CHARS = 12;
const FROM_AFAR = { peer: '198.51.100.1' };

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openGateway({ staticKeys: [STATIC_KEY] });
});
afterAll(() => gateway.close());

/** After the answer, and so after what is done when it has left. */
const kept = async (query = ''): Promise<Sent['body']> => {
  await new Promise((resolve) => setImmediate(resolve));
  return (await gateway.request('GET', `/refusals${query}`)).body.result;
};
const refusalOf = async ({ body }: Sent) =>
  (await kept('?limit=100')).find(({ id }: { id: string }) => id === body.requestId);

describe('a refused signal is kept with its reason', () => {
  const label = 'test-1';
  it.each<[string, string | null, () => Promise<Sent>]>([
    ['INVALID_PAYLOAD', label, () => gateway.send({ quantity: '1' })],
    ['INVALID_JSON', label, () => gateway.request('POST', '/webhook', `{"apiKey":"${gateway.apiKey}",}`)],
    ['INVALID_JSON', label, () => gateway.request('POST', '/webhook', `LONG BTC with ${gateway.apiKey}`)],
    ['INVALID_JSON', null, () => gateway.request('POST', '/webhook', 'buy!', FROM_AFAR)],
    ['AUTHENTICATION_FAILED', null, () => gateway.send({ apiKey: WRONG_KEY }, FROM_AFAR)],
    ['ORDER_REJECTED', label, () => gateway.send({ action: 'CLOSE_LONG' })],
    ['PAYLOAD_TOO_LARGE', null, () => gateway.request('POST', '/webhook', ' '.repeat(65_537))],
    [
      'DUPLICATE_SIGNAL',
      label,
      async () => {
        await gateway.send({ idempotencyKey: KEY_1 });
        return gateway.send({ idempotencyKey: KEY_1 });
      },
    ],
    [
      'KILL_SWITCH_ACTIVE',
      label,
      async () => {
        await gateway.controls.set('killSwitch', { active: true, scope: 'all' }, 'test');
        const sent = await gateway.send();
        await gateway.controls.set('killSwitch', { active: false, scope: 'all' }, 'test');
        return sent;
      },
    ],
    [
      'RATE_LIMITED',
      label,
      async () => {
        await gateway.controls.set('limits', { webhookRatePerMinute: 1 }, 'test');
        await gateway.send();
        const sent = await gateway.send();
        await gateway.controls.set('limits', { webhookRatePerMinute: 0 }, 'test');
        return sent;
      },
    ],
    ['INVALID_PAYLOAD', 'email', () => gateway.request('POST', '/email-signal', { text: 'hello' })],
  ])('%s of %s', async (code, key, refuse) => {
    const sent = await refuse();
    expect(sent.body.code).toBe(code);
    const refusal = await refusalOf(sent);
    expect(refusal).toMatchObject({ code, key, status: sent.status, error: sent.body.error });
    expect(refusal.receivedAt).toBeGreaterThan(Date.now() - DAY_MS);
    expect(gateway.refusalLog.some((line) => line.includes(sent.body.requestId) && line.includes(code))).toBe(true);
  });

  it('with its faults one by one, its door, its address and its body', async () => {
    const sent = await gateway.request('POST', '/webhook/tradingview', { apiKey: WRONG_KEY, action: 'no' }, FROM_AFAR);
    const refusal = await refusalOf(sent);
    expect(refusal).toMatchObject({ door: '/webhook/tradingview', address: FROM_AFAR.peer });
    expect(JSON.parse(refusal.body)).toEqual({ apiKey: '***', action: 'no' });
    const { faults } = await refusalOf(await gateway.send({ quantity: '1', action: 'BUY' }));
    expect(faults).toHaveLength(2);
  });

  it('and an accepted one is not among them', async () => {
    expect(await refusalOf(await gateway.send({ idempotencyKey: KEY_2 }))).toBeUndefined();
  });
});

describe('the list', () => {
  it('is filtered by code, key and door, and pages on without repeating', async () => {
    const all = await kept('?limit=100');
    const first = await kept('?limit=3');
    expect(first).toEqual(all.slice(0, 3));
    expect(await kept(`?limit=3&before=${first[2].id}`)).toEqual(all.slice(3, 6));
    const rows = await kept('?limit=100&code=INVALID_JSON&key=test-1');
    expect(rows).toHaveLength(2);
    expect((await kept('?door=/email-signal')).map(({ key }: { key: string }) => key)).toEqual(['email']);
    expectRefusal(await gateway.request('GET', '/refusals?before=nobody'), 'INVALID_QUERY');
    expectRefusal(await gateway.request('GET', '/refusals?limit=101'), 'INVALID_QUERY');
    expectRefusal(await gateway.request('GET', '/refusals', undefined, FROM_AFAR), 'UNAUTHORIZED');
  });
});

describe('bounds', () => {
  it('a flood of unknown keys is written in batches, and the last thousand are kept', async () => {
    const flooded = await openGateway();
    const before = flooded.data.commits();
    for (let i = 0; i < 1100; i++) await flooded.request('POST', '/webhook', `{"price":${i}}`, FROM_AFAR);
    await new Promise((resolve) => setImmediate(resolve));
    await flooded.refusals.close();
    expect(flooded.data.commits() - before).toBeLessThan(50);
    const after = (await flooded.data.refusals.list({ limit: 5000 })) ?? [];
    expect(after).toHaveLength(1000);
    expect([after[0]?.body, after.at(-1)?.body]).toEqual(['{"price":1099}', '{"price":100}']);
    // Also across batches: what is on the disk already gives way.
    await flooded.request('POST', '/webhook', '{"price":-1}', FROM_AFAR);
    await new Promise((resolve) => setImmediate(resolve));
    await flooded.refusals.close();
    const later = (await flooded.data.refusals.list({ limit: 5000 })) ?? [];
    expect([later.length, later[0]?.body, later.at(-1)?.body]).toEqual([1000, '{"price":-1}', '{"price":101}']);
    await flooded.close();
  });

  it('what was refused under a known key is forgotten after 30 days, not before', async () => {
    const aged = await openGateway();
    await aged.send({ quantity: 0 });
    const list = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return (await aged.request('GET', '/refusals')).body.result.length;
    };
    expect(await list()).toBe(1);
    aged.clock.offsetMs = 29 * DAY_MS;
    await aged.send({ quantity: 0 });
    expect(await list()).toBe(2);
    aged.clock.offsetMs = 31 * DAY_MS;
    await aged.send({ quantity: 0 });
    expect(await list()).toBe(2);
    await aged.close();
  });
});

describe('secrets', () => {
  it('are in no answer, no log line and no file, wherever in a body they stood', async () => {
    const own = await openGateway({ staticKeys: [STATIC_KEY, MARKET_KEY] });
    const wide = (key: string) =>
      [...key].map((char) => String.fromCharCode(char.charCodeAt(0) + (char === ' ' ? 0x2fe0 : 0xfee0))).join('');
    const encoded = (key: string) => [...key].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
    const half = (key: string) => `\\u00${key.charCodeAt(0).toString(16)}${key.slice(1)}`;
    for (const key of [own.apiKey, WRONG_KEY, STATIC_KEY]) {
      const bodies = [
        JSON.stringify({ apiKey: key, exchange: 'nowhere' }),
        JSON.stringify({ apiKey: 'x', exchange: key, [key]: 1, notify: { message: `my ${key}`, deep: [[key]] } }),
        `{"apiKey":"${key}", oops`,
        `apiKey=${key}&exchange=binance`,
        `LONG BTC ${key}`,
        `LONG BTC ${half(key)}`,
        `{"apiKey":"${half(key)}",}`,
        `${' '.repeat(8180 - key.length / 2)}${key}${'x'.repeat(200)}`,
        ...[encoded(key), wide(key), [...key].join(' ')].flatMap((written) => [
          JSON.stringify({ apiKey: written, exchange: 'nowhere', note: written }),
          JSON.stringify({ apiKey: 'x', symbol: written, [written]: 1 }),
          `{"${written}":1,"${written}":2}`,
          `LONG BTC ${written}`,
        ]),
        JSON.stringify({ apiKey: key.slice(0, 24), note: key.slice(24) }),
        JSON.stringify({ note: key.slice(0, 12), symbol: key.slice(12, 32), [key.slice(32)]: 1 }),
        JSON.stringify({ apiKey: key, exchange: 'nowhere', pad: 'ä'.repeat(5000) }),
      ];
      for (const door of ['/webhook', '/webhook/tradingview', '/email-signal'])
        for (const body of bodies) await own.request('POST', door, body);
      await own.request('POST', '/email-signal', { subject: key, text: `LONG with ${key}` });
    }
    await own.request('POST', '/webhook', { apiKey: MARKET_KEY, symbol: MARKET_KEY, quantity: 0 });
    await new Promise((resolve) => setImmediate(resolve));
    const { body } = await own.request('GET', '/refusals?limit=100');
    expect(body.result).toHaveLength(100);
    await own.close();
    const files = readdirSync(own.dataDir).map((name) => readFileSync(join(own.dataDir, name), 'latin1'));
    const told = [JSON.stringify(body), ...own.refusalLog, ...files].join('\n');
    for (const key of [own.apiKey, WRONG_KEY, STATIC_KEY, MARKET_KEY])
      for (const written of [key, JSON.stringify(key).slice(1, -1), encoded(key), wide(key), [...key].join(' ')])
        for (let at = 0; at + PIECE_CHARS <= written.length; at += 1)
          expect(told.includes(written.slice(at, at + PIECE_CHARS)), written.slice(at)).toBe(false);
  });
});

it('the real program keeps them too: over a socket, in its log, and for the command line', async () => {
  const running = await startGatewayProcess();
  const send = (body: string) => fetch(`${running.url}/webhook`, { method: 'POST', body });
  expect((await send(' '.repeat(70_000))).status).toBe(413);
  expect((await send(JSON.stringify({ apiKey: running.apiKey, quantity: '1' }))).status).toBe(400);
  const cli = commandLineHere({ DATA_DIR: running.dataDir });
  const words = await cli.done('refusals');
  expect(words).toMatch(/\/webhook +default +INVALID_PAYLOAD/);
  expect(words).toMatch(/\/webhook +127\.0\.0\.1 +PAYLOAD_TOO_LARGE/);
  await running.stop();
  expect(running.output()).toContain('refused: ');
  const logLines = running
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  expect(logLines.join('\n')).not.toContain(running.apiKey);
  expect((await cli.json('refusals', '--key-label', 'default')).body.result).toHaveLength(1);
});
