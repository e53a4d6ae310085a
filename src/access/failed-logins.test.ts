// Failed logins in the audit: seen at once, counted after that, and bounded whatever comes.

import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createHandClock } from '../timing/testing/hand-clock.ts';
import { FailedLogins, LOGIN_WINDOW_MS, MAX_LOGIN_ADDRESSES } from './failed-logins.ts';
import { memoryAccessStore } from './testing/memory-access-store.ts';

function open() {
  const clock = createHandClock(1_700_000_000_000);
  const store = memoryAccessStore();
  const troubles: string[] = [];
  const failed = new FailedLogins({
    ...{ store, nowMs: clock.nowMs, timers: clock.timers },
    onTrouble: (what) => void troubles.push(what),
  });
  const entries = () =>
    store.state.audit.map(({ actor, setting, before, after }) => [setting, actor, before, JSON.parse(after ?? '')]);
  return { clock, store, failed, entries, troubles };
}

const entry = (address: string, counts: object) => ['login', `login ${address}`, null, counts];

test('the first is written at once, what follows in the hour as one entry with its counts', async () => {
  const { clock, failed, entries } = open();
  failed.note('203.0.113.7', 'refused');
  expect(entries()).toEqual([entry('203.0.113.7', { refused: 1 })]);
  for (let times = 0; times < 10; times++) failed.note('203.0.113.7', 'refused');
  for (let times = 0; times < 500; times++) failed.note('203.0.113.7', 'limited');
  expect(entries()).toHaveLength(1);
  await clock.advance(LOGIN_WINDOW_MS);
  expect(entries().slice(1)).toEqual([entry('203.0.113.7', { refused: 10, limited: 500 })]);
});

test('an address that goes on has one entry an hour, and one that has stopped is forgotten', async () => {
  const { clock, failed, entries } = open();
  for (let hour = 0; hour < 3; hour++) {
    for (let times = 0; times < 4; times++) failed.note('203.0.113.7', 'refused');
    await clock.advance(LOGIN_WINDOW_MS);
  }
  expect(entries()).toEqual([
    entry('203.0.113.7', { refused: 1 }),
    entry('203.0.113.7', { refused: 3 }),
    entry('203.0.113.7', { refused: 4 }),
    entry('203.0.113.7', { refused: 4 }),
  ]);
  await clock.advance(LOGIN_WINDOW_MS);
  expect(clock.waiting).toBe(0);
  failed.note('203.0.113.7', 'limited');
  expect(entries().at(-1)).toEqual(entry('203.0.113.7', { limited: 1 }));
});

test('a flood from ever new addresses shares one entry beyond the first twenty', async () => {
  const { clock, failed, entries } = open();
  for (let number = 0; number < 1000; number++) failed.note(`10.0.${number >> 8}.${number & 255}`, 'limited');
  expect(entries()).toHaveLength(MAX_LOGIN_ADDRESSES + 1);
  expect(entries().at(-1)).toEqual(entry('other addresses', { limited: 1 }));
  await clock.advance(LOGIN_WINDOW_MS);
  expect(entries().slice(MAX_LOGIN_ADDRESSES + 1)).toEqual([
    entry('other addresses', { limited: 1000 - MAX_LOGIN_ADDRESSES - 1 }),
  ]);
});

test('what is counted when the process stops is written then', async () => {
  const { clock, failed, entries } = open();
  for (let times = 0; times < 3; times++) failed.note('203.0.113.7', 'refused');
  failed.note('203.0.113.8', 'refused');
  await failed.close();
  expect(entries().slice(2)).toEqual([entry('203.0.113.7', { refused: 2 })]);
  expect(clock.waiting).toBe(0);
});

test('a full disk is told, and fails nobody', async () => {
  const { store, failed, troubles } = open();
  store.isFull = true;
  failed.note('203.0.113.7', 'refused');
  await setImmediate();
  expect(troubles).toEqual(['failed logins are not in the audit']);
});
