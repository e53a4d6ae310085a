// Entries that bring their stops along: on disk with the entry, in force with its first fill, gone with its refusal.

import { beforeEach, describe, expect, it } from 'vitest';
import { StorageError, UnknownOutcomeError } from '../../errors/storage-error.ts';
import type { Acceptance, NewTrade, Trade } from '../books/journal.ts';
import { decimal, toText, ZERO } from '../decimal.ts';
import { priceLevel } from '../level.ts';
import type { ProtectRequest } from '../signal.ts';
import { PendingStops } from './pending-stops.ts';
import type { ProtectionChange } from './protection-store.ts';
import { memoryProtectionStore } from './testing/memory-protection-store.ts';
import { lookAfter, openStopWorld, type StopWorld, settle, tradePrices, WORLD_START_MS } from './testing/stop-world.ts';

const LONG = { exchange: 'binance', account: 'main', market: 'BTCUSDT', side: 'LONG' } as const;

let world: StopWorld;
beforeEach(async () => {
  world = await openStopWorld('LONG');
});
const trade = (...prices: number[]): void => tradePrices(world, ...prices);
const look = (afterS?: number): Promise<void> => lookAfter(world, afterS);
const stop = () => world.protections.list()[0];

describe('an entry that brings its stops', () => {
  const at = (price: string) => priceLevel(decimal(price));
  const trail = { unit: 'percent', value: decimal('2') } as const;
  const protect: ProtectRequest = { trail, stopLoss: at('80'), takeProfit: at('150') };
  /** After everything that was done so far. */
  const sentMs = (): number => WORLD_START_MS + world.elapsedMs + 1;
  const entry = (requestId: string, wanted: ProtectRequest | undefined = protect) =>
    ({
      ...{ requestId, mode: 'paper', account: 'main', receivedAtMs: sentMs() },
      order: { action: 'LONG', ...LONG, ...(wanted && { protect: wanted }) },
    }) as unknown as NewTrade;
  /** A journal with this answer, which keeps what an accepted entry asked for, as the real one. */
  const journalOf = (answer: () => Promise<Acceptance>, isStored = false) => ({
    async accept({ requestId, order, receivedAtMs }: NewTrade): Promise<Acceptance> {
      const keep = (): void =>
        world.store.addPending({ requestId, createdAtMs: receivedAtMs, asked: order.protect ?? {} });
      if (isStored) keep();
      const acceptance = await answer();
      if (acceptance.accepted) keep();
      return acceptance;
    },
  });
  const accept = (answer: () => Promise<Acceptance>, isStored = false) =>
    world.protections.before(journalOf(answer, isStored)).accept(entry('entry'), 0);
  const yes = async (): Promise<Acceptance> => ({ accepted: true, seqs: [1] });
  beforeEach(() => {
    world.trades.set('entry', { state: 'accepted', executedQuantity: ZERO } as Trade);
  });

  it('has them with its first fill, from the price of that fill', async () => {
    await accept(yes);
    expect(world.protections.list()).toEqual([]);
    world.fill('entry', 101);
    expect(stop()).toMatchObject({
      ...{ trail: { percent: decimal('2') }, stopLoss: decimal('80'), takeProfit: decimal('150') },
      ...{ peak: decimal('101'), origin: 'entry' },
    });
    await settle();
    await world.restart();
    expect(stop()?.origin).toBe('entry');
    expect((await world.store.load()).pending).toEqual([]);
  });

  it('does not begin anew with its second fill', async () => {
    await accept(yes);
    world.fill('entry', 101);
    trade(101, 130, 130);
    await look(2);
    world.fill('entry', 100);
    expect(stop()?.peak).toBe(decimal('130'));
  });

  it('gets them also when the process died before the fill was known', async () => {
    await accept(yes);
    await world.restart();
    world.fill('entry', 101);
    expect(stop()?.peak).toBe(decimal('101'));
  });

  it('keeps them when the process died after the fill, before the books were on disk', async () => {
    await accept(yes);
    world.fill('entry', 101);
    await settle();
    world.held = false;
    await world.restart();
    expect(stop()).toBeDefined();
    world.trades.set('entry', { state: 'rejected', executedQuantity: ZERO } as Trade);
    await world.restart();
    expect(stop()).toBeUndefined();
  });

  it('keeps them when a level was reached as well by then', async () => {
    await accept(yes);
    world.fill('entry', 101);
    trade(50, 50);
    world.fate = 'dies-before';
    await look(2);
    expect(stop()?.fired).toBeDefined();
    world.held = false;
    await world.restart();
    await look(1);
    expect(stop()?.fired).toBeDefined();
    world.trades.set('entry', { state: 'rejected', executedQuantity: ZERO } as Trade);
    await world.restart();
    expect(stop()).toBeUndefined();
  });

  it('gets them at the next start when the disk failed after its fill', async () => {
    await accept(yes);
    world.store.failing = true;
    world.fill('entry', 101);
    await settle();
    const ended = {
      state: 'filled',
      executedQuantity: decimal('1'),
      averagePrice: decimal('101'),
      mode: 'paper',
      account: 'main',
    };
    world.trades.set('entry', { ...ended, order: entry('entry').order } as Trade);
    world.store.failing = false;
    await world.restart();
    expect(stop()).toMatchObject({ peak: decimal('101'), stopLoss: decimal('80'), origin: 'entry' });
    await settle();
    expect((await world.store.load()).pending).toEqual([]);
  });

  it('that was partly filled when the process died has them at the next start, in the very write that ends their waiting', async () => {
    await accept(yes);
    const partly = { state: 'partially_filled', executedQuantity: decimal('0.4'), averagePrice: decimal('101') };
    const { order } = entry('entry');
    world.trades.set('entry', { ...partly, mode: 'paper', account: 'main', order } as Trade);
    const settling: ProtectionChange[] = [];
    const { write } = world.store;
    world.store.write = (change) => {
      if (change.settled?.includes('entry')) settling.push(change);
      return write(change);
    };
    await world.restart();
    await settle();
    expect(stop()).toMatchObject({ stopLoss: decimal('80'), origin: 'entry' });
    expect(settling).toMatchObject([{ save: [{ origin: 'entry' }] }]);
  });

  it.each([
    ['behind: its second fill is in the journal', { executedQuantity: decimal('2'), averagePrice: decimal('102') }],
    ['ahead: its fill is not in the journal yet', { executedQuantity: ZERO }],
  ])(
    'is measured from what its entry has filled also where the process died between the two writes, with the stop %s',
    async (_, executed) => {
      const stopLoss = { unit: 'percent', value: decimal('10') } as const;
      const targets = [{ level: at('150'), share: decimal('0.5') }];
      await world.protections.before(journalOf(yes)).accept(entry('entry', { stopLoss, targets }), 0);
      world.fill('entry', 101);
      await settle();
      const { order } = entry('entry');
      const known = { state: 'partially_filled', mode: 'paper', account: 'main', order, ...executed };
      world.trades.set('entry', known as unknown as Trade);
      await world.restart();
      if (executed.executedQuantity === ZERO) world.fill('entry', 101);
      const [quantity, price] = executed.executedQuantity === ZERO ? ['1', '101'] : ['2', '102'];
      const basis = { filled: decimal(quantity), quantity: decimal(quantity), price: decimal(price) };
      expect(stop()).toMatchObject({ origin: 'entry', basis, stopLoss: decimal(price === '101' ? '90.9' : '91.8') });
      await settle();
      expect((await world.store.load()).protections).toMatchObject([{ basis }]);
    },
  );

  it('in another account of its venue protects nothing in this one, and waits until that account is used again', async () => {
    await accept(yes);
    const filled = { state: 'filled', executedQuantity: decimal('1'), averagePrice: decimal('101') };
    const { order } = entry('entry');
    for (const other of [{ mode: 'live', account: 'main' } as const, { mode: 'paper', account: 'scalp' } as const]) {
      world.trades.set('entry', { ...filled, ...other, order } as Trade);
      await world.restart();
      expect([stop(), (await world.store.load()).pending]).toMatchObject([undefined, [{ requestId: 'entry' }]]);
    }
    world.trades.set('entry', { ...filled, mode: 'paper', account: 'main', order } as Trade);
    await world.restart();
    expect(stop()).toMatchObject({ stopLoss: decimal('80'), origin: 'entry' });
  });

  it('that ended without a fill is swept away at the next start', async () => {
    await accept(yes);
    world.trades.set('entry', { state: 'rejected', executedQuantity: ZERO } as Trade);
    await world.restart();
    expect([stop(), (await world.store.load()).pending]).toEqual([undefined, []]);
  });

  it.each([
    ['refused', async (): Promise<Acceptance> => ({ accepted: false, cause: 'resend', originalRequestId: 'x' })],
    ['not stored', () => Promise.reject(new StorageError('disk full'))],
  ])('that is %s leaves no pending stop behind', async (_, answer: () => Promise<Acceptance>) => {
    await accept(answer).catch(() => undefined);
    expect((await world.store.load()).pending).toEqual([]);
    world.fill('entry', 101);
    expect(stop()).toBeUndefined();
  });

  it('has them also when its acceptance was answered as unknown and the next start finds the trade', async () => {
    await expect(accept(() => Promise.reject(new UnknownOutcomeError('sync failed')), true)).rejects.toThrow('sync');
    await world.restart();
    expect(world.protections.waitingOf('entry')?.asked).toMatchObject({ stopLoss: at('80') });
    world.fill('entry', 101);
    expect(stop()).toMatchObject({ stopLoss: decimal('80'), origin: 'entry' });
  });

  it('leaves no pending stop behind when the next start shows that the trade was never stored', async () => {
    world.trades.clear();
    await accept(() => Promise.reject(new UnknownOutcomeError('sync failed')), true).catch(() => undefined);
    await world.restart();
    expect((await world.store.load()).pending).toEqual([]);
  });

  it.each([
    ['has hung for hours', () => new Promise<Acceptance>(() => {})],
    ['ended with an unknown outcome', () => Promise.reject(new UnknownOutcomeError('sync failed'))],
    ['met a fault that says nothing of the disk', () => Promise.reject(new Error('a fault of our own'))],
  ])(
    'keeps its stop pending in this process, where its trade cannot be seen, when its acceptance %s',
    async (_, answer) => {
      const store = memoryProtectionStore();
      const pending = new PendingStops({ store, find: async () => undefined, onTrouble: () => {} });
      const accepting = pending.before({ accept: answer }).accept(entry('entry'), 0);
      accepting.catch(() => undefined);
      await settle();
      await pending.sweep(() => 'protected', 'running');
      expect(pending.get('entry')).toBeDefined();
    },
  );

  it('without stops goes to the journal as it is', () => {
    const answer = yes();
    const journal = world.protections.before({ accept: () => answer });
    expect(journal.accept({ requestId: 'x', order: { ...LONG } } as unknown as NewTrade, 0)).toBe(answer);
  });

  it('that adds to a position takes the place of what it names, and leaves the rest', async () => {
    await accept(yes);
    world.fill('entry', 101);
    const journal = world.protections.before(journalOf(yes));
    await journal.accept(entry('second', { takeProfit: at('160') }), 0);
    world.fill('second', 102);
    expect(stop()).toMatchObject({ takeProfit: decimal('160'), stopLoss: decimal('80'), peak: decimal('101') });
  });

  it.each([
    ['stop-loss', 80],
    ['take-profit', 150],
  ])('is closed by its %s', async (by, price) => {
    const journal = world.protections.before(journalOf(yes));
    await journal.accept(entry('entry', { stopLoss: at('80'), takeProfit: at('150') }), 0);
    world.fill('entry', 101);
    trade(101, price > 101 ? price - 0.1 : price + 0.1);
    await look(2);
    expect(stop()?.fired).toBeUndefined();
    trade(price);
    await look();
    expect(stop()?.fired?.by).toBe(by);
    expect(toText(stop()?.fired?.level ?? ZERO)).toBe(String(price));
  });
});
