// The counter of calls: nothing counted twice, nothing lost while the store is slow or failing, nobody delayed.

import { expect, test } from 'vitest';
import { memoryUsageStore } from './testing/memory-usage-store.ts';
import { createUsageCounter, type UsageStore } from './usage.ts';

const ANN = 'a'.repeat(32);
const BOB = 'b'.repeat(32);

function setUp(store: UsageStore = memoryUsageStore()) {
  const clock = { nowMs: 1000 };
  const faults: unknown[] = [];
  const counter = createUsageCounter({ store, nowMs: () => clock.nowMs, onFault: (fault) => void faults.push(fault) });
  return { store, clock, faults, counter };
}

test('a key that was never used has no usage', async () => {
  expect(await setUp().counter.read(ANN)).toBeUndefined();
});

test('calls are counted per user, with the first and the last time', async () => {
  const { counter, clock } = setUp();
  counter.count(ANN);
  clock.nowMs = 2000;
  counter.count(ANN);
  counter.count(BOB);
  expect(await counter.read(ANN)).toEqual({ calls: 2, firstUsedAtMs: 1000, lastUsedAtMs: 2000 });
  expect(await counter.read(BOB)).toEqual({ calls: 1, firstUsedAtMs: 2000, lastUsedAtMs: 2000 });
});

test('a clock that was set back moves neither end the wrong way', async () => {
  const { counter, clock } = setUp();
  counter.count(ANN);
  clock.nowMs = 400;
  counter.count(ANN);
  expect(await counter.read(ANN)).toEqual({ calls: 2, firstUsedAtMs: 400, lastUsedAtMs: 1000 });
});

test('calls that come while a write is under way go together into the next one', async () => {
  const inner = memoryUsageStore();
  const batches: number[] = [];
  const { counter } = setUp({
    usage: inner.usage,
    async addUsage(added) {
      batches.push(added.get(ANN)?.calls ?? 0);
      await new Promise((resolve) => setTimeout(resolve, 1));
      await inner.addUsage(added);
      if (batches.length === 1) for (let call = 0; call < 100; call++) counter.count(ANN);
    },
  });
  counter.count(ANN);
  await counter.settle();
  expect(batches).toEqual([1, 100]);
  expect(await inner.usage(ANN)).toMatchObject({ calls: 101 });
});

test('calls that gather are stored together, are read at once, and are not kept back from a settling', async () => {
  const batches: number[] = [];
  const inner = memoryUsageStore();
  const store: UsageStore = {
    usage: inner.usage,
    addUsage: (added) => {
      batches.push(added.get(ANN)?.calls ?? 0);
      return inner.addUsage(added);
    },
  };
  const gates: (() => void)[] = [];
  const gather = () => new Promise<void>((resolve) => gates.push(resolve));
  const counter = createUsageCounter({ store, nowMs: () => 1, onFault: () => {}, gather });
  for (let call = 0; call < 10; call++) counter.count(ANN);
  expect(await counter.read(ANN)).toMatchObject({ calls: 10 });
  expect([batches, gates.length]).toEqual([[], 1]);
  gates.pop()?.();
  await new Promise((resolve) => setTimeout(resolve, 1));
  expect(batches).toEqual([10]);
  counter.count(ANN);
  await counter.settle();
  expect(batches).toEqual([10, 1]);
  gates.pop()?.();
  await new Promise((resolve) => setTimeout(resolve, 1));
  expect(batches).toEqual([10, 1]);
  expect(await counter.read(ANN)).toMatchObject({ calls: 11 });
});

test('a batch that leaves while the store is being read is not missing from what is read', async () => {
  const inner = memoryUsageStore();
  let counter = setUp().counter;
  let reads = 0;
  const store: UsageStore = {
    addUsage: inner.addUsage,
    async usage(userId) {
      reads += 1;
      const found = await inner.usage(userId);
      if (reads === 1) await counter.settle();
      return found;
    },
  };
  counter = createUsageCounter({ store, nowMs: () => 1, onFault: () => {}, gather: () => new Promise(() => {}) });
  counter.count(ANN);
  expect(await counter.read(ANN)).toMatchObject({ calls: 1 });
  expect(reads).toBe(2);
});

test('what cannot be stored is told, stays counted, and is stored once with the next calls', async () => {
  const inner = memoryUsageStore();
  let broken = true;
  const { counter, faults } = setUp({
    usage: inner.usage,
    async addUsage(added) {
      if (broken) throw new Error('the disk is full');
      await inner.addUsage(added);
    },
  });
  counter.count(ANN);
  expect(await counter.read(ANN)).toMatchObject({ calls: 1 });
  await expect(counter.settle()).rejects.toThrow('the disk is full');
  counter.count(ANN);
  await expect(counter.settle()).rejects.toThrow('the disk is full');
  expect(faults).toHaveLength(2);
  expect(await counter.read(ANN)).toMatchObject({ calls: 2 });
  broken = false;
  counter.count(ANN);
  await counter.settle();
  expect(await inner.usage(ANN)).toMatchObject({ calls: 3 });
  expect(await counter.read(ANN)).toMatchObject({ calls: 3 });
});

test('calls that come while a write fails are added to those that failed', async () => {
  const inner = memoryUsageStore();
  let writes = 0;
  const { counter, faults } = setUp({
    usage: inner.usage,
    async addUsage(added) {
      writes += 1;
      if (writes > 1) return inner.addUsage(added);
      counter.count(ANN);
      throw new Error('the disk is full');
    },
  });
  counter.count(ANN);
  await expect(counter.settle()).rejects.toThrow('the disk is full');
  expect(faults).toHaveLength(1);
  await counter.settle();
  expect(await inner.usage(ANN)).toMatchObject({ calls: 2 });
});

test('settling waits for the write that is under way', async () => {
  const inner = memoryUsageStore();
  const { counter } = setUp({
    usage: inner.usage,
    async addUsage(added) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      await inner.addUsage(added);
    },
  });
  counter.count(ANN);
  await new Promise((resolve) => setTimeout(resolve, 1));
  await counter.settle();
  expect(await inner.usage(ANN)).toMatchObject({ calls: 1 });
});

test('a counter that has nothing to store is settled', async () => {
  await expect(setUp().counter.settle()).resolves.toBeUndefined();
});

test('counting after the last write has begun a new one is not forgotten by settle', async () => {
  const { counter, store } = setUp();
  for (let round = 1; round <= 20; round++) {
    counter.count(ANN);
    await Promise.resolve();
    counter.count(ANN);
    await counter.settle();
    expect(await store.usage(ANN)).toMatchObject({ calls: round * 2 });
  }
});
