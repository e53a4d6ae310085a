// Puts the wallet together: its chains, its key, its rules and its ledger.

import { randomUUID } from 'node:crypto';
import { openKeystore } from '../adapters/keystores/v3/keystore.ts';
import type { WalletSettings } from '../config.ts';
import type { WalletDeps } from '../services/gateway/wallet.ts';
import type { Controls } from '../trading/intake/controls.ts';
import type { Restrictions } from '../trading/intake/restrictions.ts';
import { readAddress } from '../wallet/address.ts';
import { readCaps } from '../wallet/caps.ts';
import type { Address, Chain, ChainName, Hex, Signer } from '../wallet/chain.ts';
import type { Ledger } from '../wallet/ledger.ts';
import type { PolicyRules } from '../wallet/policy.ts';
import { readPrivateKey } from '../wallet/private-key.ts';
import { createWallet } from '../wallet/wallet.ts';
import { monotonicMs, nowMs } from './clocks.ts';
import { walletSwitch } from './drawdown.ts';
import type { ProcessContext } from './process-context.ts';
import type { Teardown } from './teardown.ts';

/** A third of the fastest blocks that matter; one look asks nothing while nothing is waiting. */
const POLL_MS = 4000;

/** As the settings say it: any distance. */
const ANY_IMPACT_BPS = 10_000;

const rulesOf = ({
  maxValueWei,
  dailyLimitWei,
  allowedContracts,
  caps,
  maxPriceImpactBps,
}: WalletSettings): PolicyRules => ({
  maxValueWei,
  dailyLimitWei,
  caps: readCaps(caps).caps,
  maxPriceImpactBps: maxPriceImpactBps === ANY_IMPACT_BPS ? undefined : maxPriceImpactBps,
  allowedContracts: new Set(allowedContracts.map((text) => (readAddress(text) as { address: Address }).address)),
});

async function openSigner({ privateKey, keystore, password }: WalletSettings): Promise<Signer | undefined> {
  if (privateKey === undefined && keystore === undefined) return undefined;
  const key =
    keystore === undefined
      ? (readPrivateKey(privateKey ?? '') as { key: Hex }).key
      : await openKeystore(keystore, password ?? '');
  const { createKeySigner } = await import('../adapters/chains/viem/key-signer.ts');
  return createKeySigner(key);
}

async function openChains(
  settings: WalletSettings,
  { log }: ProcessContext,
): Promise<Partial<Record<ChainName, Chain>>> {
  const named = Object.entries(settings.rpcUrls).filter(([, urls]) => urls.length > 0) as [ChainName, string[]][];
  if (named.length === 0) return {};
  // Loaded only where a chain is used.
  const { openChain } = await import('../adapters/chains/viem/open-chain.ts');
  return Object.fromEntries(named.map(([name, rpcUrls]) => [name, openChain({ name, rpcUrls, log, monotonicMs })]));
}

export interface WalletParts {
  readonly context: ProcessContext;
  readonly ledger: Ledger;
  readonly controls: Controls;
  readonly restrictions: Restrictions;
  readonly teardown: Teardown;
  readonly onTrouble: (what: string, error: unknown, requestId?: string) => void;
}

export async function openWallet({ context, ledger, controls, restrictions, teardown, onTrouble }: WalletParts) {
  const settings = context.config.wallet;
  const wallet = createWallet({
    chains: await openChains(settings, context),
    signer: await openSigner(settings),
    ledger,
    rules: rulesOf(settings),
    killSwitch: () => walletSwitch({ controls, restrictions }, context.config.drawdownFreezesWallet),
    nowMs,
    newId: randomUUID,
    stuckAfterMs: settings.stuckAfterMs,
    pollMs: POLL_MS,
    onTrouble,
  });
  teardown.add(() => wallet.stop());
  const deps: WalletDeps = {
    wallet,
    token: settings.token,
    guesses: context.guesses,
    onFault: (error, requestId) => onTrouble('the wallet failed', error, requestId),
  };
  return { deps, start: () => wallet.start() };
}
