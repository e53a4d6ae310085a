// The part of the journal suite about "once": idempotency claims, resends, and what gives a claim back.

import { describe, expect, test } from 'vitest';
import { StorageError } from '../../src/errors/storage-error.ts';
import type { DuplicateCause, Journal } from '../../src/trading/books/journal.ts';
import { tradeIdOf } from '../../src/trading/books/journal.ts';
import { accepted, DAY_MS, newTrade, nextRequestId, outcomeStep, START_MS } from './sample-trades.ts';

export interface OpenJournal {
  readonly journal: Journal;
  /** Closes the storage and opens it again, as a restart does. */
  reopen(): Promise<Journal>;
  close(): Promise<void>;
}

const KEY = '6f1c0f7e-58b7-4b30-9d5a-2c8a3a4d9b10';
const digest = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const duplicateOf = (cause: DuplicateCause, originalRequestId: string) => ({
  accepted: false,
  cause,
  originalRequestId,
});

export function describeClaims(opened: () => OpenJournal): void {
  const journal = () => opened().journal;
  const keyed = (receivedAtMs = START_MS, idempotencyKey = KEY) =>
    newTrade({ receivedAtMs, order: { idempotencyKey } });

  describe('an idempotency key', () => {
    test('is accepted once; the second is told who was first, and has no row', async () => {
      const first = await accepted(journal(), { order: { idempotencyKey: KEY } });
      const second = newTrade({ order: { idempotencyKey: KEY, quantity: first.order.quantity } });
      expect(await journal().accept(second, DAY_MS)).toEqual(duplicateOf('idempotency-key', first.requestId));
      expect(await journal().trade(second.requestId)).toBeUndefined();
      expect(await journal().trades({ limit: 10 })).toHaveLength(1);
    });

    test('sent fifty times at the same instant is accepted once', async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => journal().accept(keyed(), DAY_MS)));
      expect(answers.filter((answer) => answer.accepted)).toHaveLength(1);
      const originals = answers.flatMap((answer) => (answer.accepted ? [] : [answer.originalRequestId]));
      const [only] = await journal().trades({ limit: 10 });
      expect(new Set(originals)).toEqual(new Set([only?.requestId]));
    });

    test('is the same key in capitals', async () => {
      const first = await accepted(journal(), { order: { idempotencyKey: KEY } });
      const second = await journal().accept(keyed(START_MS, KEY.toUpperCase()), DAY_MS);
      expect(second).toEqual(duplicateOf('idempotency-key', first.requestId));
    });

    test('two keys do not meet', async () => {
      await accepted(journal(), { order: { idempotencyKey: KEY } });
      const other = await journal().accept(keyed(START_MS, `7${KEY.slice(1)}`), DAY_MS);
      expect(other.accepted).toBe(true);
    });

    test('is held to the last millisecond of its window, also after a restart, and then free', async () => {
      const first = await accepted(journal(), { order: { idempotencyKey: KEY } });
      const again = await opened().reopen();
      const late = await again.accept(keyed(START_MS + DAY_MS - 1), DAY_MS);
      expect(late).toEqual(duplicateOf('idempotency-key', first.requestId));
      const after = keyed(START_MS + DAY_MS);
      expect((await again.accept(after, DAY_MS)).accepted).toBe(true);
      const third = await again.accept(keyed(START_MS + DAY_MS + 1), DAY_MS);
      expect(third).toEqual(duplicateOf('idempotency-key', after.requestId));
    });

    test('stays held when the clock is set back', async () => {
      const first = await accepted(journal(), { order: { idempotencyKey: KEY } });
      const back = await journal().accept(keyed(START_MS - 10 * DAY_MS), DAY_MS);
      expect(back).toEqual(duplicateOf('idempotency-key', first.requestId));
    });

    test('given back by an outcome is free again', async () => {
      const first = await accepted(journal(), { order: { idempotencyKey: KEY } });
      await journal().record(outcomeStep(first.seq, 'rejected', { releaseClaim: true }));
      expect((await journal().accept(keyed(), DAY_MS)).accepted).toBe(true);
    });

    test('of a signal on several accounts is given back only when on none of them anything was placed', async () => {
      const first = newTrade({ order: { idempotencyKey: KEY } });
      const further = [2, 3].map((number) => ({ ...first, requestId: tradeIdOf(first.requestId, number) }));
      const acceptance = await journal().accept(first, DAY_MS, further);
      const [seq = 0, , last = 0] = acceptance.accepted ? acceptance.seqs : [];
      const isFree = async (): Promise<boolean> => (await journal().accept(keyed(), DAY_MS)).accepted;
      await journal().record(outcomeStep(seq, 'rejected', { releaseClaim: true }));
      expect(await isFree()).toBe(false);
      await journal().record(outcomeStep(last, 'rejected', { releaseClaim: true }));
      expect(await isFree()).toBe(false);
      const detail = await journal().trade(first.requestId);
      expect(detail?.ofSignal.map(({ requestId, state }) => [requestId, state])).toEqual([
        [first.requestId, 'rejected'],
        [`${first.requestId}.2`, 'accepted'],
        [`${first.requestId}.3`, 'rejected'],
      ]);
      await journal().record(outcomeStep(seq + 1, 'expired', { releaseClaim: true }));
      expect(await isFree()).toBe(true);
    });

    test('after a crash a signal on several accounts is known by its own id, whichever of its trades is the newest', async () => {
      const bodyDigest = new Uint8Array([7, 7]);
      const first = newTrade({ bodyDigest });
      await journal().accept(first, DAY_MS, [{ ...first, requestId: tradeIdOf(first.requestId, 2) }]);
      await journal().guardUnanswered(START_MS - 1, START_MS + DAY_MS);
      const again = await journal().accept(newTrade({ bodyDigest }), DAY_MS);
      expect(again).toEqual(duplicateOf('resend', first.requestId));
    });

    test('is kept by an outcome that does not give it back', async () => {
      const first = await accepted(journal(), { order: { idempotencyKey: KEY } });
      await journal().record(outcomeStep(first.seq, 'unknown'));
      expect((await journal().accept(keyed(), DAY_MS)).accepted).toBe(false);
    });

    test('cannot be given back by an older trade that no longer holds it', async () => {
      const old = await accepted(journal(), { order: { idempotencyKey: KEY } });
      const holder = await accepted(journal(), { receivedAtMs: START_MS + DAY_MS, order: { idempotencyKey: KEY } });
      await journal().record(outcomeStep(old.seq, 'expired', { releaseClaim: true }));
      const third = await journal().accept(keyed(START_MS + DAY_MS + 1), DAY_MS);
      expect(third).toEqual(duplicateOf('idempotency-key', holder.requestId));
    });

    test('is not claimed by a signal whose row could not be written', async () => {
      const first = await accepted(journal());
      // Its request id is taken, so the row fails after the claim.
      const broken = newTrade({ requestId: first.requestId, order: { idempotencyKey: KEY } });
      await expect(journal().accept(broken, DAY_MS)).rejects.toBeInstanceOf(StorageError);
      expect((await journal().accept(keyed(), DAY_MS)).accepted).toBe(true);
    });
  });

  describe('the name of an alert', () => {
    const claim = (byte: number): Uint8Array => new Uint8Array(16).fill(byte);
    const named = (receivedAtMs = START_MS, byte = 1, idempotencyKey?: string) =>
      newTrade({ receivedAtMs, alertClaim: claim(byte), order: { alertId: `alert ${byte}`, idempotencyKey } });

    test('is accepted once, is kept with the trade, and is found by it', async () => {
      const first = named();
      const answers = await Promise.all([first, named(), named()].map((each) => journal().accept(each, DAY_MS)));
      expect(answers.map(({ accepted }) => accepted)).toEqual([true, false, false]);
      expect(answers[1]).toEqual(duplicateOf('alert-id', first.requestId));
      expect((await journal().accept(named(START_MS, 2), DAY_MS)).accepted).toBe(true);
      const found = await (await opened().reopen()).trades({ limit: 10, alertId: 'alert 1' });
      expect(found.map(({ requestId, order }) => [requestId, order.alertId])).toEqual([[first.requestId, 'alert 1']]);
    });

    test('is held to the last millisecond of its window, also after a restart, and then free', async () => {
      const first = named();
      await journal().accept(first, DAY_MS);
      const again = await opened().reopen();
      const late = await again.accept(named(START_MS + DAY_MS - 1), DAY_MS);
      expect(late).toEqual(duplicateOf('alert-id', first.requestId));
      const after = named(START_MS + DAY_MS);
      expect((await again.accept(after, DAY_MS)).accepted).toBe(true);
      expect(await again.accept(named(START_MS + DAY_MS), DAY_MS)).toEqual(duplicateOf('alert-id', after.requestId));
    });

    test('and an idempotency key are two claims: either one makes a duplicate', async () => {
      const both = named(START_MS, 1, KEY);
      await journal().accept(both, DAY_MS);
      const sameKey = await journal().accept(named(START_MS, 2, KEY), DAY_MS);
      expect(sameKey).toEqual(duplicateOf('idempotency-key', both.requestId));
      const sameAlert = await journal().accept(named(START_MS, 1, nextRequestId()), DAY_MS);
      expect(sameAlert).toEqual(duplicateOf('alert-id', both.requestId));
      expect((await journal().accept(named(START_MS, 2), DAY_MS)).accepted).toBe(true);
    });

    test('an old key does not free the name beside it that is young', async () => {
      await journal().accept(keyed(START_MS), DAY_MS);
      const young = named(START_MS + DAY_MS);
      await journal().accept(young, DAY_MS);
      const both = await journal().accept(named(START_MS + DAY_MS, 1, KEY), DAY_MS);
      expect(both).toEqual(duplicateOf('alert-id', young.requestId));
      expect((await journal().accept(named(START_MS + DAY_MS, 2, KEY), DAY_MS)).accepted).toBe(true);
    });

    test('is given back with the key, when on no account anything was placed', async () => {
      const first = named(START_MS, 1, KEY);
      const second = { ...first, requestId: tradeIdOf(first.requestId, 2) };
      const acceptance = await journal().accept(first, DAY_MS, [second]);
      const [seq = 0, other = 0] = acceptance.accepted ? acceptance.seqs : [];
      await journal().record(outcomeStep(seq, 'rejected', { releaseClaim: true }));
      expect((await journal().accept(named(), DAY_MS)).accepted).toBe(false);
      await journal().record(outcomeStep(other, 'rejected', { releaseClaim: true }));
      expect((await journal().accept(named(START_MS, 1, KEY), DAY_MS)).accepted).toBe(true);
    });
  });

  describe('a body without a key', () => {
    const body = (byte: number, receivedAtMs = START_MS) => newTrade({ receivedAtMs, bodyDigest: digest(byte) });

    test('may come as often as it likes while nothing went wrong', async () => {
      for (let i = 0; i < 3; i++) expect((await journal().accept(body(1), DAY_MS)).accepted).toBe(true);
    });

    test('that was answered 5xx is a resend until its time is up, also after a restart', async () => {
      const original = nextRequestId();
      await journal().guardResend(digest(1), original, START_MS + 20_000);
      const again = await opened().reopen();
      expect(await again.accept(body(1, START_MS + 19_999), DAY_MS)).toEqual(duplicateOf('resend', original));
      expect((await again.accept(body(2, START_MS + 1), DAY_MS)).accepted).toBe(true);
      expect((await again.accept(body(1, START_MS + 20_000), DAY_MS)).accepted).toBe(true);
    });

    test('answered 5xx again is guarded longer, never shorter, and names the last such answer', async () => {
      const [first, second] = [nextRequestId(), nextRequestId()];
      await journal().guardResend(digest(1), first, START_MS + 20_000);
      await journal().guardResend(digest(1), second, START_MS + 10_000);
      expect(await journal().accept(body(1, START_MS + 15_000), DAY_MS)).toEqual(duplicateOf('resend', second));
    });

    test('with a key on top is a matter of the key alone', async () => {
      await journal().guardResend(digest(1), nextRequestId(), START_MS + 20_000);
      const trade = newTrade({ bodyDigest: digest(1), order: { idempotencyKey: KEY } });
      expect((await journal().accept(trade, DAY_MS)).accepted).toBe(true);
    });

    test('is guarded after a crash when it came in lately', async () => {
      const old = await accepted(journal(), { receivedAtMs: START_MS - 1, bodyDigest: digest(1) });
      const recent = await accepted(journal(), { receivedAtMs: START_MS, bodyDigest: digest(2) });
      await accepted(journal(), { receivedAtMs: START_MS, order: { idempotencyKey: KEY } });
      const again = await opened().reopen();
      await again.guardUnanswered(START_MS, START_MS + 20_000);
      expect(await again.accept(body(2, START_MS + 19_999), DAY_MS)).toEqual(duplicateOf('resend', recent.requestId));
      expect((await again.accept({ ...body(1), receivedAtMs: START_MS + 1 }, DAY_MS)).accepted).toBe(true);
      expect(old.requestId).not.toBe(recent.requestId);
    });

    test('guarded before a crash stays guarded at least as long', async () => {
      const trade = await accepted(journal(), { bodyDigest: digest(1) });
      await journal().guardResend(digest(1), trade.requestId, START_MS + 30_000);
      await journal().guardUnanswered(START_MS, START_MS + 20_000);
      const resent = await journal().accept(body(1, START_MS + 25_000), DAY_MS);
      expect(resent).toEqual(duplicateOf('resend', trade.requestId));
    });
  });
}
