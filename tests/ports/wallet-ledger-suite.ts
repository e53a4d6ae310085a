// What every ledger of the wallet must do: whole steps or none, claims and spending that hold, amounts of any size exact.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StorageError } from '../../src/errors/storage-error.ts';
import { type Attempt, type EntryState, type Ledger, LIVE_STATES, type NewEntry } from '../../src/wallet/ledger.ts';
import { FRIEND, WALLET } from '../../src/wallet/testing/fake-chain.ts';

export interface OpenWalletLedger {
  readonly ledger: Ledger;
  reopen(): Promise<Ledger>;
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;
const KEY = '123e4567-e89b-42d3-a456-426614174000';
const entry = (id: string, more: Partial<NewEntry> = {}): NewEntry => ({
  ...{ id, requestId: `r-${id}`, chain: 'ethereum', from: WALLET, operation: 'send', nonce: 0, atMs: 5 * DAY_MS },
  call: { to: FRIEND, valueWei: 10n ** 24n + 1n, data: '0x' },
  gasLimit: 21_000n,
  details: { amount: '7' },
  ...more,
});
const attempt = (hash: `0x${string}`, nonce = 0): Attempt => ({
  ...{ hash, raw: '0xraw', nonce, maxFeePerGas: 3n ** 50n, maxPriorityFeePerGas: 1n, signedAtMs: 9 },
});
const RECEIPT = {
  ...{ status: 'success', blockNumber: 5n, blockHash: '0xb', gasUsed: 2n, effectiveGasPrice: 10n ** 20n },
  confirmations: 1,
} as const;

export function describeWalletLedger(name: string, open: () => Promise<OpenWalletLedger>): void {
  describe(name, () => {
    let opened: OpenWalletLedger;
    let ledger: Ledger;
    beforeEach(async () => {
      opened = await open();
      ledger = opened.ledger;
    });
    afterEach(() => opened.close());

    const step = (id: string, state: EntryState, more: object = {}) => ledger.step({ id, atMs: 10, state, ...more });

    describe('an entry', () => {
      test('comes back as it was stored, amounts of any size exact, also after a restart', async () => {
        await ledger.reserve(entry('a', { idempotencyKey: KEY }), undefined);
        await ledger.signed('a', attempt('0x1'));
        await step('a', 'sent');
        await ledger.signed('a', attempt('0x2'));
        await step('a', 'mined', { mined: { ...RECEIPT, hash: '0x2' } });
        ledger = await opened.reopen();
        expect(await ledger.byHash('ethereum', '0x1')).toEqual({
          ...entry('a', { idempotencyKey: KEY }),
          ...{ seq: 1, state: 'mined', updatedAtMs: 10 },
          attempts: [attempt('0x1'), attempt('0x2')],
          mined: { ...RECEIPT, hash: '0x2' },
        });
        expect((await ledger.byClaim(KEY))?.id).toBe('a');
        expect(await ledger.byHash('polygon', '0x1')).toBeUndefined();
      });

      test('loses its block and its error when it is told to', async () => {
        await ledger.reserve(entry('a'), undefined);
        await ledger.signed('a', attempt('0x1'));
        await step('a', 'mined', { mined: { ...RECEIPT, hash: '0x1' }, error: 'x' });
        const after = await step('a', 'sent', { mined: null, error: null });
        expect([after.mined, after.error]).toEqual([undefined, undefined]);
      });

      test('never leaves a final state and never skips one, and a refused step changes nothing', async () => {
        await ledger.reserve(entry('a'), undefined);
        for (const state of ['sent', 'mined', 'confirmed', 'reverted', 'replaced'] as const)
          await expect(step('a', state)).rejects.toThrow(`from reserved to ${state}`);
        await step('a', 'dropped');
        for (const state of [...LIVE_STATES, 'confirmed', 'dropped'] as const)
          await expect(step('a', state)).rejects.toThrow('from dropped');
        await expect(ledger.signed('a', attempt('0x1'))).rejects.toThrow('from dropped');
        expect((await ledger.list({ chain: 'ethereum', limit: 1 }))[0]).toMatchObject({
          state: 'dropped',
          attempts: [],
        });
        expect(LIVE_STATES).not.toContain('dropped');
      });

      test('with a nonce that another live one has is refused by the file itself', async () => {
        await ledger.reserve(entry('a'), undefined);
        await expect(ledger.reserve(entry('b'), undefined)).rejects.toThrow(StorageError);
        await ledger.reserve(entry('c', { chain: 'polygon' }), undefined);
        await step('a', 'dropped');
        await ledger.reserve(entry('b'), undefined);
      });

      test('that nobody knows is a fault of ours', async () => {
        await expect(step('nobody', 'sent')).rejects.toThrow('no row nobody');
      });
    });

    describe('a claim', () => {
      test('belongs to the first, and is free again only when that was dropped', async () => {
        await ledger.reserve(entry('a', { idempotencyKey: KEY }), undefined);
        const again = entry('b', { idempotencyKey: KEY, nonce: 1 });
        expect(await ledger.reserve(again, undefined)).toMatchObject({ kind: 'duplicate', original: { id: 'a' } });
        await step('a', 'dropped');
        expect(await ledger.reserve(again, undefined)).toMatchObject({ kind: 'reserved' });
        await ledger.signed('b', attempt('0x1', 1));
        await step('b', 'mined', { mined: { ...RECEIPT, hash: '0x1' } });
        await step('b', 'reverted');
        expect((await ledger.byClaim(KEY))?.id).toBe('b');
      });
    });

    describe('spending', () => {
      const call = (valueWei: bigint) => ({ call: { to: FRIEND, valueWei, data: '0x' as const } });

      test('is counted per chain, account and day, and given back when nothing was sent', async () => {
        await ledger.reserve(entry('a', call(60n)), 100n);
        expect(await ledger.reserve(entry('b', { ...call(41n), nonce: 1 }), 100n)).toEqual({
          kind: 'over-daily-limit',
          spentWei: 60n,
        });
        await ledger.reserve(entry('c', { ...call(100n), chain: 'polygon' }), 100n);
        await ledger.reserve(entry('d', { ...call(40n), nonce: 1 }), 100n);
        expect(await ledger.spentWei('ethereum', WALLET, 5)).toBe(100n);
        await step('d', 'dropped');
        expect(await ledger.spentWei('ethereum', WALLET, 5)).toBe(60n);
        expect(await ledger.spentWei('ethereum', FRIEND, 5)).toBe(0n);
        expect(await ledger.spentWei('ethereum', WALLET, 6)).toBe(0n);
        expect(await ledger.spentWei('ethereum', WALLET, 4)).toBe(60n);
      });

      test('that is refused leaves no claim behind', async () => {
        const refused = entry('a', { ...call(101n), idempotencyKey: KEY });
        expect(await ledger.reserve(refused, 100n)).toMatchObject({ kind: 'over-daily-limit' });
        expect(await ledger.byClaim(KEY)).toBeUndefined();
        expect(await ledger.list({ chain: 'ethereum', limit: 9 })).toEqual([]);
      });
    });

    describe('lists', () => {
      test('of what is live are by nonce, of everything newest first and in pages', async () => {
        for (const [id, nonce] of [
          ['a', 2],
          ['b', 0],
          ['c', 1],
        ] as const)
          await ledger.reserve(entry(id, { nonce }), undefined);
        await step('c', 'dropped');
        expect((await ledger.live('ethereum', WALLET)).map(({ id }) => id)).toEqual(['b', 'a']);
        expect(await ledger.live('ethereum', FRIEND)).toEqual([]);
        const ids = async (filter: object) =>
          (await ledger.list({ chain: 'ethereum', limit: 9, ...filter })).map(({ id }) => id);
        expect(await ids({})).toEqual(['c', 'b', 'a']);
        expect(await ids({ limit: 2 })).toEqual(['c', 'b']);
        expect(await ids({ belowSeq: 3 })).toEqual(['b', 'a']);
      });
    });

    test('of two with one claim at once, one is reserved', async () => {
      const [first, second] = [entry('a', { idempotencyKey: KEY }), entry('b', { idempotencyKey: KEY, nonce: 1 })];
      const both = await Promise.all([first, second].map((one) => ledger.reserve(one, undefined)));
      expect(both.map(({ kind }) => kind)).toEqual(['reserved', 'duplicate']);
      await ledger.signed('a', attempt('0x1'));
      expect(await ledger.byHash('ethereum', '0x1')).toMatchObject({ id: 'a', attempts: [attempt('0x1')] });
      await expect(ledger.step({ id: 'a', atMs: 1, state: 'confirmed' })).rejects.toThrow(StorageError);
      expect((await (await opened.reopen()).byClaim(KEY))?.state).toBe('signed');
    });
  });
}
