// Nothing that stops trading stops a way out: targets, stops, time stops and liquidations pass the kill switch, the pause and the limits of
// the key, the strategy, the account and the symbol that they belong to, while their entries and closes are refused.

import { expect, it } from 'vitest';
import type { SubjectKind } from '../../src/trading/intake/restrictions.ts';
import { openProtected, PRICE, type Protected } from '../protection/written-market.ts';
import type { Sent } from '../support/gateway.ts';
import { eventually } from '../webhook/answers.ts';
import { path } from './provoke.ts';

const SUBJECTS: readonly (readonly [SubjectKind, string])[] = [
  ['key', 'test-0'],
  ['strategy', 'ema'],
  ['account', 'binance:main'],
  ['symbol', 'BTCUSDT'],
];
/** One that every order exceeds, and one that allows nothing of what is traded here. */
const NARROW = { largestOrder: 1, venues: ['bybit'], symbols: ['ETHUSDT'], actions: ['SHORT'] };
const RESTRICTIONS = {
  'kill-switch': { active: true, cancelEntries: false },
  pause: { paused: true },
  limits: NARROW,
} as const;
/** The scope of a key is given back word by word: replacing its limits keeps it. */
const RELEASED = {
  'kill-switch': { active: false },
  pause: { paused: false },
  limits: { largestOrder: null, venues: null, symbols: null, actions: null },
} as const;
type Kind = keyof typeof RESTRICTIONS;
const CASES = SUBJECTS.flatMap(([kind, name]) =>
  (Object.keys(RESTRICTIONS) as Kind[]).map((restriction) => [restriction, kind, name] as const),
);

async function restrict({ gateway }: Protected, restriction: Kind, kind: SubjectKind, name: string): Promise<void> {
  const { status, body } = await gateway.request('PUT', path(kind, name, restriction), RESTRICTIONS[restriction]);
  expect([status, body.error]).toEqual([200, undefined]);
  expect((await gateway.send({ strategy: 'ema' })).body.success).toBe(false);
}

const executed = async (world: Protected): Promise<unknown[]> =>
  (await world.closes()).map(({ source, status, executedQty }) => [source, status, executedQty]);

it.each(CASES)('targets, stops and time stops pass the %s of %s %s', async (restriction, kind, name) => {
  const world = await openProtected();
  const { gateway, trade } = world;
  const enter = (fields: object): Promise<Sent> => gateway.send({ strategy: 'ema', ...fields });
  const targets = [{ price: PRICE * 1.02, share: 0.25 }];
  expect((await enter({ quantity: 0.04, stopLoss: PRICE * 0.98, targets })).status).toBe(200);
  await restrict(world, restriction, kind, name);
  await trade(PRICE * 1.03, PRICE * 0.97);
  expect(await executed(world)).toEqual([
    ['target', 'Filled', 0.01],
    ['stop-loss', 'Filled', 0.03],
  ]);
  // After a restart it is no different, and the owner may still protect what is open.
  await gateway.request('PUT', path(kind, name, restriction), RELEASED[restriction]);
  expect((await enter({ quantity: 0.02 })).status).toBe(200);
  await restrict(world, restriction, kind, name);
  const protectionOf = '/positions/binance:BTCUSDT:LONG/protection?strategy=ema';
  expect((await gateway.request('PUT', protectionOf, { maxHoldSeconds: 60 })).status).toBe(200);
  const later = await world.restart(61_000);
  await later.trade(PRICE * 0.97);
  expect((await executed(later)).at(-1)).toEqual(['time-stop', 'Filled', 0.02]);
  expect(await later.positions()).toEqual([]);
});

it.each(SUBJECTS)('a liquidation passes everything that %s %s forbids', async (kind, name) => {
  const world = await openProtected();
  const { gateway, market } = world;
  expect((await gateway.send({ strategy: 'ema', quantity: 35, leverage: 20 })).status).toBe(200);
  for (const restriction of Object.keys(RESTRICTIONS) as Kind[]) await restrict(world, restriction, kind, name);
  market.trade(PRICE * 0.9);
  gateway.clock.offsetMs += 2000;
  const newest = async (): Promise<Sent['body']> => (await gateway.request('GET', '/trades?limit=1')).body.result[0];
  await eventually(newest, ({ source, status }: Sent['body']) => source === 'liquidation' && status === 'Filled');
  expect(await world.positions()).toEqual([]);
});
