// The owner's rules at every boundary, for calls we make and for raw ones, and against all of them at once.

import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { readCall } from './call-contents.ts';
import type { Address, Hex } from './chain.ts';
import { addressesOf, type PolicyRules, UNLIMITED_FROM } from './policy.ts';
import { FRIEND, ROUTER, TOKEN, WALLET } from './testing/fake-chain.ts';
import { openTestWallet, type TestWallet } from './testing/open-test-wallet.ts';
import type { Wallet } from './wallet.ts';

let box: TestWallet | undefined;
afterEach(() => box?.close());
const open = (rules: Partial<PolicyRules>): TestWallet => {
  box = openTestWallet({ rules });
  return box;
};
const asked = { chain: 'ethereum', requestId: 'r-1' } as const;
const send = (wallet: Wallet, to: Address, valueWei: bigint, data: Hex = '0x') =>
  wallet.raw({ ...asked, operation: 'send', call: { to, valueWei, data } });
const word = (value: bigint | Address): string => BigInt(value).toString(16).padStart(64, '0');
const swapTerms = { slippageBps: 50, deadlineS: 1200, requestId: 'r-1' };

describe('the maximum value', () => {
  test('may be reached and not passed by one wei', async () => {
    const { wallet, ledger } = open({ maxValueWei: 100n });
    expect((await send(wallet, FRIEND, 100n)).state).toBe('sent');
    await expect(send(wallet, FRIEND, 101n)).rejects.toMatchObject({
      kind: 'policy',
      message: expect.stringContaining('WALLET_MAX_VALUE_WEI'),
    });
    await expect(wallet.transfer({ ...asked, token: 'native', to: FRIEND, amount: 101n })).rejects.toMatchObject({
      kind: 'policy',
    });
    const swap = wallet.swap('ethereum', { ...swapTerms, tokenIn: 'native', tokenOut: TOKEN, amountIn: 101n });
    await expect(swap).rejects.toMatchObject({ kind: 'policy' });
    expect(await ledger.list({ chain: 'ethereum', limit: 9 })).toHaveLength(1);
  });

  test('of nothing lets no native value leave, but tokens', async () => {
    const { wallet } = open({ maxValueWei: 0n });
    await expect(send(wallet, FRIEND, 1n)).rejects.toMatchObject({ kind: 'policy' });
    expect((await wallet.transfer({ ...asked, token: TOKEN, to: FRIEND, amount: 5n })).state).toBe('sent');
  });
});

describe('the daily limit', () => {
  test('counts what is asked for side by side, and not one wei more leaves', async () => {
    const { wallet, fake } = open({ dailyLimitWei: 100n });
    const all = await Promise.allSettled(Array.from({ length: 15 }, () => send(wallet, FRIEND, 10n)));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    const [refused] = all.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(refused?.reason).toMatchObject({
      kind: 'policy',
      message: expect.stringContaining('100 wei are used today'),
    });
    expect(fake.mempool().reduce((sum, { valueWei }) => sum + valueWei, 0n)).toBe(100n);
    expect((await send(wallet, FRIEND, 0n)).state).toBe('sent');
  });

  test('starts anew with the next day in UTC, and a clock that was set back gives nothing', async () => {
    const { wallet, clock } = open({ dailyLimitWei: 100n });
    const midnight = Math.ceil(clock.ms / 86_400_000) * 86_400_000;
    clock.ms = midnight - 1;
    await send(wallet, FRIEND, 60n);
    await expect(send(wallet, FRIEND, 41n)).rejects.toMatchObject({ kind: 'policy' });
    clock.ms = midnight;
    await send(wallet, FRIEND, 100n);
    clock.ms = midnight - 86_400_000;
    await expect(send(wallet, FRIEND, 1n)).rejects.toMatchObject({ kind: 'policy' });
    clock.ms = midnight + 86_400_000;
    await send(wallet, FRIEND, 100n);
    expect((await wallet.status('ethereum')).spentTodayWei).toBe(100n);
  });

  test('holds for amounts far past what a number can say exactly', async () => {
    const huge = 10n ** 30n;
    const { wallet } = open({ dailyLimitWei: huge });
    await send(wallet, FRIEND, huge - 1n);
    await expect(send(wallet, FRIEND, 2n)).rejects.toMatchObject({ kind: 'policy' });
    expect((await send(wallet, FRIEND, 1n)).state).toBe('sent');
  });
});

describe('the allowlist', () => {
  test('covers recipient, token, spender and router', async () => {
    const { wallet } = open({ allowedContracts: new Set([TOKEN]) });
    const strangers = [
      send(wallet, FRIEND, 1n),
      wallet.transfer({ ...asked, token: 'native', to: FRIEND, amount: 1n }),
      wallet.transfer({ ...asked, token: TOKEN, to: FRIEND, amount: 1n }),
      wallet.approve({ ...asked, token: TOKEN, spender: ROUTER, amount: 1n }),
      wallet.swap('ethereum', { ...swapTerms, tokenIn: 'native', tokenOut: TOKEN, amountIn: 1n }),
      wallet.swap('ethereum', { ...swapTerms, tokenIn: TOKEN, tokenOut: 'native', amountIn: 1n }),
    ];
    for (const refused of await Promise.allSettled(strangers))
      expect((refused as PromiseRejectedResult).reason).toMatchObject({
        kind: 'policy',
        message: expect.stringContaining('WALLET_ALLOWED_CONTRACTS'),
      });
  });

  test('looks into raw calls of a token: its recipient and spender count too', async () => {
    const { wallet } = open({ allowedContracts: new Set([TOKEN]) });
    for (const selector of ['095ea7b3', '39509351', 'a9059cbb'])
      await expect(send(wallet, TOKEN, 0n, `0x${selector}${word(FRIEND)}${word(1n)}`)).rejects.toMatchObject({
        message: expect.stringContaining(FRIEND),
      });
    const from = `0x23b872dd${word(WALLET)}${word(FRIEND)}${word(1n)}` as const;
    await expect(send(wallet, TOKEN, 0n, from)).rejects.toMatchObject({ kind: 'policy' });
    expect((await send(wallet, TOKEN, 0n, '0x12345678')).state).toBe('sent');
  });

  test('lets pass what is on it, and is asked before money goes into an approval', async () => {
    const all = open({ allowedContracts: new Set([TOKEN, ROUTER, FRIEND]) });
    expect((await all.wallet.transfer({ ...asked, token: TOKEN, to: FRIEND, amount: 1n })).state).toBe('sent');
    all.close();
    const some = open({ allowedContracts: new Set([TOKEN]) });
    const swap = some.wallet.swap('ethereum', { ...swapTerms, tokenIn: TOKEN, tokenOut: 'native', amountIn: 1n });
    await expect(swap).rejects.toMatchObject({ kind: 'policy' });
    expect(await some.ledger.list({ chain: 'ethereum', limit: 9 })).toEqual([]);
  });
});

describe('an approval without limit', () => {
  const raw = (selector: string, amount: bigint) => `0x${selector}${word(ROUTER)}${word(amount)}` as const;

  test('is any above what the account holds, also inside a raw call', async () => {
    const { wallet, fake } = open({});
    const approve = { ...asked, token: TOKEN, spender: ROUTER };
    fake.world.balance = 1000n;
    expect((await wallet.approve({ ...approve, amount: 1000n })).state).toBe('sent');
    for (const amount of [1001n, 2n ** 128n - 1n])
      await expect(wallet.approve({ ...approve, amount })).rejects.toMatchObject({
        kind: 'policy',
        message: expect.stringContaining('at most the 1000'),
      });
    await expect(send(wallet, TOKEN, 0n, raw('095ea7b3', 1001n))).rejects.toMatchObject({ kind: 'policy' });
    fake.world.allowance = 600n;
    expect((await send(wallet, TOKEN, 0n, raw('39509351', 400n))).state).toBe('sent');
    await expect(send(wallet, TOKEN, 0n, raw('39509351', 401n))).rejects.toMatchObject({ kind: 'policy' });
  });

  test('is any from 2^128 on, whatever the account holds', async () => {
    const { wallet, fake } = open({});
    fake.world.balance = 2n ** 200n;
    const approve = { ...asked, token: TOKEN, spender: ROUTER };
    expect((await wallet.approve({ ...approve, amount: UNLIMITED_FROM - 1n })).state).toBe('sent');
    await expect(wallet.approve({ ...approve, amount: UNLIMITED_FROM })).rejects.toMatchObject({ kind: 'policy' });
  });

  test('of a whole collection is signed only for an operator on the allowlist, and may always be taken away', async () => {
    const forAll = (isApproved: boolean) => raw('a22cb465', isApproved ? 1n : 0n);
    const { wallet } = open({});
    await expect(send(wallet, TOKEN, 0n, forAll(true))).rejects.toMatchObject({
      message: expect.stringContaining('whole collection'),
    });
    expect((await send(wallet, TOKEN, 0n, forAll(false))).state).toBe('sent');
    box?.close();
    const listed = open({ allowedContracts: new Set([TOKEN, ROUTER]) });
    expect((await send(listed.wallet, TOKEN, 0n, forAll(true))).state).toBe('sent');
    listed.close();
    const strange = open({ allowedContracts: new Set([TOKEN]) });
    await expect(send(strange.wallet, TOKEN, 0n, forAll(true))).rejects.toMatchObject({
      message: expect.stringContaining(ROUTER),
    });
  });
});

describe('a cap', () => {
  const caps = new Map([
    ['ethereum:native', 50n],
    [`ethereum:${TOKEN}`, 10n],
    [`polygon:${TOKEN}`, 1n],
  ]);
  const swap = (wallet: Wallet, tokenIn: Address | 'native', amountIn: bigint) =>
    wallet.swap('ethereum', { ...swapTerms, tokenIn, tokenOut: tokenIn === 'native' ? TOKEN : 'native', amountIn });

  test('of a token is for transfers, approvals, swaps and raw calls of its own chain', async () => {
    const { wallet } = open({ caps });
    expect((await wallet.transfer({ ...asked, token: TOKEN, to: FRIEND, amount: 10n })).state).toBe('sent');
    const over = [
      wallet.transfer({ ...asked, token: TOKEN, to: FRIEND, amount: 11n }),
      wallet.approve({ ...asked, token: TOKEN, spender: ROUTER, amount: 11n }),
      swap(wallet, TOKEN, 11n),
      send(wallet, TOKEN, 0n, `0xa9059cbb${word(FRIEND)}${word(11n)}`),
    ];
    for (const refused of await Promise.allSettled(over))
      expect((refused as PromiseRejectedResult).reason).toMatchObject({
        kind: 'policy',
        message: expect.stringContaining('WALLET_CAPS'),
      });
  });

  test('of the coin replaces the maximum value, above it and below it', async () => {
    const { wallet } = open({ caps, maxValueWei: 5n });
    expect((await send(wallet, FRIEND, 50n)).state).toBe('sent');
    await expect(send(wallet, FRIEND, 51n)).rejects.toMatchObject({ message: expect.stringContaining('WALLET_CAPS') });
    await expect(swap(wallet, 'native', 51n)).rejects.toMatchObject({ kind: 'policy' });
  });
});

test('the price impact of a swap may be reached and not passed', async () => {
  const { wallet, fake } = open({ maxPriceImpactBps: 300 });
  const swap = () => wallet.swap('ethereum', { ...swapTerms, tokenIn: 'native', tokenOut: TOKEN, amountIn: 1000n });
  fake.world.priceImpactBps = 300;
  expect((await swap()).state).toBe('sent');
  fake.world.priceImpactBps = 301;
  await expect(swap()).rejects.toMatchObject({
    kind: 'no-swap',
    message: expect.stringContaining('WALLET_MAX_PRICE_IMPACT_BPS'),
  });
});

test('any data is read without a fault', () => {
  const bytes = fc.uint8Array({ maxLength: 400 }).map((data) => `0x${Buffer.from(data).toString('hex')}` as const);
  const selectors = fc.constantFrom('095ea7b3', '39509351', 'a9059cbb', '23b872dd', 'd505accf', 'ac9650d8', 'a22cb465');
  const known = fc.tuple(selectors, bytes).map(([selector, rest]) => `0x${selector}${rest.slice(2)}` as const);
  fc.assert(
    fc.property(fc.oneof(bytes, known), (data) => {
      const call = { to: FRIEND, valueWei: 0n, data };
      for (const { amount } of readCall(call).approvals) expect(amount).toBeGreaterThanOrEqual(0n);
      expect(addressesOf({ operation: 'send', call, details: {} })[0]).toBe(FRIEND);
    }),
    { numRuns: 300 },
  );
});
