// Whose money a deployment moves, or would move once it is let: every account that its orders go to.

import type { Deployment, Target } from './deployment.ts';
import { exchangeOf } from './order-signal.ts';

export interface TradedAccount {
  readonly exchange: string;
  readonly account: string;
  /** Null where there is no such account as things are set. */
  readonly mode: 'paper' | 'testnet' | 'live' | null;
}

/** Where the gateway sends what a webhook key signals. */
export interface KeyAccounts {
  /** Of signals that name no account; empty where the key has ended. */
  accountsOf(of: { readonly keyId: string; readonly exchange: string }): Promise<readonly TradedAccount[]>;
}

type SendingTarget = Extract<Target, { type: 'trade' | 'second-opinion' }>;

/** What trades, or sends what TradingView has missed. */
const isSending = (target: Target): target is SendingTarget =>
  target.type === 'trade' || (target.type === 'second-opinion' && target.sendMissing);

/**
 * Each once; empty where nothing is sent to an account. Null where nobody can tell them all: each alert names its own, or the gateway
 * cannot be asked now.
 */
export async function tradedAccounts(
  deployment: Pick<Deployment, 'targets' | 'symbol' | 'scriptType'>,
  keys: KeyAccounts | undefined,
): Promise<readonly TradedAccount[] | null> {
  const found = new Map<string, TradedAccount>();
  for (const target of deployment.targets.filter(isSending)) {
    // The alerts of an indicator say themselves where they go.
    const exchange = deployment.scriptType === 'strategy' ? exchangeOf(target, deployment) : undefined;
    if (exchange === undefined) return null;
    const accounts = await keys?.accountsOf({ keyId: target.keyId, exchange }).catch(() => undefined);
    if (accounts === undefined) return null;
    for (const each of accounts) found.set(`${each.exchange}:${each.account}`, each);
  }
  return [...found.values()];
}
