// The kill switch of one key, strategy, account or symbol: it stops, withdraws and closes what is its own and nothing else, until the
// venue confirms it, after a restart too; the owner's hand and stops pass it.

import { beforeEach, describe, expect, it } from 'vitest';
import type { SubjectKind } from '../../src/trading/intake/restrictions.ts';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { expectFilled, expectRefusal, freshGateway } from '../webhook/answers.ts';
import { path } from './provoke.ts';

let gateway: TestGateway;
const turn = (kind: SubjectKind, name: string, body: object): Promise<Sent> =>
  gateway.request('PUT', path(kind, name, 'kill-switch'), body);
const held = async (): Promise<string[]> =>
  (await gateway.request('GET', '/positions')).body.result.map(
    (row: Record<string, unknown>) => `${row.key} ${row.quantity}`,
  );
const statusOf = async ({ body }: Sent): Promise<string> => (await gateway.trade(body.requestId)).status;

const SUBJECTS: readonly (readonly [SubjectKind, string])[] = [
  ['key', 'test-0'],
  ['strategy', 'ema'],
  ['account', 'binance:main'],
  ['symbol', 'SOLUSDT'],
  ['symbol', 'binance:SOLUSDT'],
];

it('GET and PUT /admin/kill-switch name the others that are on, and only those', async () => {
  gateway = await freshGateway();
  const others = async (method: string, body?: object) =>
    (await gateway.request(method, '/admin/kill-switch', body)).body.others;
  expect(await others('GET')).toEqual([]);
  await gateway.request('PUT', path('strategy', 'ema', 'pause'), {});
  await turn('account', 'binance:main', { active: true, scope: 'entries', reason: 'a loss' });
  await turn('symbol', 'SOLUSDT', { active: true });
  const on = [
    { kind: 'account', name: 'binance:main', scope: 'entries', reason: 'a loss' },
    { kind: 'symbol', name: 'SOLUSDT', scope: 'all', reason: null },
  ];
  expect(await others('GET')).toEqual(on);
  expect(await others('PUT', { active: true })).toEqual(on);
  expect(await others('PUT', { active: false })).toEqual(on);
  await turn('symbol', 'SOLUSDT', { active: false });
  expect(await others('GET')).toEqual(on.slice(0, 1));
});

it('says since when it has been on: since it was thrown first, also after a restart, and nothing while it is off', async () => {
  gateway = await freshGateway();
  const since = async (method: string, body?: object) =>
    (await gateway.request(method, '/admin/kill-switch', body)).body.since;
  expect(await since('GET')).toBe(null);
  const beforeMs = Date.now();
  const thrownAt = await since('PUT', { active: true, scope: 'entries', reason: 'news' });
  expect(thrownAt).toBeGreaterThanOrEqual(beforeMs);
  expect(thrownAt).toBeLessThanOrEqual(Date.now());
  gateway.clock.offsetMs += 5_000;
  expect(await since('PUT', { active: true, scope: 'all' })).toBe(thrownAt);
  await gateway.close();
  gateway = await freshGateway({ dataDir: gateway.dataDir });
  expect(await since('GET')).toBe(thrownAt);
  expect(await since('PUT', { active: false })).toBe(null);
  gateway.clock.offsetMs += 5_000;
  expect(await since('PUT', { active: true })).toBeGreaterThan(thrownAt);
  const { result } = (await gateway.request('GET', '/admin/kill-switch')).body;
  const { status } = await gateway.request('PUT', '/admin/kill-switch', result);
  expect(status, 'what was read can be sent back').toBe(200);
  const [newest] = (await gateway.request('GET', '/admin/audit?limit=1')).body.result;
  expect(newest.after).not.toHaveProperty('sinceMs');
});

describe.each(SUBJECTS)('that of %s %s', (kind, name) => {
  let mine: Sent;
  let others: Sent;
  let otherKey: string;
  /** Its own signal, and one that shares nothing with it. */
  const own = (fields: object = {}): Promise<Sent> =>
    gateway.send({ symbol: 'SOLUSDT', quantity: 2, strategy: 'ema', ...fields });
  const other = (fields: object = {}): Promise<Sent> =>
    gateway.send({ apiKey: otherKey, symbol: 'ETHUSDT', quantity: 1, strategy: 'macd', account: 'scalp', ...fields });
  beforeEach(async () => {
    gateway = await freshGateway({ accounts: ['scalp'] });
    otherKey = (await gateway.keys.create({ label: 'other' })).apiKey;
    expectFilled(await own());
    expectFilled(await other());
    mine = await own({ price: 10 });
    others = await other({ price: 100 });
    expect([mine.body.tradeResult.status, others.body.tradeResult.status]).toEqual(['Submitted', 'Submitted']);
  });

  it('refuses its signals and withdraws its entries, and touches nothing else', async () => {
    const { status, body } = await turn(kind, name, { active: true, reason: 'wild' });
    expect(status).toBe(200);
    expect(body.result).toMatchObject({ kind, name, killSwitch: { active: true, scope: 'all', cancelEntries: true } });
    expect(body.canceled.map((row: { requestId: string }) => row.requestId)).toEqual([mine.body.requestId]);
    expect(body.closed).toEqual([]);
    expect([await statusOf(mine), await statusOf(others)]).toEqual(['Canceled', 'Submitted']);
    expect((await gateway.trade(mine.body.requestId)).error).toBe(`canceled by the kill switch of ${kind}:${name}`);
    const refused = await own();
    expectRefusal(refused, 'KILL_SWITCH_ACTIVE');
    expect(refused.body.error).toContain(`signalbox kill-switch off --of ${kind}:${name}`);
    expectRefusal(await own({ action: 'CLOSE_LONG' }), 'KILL_SWITCH_ACTIVE');
    expectFilled(await other());
    await turn(kind, name, { active: false });
    expectFilled(await own());
  });

  it('of scope entries lets closes pass', async () => {
    await turn(kind, name, { active: true, scope: 'entries', cancelEntries: false });
    expect(await statusOf(mine)).toBe('Submitted');
    expectRefusal(await own(), 'KILL_SWITCH_ACTIVE');
    expectFilled(await own({ action: 'CLOSE_LONG', quantity: 1 }));
  });

  it('with flatten closes what is its own', async () => {
    const { body } = await turn(kind, name, { active: true, flatten: true });
    expect(body.closed).toMatchObject([{ key: 'binance:SOLUSDT:LONG', status: 'Filled', success: true }]);
    expect(await held()).toEqual(['binance:scalp:ETHUSDT:LONG 1']);
    const story = await gateway.trade(body.closed[0].requestId);
    expect(story).toMatchObject({ source: 'owner', keyLabel: `kill switch of ${kind}:${name}` });
  });

  it("lets the owner's close and cancel pass, and outlives a restart", async () => {
    await turn(kind, name, { active: true, cancelEntries: false });
    await gateway.close();
    const key = gateway.apiKey;
    gateway = await freshGateway({ accounts: ['scalp'], dataDir: gateway.dataDir });
    expectRefusal(await own({ apiKey: key }), 'KILL_SWITCH_ACTIVE');
    const [row] = (await gateway.request('POST', '/orders/cancel', { symbol: 'SOLUSDT' })).body.result;
    expect(row.outcome).toBe('canceled');
    await gateway.request('POST', '/positions/close', { positions: ['binance:SOLUSDT:LONG'] });
    expect(await held()).toEqual(['binance:scalp:ETHUSDT:LONG 1']);
  });

  it('cancels its trades that wait, and no others', async () => {
    await gateway.request('PUT', '/admin/queue-mode', { mode: 'async' });
    const waiting = [await own(), await other()];
    // Thrown before their turn: what is queued is looked at again in its lane.
    await gateway.restrictions.turnKillSwitch({ kind, name }, { active: true, scope: 'all' }, 'test');
    await gateway.until(waiting[1]?.body.requestId, 'Filled');
    const first = await gateway.until(waiting[0]?.body.requestId, 'Filled', 'Canceled');
    expect(['Filled', 'Canceled']).toContain(first.status);
    expect((await own()).body.code).toBe('KILL_SWITCH_ACTIVE');
  });
});

describe('a strategy', () => {
  it('is flattened by its own share: what others hold of the same position stays', async () => {
    gateway = await freshGateway();
    await gateway.send({ symbol: 'SOLUSDT', quantity: 3, strategy: 'ema' });
    await gateway.send({ symbol: 'SOLUSDT', quantity: 2, strategy: 'macd' });
    await turn('strategy', 'ema', { active: true, flatten: true });
    const [position] = (await gateway.request('GET', '/positions')).body.result;
    expect(position).toMatchObject({ quantity: 2, strategies: [{ strategy: 'macd', quantity: 2 }] });
  });
});

describe('a venue that does not confirm', () => {
  it.each(SUBJECTS)('is asked again for %s %s until it does, after a restart too', async (kind, name) => {
    const venue = createScriptedVenue('binance');
    gateway = await freshGateway({ venues: [venue] });
    venue.script.push({ rest: true });
    const entry = await gateway.send({ symbol: 'SOLUSDT', quantity: 1, price: 90, strategy: 'ema' });
    venue.down = 'not-sent';
    const thrown = await turn(kind, name, { active: true });
    expect(thrown.body.canceled).toMatchObject([{ outcome: 'unreachable', status: 'Submitted' }]);
    expect(gateway.deskAlarms).toEqual([expect.stringContaining(`The kill switch of ${kind} "${name}" is on, but 1`)]);
    await gateway.close();
    venue.down = undefined;
    gateway = await freshGateway({ venues: [venue], dataDir: gateway.dataDir });
    expect(await gateway.until(entry.body.requestId, 'Canceled')).toMatchObject({
      error: `canceled by the kill switch of ${kind}:${name}`,
    });
  });

  it('and fills an entry of it first leads to an alarm', async () => {
    const venue = createScriptedVenue('binance');
    gateway = await freshGateway({ venues: [venue] });
    venue.script.push({ rest: true });
    const entry = await gateway.send({ symbol: 'SOLUSDT', quantity: 1, price: 90, strategy: 'ema' });
    const { clientOrderId } = (await gateway.trade(entry.body.requestId)).orders[0];
    venue.down = 'not-sent';
    await turn('strategy', 'ema', { active: true });
    await turn('strategy', 'macd', { active: true });
    venue.fill(clientOrderId);
    await gateway.until(entry.body.requestId, 'Filled');
    expect(gateway.deskAlarms.filter((text) => text.startsWith('An entry filled'))).toEqual([
      expect.stringContaining('although the kill switch of strategy "ema" is on: 1 SOLUSDT LONG'),
    ]);
  });
});
