// GET /signals through the front door: order, limits, filters, pages, and every wrong question.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { expectEnvelope, expectRefusal, freshGateway, KEY_1 } from '../webhook/answers.ts';
import { type Listed, listed, pages, stored } from './records.ts';

let gateway: TestGateway;
/** The ids in the order they were stored; the third and fourth share an instant, and so do the fifth and sixth. */
const ids: string[] = [];
beforeAll(async () => {
  gateway = await openGateway();
  for (const fields of [
    { timestamp: 400, symbol: 'BTCUSDT', source: 'desk' },
    { timestamp: 100, symbol: 'ETHUSDT', source: 'desk' },
    { timestamp: 300, symbol: 'BTC/USDT', source: 'night shift' },
    { timestamp: 300, symbol: 'SOLUSDT' },
    { timestamp: 200, symbol: 'BINANCE:BTCUSDT.P', source: 'desk' },
    { timestamp: 200, symbol: ':' },
  ])
    ids.push(await stored(gateway, fields));
});
afterAll(() => gateway.close());

const idsOf = (records: readonly Listed[]): string[] => records.map(({ signal_id }) => signal_id);
const pick = (...positions: number[]): string[] => positions.map((position) => ids[position] as string);
const ask = (query: string) => gateway.request('GET', `/signals${query}`);

describe('the list', () => {
  it('is in the success shape, newest first, and of one instant the later stored first', async () => {
    const sent = await ask('');
    expect(sent.status).toBe(200);
    expectEnvelope(sent);
    expect(Object.keys(sent.body)).toEqual(['success', 'requestId', 'result']);
    expect(idsOf(sent.body.result)).toEqual(pick(0, 3, 2, 5, 4, 1));
    expect(Object.keys(sent.body.result[0])).toEqual([
      'signal_id',
      'timestamp',
      'symbol',
      'signal_type',
      'source',
      'decision',
    ]);
  });

  it('is empty before the first signal', async () => {
    expect(await listed(await freshGateway())).toEqual([]);
  });

  it('has ten records unless told otherwise, and never more than a hundred', async () => {
    const full = await freshGateway();
    await Promise.all(Array.from({ length: 101 }, (_, timestamp) => stored(full, { timestamp })));
    const times = async (query: Record<string, number>) =>
      (await listed(full, query)).map(({ timestamp }) => timestamp);
    expect(await times({})).toEqual([100, 99, 98, 97, 96, 95, 94, 93, 92, 91]);
    expect(await times({ limit: 1 })).toEqual([100]);
    expect(await times({ limit: 99 })).toHaveLength(99);
    expect(await times({ limit: 100 })).toHaveLength(100);
  });

  it.each([
    ['?symbol=BTCUSDT', [0, 2, 4]],
    ['?symbol=btc_usdt', [0, 2, 4]],
    ['?symbol=BTC%2FUSDT&limit=2', [0, 2]],
    ['?symbol=BTCUSD', []],
    ['?symbol=%3A', [5]],
    ['?source=desk', [0, 4, 1]],
    ['?source=Desk', []],
    ['?source=night%20shift', [2]],
    ['?source=night+shift', [2]],
    ['?source=api', [3, 5]],
    ["?source='%20OR%201=1%20--", []],
    ['?source=%25', []],
    ['?symbol=BTCUSDT&source=desk', [0, 4]],
    ['?symbol=BTCUSDT&source=desk&limit=1', [0]],
    ['?limit=1', [0]],
    ['?limit=010', [0, 3, 2, 5, 4, 1]],
  ])('%s narrows it', async (query, positions) => {
    expect(idsOf((await ask(query)).body.result)).toEqual(pick(...positions));
  });

  it('does not answer a question about nothing with everything', async () => {
    for (const query of ['?source=nobody', '?symbol=NONE']) expect((await ask(query)).body.result).toEqual([]);
  });
});

describe('before', () => {
  it.each([1, 2, 3, 4, 6, 100])('pages of %i give the whole list once', async (limit) => {
    expect(idsOf(await pages(gateway, limit))).toEqual(pick(0, 3, 2, 5, 4, 1));
    expect(idsOf(await pages(gateway, limit, { symbol: 'BTCUSDT' }))).toEqual(pick(0, 2, 4));
  });

  it('goes on from any record, in or out of the filter', async () => {
    expect(idsOf(await listed(gateway, { before: ids[3] as string }))).toEqual(pick(2, 5, 4, 1));
    expect(idsOf(await listed(gateway, { before: ids[3] as string, source: 'desk' }))).toEqual(pick(4, 1));
    expect(await listed(gateway, { before: ids[1] as string })).toEqual([]);
  });

  it('an id that nobody knows is a fault, not an empty page', async () => {
    const sent = await ask(`?before=${KEY_1}`);
    expectRefusal(sent, 'INVALID_QUERY');
    expect(sent.body.error).toBe('before: no signal has this id, send the signal_id of a record');
  });

  it('takes the id of a record that got it elsewhere', async () => {
    const fresh = await freshGateway();
    const record = { symbol: 'A', signalType: 'B', source: 'import', decision: 'stored' };
    for (const signalId of ['old-1', 'OLD-2', 'x'.repeat(64)])
      await fresh.data.signals.add({ signalId, timestampMs: 1, ...record });
    expect(idsOf(await pages(fresh, 1))).toEqual(['x'.repeat(64), 'OLD-2', 'old-1']);
    expect((await fresh.request('GET', '/signals?before=old-2')).status).toBe(400);
  });
});

describe('a wrong question', () => {
  it.each([
    ['?limit=0', 'limit'],
    ['?limit=101', 'limit'],
    ['?limit=-1', 'limit'],
    ['?limit=ten', 'limit'],
    ['?limit=', 'limit'],
    ['?limit=1.5', 'limit'],
    ['?limit=10.0', 'limit'],
    ['?limit=1e1', 'limit'],
    ['?limit=0x5', 'limit'],
    ['?limit=%201', 'limit'],
    ['?limit=+1', 'limit'],
    ['?limit=1%0a', 'limit'],
    ['?limit=٣', 'limit'],
    ['?limit=NaN', 'limit'],
    ['?limit=99999999999999999999', 'limit'],
    ['?limit=1&limit=2', 'limit'],
    ['?limit[]=1', 'limit'],
    ['?before=', 'before'],
    ['?before=abc', 'before'],
    ['?before=0', 'before'],
    [`?before=${'x'.repeat(65)}`, 'before'],
    [`?before=${KEY_1}%00`, 'before'],
    [`?before=${KEY_1}&before=${KEY_1}`, 'before'],
    ['?symbol=', 'symbol'],
    ['?symbol=BTC%20USDT', 'symbol'],
    [`?symbol=${'A'.repeat(21)}`, 'symbol'],
    ['?symbol=%25', 'symbol'],
    ['?source=', 'source'],
    [`?source=${'s'.repeat(65)}`, 'source'],
    ['?source=a%00b', 'source'],
    ['?signal_type=LONG', 'signal_type'],
    ['?colour=red', 'colour'],
    ['?__proto__=x', '__proto__'],
  ])('%s is 400 and names the parameter', async (query, name) => {
    const sent = await ask(query);
    expectRefusal(sent, 'INVALID_QUERY');
    expect(sent.body.error).toContain(name);
  });

  it('of several parameters names them all', async () => {
    const { body } = await ask('?limit=0&before=&colour=red');
    for (const name of ['limit', 'before', 'colour']) expect(body.error).toContain(name);
  });
});

describe('more searches at once than are taken', () => {
  it('are refused in words, and the next one is served', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask('?source=desk')));
    const refused = answers.filter(({ status }) => status !== 200);
    for (const sent of refused) {
      expectRefusal(sent, 'STORAGE_FAILED');
      expect(sent.body.error).toContain('try again in a moment');
    }
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(200);
    expect(idsOf((await ask('?source=desk')).body.result)).toEqual(pick(0, 4, 1));
  });
});
