// One payment in a process of its own that kills itself at a given step, before or after it is done; a test reads what is left.

import { randomUUID } from 'node:crypto';
import { createKeySigner } from '../../src/adapters/chains/viem/key-signer.ts';
import { openChain } from '../../src/adapters/chains/viem/open-chain.ts';
import { openDataStorage } from '../../src/adapters/storage/sqlite/open-data.ts';
import type { Address, Hex } from '../../src/wallet/chain.ts';
import { NO_RULES } from '../../src/wallet/testing/open-test-wallet.ts';
import { createWallet } from '../../src/wallet/wallet.ts';

const [dataDir, rpcUrl, privateKey, to, value, step, when] = process.argv.slice(2) as [
  string,
  string,
  Hex,
  Address,
  string,
  string,
  string,
];

let left = Number(step);
const die = (): void => {
  process.kill(process.pid, 'SIGKILL');
};

/** Counts every call that leaves the nonce queue, and ends the process at the one it was told. */
const mortal = <T extends object>(part: T): T =>
  new Proxy(part, {
    get(target, name) {
      const inner = Reflect.get(target, name);
      if (typeof inner !== 'function' || /Call$/.test(String(name))) return inner;
      return async (...args: unknown[]) => {
        left--;
        if (left === 0 && when === 'before') die();
        const result = await Reflect.apply(inner, target, args);
        if (left === 0) die();
        return result;
      };
    },
  });

const storage = await openDataStorage({ dataDir, nowMs: Date.now, onDeath: die });
const quiet = { info: () => {}, warn: () => {} };
const chain = openChain({ name: 'ethereum', rpcUrls: [rpcUrl], log: quiet, monotonicMs: () => performance.now() });
const wallet = createWallet({
  chains: { ethereum: mortal(chain) },
  signer: mortal(createKeySigner(privateKey)),
  ledger: mortal(storage.walletLedger),
  rules: NO_RULES,
  killSwitch: () => ({ active: false, scope: 'all' }),
  nowMs: Date.now,
  newId: randomUUID,
  stuckAfterMs: 180_000,
  pollMs: 1000,
  onTrouble: () => {},
});
const call = { to, valueWei: BigInt(value), data: '0x' as const };
await wallet.raw({ chain: 'ethereum', requestId: randomUUID(), operation: 'send', call });
await storage.close();
process.stdout.write('paid');
