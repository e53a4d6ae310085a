// POST /signals through the front door: every boundary of every field, and that storing trades nothing.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maskSecrets } from '../../src/http/mask-secrets.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import {
  expectEnvelope,
  expectFaults,
  expectRefusal,
  freshGateway,
  KEY_1,
  tradeCount,
  UUID,
} from '../webhook/answers.ts';
import { listed, MAX_TIMESTAMP_MS, store, stored } from './records.ts';

const SECRET = `whk_${'Zz9_-'.repeat(9).slice(0, 43)}`;
const GOOD = { symbol: 'BTCUSDT', signal_type: 'LONG' };

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openGateway();
});
afterAll(() => gateway.close());

const newest = async () =>
  (await listed(gateway, { limit: 100 })).toSorted((a, b) => (a.signal_id < b.signal_id ? 1 : -1))[0];
const post = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
  gateway.request('POST', '/signals', body, { headers });

describe('a good signal', () => {
  it('is answered 201 with its id, in the success shape', async () => {
    const sent = await store(gateway);
    expect(sent.status).toBe(201);
    expectEnvelope(sent);
    expect(sent.body).toEqual({
      success: true,
      requestId: expect.stringMatching(UUID),
      result: { signalId: sent.body.requestId },
    });
    expect(Object.keys(sent.body)).toEqual(['success', 'requestId', 'result']);
  });

  it('is listed with every field, the time of arrival and the source api', async () => {
    const before = Date.now();
    const signalId = await stored(gateway);
    expect(await newest()).toEqual({
      signal_id: signalId,
      timestamp: expect.any(Number),
      ...GOOD,
      source: 'api',
      decision: 'stored',
    });
    const { timestamp } = (await newest()) ?? { timestamp: 0 };
    expect(timestamp).toBeGreaterThanOrEqual(before);
    expect(timestamp).toBeLessThanOrEqual(Date.now());
  });

  it.each([
    { symbol: 'A' },
    { symbol: 'ABCDEFGHIJ0123456789' },
    { symbol: 'btc/usdt:USDT' },
    { symbol: 'BINANCE:BTCUSDT.P' },
    { symbol: 'A._:/-9z' },
    { signal_type: 'x' },
    { signal_type: '_'.repeat(32) },
    { signal_type: 'Trend_2_UP' },
    { timestamp: 0 },
    { timestamp: 1 },
    { timestamp: MAX_TIMESTAMP_MS },
    { source: 's' },
    { source: 's'.repeat(64) },
    { source: 'Büro 🚂 "x", 100 % / \\ \'y\'' },
    { source: 'webhook' },
  ])('is kept exactly: %j', async (fields) => {
    const signalId = await stored(gateway, fields);
    expect(await newest()).toMatchObject({ ...GOOD, ...fields, signal_id: signalId });
  });

  it.each([
    ['1e12', 1_000_000_000_000],
    ['1750000000000.0', 1_750_000_000_000],
    ['-0', 0],
  ])('may write its whole number of milliseconds as %s', async (text, timestamp) => {
    expect((await post(`{"symbol":"A","signal_type":"B","timestamp":${text}}`)).status).toBe(201);
    expect((await newest())?.timestamp).toBe(timestamp);
  });

  it('may carry fields nobody knows; they are ignored and not stored', async () => {
    const more = { signal_id: KEY_1, decision: 'accepted', apiKey: SECRET, stopLoss: 1, note: { deep: [SECRET] } };
    const signalId = await stored(gateway, more);
    expect(signalId).not.toBe(KEY_1);
    expect(await newest()).toMatchObject({ signal_id: signalId, decision: 'stored', source: 'api' });
    expect(JSON.stringify(await listed(gateway, { limit: 100 }))).not.toContain(SECRET);
  });

  it('loses a key that slipped into its source', async () => {
    await stored(gateway, { source: `bot ${SECRET}` });
    expect((await newest())?.source).toBe('bot whk_***');
  });

  it('trades nothing, and is stored whatever the kill switch says', async () => {
    const quiet = await freshGateway();
    await quiet.request('PUT', '/admin/kill-switch', { active: true });
    await stored(quiet);
    expect(await tradeCount(quiet)).toBe(0);
    expect((await quiet.request('GET', '/positions')).body.result).toEqual([]);
    expect(await listed(quiet)).toHaveLength(1);
  });

  it('is there after a restart', async () => {
    const first = await freshGateway();
    const signalId = await stored(first, { timestamp: 5, source: 'night shift' });
    await first.close();
    const second = await freshGateway({ dataDir: first.dataDir });
    expect(await listed(second)).toMatchObject([{ signal_id: signalId, timestamp: 5, source: 'night shift' }]);
  });

  it('is one record of its own, also when a hundred equal ones come at once', async () => {
    const crowded = await freshGateway();
    const ids = await Promise.all(Array.from({ length: 100 }, () => stored(crowded, { timestamp: 7 })));
    expect(new Set(ids).size).toBe(100);
    const found = await listed(crowded, { limit: 100 });
    expect(found.map((record) => record.signal_id).sort()).toEqual(ids.sort());
  });
});

describe('a fault', () => {
  it.each([
    ['symbol', undefined, 'is missing, add a string'],
    ['symbol', '', 'is too short, send at least 1'],
    ['symbol', 'A'.repeat(21), 'is too long, send at most 20'],
    ['symbol', 'BTC USDT', 'use letters, digits and'],
    ['symbol', 'BTCUSDT\n', 'use letters, digits and'],
    ['symbol', 'BTCÜSDT', 'use letters, digits and'],
    ['symbol', 1, 'is a number, put it in double quotes'],
    ['symbol', null, 'is null, send a string'],
    ['symbol', ['BTCUSDT'], 'is an array, send a string'],
    ['signal_type', undefined, 'is missing, add a string'],
    ['signal_type', '', 'is too short, send at least 1'],
    ['signal_type', 'A'.repeat(33), 'is too long, send at most 32'],
    ['signal_type', 'CLOSE-LONG', 'use letters, digits and _'],
    ['signal_type', 'LONG\n', 'use letters, digits and _'],
    ['signal_type', 'LÖNG', 'use letters, digits and _'],
    ['signal_type', 1, 'is a number, put it in double quotes'],
    ['signal_type', true, 'is true or false, send a string'],
    ['timestamp', -1.5, 'is too small, send at least 0'],
    ['timestamp', -1, 'is too small, send at least 0'],
    ['timestamp', MAX_TIMESTAMP_MS + 1, `is too large, send at most ${MAX_TIMESTAMP_MS}`],
    ['timestamp', 1_750_000_000_000_000_000, 'is too large'],
    ['timestamp', 1.5, 'is not a whole number, round it'],
    ['timestamp', '1750000000000', 'is a number in quotes, drop the quotes'],
    ['timestamp', '2026-03-01', 'is text, send a number without quotes'],
    ['timestamp', null, 'is null, send a number'],
    ['source', '', 'is too short, send at least 1'],
    ['source', 's'.repeat(65), 'is too long, send at most 64'],
    ['source', 'a\u0000b', 'has control characters, remove them'],
    ['source', 'a\nb', 'has control characters, remove them'],
    ['source', 'a\u2028b', 'has control characters, remove them'],
    ['source', 'a\ud800b', 'has control characters, remove them'],
    ['source', 7, 'is a number, put it in double quotes'],
    ['source', null, 'is null, send a string'],
  ])('in %s (%j) is named with its remedy, and nothing is stored', async (field, value, words) => {
    const before = await listed(gateway, { limit: 100 });
    const sent = await store(gateway, { [field]: value });
    expectFaults(sent, field);
    expect(sent.body.error).toContain(words);
    expect(await listed(gateway, { limit: 100 })).toEqual(before);
  });

  it('comes with all the others at once, in the order of the fields', async () => {
    expectFaults(
      await store(gateway, { symbol: '', signal_type: '-', timestamp: '1', source: 1 }),
      'symbol',
      'signal_type',
      'timestamp',
      'source',
    );
    expectFaults(await post('{}'), 'symbol', 'signal_type');
  });

  it.each(['[]', '"x"', '1', 'null', 'true'])('of a body that is %s is told', async (body) => {
    expectFaults(await post(body), 'body');
  });

  it.each([
    ['', 'empty'],
    ['  \n', 'empty'],
    ['{', 'Line 1, column 2'],
    ['{"symbol":"A","signal_type":"B",}', 'Remove the comma'],
    ['{"symbol":"A","symbol":"B","signal_type":"C"}', 'the key "symbol" for the second time'],
    ['{"symbol":"A","signal_type":"C","x":{"a":1,"a":2}}', 'Send each key once'],
    ['{"symbol":NaN}', 'Line 1'],
    ['{"symbol":"A"}{}', 'Line 1'],
    ['symbol=A&signal_type=B', 'Line 1'],
    [`${'['.repeat(33)}${']'.repeat(33)}`, 'nested deeper than 32'],
    [new Uint8Array([0x7b, 0xff, 0x7d]), 'UTF-8'],
  ])('of JSON is told where it is: %j', async (body, words) => {
    const sent = await post(body);
    expectRefusal(sent, 'INVALID_JSON');
    expect(sent.body.error).toContain(words);
  });
});

describe('the body', () => {
  it.each(['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'nonsense'])(
    'is JSON whatever the content type %s says',
    async (type) => {
      expect((await post(JSON.stringify(GOOD), { 'content-type': type })).status).toBe(201);
    },
  );

  it('may begin with a byte order mark', async () => {
    expect((await post(`\uFEFF${JSON.stringify(GOOD)}`)).status).toBe(201);
  });

  it('has one mebibyte and not a byte more', async () => {
    const sized = (bytes: number) => JSON.stringify(GOOD).padEnd(bytes, ' ');
    expect((await post(sized(1024 * 1024))).status).toBe(201);
    expectRefusal(await post(sized(1024 * 1024 + 1)), 'PAYLOAD_TOO_LARGE');
  });
});

describe('whatever the fields hold', () => {
  it('is stored as it was sent or refused with its fields named, and never anything else', async () => {
    const loose = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 70 }),
      fc.double(),
      fc.constant(null),
      fc.maxSafeInteger(),
    );
    const close = {
      symbol: fc.oneof(fc.string({ unit: fc.constantFrom(...'ABab09._:/- '), maxLength: 22 }), loose),
      signal_type: fc.oneof(fc.string({ unit: fc.constantFrom(...'ABab09_-'), maxLength: 34 }), loose),
    };
    const optional = { timestamp: fc.oneof(fc.nat(), loose), source: fc.oneof(fc.string({ maxLength: 66 }), loose) };
    const bodies = fc.record({ ...close, ...optional }, { requiredKeys: ['symbol', 'signal_type'] });
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const sent = await gateway.request('POST', '/signals', body);
        if (sent.status !== 201) {
          expectRefusal(sent, 'INVALID_PAYLOAD', 'faults');
          for (const fault of sent.body.faults) expect(Object.keys(body)).toContain(fault.split(':')[0]);
          return;
        }
        const source = body.source === undefined ? 'api' : maskSecrets(String(body.source));
        const { signalId } = sent.body.result;
        const [record] = (await listed(gateway, { source, limit: 100 })).filter(
          ({ signal_id }) => signal_id === signalId,
        );
        expect(record).toMatchObject({ symbol: body.symbol, signal_type: body.signal_type, source });
        if (body.timestamp !== undefined) expect(record?.timestamp).toBe(Number(body.timestamp) + 0);
      }),
      { numRuns: 150 },
    );
  });
});

describe('a storage that fails', () => {
  it('is told with the remedy and without its folder, when writing and when reading', async () => {
    const broken = await freshGateway();
    await broken.close();
    for (const sent of [
      await store(broken),
      await broken.request('GET', '/signals'),
      await broken.request('GET', '/signals?source=api'),
    ]) {
      expectRefusal(sent, 'STORAGE_FAILED');
      expect(sent.body.error).toMatch(/^the signals? (was not stored|cannot be read): storage is closed/);
      expect(sent.body.error).not.toContain(broken.dataDir);
    }
    expect(broken.troubles).toHaveLength(3);
  });
});
