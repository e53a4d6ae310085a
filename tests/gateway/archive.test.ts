// POST /admin/archive through the front door: old trades leave a paper instance, and nothing that counts is another than before.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TradeLimits } from '../../src/trading/intake/restrictions.ts';
import { writtenMarket } from '../protection/written-market.ts';
import type { GatewayOptions, Sent, TestGateway } from '../support/gateway.ts';
import { expectDuplicateOf, expectRefusal, reopened } from '../webhook/answers.ts';

const DAY_MS = 86_400_000;
const OLD_KEY = '11111111-1111-4111-8111-111111111111';

const market = writtenMarket(1000);
let gateway: TestGateway;
let offsetMs = 0;
const old: string[] = [];
const young: string[] = [];

async function traded(ids: string[], fields: Record<string, unknown>): Promise<string> {
  const sent = await gateway.send({ symbol: 'ETHUSDT', quantity: 1, ...fields });
  // On a busy machine the answer may come before the fill.
  await gateway.until(sent.body.requestId, 'Filled');
  ids.push(sent.body.requestId);
  return sent.body.requestId;
}
const resultOf = async (path: string): Promise<Sent['body']> => {
  const { status, body } = await gateway.request('GET', path);
  expect([status, body.error]).toEqual([200, undefined]);
  return body.result;
};
const later = (days: number): void => {
  offsetMs += days * DAY_MS;
  gateway.clock.offsetMs = offsetMs;
};
async function open(options: GatewayOptions = {}): Promise<void> {
  gateway = await reopened({ prices: market, accounts: ['scalp'], ...options });
  gateway.clock.offsetMs = offsetMs;
  market.nowMs = () => Date.now() + offsetMs;
}
async function archived(before: string): Promise<Sent['body']> {
  expect((await gateway.request('POST', '/admin/archive', { before })).status).toBe(200);
  await expect.poll(async () => (await resultOf('/admin/archive')).lastRun.isRunning, { timeout: 20_000 }).toBe(false);
  const state = await resultOf('/admin/archive');
  expect(state.lastRun.fault).toBeNull();
  return state;
}

/** Everything that is counted, as its owner sees it. */
async function counted(fromMs: number) {
  const from = `from=${fromMs}`;
  const groupings = ['key', 'strategy', 'symbol', 'account', 'day', 'tag'];
  const performance = await Promise.all(groupings.map((by) => resultOf(`/performance?by=${by}&${from}`)));
  const closed = await resultOf(`/performance/trades?${from}`);
  const accounts = await resultOf('/account');
  const held = await resultOf('/positions');
  const orders = await resultOf(`/orders?state=all&${from}`);
  const paper = gateway.venues.map(async (venue) => [await venue.positions('BTCUSDT'), await venue.summary()]);
  return {
    performance: performance.map(({ archivedBefore: _, ...sums }) => sums),
    ...{ closed, accounts, held, orders, paper: await Promise.all(paper) },
    books: [await gateway.data.journal.positions(), await gateway.data.journal.strategyBooks()],
    latest: (await resultOf('/trades?limit=3')).map(({ requestId }: Sent['body']) => requestId),
  };
}

beforeAll(async () => {
  await open();
  await traded(old, { quantity: 2, strategy: 'trend', idempotencyKey: OLD_KEY });
  market.trade(1100);
  later(1);
  await traded(old, { action: 'CLOSE_LONG', strategy: 'trend', quantity: 2 });
  await traded(old, { action: 'SHORT', account: 'scalp', quantity: 3 });
  market.trade(900);
  await traded(old, { action: 'CLOSE_SHORT', account: 'scalp', quantity: 3 });
  // Held since then, and sold in part since.
  await traded(young, { symbol: 'BTCUSDT', quantity: 0.5 });
  await gateway.send({ symbol: 'ETHUSDT', quantity: 0 });
  later(200);
  market.trade(950);
  await traded(young, { strategy: 'trend', quantity: 2 });
  await traded(young, { symbol: 'BTCUSDT', action: 'CLOSE_LONG', quantity: 0.2 });
  later(1);
  market.trade(990);
  await traded(young, { strategy: 'trend', action: 'CLOSE_LONG', quantity: 1 });
});

describe('an instance with old trades', () => {
  test('refuses what is no moment, or too young to leave', async () => {
    const send = (before: string) => gateway.request('POST', '/admin/archive', { before });
    expectRefusal(await send('yesterday'), 'INVALID_PAYLOAD', 'faults');
    expectRefusal(await send('29d'), 'INVALID_PAYLOAD', 'faults');
    expect(await resultOf('/admin/archive')).toMatchObject({ archivedBefore: null, files: [], lastRun: null });
    expect((await resultOf('/performance')).archivedBefore).toBeNull();
    expect((await gateway.request('GET', '/trades')).body).not.toHaveProperty('archivedBefore');
  });

  test('counts the same when they have left', async () => {
    const fromMs = Date.now() + offsetMs - 100 * DAY_MS;
    const before = await counted(fromMs);
    const state = await archived('100d');
    expect(state.lastRun.trades).toBe(old.length);
    expect(state.files.length).toBeGreaterThan(0);
    expect(await counted(fromMs)).toEqual(before);
  });

  test('limits count as before: the key still holds what it opened long ago', async () => {
    const limited = (limits: TradeLimits) =>
      gateway.restrictions.setLimits({ kind: 'key', name: 'test-0' }, limits, 'test');
    await limited({ openPositions: 2 });
    const sent = await gateway.send({ symbol: 'SOLUSDT' });
    expect([sent.status, sent.body.code]).toEqual([422, 'LIMIT_OPEN_POSITIONS']);
    await limited({ openPositions: 3 });
    await traded(young, { symbol: 'SOLUSDT' });
    await limited({});
  });

  test('a restart finds the same', async () => {
    const { archivedBefore } = await resultOf('/admin/archive');
    const before = await counted(archivedBefore);
    await gateway.close();
    await open({ dataDir: gateway.dataDir });
    expect(await counted(archivedBefore)).toEqual(before);
  });

  test('says from when its sums are', async () => {
    const { archivedBefore } = await resultOf('/admin/archive');
    const whole = await resultOf('/performance?by=strategy');
    expect(whole.archivedBefore).toBe(archivedBefore);
    expect((await gateway.request('GET', '/trades')).body.archivedBefore).toBe(archivedBefore);
    expect(whole).toEqual(await resultOf(`/performance?by=strategy&from=${archivedBefore}`));
  });

  test('tells of an archived trade in which file it is, and has the others', async () => {
    for (const id of young) expect((await gateway.trade(id)).requestId).toBe(id);
    const [first = ''] = old;
    const { status, body } = await gateway.request('GET', `/trades/${first}`);
    expect([status, body.code]).toEqual([404, 'TRADE_ARCHIVED']);
    const path = body.error.match(/archived in (.*\.db);/)?.[1];
    const db = new DatabaseSync(path, { readOnly: true });
    expect(db.prepare('SELECT state FROM trades WHERE request_id = ?').get(first)).toEqual({ state: 'filled' });
    expect(db.prepare('SELECT count(*) AS count FROM paper_orders').get()).not.toEqual({ count: 0 });
    expect(db.prepare('SELECT count(*) AS count FROM fills').get()).not.toEqual({ count: 0 });
    db.close();
    expect([existsSync(`${path}-wal`), existsSync(`${path}-journal`)]).toEqual([false, false]);
    // On another machine that shares the database the file is not here, and the trade has existed all the same.
    const unknown = await gateway.request('GET', `/trades/${OLD_KEY}`);
    expectRefusal(unknown, 'TRADE_NOT_FOUND');
    expect(unknown.body.error).toMatch(/trades from before \d{4}-\d\d-\d\dT\S+Z were archived/);
    expect(path).toContain(join(gateway.dataDir, 'archive'));
  });

  test('takes a key of long ago once, as it did before, and not twice', async () => {
    const again = { symbol: 'XRPUSDT', quantity: 1, idempotencyKey: OLD_KEY };
    const first = await gateway.send(again);
    await gateway.until(first.body.requestId, 'Filled');
    expectDuplicateOf(await gateway.send(again), first);
  });

  test('gives no number twice and goes on trading', async () => {
    const { seq } = (await gateway.data.journal.trades({ limit: 1 }))[0]!;
    const id = await traded(young, { symbol: 'DOGEUSDT' });
    expect((await gateway.data.journal.trade(id))?.trade.seq).toBe(seq + 1);
  });
});
