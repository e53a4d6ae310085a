// The wallet as a whole on a chain in memory: its start, its watch, and what it tells when nobody asks.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NotAToken } from './chain.ts';
import type { Entry } from './ledger.ts';
import { FRIEND, TOKEN, WALLET } from './testing/fake-chain.ts';
import { openTestWallet, type TestWallet } from './testing/open-test-wallet.ts';
import type { Wallet } from './wallet.ts';

let box: TestWallet;
beforeEach(() => {
  box = openTestWallet();
});
afterEach(() => box.close());

const pay = (wallet: Wallet): Promise<Entry> =>
  wallet.transfer({ chain: 'ethereum', requestId: 'r-1', token: 'native', to: FRIEND, amount: 1n });
const list = () => box.ledger.list({ chain: 'ethereum', limit: 100 });

describe('an outage', () => {
  test('is told once, and again when the next one comes', async () => {
    await pay(box.wallet);
    for (const down of ['before', 'before', undefined, 'before'] as const) {
      box.fake.world.down = down;
      await box.wallet.look();
    }
    expect(box.troubles.filter((trouble) => trouble.includes('cannot be followed'))).toHaveLength(2);
  });

  test('at the start does not stop it: the chain is proved before its first use', async () => {
    box.fake.world.down = 'before';
    await box.wallet.start();
    expect(box.troubles.join()).toContain('cannot be reached yet');
    box.fake.world.down = undefined;
    expect((await pay(box.wallet)).state).toBe('sent');
    box.fake.mine(3);
    await expect.poll(async () => (await list())[0]?.state).toBe('confirmed');
    await box.wallet.stop();
  });
});

test('transactions of another key that are not final are told of at the start', async () => {
  await pay(box.wallet);
  const wallet = box.open((real) => ({ ...real, signer: { ...real.signer, address: FRIEND } }));
  await wallet.start();
  await wallet.stop();
  expect(box.troubles.join()).toContain(`transactions of ${WALLET} that are not final`);
});

test('what is no token is neither transferred nor approved: a call to nobody would look like a payment', async () => {
  const wallet = box.open((real) => ({
    ...real,
    chain: { ...real.chain, token: () => Promise.reject(new NotAToken('no token')) },
  }));
  const asked = { chain: 'ethereum', requestId: 'r', token: TOKEN, spender: FRIEND, to: FRIEND, amount: 1n } as const;
  await expect(wallet.transfer(asked)).rejects.toThrow('no token');
  await expect(wallet.approve(asked)).rejects.toThrow('no token');
  expect(await list()).toEqual([]);
});

test('requests past 256 that wait for their turn are refused at once', async () => {
  const all = await Promise.allSettled(Array.from({ length: 300 }, () => pay(box.wallet)));
  const refusals = all.filter((one) => one.status === 'rejected').map(({ reason }) => reason);
  expect(refusals.filter(({ message }) => message.includes('wait for their turn'))).toHaveLength(44);
  expect(refusals.every(({ kind }) => kind === 'busy')).toBe(true);
  expect(box.fake.mempool()).toHaveLength(64);
});
