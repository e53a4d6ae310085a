// GET /events as a list and as a WebSocket, through a real port, over whatever happens at a desk on paper.

import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type Follower, openDesk } from './desk.ts';

const until = (holds: () => unknown): Promise<unknown> =>
  vi.waitFor(
    () => {
      if (!holds()) throw new Error('not yet');
    },
    { timeout: 30_000, interval: 20 },
  );
const textsOf = (events: readonly { text?: unknown }[]): unknown[] => events.map(({ text }) => text);

it('tells each step of a trade, and the position it makes, in words and with what leads to its story', async () => {
  const desk = await openDesk();
  const client = await desk.follow('?kind=trade,position');
  const { requestId } = await desk.send({ strategy: 'trend', comment: 'first' });
  await until(() => client.events().length >= 4);
  const [accepted, sending, filled, position] = client.events();
  expect(accepted).toMatchObject({
    ...{ type: 'event', kind: 'trade', step: 'accepted', status: 'Enqueued', requestId, exchange: 'binance' },
    ...{ mode: 'paper', account: 'main', market: 'BTCUSDT', strategy: 'trend', keyLabel: 'static-1' },
    text: 'LONG 0.01 BTCUSDT on binance (paper) by trend: accepted',
  });
  expect(sending).toMatchObject({ step: 'sending', requestId, clientOrderId: expect.stringMatching(/^sbx/) });
  expect(sending?.text).toMatch(/: sending BUY 0\.01 at market$/);
  expect(filled).toMatchObject({ step: 'filled', status: 'Filled', requestId });
  expect(filled?.text).toMatch(/^LONG 0\.01 BTCUSDT on binance \(paper\) by trend: Filled 0\.01 at [\d.]+ \(first\)$/);
  expect(position).toMatchObject({ kind: 'position', requestId, side: 'LONG', quantity: 0.01 });
  expect(position?.text).toMatch(/^BTCUSDT LONG 0\.01 on binance \(paper\), in at [\d.]+$/);
  await desk.send({ action: 'CLOSE_LONG', strategy: 'trend' });
  await until(() => client.events().length >= 8);
  expect(client.events().at(-1)).toMatchObject({ quantity: 0, text: 'BTCUSDT LONG on binance (paper): closed' });
});

it('tells refusals under a known key, changes of the owner, stops, alarms and what was only written down', async () => {
  const desk = await openDesk();
  const client = await desk.follow();
  const refused = await desk.send({ exchange: 'binance', symbol: 'NOSUCHUSDT' });
  await desk.send({ apiKey: `whk_${'x'.repeat(43)}` });
  await desk.change('PUT', '/admin/kill-switch', { active: true, scope: 'entries', reason: 'news' });
  await desk.change('PUT', '/admin/kill-switch', { active: false });
  await desk.change('POST', '/signals', { symbol: 'ETHUSDT', signal_type: 'LONG', source: 'script' });
  await desk.send({ stopLoss: 1000 });
  desk.built().alarms.stand('test alarm', 'The test alarm stands');
  desk.built().alarms.over('test alarm');
  await until(() => client.events().some(({ state }) => state === 'over'));
  await until(() => client.events().some(({ kind }) => kind === 'protection'));
  await until(() => client.events().some(({ kind }) => kind === 'refusal'));
  // That of the stranger is written by now too, and told to nobody.
  expect((await desk.ask('/refusals')).result).toHaveLength(2);
  await until(() => client.events().filter(({ kind }) => kind === 'change').length >= 2);
  const told = (kind: string) => client.events().filter((event) => event.kind === kind);
  expect(told('refusal')).toHaveLength(1);
  expect(told('refusal')[0]).toMatchObject({ refusalId: refused.requestId, code: 'UNKNOWN_SYMBOL' });
  expect(told('refusal')[0]?.text).toMatch(
    /^Refused: LONG NOSUCHUSDT of static-1 at \/webhook: .* \(UNKNOWN_SYMBOL\)$/,
  );
  const [on, off] = textsOf(told('change'));
  expect(on).toMatch(
    /^The kill switch is ON \(entries\): no new positions, closing works \(news\)\. Turned by api 127/,
  );
  expect(off).toMatch(/^The kill switch is off: signals trade\. Turned by /);
  expect(textsOf(told('signal'))).toEqual(['LONG ETHUSDT from script: stored']);
  expect(told('protection')[0]?.text).toMatch(/^BTCUSDT LONG on binance: stop loss 1000/);
  expect(textsOf(told('alarm'))).toEqual(['The test alarm stands', 'over: The test alarm stands']);
});

it('lists the newest first, page by page, and by kind', async () => {
  const desk = await openDesk();
  for (let count = 0; count < 5; count++) await desk.send();
  const all = (await desk.ask('/events?limit=500')).result;
  expect(all.gap).toBe(false);
  expect(all.events.at(-1)).toMatchObject({ kind: 'start', text: expect.stringMatching(/^Signalbox .* has started$/) });
  expect(all.cursor).toBe(all.events[0].cursor);
  const paged = [];
  for (let before = ''; ; ) {
    const { events } = (await desk.ask(`/events?limit=7${before}`)).result;
    paged.push(...events);
    if (events.length === 0) break;
    before = `&before=${events.at(-1).cursor}`;
  }
  expect(paged).toEqual(all.events);
  const trades = (await desk.ask('/events?kind=trade&limit=500')).result.events;
  expect(trades).toEqual(all.events.filter(({ kind }: { kind: string }) => kind === 'trade'));
  expect(trades).toHaveLength(15);
  const [first] = all.events.slice(-1);
  const since = (await desk.ask(`/events?after=${first.cursor}&limit=500`)).result;
  expect(since.events).toEqual(all.events.toReversed().slice(1));
});

it.each([
  ['kind=nonsense', 'kind'],
  ['kind=', 'kind'],
  ['limit=0', 'limit'],
  ['limit=501', 'limit'],
  ['before=nonsense', 'before'],
  ['before=0000000000-1', 'before'],
  ['after=0000000000-1&before=0000000000-1', 'before'],
  ['since=1', 'since'],
])('refuses ?%s and names %s', async (query, named) => {
  const desk = await openDesk();
  const { success, code, error } = await desk.ask(`/events?${query}`);
  expect({ success, code }).toEqual({ success: false, code: 'INVALID_QUERY' });
  expect(error).toContain(named);
});

it('goes on after a connection that was killed, and after a restart, without losing or repeating anything', async () => {
  const desk = await openDesk();
  const first = await desk.follow();
  const start = first.cursor();
  await desk.send();
  await until(() => first.events().length >= 4);
  // Without a goodbye.
  first.ws.terminate();
  await desk.send({ symbol: 'ETHUSDT' });
  const second = await desk.follow(`?after=${first.cursor()}`);
  await until(() => second.events().length >= 4);
  await desk.send({ symbol: 'SOLUSDT' });
  await until(() => second.events().length >= 8);
  await desk.restart();
  expect(second.closed).toEqual([{ code: 1001, reason: expect.stringContaining('connect again') }]);
  await desk.send({ symbol: 'XRPUSDT', quantity: 20 });
  const third = await desk.follow(`?after=${second.cursor()}`);
  expect(third.frames[0]).toMatchObject({ type: 'hello', gap: false, heartbeatSeconds: 25 });
  await until(() => third.events().some(({ market, kind }) => market === 'XRPUSDT' && kind === 'position'));
  const seen = [first, second, third].flatMap((each) => each.events());
  const { events } = (await desk.ask(`/events?after=${start}&limit=500`)).result;
  const last = events.findIndex(({ cursor }: { cursor: string }) => cursor === seen.at(-1)?.cursor);
  expect(seen.map(({ cursor }) => cursor)).toEqual(
    events.slice(0, last + 1).map(({ cursor }: { cursor: string }) => cursor),
  );
  expect(seen.filter(({ kind }) => kind === 'start')).toHaveLength(1);
});

it('says that there is a gap for a cursor of another database, of the future, and for one that is none', async () => {
  const [desk, other] = await Promise.all([openDesk(), openDesk()]);
  await other.send();
  const theirs = (await other.ask('/events')).result.cursor;
  const ours = (await desk.ask('/events')).result.cursor;
  const [epoch = ''] = ours.split('-');
  for (const after of [theirs, `${epoch}-999999`, 'nonsense', '', `${epoch}-01`, `${epoch}--1`]) {
    const client = await desk.follow(`?after=${after}`);
    await until(() => client.frames.length > 0);
    expect(client.frames[0]).toEqual({ type: 'hello', gap: true, heartbeatSeconds: 25, cursor: ours });
    client.ws.terminate();
    const { result, code } = await desk.ask(`/events?after=${after}`);
    if (after !== '') expect(result).toEqual({ events: [], cursor: ours, gap: true });
    else expect(code).toBe('INVALID_QUERY');
  }
});

it('says that there is a gap where more was missed than is worth hearing', async () => {
  const desk = await openDesk();
  const { cursor } = (await desk.ask('/events')).result;
  const events = Array.from({ length: 2001 }, (_, index) => ({
    ...{ atMs: index, kind: 'alarm' as const, facts: { alarm: 'many', text: `${index}`, state: 'raised' } },
  }));
  const { openDataStorage } = await import('../../src/adapters/storage/sqlite/open-data.ts');
  await desk.stop();
  const data = await openDataStorage({ dataDir: desk.dataDir, nowMs: Date.now, onDeath: () => {} });
  await data.events.add(events);
  await data.close();
  await desk.restart();
  const client = await desk.follow(`?after=${cursor}`);
  await until(() => client.frames.length > 0);
  expect(client.frames[0]).toMatchObject({ gap: true });
});

it('lets in only whom the internal door lets in', async () => {
  const desk = await openDesk({ INTERNAL_TOKEN: 'open-sesame-123456' });
  const refusal = async (headers: Record<string, string>): Promise<number> => {
    const ws = new WebSocket(`${desk.url().replace(/^http/, 'ws')}/events`, { headers });
    const [, response] = await once(ws, 'unexpected-response');
    let body = '';
    for await (const chunk of response) body += chunk;
    expect(JSON.parse(body)).toMatchObject({
      success: false,
      error: expect.any(String),
      requestId: expect.any(String),
    });
    return response.statusCode;
  };
  expect(await refusal({})).toBe(401);
  expect(await refusal({ 'x-internal-auth-key': 'wrong' })).toBe(401);
  expect(await refusal({ 'x-internal-auth-key': 'open-sesame-123456', origin: 'https://evil.example' })).toBe(403);
  const client = await desk.follow('', { authorization: 'Bearer open-sesame-123456' });
  await until(() => client.frames.length > 0);
  expect((await fetch(`${desk.url()}/events`)).status).toBe(401);
});

it('answers a ping, and takes no harm from garbage', async () => {
  const desk = await openDesk();
  const client = await desk.follow();
  client.ws.send('{"action":"ping"}');
  for (const text of ['', 'null', '{', '[]', '"ping"', '{"action":"subscribe"}', '\u0000']) client.ws.send(text);
  await until(() => client.frames.filter(({ type }) => type === 'error').length === 7);
  expect(client.frames.filter(({ type }) => type === 'pong')).toHaveLength(1);
  const closeOf = async (send: (follower: Follower) => void): Promise<number | undefined> => {
    const other = await desk.follow();
    send(other);
    await until(() => other.closed.length > 0);
    return other.closed[0]?.code;
  };
  expect(await closeOf(({ ws }) => ws.send(Buffer.from([1, 2, 3])))).toBe(1003);
  expect(await closeOf(({ ws }) => ws.send('x'.repeat(5000)))).toBe(1009);
  expect(
    await closeOf(({ ws }) => (ws as unknown as { _socket: NodeJS.WritableStream })._socket.write('\xff\xff\xff')),
  ).toBe(1002);
  const [unknown] = await Promise.all([desk.follow('?kind=nonsense')]);
  await until(() => unknown?.closed.length);
  expect(unknown?.closed[0]).toEqual({ code: 1008, reason: expect.stringMatching(/^kind: send some of trade, /) });
  await desk.send();
  await until(() => client.events().length >= 4);
});

it('serves a thousand sockets from one source, in order to each, while signals are traded', {
  timeout: 120_000,
}, async () => {
  const desk = await openDesk();
  const clients: Follower[] = [];
  for (let batch = 0; batch < 10; batch++)
    clients.push(...(await Promise.all(Array.from({ length: 100 }, () => desk.follow('?kind=trade')))));
  // One never reads a byte of what it is sent.
  const stuck = connect(Number(new URL(desk.url()).port), '127.0.0.1');
  stuck.write(
    'GET /events HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  stuck.pause();
  for (let count = 0; count < 5; count++) expect((await desk.send()).success).toBe(true);
  await until(() => clients.every((client) => client.events().length >= 15));
  const [first] = clients;
  for (const client of clients) expect(client.events()).toEqual(first?.events());
  stuck.destroy();
  for (const { ws } of clients) ws.terminate();
  await pause(10);
});
