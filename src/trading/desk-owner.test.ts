// Who owns the desk: one opening for each lease, an orderly end that gives it back, and an end at once where another was first.

import { beforeEach, expect, test } from 'vitest';
import { createHandClock, type HandClock } from '../timing/testing/hand-clock.ts';
import { DeskOwner } from './desk-owner.ts';
import type { Lease, LeaseEnd, Leases } from './leases.ts';

let clock: HandClock;
let log: string[];
let grants: ((lease: Lease | undefined) => void)[];
beforeEach(() => {
  clock = createHandClock(0);
  log = [];
  grants = [];
});

const leases: Pick<Leases, 'claim'> = {
  claim: (_, { stop }) =>
    new Promise((resolve) => {
      grants.push(resolve);
      stop.addEventListener('abort', () => resolve(undefined));
    }),
};

function lease(token: number): Lease & { lose(): void } {
  const ended = Promise.withResolvers<LeaseEnd>();
  let isHeld = true;
  const end = (how: LeaseEnd): void => {
    if (isHeld) log.push(`${how} ${token}`);
    isHeld = false;
    ended.resolve(how);
  };
  return {
    ...{ name: 'desk', token, ended: ended.promise },
    remainingMs: () => (isHeld ? 4000 : 0),
    release: async () => end('released'),
    lose: () => end('lost'),
  };
}

function owner(failures: Error[] = []): { owner: DeskOwner; fence: () => void } {
  const known = { fence: (): void => {} };
  const made = new DeskOwner({
    ...{ leases, address: 'here', timers: clock.timers },
    async open({ token }, onFenced) {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      log.push(`opened ${token}`);
      known.fence = onFenced;
      return {
        stop: async () => void log.push(`stopped ${token}`),
        abandon: async () => void log.push(`abandoned ${token}`),
      };
    },
    onTrouble: (_, error) => void log.push((error as Error).message),
  });
  made.start();
  return { owner: made, fence: () => known.fence() };
}

async function grant(token: number): Promise<ReturnType<typeof lease>> {
  const granted = lease(token);
  grants.shift()?.(granted);
  await clock.settle();
  return granted;
}

test('waits for the lease, and opens the desk only then', async () => {
  const { owner: waiting } = owner();
  await clock.settle();
  expect([waiting.state, log]).toEqual(['waiting', []]);
  await grant(1);
  expect([waiting.state, log]).toEqual(['owning', ['opened 1']]);
});

test('stops the desk in order, and gives the lease back after it', async () => {
  const { owner: stopping } = owner();
  await grant(1);
  await stopping.stop();
  expect(log).toEqual(['opened 1', 'stopped 1', 'released 1']);
  expect(stopping.state).toBe('ended');
});

test('ends the wait at a stop', async () => {
  const { owner: waiting } = owner();
  await waiting.stop();
  expect([waiting.state, log]).toEqual(['ended', []]);
});

test('abandons the desk when the lease is lost, and waits for the next one', async () => {
  const { owner: losing } = owner();
  (await grant(1)).lose();
  await clock.settle();
  expect(log).toEqual(['opened 1', 'lost 1', 'abandoned 1']);
  expect(losing.state).toBe('waiting');
  await grant(3);
  expect(log.at(-1)).toBe('opened 3');
});

test('abandons the desk when its storage is fenced, before the lease is known to be lost', async () => {
  const { owner: fenced, fence } = owner();
  await grant(1);
  fence();
  await clock.settle();
  expect(log).toEqual(['opened 1', 'abandoned 1', 'released 1']);
  expect(fenced.state).toBe('waiting');
});

test('does not send what is queued at a stop that comes after the loss', async () => {
  const { owner: late } = owner();
  const granted = await grant(1);
  const ended = late.stop();
  granted.lose();
  await ended;
  expect(log).toEqual(['opened 1', 'lost 1', 'abandoned 1']);
});

test('gives the lease back where the desk cannot be opened, and asks again a second later', async () => {
  const { owner: failing } = owner([new Error('no venue')]);
  await grant(1);
  expect(log).toEqual(['no venue', 'released 1']);
  expect(grants).toHaveLength(0);
  await clock.advance(1000);
  expect(grants).toHaveLength(1);
  await grant(2);
  expect([failing.state, log.at(-1)]).toEqual(['owning', 'opened 2']);
});
