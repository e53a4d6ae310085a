// Sessions that somebody waits for: whatever ends them is heard, once, and nothing is asked while nobody waits.

import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { StorageError } from '../errors/storage-error.ts';
import { createHandClock } from '../timing/testing/hand-clock.ts';
import { IDLE_MS } from './session.ts';
import { SessionWatch } from './session-watch.ts';
import { Sessions } from './sessions.ts';
import { memoryAccessStore } from './testing/memory-access-store.ts';

const ORIGIN = { address: '203.0.113.7', userAgent: '' };

function open() {
  const clock = createHandClock(1_700_000_000_000);
  const raw = memoryAccessStore();
  void raw.change((rows) => rows.putPassword({ hash: 'x' }));
  const troubles: string[] = [];
  const parts = { nowMs: clock.nowMs, randomBytes, onTrouble: (what: string) => void troubles.push(what) };
  const looks = { count: 0, fail: false, held: Promise.resolve() };
  const counted = {
    ...raw,
    sessions: async () => {
      looks.count += 1;
      if (looks.fail) throw new StorageError('the disk is gone');
      const found = await raw.sessions();
      await looks.held;
      return found;
    },
  };
  const watch = new SessionWatch({ ...parts, store: counted, timers: clock.timers });
  const sessions = new Sessions({ ...parts, store: watch.store });
  const login = () => watch.store.change((rows) => sessions.open(rows, ORIGIN, 'test'));
  const ends: string[] = [];
  const follow = (id: string, name: string) => watch.watch(id, (end) => void ends.push(`${name} ${end}`));
  return { clock, raw, watch, sessions, login, follow, ends, looks, troubles };
}

test('an end in this process is heard at once, by those of that session alone and once', async () => {
  const { login, sessions, follow, ends } = open();
  const [laptop, phone] = [await login(), await login()];
  for (const name of ['a', 'b']) follow(laptop.id, name);
  follow(phone.id, 'c');
  await setImmediate();
  expect(ends).toEqual([]);
  await sessions.end(laptop.id, 'test');
  expect(ends).toEqual(['a ended', 'b ended']);
  await login();
  expect(ends).toHaveLength(2);
  await sessions.endOthers(undefined, 'test');
  expect(ends.slice(2)).toEqual(['c ended']);
});

test('what another process does is heard within a second: a session that is gone, and a password', async () => {
  const { clock, raw, login, follow, ends } = open();
  const [laptop, phone] = [await login(), await login()];
  follow(laptop.id, 'laptop');
  follow(phone.id, 'phone');
  await raw.change((rows) => rows.removeSession(laptop.id));
  expect(ends).toEqual([]);
  await clock.advance(1000);
  expect(ends).toEqual(['laptop ended']);
  await raw.change((rows) => rows.putPassword(undefined));
  await clock.advance(1000);
  expect(ends).toEqual(['laptop ended', 'phone ended']);
});

test('so is the end of its time', async () => {
  const { clock, login, follow, ends } = open();
  follow((await login()).id, 'idle');
  clock.jump(IDLE_MS - 2000);
  await clock.advance(1000);
  expect(ends).toEqual([]);
  await clock.advance(1000);
  expect(ends).toEqual(['idle ended']);
});

test('one that ended before anybody waited is told at once', async () => {
  const { login, sessions, follow, ends } = open();
  const { id } = await login();
  await sessions.end(id, 'test');
  follow(id, 'late');
  await setImmediate();
  expect(ends).toEqual(['late ended']);
});

test('a store that cannot be read ends them without a word about the session', async () => {
  const { login, follow, ends, looks, troubles } = open();
  const { id } = await login();
  follow(id, 'a');
  await setImmediate();
  looks.fail = true;
  follow(id, 'b');
  await setImmediate();
  expect(ends).toEqual(['a unknown', 'b unknown']);
  expect(troubles).toHaveLength(1);
});

test('who has left hears nothing, and nothing is asked while nobody waits', async () => {
  const { clock, login, sessions, follow, ends, looks } = open();
  const { id } = await login();
  const leave = follow(id, 'a');
  leave();
  await setImmediate();
  const before = looks.count;
  expect(clock.waiting).toBe(0);
  await clock.advance(5000);
  expect(looks.count).toBe(before);
  await sessions.end(id, 'test');
  expect(ends).toEqual([]);
});

test('who comes while the store is read is not taken for one whose session is not there', async () => {
  const { login, raw, sessions, follow, ends, looks } = open();
  const { id } = await login();
  const held = Promise.withResolvers<void>();
  looks.held = held.promise;
  follow(id, 'a');
  await setImmediate();
  const later = await raw.change((rows) => sessions.open(rows, ORIGIN, 'test'));
  follow(later.id, 'b');
  held.resolve();
  await setImmediate();
  expect(ends).toEqual([]);
});
