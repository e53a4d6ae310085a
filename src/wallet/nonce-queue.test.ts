// The nonce queue on a chain in memory: order, lost answers, taken nonces, stuck transactions, reorganisations.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Call, Hex } from './chain.ts';
import { higherFees, MAX_REPLACEMENTS } from './follow.ts';
import type { Entry } from './ledger.ts';
import { MAX_LIVE } from './submit.ts';
import { FRIEND, fakeSigner, GWEI, TOKEN } from './testing/fake-chain.ts';
import { openTestWallet, STUCK_MS, type TestWallet } from './testing/open-test-wallet.ts';
import type { Wallet } from './wallet.ts';

let box: TestWallet;
let requests = 0;
beforeEach(() => {
  box = openTestWallet();
});
afterEach(() => box.close());

const pay = (wallet: Wallet, valueWei = 1n, more: { idempotencyKey?: string; data?: Hex } = {}): Promise<Entry> => {
  const { data = '0x', ...asked } = more;
  const call: Call = { to: FRIEND, valueWei, data };
  return wallet.raw({ chain: 'ethereum', requestId: `r-${++requests}`, operation: 'send', call, ...asked });
};
const stateOf = async ({ attempts }: Entry): Promise<string | undefined> =>
  (await box.ledger.byHash('ethereum', attempts[0]?.hash as Hex))?.state;
const list = () => box.ledger.list({ chain: 'ethereum', limit: 100 });

describe('in order', () => {
  test('twenty at once get twenty nonces in the order they were asked for', async () => {
    const entries = await Promise.all(Array.from({ length: 20 }, (_, index) => pay(box.wallet, BigInt(index))));
    expect(entries.map(({ nonce, call, state }) => [nonce, call.valueWei, state])).toEqual(
      Array.from({ length: 20 }, (_, index) => [index, BigInt(index), 'sent']),
    );
    box.fake.mine();
    expect(box.fake.mined().map(({ valueWei }) => valueWei)).toEqual(entries.map(({ call }) => call.valueWei));
  });

  test('a lagging node that does not know our latest ones yet does not make a nonce count twice', async () => {
    const wallet = box.open((real) => ({ ...real, chain: { ...real.chain, nonce: async () => 0 } }));
    expect([(await pay(wallet)).nonce, (await pay(wallet)).nonce, (await pay(wallet)).nonce]).toEqual([0, 1, 2]);
  });

  test('what another program sent with the same key is stepped over', async () => {
    await pay(box.wallet);
    box.fake.mine();
    box.fake.foreign();
    expect((await pay(box.wallet)).nonce).toBe(2);
  });

  test('a nonce that a stranger took and never used is told of, and filled by the next payment', async () => {
    box.fake.foreign();
    const waiting = await pay(box.wallet);
    expect(waiting.nonce).toBe(1);
    box.fake.reorganise(1, false);
    box.clock.ms += STUCK_MS;
    await box.wallet.look();
    await box.wallet.look();
    expect((await list())[0]?.error).toContain('nonce 0 that nobody sent');
    expect(box.troubles).toHaveLength(1);
    expect((await pay(box.wallet)).nonce).toBe(0);
    expect((await pay(box.wallet)).nonce).toBe(2);
    box.fake.mine(3);
    await box.wallet.look();
    expect((await list()).map(({ state, error }) => [state, error])).toEqual(Array(3).fill(['confirmed', undefined]));
  });

  test(`no more than ${MAX_LIVE} wait at once, and those in a block do not count`, async () => {
    for (let number = 0; number < MAX_LIVE; number++) await pay(box.wallet);
    await expect(pay(box.wallet)).rejects.toMatchObject({ kind: 'busy' });
    box.fake.mine();
    await box.wallet.look();
    expect((await pay(box.wallet)).nonce).toBe(MAX_LIVE);
  });
});

describe('an outcome', () => {
  test('is final after the confirmations of the chain, and no block earlier', async () => {
    const entry = await pay(box.wallet);
    const failing = await pay(box.wallet, 0n, { data: '0xdead' });
    box.fake.mine();
    await box.wallet.look();
    expect(await stateOf(entry)).toBe('mined');
    box.fake.mine();
    await box.wallet.look();
    expect([await stateOf(entry), await stateOf(failing)]).toEqual(['mined', 'mined']);
    box.fake.mine();
    await box.wallet.look();
    expect([await stateOf(entry), await stateOf(failing)]).toEqual(['confirmed', 'reverted']);
    expect((await list())[0]?.error).toContain('only the fee was spent');
  });

  test('that a reorganisation takes away is pending again, and what nodes forgot is sent again, the same bytes', async () => {
    const entry = await pay(box.wallet);
    box.fake.mine(2);
    await box.wallet.look();
    box.fake.reorganise(2, false);
    await box.wallet.look();
    expect(await stateOf(entry)).toBe('sent');
    expect(new Set(box.fake.world.sent).size).toBe(1);
    expect(box.fake.mempool()).toHaveLength(1);
    box.fake.mine(3);
    await box.wallet.look();
    expect(await stateOf(entry)).toBe('confirmed');
    expect(box.fake.mined()).toHaveLength(1);
  });

  test('that a reorganisation puts back into the waiting room is pending there, with no block to its name', async () => {
    const entry = await pay(box.wallet);
    box.fake.mine(2);
    await box.wallet.look();
    box.fake.reorganise(2, true);
    await box.wallet.look();
    expect(await stateOf(entry)).toBe('sent');
    expect((await list())[0]?.mined).toBeUndefined();
    expect(box.fake.world.sent).toHaveLength(1);
  });

  test('is replaced when something else used its nonce, but only after it has been so for a while', async () => {
    const entry = await pay(box.wallet);
    box.fake.foreign();
    await box.wallet.look();
    box.clock.ms += STUCK_MS - 1;
    await box.wallet.look();
    expect(await stateOf(entry)).toBe('sent');
    box.clock.ms += 1;
    await box.wallet.look();
    expect(await stateOf(entry)).toBe('replaced');
  });

  test('whose rival is taken away again by a reorganisation is its own once more', async () => {
    const entry = await pay(box.wallet);
    box.fake.foreign();
    await box.wallet.look();
    box.fake.reorganise(1, false);
    await box.wallet.look();
    box.clock.ms += STUCK_MS;
    box.fake.mine(3);
    await box.wallet.look();
    expect(await stateOf(entry)).toBe('confirmed');
  });
});

describe('a lost answer', () => {
  test.each(['before', 'after'] as const)(
    '%s it arrived leaves the bytes kept, and they are sent again',
    async (when) => {
      const wallet = box.open((real) => ({
        ...real,
        chain: {
          ...real.chain,
          send: (signed) => {
            box.fake.world.down = when;
            return real.chain.send(signed);
          },
        },
      }));
      const entry = await pay(wallet);
      expect(entry.state).toBe('signed');
      await box.wallet.look();
      expect(await stateOf(entry)).toBe('signed');
      box.fake.world.down = undefined;
      await box.wallet.look();
      expect(await stateOf(entry)).toBe('sent');
      box.fake.mine();
      expect(box.fake.mined()).toHaveLength(1);
      expect(new Set(box.fake.world.sent).size).toBe(1);
    },
  );

  test('of an earlier one is cleared up before a later one leaves', async () => {
    const wallet = box.open((real) => ({
      ...real,
      chain: { ...real.chain, send: () => Promise.reject(new Error('reset')) },
    }));
    await pay(wallet);
    expect((await pay(box.wallet)).nonce).toBe(1);
    expect(box.fake.mempool().map(({ nonce }) => nonce)).toEqual([0, 1]);
  });

  test('of one that nodes refuse now holds the later ones back, in words', async () => {
    const wallet = box.open((real) => ({
      ...real,
      chain: { ...real.chain, send: () => Promise.reject(new Error('reset')) },
    }));
    const entry = await pay(wallet);
    box.fake.world.refuse = 'insufficient funds';
    await expect(pay(box.wallet)).rejects.toMatchObject({ kind: 'busy', message: expect.stringContaining('nonce 0') });
    expect(await stateOf(entry)).toBe('signed');
    box.fake.world.refuse = undefined;
    expect((await pay(box.wallet)).nonce).toBe(1);
  });

  test('of the disk after the bytes are out does not turn the answer into a failure', async () => {
    const wallet = box.open((real) => ({
      ...real,
      ledger: { ...real.ledger, step: () => Promise.reject(new Error('disk full')) },
    }));
    expect((await pay(wallet)).state).toBe('sent');
    expect(box.troubles.join()).toContain('disk full');
    await box.wallet.look();
    expect((await list())[0]?.state).toBe('sent');
  });
});

describe('the network', () => {
  test('that refuses at once gives nonce, claim and spending back', async () => {
    const key = '123e4567-e89b-42d3-a456-426614174000';
    box.fake.world.refuse = 'insufficient funds';
    await expect(pay(box.wallet, 5n, { idempotencyKey: key })).rejects.toMatchObject({
      kind: 'refused',
      message: 'the network refused the transaction: insufficient funds',
    });
    expect((await list()).map(({ state }) => state)).toEqual(['dropped']);
    expect((await box.wallet.status('ethereum')).spentTodayWei).toBe(0n);
    box.fake.world.refuse = undefined;
    expect((await pay(box.wallet, 5n, { idempotencyKey: key })).nonce).toBe(0);
  });

  test('of which one node refuses what another has taken does not make it forgotten', async () => {
    const wallet = box.open((real) => ({
      ...real,
      chain: {
        ...real.chain,
        async send(signed) {
          await real.chain.send(signed);
          return { kind: 'refused', reason: 'the mempool is full' };
        },
      },
    }));
    expect((await pay(wallet)).state).toBe('sent');
  });

  test('that says "nonce too low" makes the queue ask for the next one and sign anew', async () => {
    let raced = false;
    const wallet = box.open((real) => ({
      ...real,
      chain: {
        ...real.chain,
        send: (signed) => {
          if (!raced) box.fake.foreign();
          raced = true;
          return real.chain.send(signed);
        },
      },
    }));
    const entry = await pay(wallet, 7n);
    expect([entry.state, entry.nonce, entry.attempts.length]).toEqual(['sent', 1, 2]);
    box.fake.mine(3);
    await box.wallet.look();
    expect(await stateOf(entry)).toBe('confirmed');
    expect(box.fake.mined().filter(({ valueWei }) => valueWei === 7n)).toHaveLength(1);
  });

  test('where another program wins every race is given up on, and nothing is left behind', async () => {
    const wallet = box.open((real) => ({
      ...real,
      chain: {
        ...real.chain,
        send: (signed) => {
          box.fake.foreign();
          return real.chain.send(signed);
        },
      },
    }));
    await expect(pay(wallet)).rejects.toMatchObject({ kind: 'refused' });
    expect(await box.ledger.live('ethereum', (await list())[0]?.from as never)).toEqual([]);
  });

  test('where a stranger waits under our nonce is not outbid: the next nonce is taken', async () => {
    const wallet = box.open((real) => {
      let asked = 0;
      // The first answer lags: it does not count the stranger yet.
      const nonce = async () => (asked++ === 0 ? 0 : 1);
      return { ...real, chain: { ...real.chain, nonce } };
    });
    const stranger = await fakeSigner.sign({
      to: FRIEND,
      valueWei: 9n,
      data: '0x',
      chainId: 1,
      nonce: 0,
      gasLimit: 1n,
      maxFeePerGas: 100n * GWEI,
      maxPriorityFeePerGas: GWEI,
    });
    await box.fake.chain.send(stranger);
    expect((await pay(wallet)).nonce).toBe(1);
    expect(box.fake.mempool().map(({ valueWei }) => valueWei)).toEqual([9n, 1n]);
  });
});

describe('a stuck transaction', () => {
  test('is signed again with the same nonce and at least an eighth more, and either form counts once', async () => {
    box.fake.world.floorFee = 22n * GWEI;
    const entry = await pay(box.wallet);
    box.clock.ms += STUCK_MS - 1;
    await box.wallet.look();
    expect(box.fake.world.sent).toHaveLength(1);
    box.clock.ms += 1;
    await box.wallet.look();
    const [, second] = (await list())[0]?.attempts ?? [];
    expect(second).toMatchObject({ nonce: 0, maxFeePerGas: 22_500_000_000n, maxPriorityFeePerGas: 1_125_000_000n });
    box.fake.mine(3);
    await box.wallet.look();
    expect(await stateOf(entry)).toBe('confirmed');
    expect((await list())[0]?.mined?.hash).toBe(second?.hash);
    expect(box.fake.mined()).toHaveLength(1);
  });

  test('is the first in line only: those behind it are not touched', async () => {
    box.fake.world.floorFee = 10n ** 18n;
    await pay(box.wallet);
    await pay(box.wallet);
    box.clock.ms += STUCK_MS;
    await box.wallet.look();
    expect((await list()).map(({ nonce, attempts }) => [nonce, attempts.length])).toEqual([
      [1, 1],
      [0, 2],
    ]);
  });

  test(`is replaced ${MAX_REPLACEMENTS} times at most, then told of once`, async () => {
    box.fake.world.floorFee = 10n ** 18n;
    await pay(box.wallet);
    for (let round = 0; round < MAX_REPLACEMENTS + 3; round++) {
      box.clock.ms += STUCK_MS;
      await box.wallet.look();
    }
    expect((await list())[0]?.attempts).toHaveLength(MAX_REPLACEMENTS + 1);
    expect(box.troubles.filter((trouble) => trouble.includes('is stuck'))).toHaveLength(1);
  });

  test('follows the market up, but not past ten times the first fee', () => {
    const fees = { maxFeePerGas: 100n, maxPriorityFeePerGas: 10n };
    const attempt = { ...fees, hash: '0x1', raw: '0x1', nonce: 0, signedAtMs: 0 } as const;
    expect(higherFees([attempt], { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n })).toEqual({
      maxFeePerGas: 113n,
      maxPriorityFeePerGas: 12n,
    });
    expect(higherFees([attempt], { maxFeePerGas: 1000n, maxPriorityFeePerGas: 1n })?.maxFeePerGas).toBe(1000n);
    expect(higherFees([attempt], { maxFeePerGas: 1001n, maxPriorityFeePerGas: 1n })).toBeUndefined();
  });
});

describe('the kill switch', () => {
  test('for everything stops every signature, also one that is being prepared', async () => {
    box.kill.active = true;
    await expect(pay(box.wallet)).rejects.toMatchObject({ kind: 'killed' });
    box.kill.active = false;
    const wallet = box.open((real) => ({
      ...real,
      chain: {
        ...real.chain,
        simulate: (from, call) => {
          box.kill.active = true;
          return real.chain.simulate(from, call);
        },
      },
    }));
    await expect(pay(wallet)).rejects.toMatchObject({ kind: 'killed' });
    expect(await list()).toEqual([]);
  });

  test('for entries lets a permission be taken away, and nothing else', async () => {
    box.kill.active = true;
    box.kill.scope = 'entries';
    const asked = { chain: 'ethereum', requestId: 'r', token: TOKEN, spender: FRIEND } as const;
    await expect(box.wallet.approve({ ...asked, amount: 1n })).rejects.toMatchObject({ kind: 'killed' });
    await expect(box.wallet.transfer({ ...asked, to: FRIEND, amount: 0n })).rejects.toMatchObject({ kind: 'killed' });
    await expect(pay(box.wallet, 0n)).rejects.toMatchObject({ kind: 'killed' });
    expect((await box.wallet.approve({ ...asked, amount: 0n })).state).toBe('sent');
  });

  test('for everything also holds back what is signed and what is stuck, but outcomes are still seen', async () => {
    const first = await pay(box.wallet);
    const second = await pay(box.wallet);
    box.fake.mine(3);
    box.fake.reorganise(3, true);
    box.kill.active = true;
    box.fake.forget();
    box.clock.ms += STUCK_MS;
    const sent = box.fake.world.sent.length;
    await box.wallet.look();
    expect(box.fake.world.sent).toHaveLength(sent);
    box.kill.active = false;
    await box.wallet.look();
    box.kill.active = true;
    box.fake.mine(3);
    await box.wallet.look();
    expect([await stateOf(first), await stateOf(second)]).toEqual(['confirmed', 'confirmed']);
  });
});
