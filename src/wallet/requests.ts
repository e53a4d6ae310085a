// What the wallet is asked for besides swaps, and what its reads tell.

import type { Address, Call, ChainName, Token, TokenRef } from './chain.ts';
import type { Operation } from './ledger.ts';
import type { PolicyRules } from './policy.ts';

export interface Asked {
  readonly chain: ChainName;
  readonly requestId: string;
  readonly idempotencyKey?: string;
  readonly gasLimit?: bigint;
}

export interface RawRequest extends Asked {
  readonly operation: Operation;
  readonly call: Call;
}
export interface ApproveRequest extends Asked {
  readonly token: Address;
  readonly spender: Address;
  /** 0 takes the permission away. */
  readonly amount: bigint;
}
export interface TransferRequest extends Asked {
  readonly token: TokenRef;
  readonly to: Address;
  readonly amount: bigint;
}

export interface Balances {
  readonly owner: Address;
  readonly nativeWei: bigint;
  readonly tokens: readonly (Token & { readonly amount: bigint })[];
}

export interface WalletStatus {
  readonly chainId: number;
  readonly address: Address | undefined;
  readonly nonces: { readonly latest: number; readonly pending: number } | undefined;
  /** Not final yet. */
  readonly live: number;
  readonly spentTodayWei: bigint;
  readonly rules: PolicyRules;
  readonly confirmations: number;
}
