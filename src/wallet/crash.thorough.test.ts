// Random lives of a wallet: crashes at every step, outages, reorganisations and forgetful nodes never pay anything twice.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '../../tests/support/thorough.ts';
import type { Hex } from './chain.ts';
import { LIVE_STATES } from './ledger.ts';
import { FRIEND } from './testing/fake-chain.ts';
import { openTestWallet, STUCK_MS, type TestWallet, type Wrapped } from './testing/open-test-wallet.ts';
import type { Wallet } from './wallet.ts';

/** Everything works until so many calls were made; the last one still happens or not, and after it nothing does. */
function dyingAfter(calls: number, isLastDone: boolean): (real: Wrapped) => Wrapped {
  let left = calls;
  const mortal = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function' || /Call$/.test(String(name))) return value;
        return async (...args: unknown[]) => {
          left--;
          if (left < 0 || (left === 0 && !isLastDone)) throw new Error('the process is dead');
          const result = await Reflect.apply(value, target, args);
          if (left === 0) throw new Error('the process is dead');
          return result;
        };
      },
    });
  return ({ chain, ledger, signer }) => ({ chain: mortal(chain), ledger: mortal(ledger), signer: mortal(signer) });
}

const pay = (wallet: Wallet, valueWei: number) =>
  wallet
    .raw({
      ...{ chain: 'ethereum', operation: 'send', requestId: `pay-${valueWei}` },
      call: { to: FRIEND, valueWei: BigInt(valueWei), data: '0x' },
    })
    .then(
      () => undefined,
      () => undefined,
    );

/** Good weather until everything is settled. */
async function settle({ fake, open, clock, ledger }: TestWallet): Promise<void> {
  fake.world.down = undefined;
  fake.world.losing = undefined;
  fake.world.floorFee = 0n;
  const wallet = open();
  const settled = async (): Promise<void> => {
    for (let round = 0; round < 12; round++) {
      await wallet.look();
      fake.mine();
      clock.ms += STUCK_MS / 3;
    }
  };
  await settled();
  // A stranger's transaction that vanished leaves a gap, which further payments fill.
  for (let fill = 0; fill < 6; fill++) await pay(wallet, 1_000_000 + fill);
  await settled();
  const left = (await ledger.list({ chain: 'ethereum', limit: 1000 })).filter(({ state }) =>
    LIVE_STATES.includes(state),
  );
  expect(left).toEqual([]);
}

async function expectPaidOnce({ fake, ledger }: TestWallet): Promise<void> {
  const ours = fake.mined().filter(({ data }) => data === '0x');
  expect(new Set(ours.map(({ valueWei }) => valueWei)).size).toBe(ours.length);
  const byHash = new Map(fake.mined().map((known) => [known.hash as Hex, known]));
  for (const { state, attempts, mined } of await ledger.list({ chain: 'ethereum', limit: 1000 })) {
    const taken = attempts.filter(({ hash }) => byHash.has(hash));
    expect([state, taken.length]).toEqual([state, state === 'confirmed' ? 1 : 0]);
    expect(mined?.hash).toBe(taken[0]?.hash);
  }
  // Nothing may be left in the mempool behind a gap.
  expect(fake.mempool()).toEqual([]);
}

describe('a process that dies', () => {
  test.each([true, false])(
    'at any call of a payment (done: %s) pays once or not at all, and the rest goes on',
    async (isLastDone) => {
      for (let calls = 1; calls <= 12; calls++) {
        const box = openTestWallet();
        await pay(box.open(dyingAfter(calls, isLastDone)), 1);
        await pay(box.open(), 2);
        await settle(box);
        await expectPaidOnce(box);
        expect(box.fake.mined().some(({ valueWei }) => valueWei === 2n)).toBe(true);
        box.close();
      }
    },
  );
});

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('pay' as const), count: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('die' as const),
      calls: fc.integer({ min: 1, max: 40 }),
      done: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('look' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('mine' as const), count: fc.integer({ min: 1, max: 2 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('reorganise' as const),
      depth: fc.integer({ min: 1, max: 2 }),
      keep: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('outage' as const, 'lose' as const),
      how: fc.constantFrom('before', 'after', undefined),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('forget' as const, 'foreign' as const, 'congest' as const) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function live(box: TestWallet, steps: readonly Step[]): Promise<void> {
  const { fake, clock } = box;
  let wallet = box.open();
  let paid = 0;
  let highest = 0;
  for (const what of steps) {
    highest = Math.max(highest, fake.height());
    if (what.kind === 'pay') await Promise.all(Array.from({ length: what.count }, () => pay(wallet, ++paid)));
    else if (what.kind === 'die') {
      const dying = box.open(dyingAfter(what.calls, what.done));
      await Promise.all([pay(dying, ++paid), dying.look(), pay(dying, ++paid)]);
      wallet = box.open();
    } else if (what.kind === 'look') await wallet.look();
    else if (what.kind === 'mine') fake.mine(what.count);
    // What has three confirmations is final here, so no reorganisation reaches that deep.
    else if (what.kind === 'reorganise')
      fake.reorganise(Math.max(0, Math.min(what.depth, 2 - (highest - fake.height()))), what.keep);
    else if (what.kind === 'outage') fake.world.down = what.how;
    else if (what.kind === 'lose') fake.world.losing = what.how;
    else if (what.kind === 'wait') clock.ms += STUCK_MS;
    else if (what.kind === 'forget') fake.forget();
    else if (what.kind === 'foreign') fake.foreign();
    else fake.world.floorFee = fake.world.floorFee === 0n ? 25_000_000_000n : 0n;
  }
}

test('any life ends with every payment made at most once, no gap in the nonces, and a ledger that tells the truth', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), async (steps) => {
      const box = openTestWallet();
      try {
        await live(box, steps);
        await settle(box);
        await expectPaidOnce(box);
      } finally {
        box.close();
      }
    }),
    { numRuns: cases(40) },
  );
}, 60_000);
