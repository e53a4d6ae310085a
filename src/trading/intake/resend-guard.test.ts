// The resend guard: on disk when it can, in memory when the disk fails, never forgetting within the window.

import { beforeEach, describe, expect, test } from 'vitest';
import { newTrade, START_MS } from '../../../tests/ports/sample-trades.ts';
import { createResendGuard, RESEND_WINDOW_MS, type ResendGuard } from './resend-guard.ts';

const digest = (number: number): Uint8Array => new Uint8Array(Buffer.from(number.toString(16).padStart(8, '0'), 'hex'));

let disk: { full: boolean; guards: [Uint8Array, string, number][]; accepted: string[] };
let clock: { nowMs: number; monotonicMs: number };
let guard: ResendGuard;
beforeEach(() => {
  disk = { full: false, guards: [], accepted: [] };
  clock = { nowMs: START_MS, monotonicMs: 500 };
  guard = createResendGuard({
    journal: {
      accept: async ({ requestId }) => {
        disk.accepted.push(requestId);
        return { accepted: true, seqs: [disk.accepted.length] };
      },
      duplicateOf: async () => undefined,
      guardResend: async (...args) => {
        if (disk.full) throw new Error('disk full');
        disk.guards.push(args);
      },
    },
    nowMs: () => clock.nowMs,
    monotonicMs: () => clock.monotonicMs,
  });
});

const accept = (number?: number) =>
  guard.accept(newTrade({ bodyDigest: number === undefined ? undefined : digest(number) }), 1000);
const resendOf = (originalRequestId: string) => ({ accepted: false, cause: 'resend', originalRequestId });

describe('while the disk works', () => {
  test('the journal is told the body, the request and the end of the window', async () => {
    await guard.remember(digest(1), 'first');
    expect(disk.guards).toEqual([[digest(1), 'first', START_MS + RESEND_WINDOW_MS]]);
  });

  test('the journal decides', async () => {
    await guard.remember(digest(1), 'first');
    expect((await accept(1)).accepted).toBe(true);
    expect(disk.accepted).toHaveLength(1);
  });
});

describe('while the disk fails', () => {
  beforeEach(async () => {
    disk.full = true;
    await guard.remember(digest(1), 'first');
  });

  test('a resend is refused from memory and never reaches the journal', async () => {
    expect(await accept(1)).toEqual(resendOf('first'));
    expect(disk.accepted).toEqual([]);
  });

  test('other bodies, and signals with a key, pass', async () => {
    expect((await accept(2)).accepted).toBe(true);
    expect((await accept()).accepted).toBe(true);
  });

  test('memory lasts as long as the window, by a clock nobody can set', async () => {
    clock.nowMs += 10 * RESEND_WINDOW_MS;
    clock.monotonicMs += RESEND_WINDOW_MS - 1;
    expect(await accept(1)).toEqual(resendOf('first'));
    clock.monotonicMs += 1;
    expect((await accept(1)).accepted).toBe(true);
  });

  test('a body answered 5xx again is remembered from then on', async () => {
    clock.monotonicMs += RESEND_WINDOW_MS + 1;
    await guard.remember(digest(1), 'second');
    expect(await accept(1)).toEqual(resendOf('second'));
    clock.monotonicMs += RESEND_WINDOW_MS - 1;
    expect(await accept(1)).toEqual(resendOf('second'));
  });

  test('memory is bounded, and the oldest is forgotten first', async () => {
    for (let number = 2; number <= 10_000; number++) await guard.remember(digest(number), `request ${number}`);
    expect(await accept(1)).toEqual(resendOf('first'));
    await guard.remember(digest(10_001), 'last');
    expect((await accept(1)).accepted).toBe(true);
    expect(await accept(2)).toEqual(resendOf('request 2'));
    expect(await accept(10_001)).toEqual(resendOf('last'));
  });
});
