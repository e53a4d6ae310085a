// A signer of a private key: the same transaction gives the same bytes, and the key shows nowhere.

import { inspect } from 'node:util';
import fc from 'fast-check';
import { parseTransaction, recoverTransactionAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import type { Hex, UnsignedTransaction } from '../../../wallet/chain.ts';
import { createKeySigner } from './key-signer.ts';

const KEY: Hex = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';
const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const transaction: UnsignedTransaction = {
  chainId: 42_161,
  nonce: 7,
  to: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  valueWei: 5n,
  data: '0x1234',
  gasLimit: 21_000n,
  maxFeePerGas: 30n,
  maxPriorityFeePerGas: 2n,
};

describe('a signer', () => {
  it('knows its address, with its checksum', () => {
    expect(createKeySigner(KEY).address).toBe(ADDRESS);
  });

  it('signs what it was given, every field of it, for that chain', async () => {
    const { raw } = await createKeySigner(KEY).sign(transaction);
    expect(await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` })).toBe(ADDRESS);
    expect(parseTransaction(raw)).toMatchObject({
      type: 'eip1559',
      chainId: 42_161,
      nonce: 7,
      value: 5n,
      data: '0x1234',
      gas: 21_000n,
      maxFeePerGas: 30n,
      maxPriorityFeePerGas: 2n,
    });
  });

  it('gives the same bytes and hash for the same transaction, and others for any other', async () => {
    const signer = createKeySigner(KEY);
    const [first, again, other] = [
      await signer.sign(transaction),
      await createKeySigner(KEY).sign({ ...transaction }),
      await signer.sign({ ...transaction, nonce: 8 }),
    ];
    expect(again).toEqual(first);
    expect(other.hash).not.toBe(first.hash);
  });

  it('does not show its key', async () => {
    const signer = createKeySigner(KEY);
    const shown = [inspect(signer, { depth: 9, showHidden: true }), JSON.stringify(signer), String(signer.sign)].join();
    expect(shown.toLowerCase()).not.toContain(KEY.slice(2));
    await expect(signer.sign({ ...transaction, to: '0x12' as Hex })).rejects.not.toThrow(KEY.slice(2));
  });
});

describe('what is no key', () => {
  it.each([
    '0x',
    '0x12',
    `${KEY}00`,
    KEY.slice(2),
    `0x${'00'.repeat(32)}`,
    `0x${'ff'.repeat(32)}`,
    `${KEY.slice(0, -1)}g`,
  ])('is refused without being repeated (%#)', (text) => {
    expect(() => createKeySigner(text as Hex)).toThrow('0x and 64 hex digits');
  });

  it('is refused whatever it is, in the same words', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), (text) => {
        expect(() => createKeySigner(text as Hex)).toThrow(
          'the private key is none; it is 0x and 64 hex digits, not zero',
        );
      }),
      { numRuns: 200 },
    );
  });
});
