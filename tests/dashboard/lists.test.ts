// Filters, search, notes and tags of the lists of trades, orders, refusals and signals, through the front door.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openGateway, type Sent, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
const ids: string[] = [];
const refusedIds: string[] = [];
let fromMs = 0;
let secondKey = '';

beforeAll(async () => {
  gateway = await openGateway();
  secondKey = await gateway.keyWith('scalper', {});
  ids.push((await gateway.send({ strategy: 'trend', comment: 'Breakout of the range' })).body.requestId);
  ids.push(
    (await gateway.send({ action: 'SHORT', symbol: 'ETHUSDT', quantity: 0.1, apiKey: secondKey })).body.requestId,
  );
  gateway.clock.offsetMs = 60_000;
  fromMs = Date.now() + 60_000;
  ids.push((await gateway.send({ action: 'CLOSE_SHORT', symbol: 'SOLUSDT' })).body.requestId);
  refusedIds.push((await gateway.send({ symbol: 'NOSUCHUSDT', strategy: 'trend' })).body.requestId);
  refusedIds.push((await gateway.send({ symbol: 'OTHERUSDT', action: 'SHORT', apiKey: secondKey })).body.requestId);
  refusedIds.push((await gateway.request('POST', '/webhook', '{"apiKey":"nobody","action":"HOLD"}')).body.requestId);
  // The venue has refused it after it was accepted.
  refusedIds.push(ids[2] as string);
  await vi.waitFor(async () => expect((await gateway.request('GET', '/refusals')).body.result).toHaveLength(4), {
    timeout: 30_000,
    interval: 50,
  });
});
afterAll(() => gateway.close());

const found = async (path: string, name: string): Promise<string[]> => {
  const { status, body } = await gateway.request('GET', path);
  expect(body.error).toBeUndefined();
  expect(status).toBe(200);
  return body.result.map((row: Record<string, string>) => row[name]);
};
const pick = (list: readonly string[], ...places: number[]): string[] => places.map((place) => list[place] as string);

describe('GET /trades', () => {
  it.each([
    ['action=SHORT', [1]],
    ['key=scalper', [1]],
    ['source=webhook', [2, 1, 0]],
    ['source=email', []],
    ['source=email,webhook', [2, 1, 0]],
    ['source=hook', []],
    ['mode=paper', [2, 1, 0]],
    ['mode=live', []],
    ['search=BREAKOUT', [0]],
    ['search=range', [0]],
    ['search=%25%25', []],
    ['search=no%20short', [2]],
    ['search=eth', [1]],
    ['search=scalper', [1]],
    ['search=trend&action=LONG', [0]],
    ['search=trend&action=SHORT', []],
    ["search='; DROP", []],
  ] as const)('?%s', async (query, places) => {
    expect(await found(`/trades?${query}`, 'requestId')).toEqual(pick(ids, ...places));
  });

  it('finds a trade by a part of its request id', async () => {
    const part = (ids[1] as string).slice(-12);
    expect(await found(`/trades?search=${part.toUpperCase()}`, 'requestId')).toEqual(pick(ids, 1));
  });

  it('finds those of a stretch of time, its end not included', async () => {
    expect(await found(`/trades?from=${fromMs}`, 'requestId')).toEqual(pick(ids, 2));
    expect(await found(`/trades?to=${fromMs}`, 'requestId')).toEqual(pick(ids, 1, 0));
    const [{ receivedAt }] = (await gateway.request('GET', '/trades?limit=1')).body.result;
    expect(await found(`/trades?from=${receivedAt}&to=${receivedAt + 1}`, 'requestId')).toEqual(pick(ids, 2));
    expect(await found(`/trades?from=${receivedAt}&to=${receivedAt}`, 'requestId')).toEqual([]);
  });

  it('goes on page by page within a filter', async () => {
    const [first, ...others] = await found('/trades?source=webhook&limit=1', 'requestId');
    expect([first, others]).toEqual([ids[2], []]);
    expect(await found(`/trades?source=webhook&limit=5&before=${first}`, 'requestId')).toEqual(pick(ids, 1, 0));
  });

  it.each([
    ['action=BUY', 'action'],
    ['search=x', 'search'],
    [`search=${'x'.repeat(65)}`, 'search'],
    ['from=soon', 'from'],
    ['from=2026-03-02&to=2026-03-01', 'from'],
    ['tag=', 'tag'],
    ['tag=a,b', 'tag'],
    ['mode=real', 'mode'],
    ['nosuch=1', 'nosuch'],
  ])('?%s is refused and names %s', async (query, named) => {
    const { status, body } = await gateway.request('GET', `/trades?${query}`);
    expect([status, body.code]).toEqual([400, 'INVALID_QUERY']);
    expect(body.error).toContain(named);
  });
});

describe('GET /orders', () => {
  it.each([
    ['action=SHORT', [1]],
    ['key=scalper', [1]],
    ['search=breakout', [0]],
    ['search=sbx', [1, 0]],
    ['mode=live', []],
  ] as const)('?state=all&%s', async (query, places) => {
    expect(await found(`/orders?state=all&${query}`, 'requestId')).toEqual(pick(ids, ...places));
  });

  it('finds those of a stretch of time', async () => {
    expect(await found(`/orders?state=all&to=${fromMs}`, 'requestId')).toEqual(pick(ids, 1, 0));
    expect(await found(`/orders?state=all&from=${fromMs}`, 'requestId')).toEqual([]);
  });
});

describe('GET /refusals', () => {
  it.each([
    ['symbol=NOSUCH/USDT', [0]],
    ['action=SHORT', [1]],
    ['strategy=trend', [0]],
    ['exchange=binance', [1, 0, 3]],
    ['source=webhook', [1, 0, 3]],
    ['source=email,webhook', [1, 0, 3]],
    ['account=scalp', []],
    ['sender=known', [1, 0, 3]],
    ['sender=unknown', [2]],
    ['sender=unknown&key=scalper', []],
    ['search=otherusdt', [1]],
    ['search=has%20no%20market', [1, 0]],
    ['search=scalper', [1]],
    ['to=2020-01-01', []],
    ['from=2020-01-01&key=scalper', [1]],
  ] as const)('?%s', async (query, places) => {
    expect(await found(`/refusals?${query}`, 'id')).toEqual(pick(refusedIds, ...places));
  });
});

describe('GET /refusals of what could not be read', () => {
  let unread = '';
  beforeAll(async () => {
    const body = {
      apiKey: secondKey,
      exchange: 'BYBIT',
      account: 'scalp',
      symbol: 'BYBIT:XRP/USDT.P',
      strategy: 'wave',
    };
    unread = (await gateway.request('POST', '/webhook', { ...body, action: 'LONG', quantity: 'many' })).body.requestId;
    await vi.waitFor(async () => expect(await found(`/refusals?search=${unread}`, 'id')).toEqual([unread]), {
      timeout: 30_000,
      interval: 50,
    });
  });

  it.each(['symbol=XRPUSDT', 'exchange=bybit', 'account=scalp', 'strategy=wave'])(
    '?%s finds it by what was kept of it',
    async (query) => {
      expect(await found(`/refusals?${query}`, 'id')).toEqual([unread]);
    },
  );

  it.each(['symbol=ETHUSDT', 'exchange=mexc', 'account=other', 'strategy=waves'])('?%s does not', async (query) => {
    expect(await found(`/refusals?${query}`, 'id')).toEqual([]);
  });

  it('a signal that names no account is for main', async () => {
    expect(await found('/refusals?account=main&key=scalper', 'id')).toEqual(pick(refusedIds, 1));
  });
});

describe('GET /signals', () => {
  it.each([
    ['decision=accepted', [2, 1, 0]],
    ['action=SHORT&decision=accepted', [1]],
    ['search=ethusdt', [1]],
    ['decision=stored', []],
    ['to=2020-01-01', []],
  ] as const)('?%s', async (query, places) => {
    expect(await found(`/signals?${query}`, 'signal_id')).toEqual(pick(ids, ...places));
  });

  it('finds those of a stretch of time', async () => {
    expect(await found(`/signals?from=${fromMs}&decision=accepted`, 'signal_id')).toEqual(pick(ids, 2));
    expect(await found(`/signals?to=${fromMs}`, 'signal_id')).toEqual(pick(ids, 1, 0));
  });
});

describe('PATCH /trades/{requestId}', () => {
  const write = (id: string, body: unknown): Promise<Sent> => gateway.request('PATCH', `/trades/${id}`, body);
  const shown = async (id: string) => {
    const { note, tags } = await gateway.trade(id);
    return { note, tags };
  };

  it('keeps a note and tags, shows them, finds them, and takes them away again', async () => {
    const [id = '', other = ''] = ids;
    expect(await shown(id)).toEqual({ note: null, tags: [] });
    const { status, body } = await write(id, {
      note: '  entered too late\nnext time wait ',
      tags: [' Breakout ', 'A+'],
    });
    expect([status, body.result]).toEqual([
      200,
      { requestId: id, note: 'entered too late\nnext time wait', tags: ['breakout', 'a+'] },
    ]);
    expect(await shown(id)).toEqual({ note: 'entered too late\nnext time wait', tags: ['breakout', 'a+'] });
    expect(await found('/trades?tag=BREAKOUT', 'requestId')).toEqual([id]);
    expect(await found('/orders?state=all&tag=a%2B', 'requestId')).toEqual([id]);
    expect(await found('/trades?search=wait', 'requestId')).toEqual([id]);
    await write(other, { tags: ['breakout'] });
    expect(await found('/trades?tag=breakout', 'requestId')).toEqual([other, id]);
    await write(id, { tags: ['fomo'] });
    expect(await shown(id)).toEqual({ note: 'entered too late\nnext time wait', tags: ['fomo'] });
    expect(await found('/trades?tag=breakout', 'requestId')).toEqual([other]);
    await write(id, { note: null, tags: [] });
    expect(await shown(id)).toEqual({ note: null, tags: [] });
    const listed = (await gateway.request('GET', '/trades')).body.result.map(({ tags }: { tags: string[] }) => tags);
    expect(listed).toEqual([[], ['breakout'], []]);
  });

  it('is written down in the audit, with what was there before', async () => {
    const [id = ''] = ids;
    await write(id, { note: 'one' });
    await write(id, { note: 'two' });
    const [entry] = (await gateway.request('GET', '/admin/audit?limit=1')).body.result;
    expect(entry).toMatchObject({ setting: 'tradeNote', actor: 'api 127.0.0.1' });
    expect([entry.before.note, entry.after.note, entry.after.requestId]).toEqual(['one', 'two', id]);
  });

  it('keeps no key that slipped into a note', async () => {
    const [id = ''] = ids;
    await write(id, { note: `key ${gateway.apiKey}` });
    expect((await shown(id)).note).not.toContain(gateway.apiKey);
  });

  it.each([
    [{}, 'note'],
    [{ note: 5 }, 'note'],
    [{ note: 'x'.repeat(2001) }, 'note'],
    [{ note: 'a\u0000b' }, 'note'],
    [{ tags: 'x' }, 'tags'],
    [{ tags: ['a', 'A '] }, 'twice'],
    [{ tags: ['a,b'] }, 'tags'],
    [{ tags: [''] }, 'tags'],
    [{ tags: ['x'.repeat(33)] }, 'tags'],
    [{ tags: Array.from({ length: 11 }, (_, index) => `t${index}`) }, 'tags'],
    [{ notes: 'x' }, 'notes'],
    ['{', 'JSON'],
  ])('refuses what is no note: %#', async (body, named) => {
    const { status, body: answer } = await write(ids[2] as string, body);
    expect(status).toBe(400);
    expect(answer.error).toContain(named);
    expect(await shown(ids[2] as string)).toEqual({ note: null, tags: [] });
  });

  it('refuses a trade that is not there, and does not repeat what was sent', async () => {
    const { status, body } = await write('whk_secret', { note: 'x' });
    expect([status, body.code]).toEqual([404, 'TRADE_NOT_FOUND']);
    expect(JSON.stringify(body)).not.toContain('whk_secret');
  });
});
