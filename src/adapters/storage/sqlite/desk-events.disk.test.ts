// Desk events on a real disk: what a cursor is worth after a restart, in another database, and after a backup was put back.

import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { DeskEvents } from '../../../trading/books/desk-events.ts';
import { type DataStorage, openDataStorage } from './open-data.ts';

const opened: DataStorage[] = [];
afterEach(async () => {
  for (const data of opened.splice(0)) await data.close();
});

const folder = (): string => mkdtempSync(join(tmpdir(), 'signalbox-events-'));

async function open(dataDir: string): Promise<DeskEvents> {
  const data = await openDataStorage({ dataDir, nowMs: Date.now, onDeath: () => {} });
  opened.push(data);
  await data.events.begin();
  return data.events;
}

const closeAll = async (): Promise<void> => {
  for (const data of opened.splice(0)) await data.close();
};

const add = (events: DeskEvents, count: number): Promise<void> =>
  events.add(
    Array.from({ length: count }, (_, index) => ({
      ...{ atMs: index, kind: 'alarm' as const, facts: { alarm: 'a', text: 't', state: 'raised' } },
    })),
  );

it('a cursor stays good over restarts', async () => {
  const dataDir = folder();
  const first = await open(dataDir);
  await add(first, 3);
  const cursors = [1, 2, 3].map((seq) => first.cursorOf(seq));
  await closeAll();
  const second = await open(dataDir);
  await add(second, 2);
  expect(cursors.map((cursor) => second.seqOf(cursor))).toEqual([1, 2, 3]);
  expect([4, 5].map((seq) => second.seqOf(second.cursorOf(seq)))).toEqual([4, 5]);
  expect(second.bounds()).toEqual({ oldest: 1, newest: 5 });
});

it('a cursor of another database, and one of what was lost with a backup that was put back, are of no use', async () => {
  const dataDir = folder();
  const before = await open(dataDir);
  await add(before, 3);
  const kept = before.cursorOf(2);
  await closeAll();
  const backup = folder();
  cpSync(dataDir, backup, { recursive: true });
  const lost = await open(dataDir);
  await add(lost, 2);
  const gone = lost.cursorOf(5);
  await closeAll();
  const restored = await open(backup);
  await add(restored, 9);
  expect(restored.seqOf(gone)).toBeUndefined();
  expect(restored.seqOf(kept)).toBe(2);
  const other = await open(folder());
  await add(other, 9);
  expect(other.seqOf(kept)).toBeUndefined();
});

it('what comes from another list is written once, however often its writing is tried', async () => {
  const events = await open(folder());
  const change = [{ atMs: 1, kind: 'change' as const, facts: {} }];
  await events.add(change, { name: 'audit', position: 7 });
  await events.add(change, { name: 'audit', position: 7 });
  expect(events.positionOf('audit')).toBe(7);
  expect(events.bounds().newest).toBe(1);
  await events.add(change, { name: 'audit', position: 8 });
  expect(events.bounds().newest).toBe(2);
});

it('forgets the oldest, a thousand at a time, and keeps a hundred thousand', { timeout: 120_000 }, async () => {
  const events = await open(folder());
  for (let count = 0; count < 21; count++) await add(events, 5000);
  expect(events.bounds()).toEqual({ oldest: 5001, newest: 105_000 });
});
