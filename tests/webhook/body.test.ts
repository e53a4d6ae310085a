// POST /webhook reads one JSON object of at most 64 KiB, whatever the Content-Type says, and refuses everything else in words.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openGateway, type Sent, type TestGateway } from '../support/gateway.ts';
import { expectFaults, expectFilled, expectRefusal, tradeCount } from './answers.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openGateway();
});
afterAll(() => gateway.close());

const post = (body: string | Uint8Array, headers: Record<string, string> = {}): Promise<Sent> =>
  gateway.request('POST', '/webhook', body, { headers });
const text = (fields: Record<string, unknown> = {}): string => JSON.stringify(gateway.signal(fields));
/** A good signal with raw JSON members added, which JSON.stringify could not write. */
const withMembers = (members: string): string => `${text().slice(0, -1)},${members}}`;

describe('the body', () => {
  it.each([
    ['nothing', ''],
    ['blanks and line ends', ' \t\r\n '],
    ['a byte order mark alone', '\uFEFF'],
    ['a cut object', '{"apiKey":"x"'],
    ['two objects', '{} {}'],
    ['a trailing comma', '{"apiKey":"x",}'],
    ['single quotes', "{'apiKey':'x'}"],
    ['words', 'BTCUSDT Crossing 65000'],
    ['an unfilled placeholder', '{"quantity": {{strategy.order.contracts}}}'],
    ['a form', 'apiKey=x&exchange=binance'],
  ])('that is %s is 400 INVALID_JSON', async (_, body) => {
    expectRefusal(await post(body), 'INVALID_JSON');
  });

  it('may be missing altogether and is then 400', async () => {
    expectRefusal(await gateway.request('POST', '/webhook'), 'INVALID_JSON');
  });

  it.each([
    ['null', 'null'],
    ['an array', '[]'],
    ['an array of signals', '[{}]'],
    ['a number', '1'],
    ['a string', '"LONG"'],
    ['a boolean', 'true'],
  ])('that is %s is 400 and says to send an object', async (_, body) => {
    const sent = await post(body);
    expectFaults(sent, 'body');
    expect(sent.body.error).toContain('send an object');
  });

  it('that is an empty object names every required field', async () => {
    expectFaults(await post('{}'), 'apiKey', 'exchange', 'action', 'symbol', 'quantity');
  });

  it('must be valid UTF-8', async () => {
    const bytes = Buffer.from(text({ note: 'X' }));
    bytes[bytes.indexOf('X')] = 0xff;
    const sent = await post(bytes);
    expectRefusal(sent, 'INVALID_JSON');
    expect(sent.body.error).toContain('UTF-8');
  });

  it('may hold any Unicode text in fields we do not read', async () => {
    expectFilled(await post(text({ note: '🚂 Grüße' })));
  });

  it('may begin with a byte order mark', async () => {
    expectFilled(await post(`\uFEFF${text()}`));
  });

  it('may be surrounded by blanks', async () => {
    expectFilled(await post(`\n\t ${text()} \r\n`));
  });
});

describe('the size', () => {
  const ofBytes = (count: number): string => {
    const empty = text({ padding: '' });
    return empty.replace('"padding":""', `"padding":"${'x'.repeat(count - empty.length)}"`);
  };

  it('may be exactly 65536 bytes', async () => {
    expect(Buffer.byteLength(ofBytes(65_536))).toBe(65_536);
    expectFilled(await post(ofBytes(65_536)));
  });

  it('is 413 at 65537 bytes', async () => {
    const sent = await post(ofBytes(65_537));
    expectRefusal(sent, 'PAYLOAD_TOO_LARGE');
    expect(sent.body.error).toContain('65536');
  });

  it('is counted in bytes, not in characters', async () => {
    const empty = text({ padding: '' });
    const body = empty.replace('"padding":""', `"padding":"${'é'.repeat(32_768)}"`);
    expect(body.length).toBeLessThan(65_536);
    expectRefusal(await post(body), 'PAYLOAD_TOO_LARGE');
  });

  it('counts blanks too', async () => {
    const body = text();
    expectFilled(await post(body + ' '.repeat(65_536 - body.length)));
    expectRefusal(await post(body + ' '.repeat(65_537 - body.length)), 'PAYLOAD_TOO_LARGE');
  });
});

describe('the Content-Type', () => {
  it.each([
    ['application/json'],
    ['application/json; charset=utf-8'],
    ['text/plain'],
    ['text/plain;charset=UTF-8'],
    ['application/x-www-form-urlencoded'],
    ['text/html'],
    ['nonsense'],
  ])('%s makes no difference', async (type) => {
    expectFilled(await post(text(), { 'content-type': type }));
  });

  it('may be absent', async () => {
    expectFilled(await post(Buffer.from(text())));
  });
});

describe('keys', () => {
  it.each([
    ['at the top', () => withMembers('"quantity":5')],
    ['with the same value', () => withMembers('"action":"LONG"')],
    ['spelled with an escape', () => withMembers('"\\u0071uantity":5')],
    ['in notify', () => withMembers('"notify":{"message":"a","message":"b"}')],
    ['in a field we do not read', () => withMembers('"extra":{"a":1,"a":2}')],
  ])('twice %s are 400, because either could be meant', async (_, body) => {
    const before = await tradeCount(gateway);
    const sent = await post(body());
    expectRefusal(sent, 'INVALID_JSON');
    expect(sent.body.error).toContain('second time');
    expect(await tradeCount(gateway)).toBe(before);
  });

  it.each(['"__proto__":{"polluted":true}', '"constructor":{"prototype":{"polluted":true}}', '"prototype":1'])(
    'such as %s are fields like any other and pollute nothing',
    async (member) => {
      expectFilled(await post(withMembers(member)));
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
      expect(Object.keys(Object.prototype)).toEqual([]);
    },
  );

  it('inside __proto__ do not stand in for required ones', async () => {
    const body = text({ quantity: undefined }).replace(/}$/, ',"__proto__":{"quantity":1}}');
    for (const path of ['/webhook', '/webhook/tradingview'])
      expectFaults(await gateway.request('POST', path, body), 'quantity');
  });

  it('we do not know are ignored', async () => {
    expectFilled(await post(text({ strategy: 'trend', bar: { open: 1, tags: ['a'] }, passphrase: null })));
  });
});

describe('nesting', () => {
  const nested = (levels: number): string => withMembers(`"deep":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}`);

  it('may go 32 levels deep', async () => {
    expectFilled(await post(nested(32)));
  });

  it.each([33, 10_000])('of %i levels is 400', async (levels) => {
    const sent = await post(nested(levels));
    expectRefusal(sent, 'INVALID_JSON');
    expect(sent.body.error).toContain('32 levels');
  });
});
