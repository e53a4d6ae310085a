// Swaps on a chain in memory: bounds, deadlines, and exact approvals that never serve two swaps.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Entry, hashOf } from './ledger.ts';
import { FRIEND, ROUTER, TOKEN } from './testing/fake-chain.ts';
import { openTestWallet, type TestWallet } from './testing/open-test-wallet.ts';

let box: TestWallet;
let miner: NodeJS.Timeout | undefined;
beforeEach(() => {
  box = openTestWallet();
});
afterEach(() => {
  clearInterval(miner);
  box.close();
});

const mineAlways = (): void => {
  miner = setInterval(() => box.fake.mine(), 3);
};
let requests = 0;
const swap = (more: object = {}) =>
  box.wallet.swap('ethereum', {
    ...{ tokenIn: TOKEN, tokenOut: 'native', amountIn: 100n, slippageBps: 50, deadlineS: 1200 },
    requestId: `r-${++requests}`,
    ...more,
  });
const words = (data: string): bigint[] => (data.slice(10).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
const amounts = async () => (await list()).map(({ operation, details }) => `${operation} ${details.amount}`);
const list = async () => (await box.ledger.list({ chain: 'ethereum', limit: 100 })).toReversed();

describe('a swap', () => {
  test('carries the bound and a deadline of twenty minutes', async () => {
    const entry = await swap({ tokenIn: 'native', tokenOut: TOKEN, amountIn: 10_001n });
    // 20 002 less half a percent, rounded down for the bound.
    expect(words(entry.call.data)).toEqual([10_001n, 19_901n, BigInt(Math.floor(box.clock.ms / 1000) + 1200)]);
    expect(entry.details).toMatchObject({ quotedAmountOut: '20002', minAmountOut: '19901', spender: ROUTER });
    expect(entry.call.valueWei).toBe(10_001n);
  });

  test('keeps to the bound of its caller where that is higher, and is refused when no offer reaches it', async () => {
    const native = { tokenIn: 'native', tokenOut: TOKEN, amountIn: 1000n };
    expect((await swap({ ...native, minAmountOut: 2000n })).details.minAmountOut).toBe('2000');
    expect((await swap({ ...native, minAmountOut: 1n })).details.minAmountOut).toBe('1990');
    await expect(swap({ ...native, minAmountOut: 2001n })).rejects.toMatchObject({ kind: 'no-swap' });
  });

  test('of a token for itself, without a pool, or of dust is refused in words', async () => {
    await expect(swap({ tokenOut: TOKEN })).rejects.toMatchObject({ kind: 'invalid' });
    box.fake.world.price = 0n;
    await expect(swap()).rejects.toMatchObject({ kind: 'no-swap', message: expect.stringContaining('no pool') });
    box.fake.world.price = 1n;
    await expect(swap({ amountIn: 1n })).rejects.toMatchObject({
      message: expect.stringContaining('nothing would come out'),
    });
  });

  test('that would revert is refused with the reason, and no row is made', async () => {
    box.fake.world.revert = 'UniswapV2Router: INSUFFICIENT_OUTPUT_AMOUNT';
    await expect(swap({ tokenIn: 'native', tokenOut: TOKEN })).rejects.toMatchObject({
      kind: 'would-revert',
      message: expect.stringContaining('INSUFFICIENT_OUTPUT_AMOUNT'),
    });
    expect(await list()).toEqual([]);
  });
});

describe('an approval', () => {
  test('is made first, exact, as a row of its own in the same queue, and the swap follows when it is mined', async () => {
    mineAlways();
    const entry = await swap();
    const [approval, swapped] = await list();
    expect(approval).toMatchObject({
      ...{ operation: 'approve', nonce: 0, requestId: entry.requestId },
      details: { token: TOKEN, spender: ROUTER, amount: '100', forSwap: true },
    });
    expect(words(approval?.call.data ?? '')).toEqual([BigInt(ROUTER), 100n]);
    expect(swapped).toMatchObject({ id: entry.id, operation: 'swap', nonce: 1 });
  });

  test('is not made where there is one already', async () => {
    box.fake.world.allowance = 100n;
    expect((await swap()).nonce).toBe(0);
  });

  test('serves one swap: what swaps on their way will use does not count for the next', async () => {
    box.fake.world.allowance = 150n;
    await swap();
    mineAlways();
    await swap();
    expect((await list()).map(({ operation, details }) => [operation, details.amount])).toEqual([
      ['swap', '100'],
      ['approve', '100'],
      ['swap', '100'],
    ]);
  });

  test('of one swap is not overwritten by that of another at the same time', async () => {
    mineAlways();
    await Promise.all([swap(), swap({ amountIn: 50n })]);
    const [first, second] = (await list()).filter(({ operation }) => operation === 'approve');
    const [one, two] = (await list()).filter(({ operation }) => operation === 'swap');
    expect([first?.nonce, one?.nonce, second?.nonce, two?.nonce]).toEqual([0, 1, 2, 3]);
  });

  test('that takes too long is taken back and both are named; the swap asked for again makes its own', async () => {
    const tick = setInterval(() => {
      box.clock.ms += 20_000;
    }, 2);
    const refused = await swap().catch((error: unknown) => error);
    clearInterval(tick);
    const [approval, back] = await list();
    expect(refused).toMatchObject({ kind: 'approval-pending', entry: { id: approval?.id } });
    expect((refused as Error).message).toContain(
      `the approval ${hashOf(approval as Entry)} of 100 for ${ROUTER} is on its way into a block; ${hashOf(back as Entry)} takes it back`,
    );
    mineAlways();
    await swap();
    expect(await amounts()).toEqual(['approve 100', 'approve 0', 'approve 100', 'swap 100']);
  });

  test('of somebody who hung up meanwhile is taken back, and no swap follows: they will ask again', async () => {
    const client = new AbortController();
    const asked = swap({ signal: client.signal });
    client.abort();
    mineAlways();
    await expect(asked).rejects.toMatchObject({ kind: 'approval-pending' });
    expect(await amounts()).toEqual(['approve 100', 'approve 0']);
  });

  test('that its owner had asked for is named, but stays theirs', async () => {
    const owned = await box.wallet.approve({
      ...{ chain: 'ethereum', requestId: 'own', token: TOKEN, spender: ROUTER, amount: 500n },
    });
    const client = new AbortController();
    client.abort();
    await expect(swap({ signal: client.signal })).rejects.toMatchObject({
      message: expect.stringContaining(`${hashOf(owned)} of 500 for ${ROUTER} is on its way into a block and stands`),
    });
    expect(await amounts()).toEqual(['approve 500']);
  });

  test('that one node has and another not yet is waited for at the other', async () => {
    let behind = 3;
    box.wallet = box.open((real) => ({
      ...real,
      chain: {
        ...real.chain,
        async allowance() {
          return behind-- > 0 ? 0n : 100n;
        },
      },
    }));
    mineAlways();
    expect((await swap()).nonce).toBe(1);
    expect(behind).toBeLessThan(0);
  });

  test('that fails on the chain ends the swap', async () => {
    box.wallet = box.open((real) => ({
      ...real,
      chain: { ...real.chain, approveCall: (token) => ({ to: token, valueWei: 0n, data: '0xdead' }) },
    }));
    mineAlways();
    const refused = await swap().catch((error: unknown) => error);
    const [approval] = await list();
    expect(refused).toMatchObject({
      kind: 'would-revert',
      message: expect.stringContaining(
        `${hashOf(approval as Entry)} of 100 for ${ROUTER} gives no allowance (reverted)`,
      ),
    });
    expect(await list()).toHaveLength(1);
  });

  test('is not made for a repeated idempotency key', async () => {
    const idempotencyKey = '123e4567-e89b-42d3-a456-426614174000';
    mineAlways();
    const first = await swap({ idempotencyKey });
    await expect(swap({ idempotencyKey })).rejects.toMatchObject({ kind: 'duplicate', entry: { id: first.id } });
    expect(await list()).toHaveLength(2);
  });
});

describe('a swap that is refused after its approval was mined', () => {
  /** The token begins to keep a part as soon as the approval is on its way. */
  const taxLater = async (meanwhile: () => void = () => {}) => {
    const asked = swap().catch((error: unknown) => error);
    while (box.fake.mempool().length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    box.fake.world.taxBps = 100n;
    meanwhile();
    mineAlways();
    return asked;
  };

  test('takes the approval back and names both', async () => {
    const refused = await taxLater();
    const [approval, back] = await list();
    expect(refused).toMatchObject({ kind: 'no-swap', entry: { id: approval?.id } });
    expect((refused as Error).message).toContain(`the approval ${hashOf(approval as Entry)} of 100 for ${ROUTER}`);
    expect((refused as Error).message).toContain(`${hashOf(back as Entry)} takes it back`);
    expect(words(back?.call.data ?? '')).toEqual([BigInt(ROUTER), 0n]);
  });

  test('says that the approval still stands where it cannot be taken back', async () => {
    const refused = await taxLater(() => {
      box.kill.active = true;
    });
    expect(box.troubles.join()).toContain('still stands; take it back with approve');
    expect(refused).toMatchObject({ message: expect.stringContaining('still stands; take it back with approve') });
    expect(await list()).toHaveLength(1);
  });
});

test('a swap is refused before its approval when less would arrive, or when there is too little to pay', async () => {
  box.fake.world.taxBps = 51n;
  await expect(swap({ amountIn: 10_000n })).rejects.toMatchObject({ kind: 'no-swap' });
  box.fake.world.taxBps = 0n;
  box.fake.world.balance = 99n;
  await expect(swap()).rejects.toMatchObject({ kind: 'would-revert', message: expect.stringContaining('holds 99') });
  expect(await list()).toEqual([]);
});

test.each([
  [19_901n, undefined],
  [19_900n, 'only 19900 came out, less than the 19901 asked for'],
])('a mined swap that brought %s of at least 19901 says so', async (received, error) => {
  const { id } = await swap({ tokenIn: 'native', tokenOut: TOKEN, amountIn: 10_001n });
  box.fake.world.received = received;
  for (let blocks = 0; blocks < 3; blocks += 1) {
    box.fake.mine();
    await box.wallet.look();
  }
  const [entry] = await list();
  expect(entry).toMatchObject({ id, state: 'confirmed', mined: { amountOut: received } });
  if (error === undefined) expect([entry?.error, box.troubles]).toEqual([undefined, []]);
  else expect([entry?.error, box.troubles.join()]).toEqual(Array(2).fill(expect.stringContaining(error)));
});

test('two payments at once with one idempotency key are one', async () => {
  const pay = () =>
    box.wallet.transfer({
      ...{ chain: 'ethereum', requestId: `r-${++requests}`, token: 'native', to: FRIEND, amount: 1n },
      idempotencyKey: '123e4567-e89b-42d3-a456-426614174000',
    });
  const all = await Promise.allSettled([pay(), pay(), pay()]);
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  expect(box.fake.mempool()).toHaveLength(1);
});
