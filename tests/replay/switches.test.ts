// Signals that meet a switch or a pause while it is being turned, many at the same time, end in a replay as they ended then.

import { expect, test } from 'vitest';
import { commandLineHere } from '../cli/command-line.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { lookAround, SEED } from './busy-hour.ts';

const QUANTITIES = { BTCUSDT: 0.01, ETHUSDT: 0.1, SOLUSDT: 1 } as const;
const MARKETS = Object.keys(QUANTITIES) as (keyof typeof QUANTITIES)[];
const ACTIONS = ['LONG', 'SHORT', 'CLOSE_LONG', 'LONG', 'CLOSE_SHORT', 'SHORT'];

/** What is turned in a round: on with the first, off with the second. */
const TURNS: readonly (readonly [path: string, on: object, off: object])[] = [
  ['/admin/kill-switch', { active: true, scope: 'all' }, { active: false }],
  ['/admin/kill-switch', { active: true, scope: 'entries', flatten: true, cancelEntries: true }, { active: false }],
  ['/admin/restrictions/symbol/ETHUSDT/kill-switch', { active: true, scope: 'all', flatten: true }, { active: false }],
  ['/admin/restrictions/strategy/trend/kill-switch', { active: true, scope: 'entries' }, { active: false }],
  ['/admin/restrictions/account/binance:scalp/pause', { paused: true }, { paused: false }],
  ['/admin/restrictions/symbol/SOLUSDT/pause', { paused: true }, { paused: false }],
];

const flood = (gateway: TestGateway, round: number, count: number) =>
  Array.from({ length: count }, (_, at) => {
    const symbol = MARKETS[(at + round) % MARKETS.length] as (typeof MARKETS)[number];
    const action = ACTIONS[(at * 5 + round) % ACTIONS.length];
    const more = { ...(at % 3 === 1 && { strategy: 'trend' }), ...(at % 4 === 2 && { account: 'scalp' }) };
    return gateway.send({ symbol, action, quantity: QUANTITIES[symbol], ...more });
  });

const TIMEOUT = { timeout: 600_000 };

test.each(['one-way', 'hedge'] as const)('of the same moments, on %s accounts', TIMEOUT, async (positionMode) => {
  const gateway = await openGateway({ accounts: ['scalp'], positionMode });
  const startMs = Date.now();
  for (let round = 0; round < 18; round++) {
    const [path, on, off] = TURNS[round % TURNS.length] as (typeof TURNS)[number];
    const turned = async (to: object) => {
      await new Promise((resolve) => setTimeout(resolve, round % 5));
      return gateway.request('PUT', path, to);
    };
    await Promise.all([...flood(gateway, round, 12), turned(on), ...flood(gateway, round + 1, 12)]);
    await Promise.all([...flood(gateway, round, 9), turned(off), ...flood(gateway, round + 2, 9)]);
    await Promise.all([
      ...flood(gateway, round, 6),
      gateway.request('POST', '/positions/close', { all: true, share: 0.5 }),
      ...flood(gateway, round + 1, 6),
    ]);
    await gateway.desk.atRest();
    gateway.clock.offsetMs += 1000;
  }
  await lookAround(gateway);
  const endMs = Date.now() + gateway.clock.offsetMs + 1000;
  for (const code of ['KILL_SWITCH_ACTIVE', 'ACCOUNT_PAUSED', 'SYMBOL_PAUSED'])
    expect((await gateway.request('GET', `/refusals?code=${code}&limit=1`)).body.result, code).toHaveLength(1);
  await gateway.close();
  const env = { MARKET_SEED: SEED, WEBHOOK_RATE_PER_MINUTE: '0', PAPER_POSITION_MODE: positionMode };
  const cli = commandLineHere({ DATA_DIR: gateway.dataDir, ...env });
  const { body } = await cli.json('replay', '--from', String(startMs), '--to', String(endMs), '--check');
  expect(body.signals.filter(({ same }: { same: boolean }) => !same)).toEqual([]);
  expect(body).toMatchObject({ same: true, holdings: [], troubles: [] });
});

/** Closing orders are kept between their end and their answer until `meanwhile`, which each calls, is done. */
function keepCloses(gateway: TestGateway, meanwhile: (market: string) => Promise<unknown>): void {
  const venue = gateway.venues.find(({ exchange }) => exchange === 'binance') as TestGateway['venues'][number];
  const { placeOrder } = venue;
  venue.placeOrder = async (request) => {
    const report = await placeOrder(request);
    if (request.reduceOnly) await meanwhile(request.market);
    return report;
  };
}

/** Waits until it is thrown, and not for its answer, which waits for the trades that are under way. */
async function throwSwitch(gateway: TestGateway): Promise<void> {
  void gateway.request('PUT', '/admin/kill-switch', { active: true, scope: 'all' });
  while (!(await gateway.request('GET', '/admin/kill-switch')).body.result.active);
}

const HALF_DONE = /the opposite position was closed, the new one was not opened/;

async function comesOutTheSame(gateway: TestGateway, startMs: number): Promise<void> {
  await gateway.request('PUT', '/admin/kill-switch', { active: false });
  await gateway.send({ quantity: 0.03 });
  const endMs = Date.now() + 1000;
  await gateway.close();
  const cli = commandLineHere({ DATA_DIR: gateway.dataDir, MARKET_SEED: SEED });
  const { body } = await cli.json('replay', '--from', String(startMs), '--to', String(endMs), '--check');
  expect(body.signals.filter(({ same }: { same: boolean }) => !same)).toEqual([]);
  expect(body).toMatchObject({ same: true, holdings: [], troubles: [] });
}

test('a switch between the two orders of a reversal comes between them again', async () => {
  const gateway = await openGateway();
  const startMs = Date.now();
  await gateway.send({ quantity: 0.02 });
  keepCloses(gateway, () => throwSwitch(gateway));
  const { body: turned } = await gateway.send({ action: 'SHORT', quantity: 0.01 });
  expect(turned.error).toMatch(HALF_DONE);
  await comesOutTheSame(gateway, startMs);
});

test('what was taken and traded in other markets while a reversal was between its orders comes before its switch again', async () => {
  const gateway = await openGateway();
  const startMs = Date.now();
  await gateway.send({ quantity: 0.02 });
  keepCloses(gateway, async () => {
    const { body: other } = await gateway.send({ symbol: 'SOLUSDT', quantity: 1 });
    expect(other.success).toBe(true);
    await gateway.request('PUT', '/admin/restrictions/symbol/ETHUSDT/pause', { paused: true });
    const { body: another } = await gateway.send({ symbol: 'SOLUSDT', quantity: 2 });
    expect(another.success).toBe(true);
    await throwSwitch(gateway);
  });
  const { body: turned } = await gateway.send({ action: 'SHORT', quantity: 0.01 });
  expect(turned.error).toMatch(HALF_DONE);
  await comesOutTheSame(gateway, startMs);
});

test('one switch between the two orders of several reversals comes between those of each again', async () => {
  const gateway = await openGateway();
  const startMs = Date.now();
  const signals = (['BTCUSDT', 'ETHUSDT'] as const).map((symbol) => ({ symbol, quantity: QUANTITIES[symbol] }));
  for (const signal of signals) await gateway.send(signal);
  const closed = new Set<string>();
  let thrown: Promise<void> | undefined;
  keepCloses(gateway, async (market) => {
    closed.add(market);
    while (closed.size < signals.length) await new Promise((resolve) => setTimeout(resolve, 5));
    thrown ??= throwSwitch(gateway);
    await thrown;
  });
  for (const { body } of await Promise.all(signals.map((signal) => gateway.send({ ...signal, action: 'SHORT' }))))
    expect(body.error).toMatch(HALF_DONE);
  await comesOutTheSame(gateway, startMs);
});
