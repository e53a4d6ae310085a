// A pause and the entries that rest at a venue already: they stay and are counted in its answer, or are withdrawn where it says so,
// until the venue confirms it, after a restart too.

import { beforeEach, describe, expect, it } from 'vitest';
import type { SubjectKind } from '../../src/trading/intake/restrictions.ts';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { expectFaults, expectFilled, freshGateway } from '../webhook/answers.ts';
import { path } from './provoke.ts';

let gateway: TestGateway;
const pause = (kind: SubjectKind, name: string, body: object = {}): Promise<Sent> =>
  gateway.request('PUT', path(kind, name, 'pause'), { paused: true, ...body });
const statusOf = async ({ body }: Sent): Promise<string> => (await gateway.trade(body.requestId)).status;

const SUBJECTS: readonly (readonly [SubjectKind, string])[] = [
  ['key', 'test-0'],
  ['strategy', 'ema'],
  ['account', 'binance:main'],
  ['symbol', 'SOLUSDT'],
  ['symbol', 'binance:SOLUSDT'],
];

describe.each(SUBJECTS)('a pause of %s %s', (kind, name) => {
  let mine: Sent[];
  let others: Sent;
  beforeEach(async () => {
    gateway = await freshGateway({ accounts: ['scalp'] });
    const { apiKey } = await gateway.keys.create({ label: 'other' });
    const own = { symbol: 'SOLUSDT', quantity: 2, strategy: 'ema' };
    const other = { apiKey, symbol: 'ETHUSDT', quantity: 1, strategy: 'macd', account: 'scalp' };
    expectFilled(await gateway.send(own));
    const closing = await gateway.send({ ...own, action: 'CLOSE_LONG', price: 100_000 });
    mine = [await gateway.send({ ...own, price: 10 }), await gateway.send({ ...own, price: 11 }), closing];
    others = await gateway.send({ ...other, price: 100 });
    for (const sent of [...mine, others]) expect(sent.body.tradeResult.status).toBe('Submitted');
  });
  const statuses = () => Promise.all([...mine, others].map(statusOf));

  it('leaves entries that rest, and says how many may still fill', async () => {
    const { body } = await pause(kind, name);
    expect(body).toMatchObject({ canceled: [], waitingEntries: 2, result: { pauseCancelsEntries: false } });
    expect(await statuses()).toEqual(['Submitted', 'Submitted', 'Submitted', 'Submitted']);
  });

  it('with cancelEntries withdraws them and nothing else, and tells which', async () => {
    await pause(kind, name);
    const { body } = await pause(kind, name, { cancelEntries: true });
    expect(body).toMatchObject({ waitingEntries: 0, result: { paused: true, pauseCancelsEntries: true } });
    const told = body.canceled.map((row: Record<string, unknown>) => `${row.requestId} ${row.outcome}`);
    expect(told.sort()).toEqual(
      mine
        .slice(0, 2)
        .map((sent) => `${sent.body.requestId} canceled`)
        .sort(),
    );
    expect(await statuses()).toEqual(['Canceled', 'Canceled', 'Submitted', 'Submitted']);
    expect((await gateway.trade(mine[0]?.body.requestId)).error).toBe(`canceled by the pause of ${kind}:${name}`);
    const resumed = await gateway.request('PUT', path(kind, name, 'pause'), { paused: false });
    expect(resumed.body).toMatchObject({ canceled: [], result: { paused: false, pauseCancelsEntries: false } });
    expect(
      (await gateway.send({ symbol: 'SOLUSDT', quantity: 2, strategy: 'ema', price: 10 })).body.tradeResult.status,
    ).toBe('Submitted');
  });
});

it('an entry fills under a pause that leaves it, without an alarm, and with one where it was to be withdrawn', async () => {
  const venue = createScriptedVenue('binance');
  gateway = await freshGateway({ venues: [venue] });
  const rest = async () => {
    venue.script.push({ rest: true });
    const { body } = await gateway.send({ symbol: 'SOLUSDT', quantity: 1, price: 90, strategy: 'ema' });
    return body.requestId;
  };
  const fill = async (requestId: string) => {
    venue.fill((await gateway.trade(requestId)).orders[0].clientOrderId);
    await gateway.until(requestId, 'Filled');
  };
  const [first, second] = [await rest(), await rest()];
  await pause('strategy', 'ema');
  await fill(first);
  expect(gateway.deskAlarms).toEqual([]);
  venue.down = 'not-sent';
  expect((await pause('strategy', 'ema', { cancelEntries: true })).body.waitingEntries).toBe(1);
  await fill(second);
  expect(gateway.deskAlarms.filter((text) => text.startsWith('An entry filled'))).toEqual([
    expect.stringContaining('although the pause of strategy "ema" is on: 1 SOLUSDT LONG'),
  ]);
});

it('a venue that does not confirm is asked again until it does, after a restart too', async () => {
  const venue = createScriptedVenue('binance');
  gateway = await freshGateway({ venues: [venue] });
  venue.script.push({ rest: true });
  const entry = await gateway.send({ symbol: 'SOLUSDT', quantity: 1, price: 90, strategy: 'ema' });
  venue.down = 'not-sent';
  const paused = await pause('symbol', 'SOLUSDT', { cancelEntries: true });
  expect(paused.body).toMatchObject({ canceled: [{ outcome: 'unreachable' }], waitingEntries: 1 });
  expect(gateway.deskAlarms).toEqual([expect.stringContaining('The pause of symbol "SOLUSDT" is on, but 1')]);
  await gateway.close();
  venue.down = undefined;
  gateway = await freshGateway({ venues: [venue], dataDir: gateway.dataDir });
  expect(await gateway.until(entry.body.requestId, 'Canceled')).toMatchObject({
    error: 'canceled by the pause of symbol:SOLUSDT',
  });
});

it('a pause and a kill switch of the same subject each do their own', async () => {
  gateway = await freshGateway();
  const entry = await gateway.send({ symbol: 'SOLUSDT', quantity: 2, strategy: 'ema', price: 10 });
  await gateway.request('PUT', path('strategy', 'ema', 'kill-switch'), { active: true, cancelEntries: false });
  expect((await pause('strategy', 'ema')).body.waitingEntries).toBe(1);
  expect((await pause('strategy', 'ema', { cancelEntries: true })).body).toMatchObject({
    ...{ waitingEntries: 0, canceled: [{ outcome: 'canceled' }] },
    result: { killSwitch: { active: true, cancelEntries: false } },
  });
  expect(await statusOf(entry)).toBe('Canceled');
});

it('cancelEntries is true or false', async () => {
  gateway = await freshGateway();
  expectFaults(await pause('strategy', 'ema', { cancelEntries: 'yes' }), 'cancelEntries');
});
