// The owner's changes while entries wait for their fill: which word counts, and what is left when the disk fails in that moment.

import { beforeEach, describe, expect, it } from 'vitest';
import type { Acceptance, NewTrade, Trade } from '../books/journal.ts';
import { decimal, ZERO } from '../decimal.ts';
import { priceLevel } from '../level.ts';
import type { ProtectRequest } from '../signal.ts';
import { openStopWorld, type StopWorld, settle, WORLD_START_MS } from './testing/stop-world.ts';

const LONG = { exchange: 'binance', account: 'main', market: 'BTCUSDT', side: 'LONG' } as const;
const SHARE = { ...LONG, mode: 'paper', strategy: '' } as const;
const at = (price: string) => priceLevel(decimal(price));
const stopLoss = () => world.protections.list()[0]?.stopLoss;

let world: StopWorld;
beforeEach(async () => {
  world = await openStopWorld('LONG');
});

/** An entry that waits for its fill, sent now. */
async function wait(requestId: string, protect: ProtectRequest): Promise<void> {
  const receivedAtMs = WORLD_START_MS + world.elapsedMs;
  const order = { action: 'LONG', ...LONG, protect };
  const entry = { ...{ requestId, mode: 'paper', account: 'main', receivedAtMs }, order } as unknown as NewTrade;
  world.trades.set(requestId, { ...entry, state: 'accepted', executedQuantity: ZERO } as unknown as Trade);
  const accept = async (): Promise<Acceptance> => {
    world.store.addPending({ requestId, createdAtMs: receivedAtMs, asked: protect, share: SHARE });
    return { accepted: true, seqs: [1] };
  };
  await world.protections.before({ accept }).accept(entry, 0);
}

/** It fills: in the books, and in the journal. */
function fill(requestId: string, price: number): void {
  const trade = world.trades.get(requestId) as Trade;
  const filled = { state: 'filled', executedQuantity: decimal('1'), averagePrice: decimal(price) } as const;
  world.trades.set(requestId, { ...trade, ...filled });
  world.fill(requestId, price);
}

/** As far as the change itself, before the disk has answered. */
async function underWay<T>(change: Promise<T>): Promise<Promise<T>[]> {
  change.catch(() => undefined);
  for (let turns = 0; turns < 40; turns++) await Promise.resolve();
  return [change];
}

describe('an entry that fills after the owner has set a stop', () => {
  it('brings what it asked for where the position has ended meanwhile: his word was about that one', async () => {
    await wait('entry', { stopLoss: at('80') });
    await world.protections.set(LONG, { stopLoss: at('90') });
    world.position('0');
    world.position('1');
    fill('entry', 100);
    expect(stopLoss()).toBe(decimal('80'));
  });

  it('leaves it, also where its fill is found only at the next start', async () => {
    await wait('entry', { stopLoss: at('80'), takeProfit: at('150') });
    await world.protections.set(LONG, { stopLoss: at('90') });
    const trade = world.trades.get('entry') as Trade;
    const filled = { state: 'filled', executedQuantity: decimal('1'), averagePrice: decimal('100') } as const;
    world.trades.set('entry', { ...trade, ...filled });
    await world.restart();
    await settle();
    expect(world.protections.list()).toMatchObject([{ stopLoss: decimal('90'), takeProfit: decimal('150') }]);
    expect((await world.store.load()).pending).toEqual([]);
  });
});

describe('an entry that fills while a change is being written', () => {
  beforeEach(async () => {
    await wait('entry', { stopLoss: at('80'), takeProfit: at('150') });
  });

  it('meets the change, and so does the disk', async () => {
    const [changing] = await underWay(world.protections.set(LONG, { stopLoss: at('90') }));
    fill('entry', 100);
    await changing;
    await settle();
    await world.restart();
    expect(world.protections.list()).toMatchObject([{ stopLoss: decimal('90'), takeProfit: decimal('150') }]);
  });

  it.each([
    ['of an open position', '1', (): Promise<unknown> => world.protections.set(LONG, { stopLoss: at('90') })],
    ['of what waits', '0', (): Promise<unknown> => world.protections.set(LONG, { stopLoss: at('90') })],
    ['that takes away what waits', '0', (): Promise<unknown> => world.protections.remove(LONG)],
  ])('%s that fails has the stops it asked for, in memory and on disk', async (_, held, change) => {
    world.position(held);
    await settle();
    world.store.failing = true;
    const [changing] = await underWay(change());
    world.position('1');
    fill('entry', 100);
    await expect(changing).rejects.toThrow('disk full');
    const asked = { stopLoss: decimal('80'), takeProfit: decimal('150'), origin: 'entry' };
    expect(world.protections.list()).toMatchObject([asked]);
    world.store.failing = false;
    await world.protections.look();
    await settle();
    await world.restart();
    expect(world.protections.list()).toMatchObject([asked]);
    expect((await world.store.load()).pending).toEqual([]);
  });
});

it('a distance that comes to less than one tick with the fill stands at one tick, also with later fills', async () => {
  const ofFill = { unit: 'percent', value: decimal('99.995') } as const;
  await wait('entry', { stopLoss: ofFill });
  fill('entry', 150);
  expect(stopLoss()).toBe(decimal('0.01'));
  world.fill('entry', 1);
  expect(stopLoss()).toBe(decimal('0.01'));
});

it('two changes at once are made one after the other, and the second keeps what the first has set', async () => {
  await Promise.all([
    world.protections.set(LONG, { stopLoss: at('90') }),
    world.protections.set(LONG, { takeProfit: at('150') }),
  ]);
  await world.restart();
  expect(world.protections.list()).toMatchObject([{ stopLoss: decimal('90'), takeProfit: decimal('150') }]);
});

describe('an entry without stops', () => {
  const bare = (state: Trade['state'], executed: string): void => {
    const sent = { requestId: 'bare', receivedAtMs: WORLD_START_MS, mode: 'paper', account: 'main', state };
    const order = { ...LONG, action: 'LONG', quantity: decimal('2') };
    world.trades.set('bare', { ...sent, order, executedQuantity: decimal(executed) } as unknown as Trade);
  };

  it.each([
    ['waits in its lane', 'accepted', '0', 1],
    ['waits at its venue', 'submitted', '0', 1],
    ['has filled in part, of which nothing is left', 'partially_filled', '1', 0],
    ['has ended', 'canceled', '0', 0],
  ] as const)('that %s is given stops or not', async (_, state, executed, met) => {
    world.position('0');
    bare(state, executed);
    expect(await world.protections.set(LONG, { stopLoss: at('90') })).toMatchObject(
      met ? { waitingEntries: met, waiting: { requestId: 'bare' } } : { cause: 'no-position' },
    );
    expect((await world.store.load()).pending).toHaveLength(met);
  });

  it('that fills while they are being written has them, in memory and on disk', async () => {
    world.position('0');
    bare('submitted', '0');
    const [changing] = await underWay(world.protections.set(LONG, { stopLoss: at('90') }));
    world.position('1');
    fill('bare', 100);
    await changing;
    await settle();
    await world.restart();
    expect(world.protections.list()).toMatchObject([{ stopLoss: decimal('90'), origin: 'bare' }]);
    expect((await world.store.load()).pending).toEqual([]);
  });
});
