// A wallet for tests over a real ledger and a chain in memory, with the clock in the test's hands.

import { join } from 'node:path';
import { createWalletLedger } from '../../adapters/storage/sql/trading/wallet/ledger.ts';
import { openMigrated } from '../../adapters/storage/sqlite/database.ts';
import { TRADING } from '../../adapters/storage/sqlite/database-files.ts';
import { readsOf } from '../../adapters/storage/sqlite/sql.ts';
import { directWriter } from '../../adapters/storage/sqlite/testing/direct-writer.ts';
import { testFolder } from '../../adapters/storage/sqlite/testing/open-test-storage.ts';
import type { Chain, Signer } from '../chain.ts';
import type { Ledger } from '../ledger.ts';
import type { KillState, PolicyRules } from '../policy.ts';
import { createWallet, type WalletOptions } from '../wallet.ts';
import { createFakeChain, fakeSigner } from './fake-chain.ts';

export const NO_RULES: PolicyRules = {
  ...{ maxValueWei: undefined, dailyLimitWei: undefined, allowedContracts: new Set(), caps: new Map() },
  maxPriceImpactBps: undefined,
};
export const STUCK_MS = 180_000;

/** What a test may put in front of the real things, to break them. */
export interface Wrapped {
  readonly chain: Chain;
  readonly ledger: Ledger;
  readonly signer: Signer;
}

export function openTestWallet(given: { rules?: Partial<PolicyRules>; options?: Partial<WalletOptions> } = {}) {
  const folder = testFolder();
  // The disk is not what these tests are about; those of the ledger itself keep it honest.
  const path = join(folder.dataDir, TRADING.name);
  const db = openMigrated(path, TRADING.migrations);
  db.exec('PRAGMA synchronous = OFF');
  const ledger = createWalletLedger({ writer: directWriter(db, path), reads: readsOf(db, path) });
  const fake = createFakeChain();
  const clock = { ms: 1_800_000_000_000 };
  const kill = { active: false, scope: 'all' as KillState['scope'] };
  const troubles: string[] = [];
  let ids = 0;
  const real: Wrapped = { chain: fake.chain, ledger, signer: fakeSigner };

  const open = (wrap: (real: Wrapped) => Wrapped = (same) => same) => {
    const { chain, ledger: wrapped, signer } = wrap(real);
    return createWallet({
      chains: { ethereum: chain },
      signer,
      ledger: wrapped,
      rules: { ...NO_RULES, ...given.rules },
      killSwitch: () => kill,
      nowMs: () => clock.ms,
      newId: () => `id-${++ids}`,
      stuckAfterMs: STUCK_MS,
      confirmations: { ethereum: 3, arbitrum: 3, polygon: 3 },
      pollMs: 5,
      onTrouble: (what, error) => troubles.push(`${what}: ${error}`),
      ...given.options,
    });
  };
  const close = (): void => {
    if (db.isOpen) db.close();
    folder.remove();
  };
  return { wallet: open(), open, close, fake, clock, kill, troubles, ledger, dataDir: folder.dataDir };
}

export type TestWallet = ReturnType<typeof openTestWallet>;
