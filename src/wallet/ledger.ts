// The ledger port of the wallet: one row per operation that asks for a signature, and every step of its life is durable.
//
//   reserved ──► signed ──► sent ──► mined ──► confirmed | reverted
//      │           │          │▲       │
//      │           │          │└───────┘  (a reorganisation took its block away: it is sent again)
//      │           │          └──► replaced  (something else used its nonce; it can never be mined)
//      │           ├──► sent | mined | replaced
//      │           └──► dropped  (the network refused it at once; its nonce is free again)
//      └──► dropped  (nothing was signed)
//
// A nonce and a share of the day's spending are reserved first. The signed bytes are durable before one of them leaves,
// and what is sent again is always those very bytes: a crash or a lost answer can never make a second transaction of
// one operation. A stuck transaction is signed again with the same nonce and a higher fee: of all its attempts the
// chain can take only one.

import type { Address, Call, ChainName, Fees, Hex, Receipt } from './chain.ts';

export type EntryState = 'reserved' | 'signed' | 'sent' | 'mined' | 'confirmed' | 'reverted' | 'replaced' | 'dropped';

const NEXT: Readonly<Record<EntryState, readonly EntryState[]>> = {
  reserved: ['signed', 'dropped'],
  signed: ['signed', 'sent', 'mined', 'replaced', 'dropped'],
  sent: ['sent', 'mined', 'replaced'],
  mined: ['mined', 'sent', 'confirmed', 'reverted'],
  confirmed: [],
  reverted: [],
  replaced: [],
  dropped: [],
};

export const LIVE_STATES: readonly EntryState[] = ['reserved', 'signed', 'sent', 'mined'];

/** An impossible step is our own fault and must be loud: a transaction never leaves a final state. */
export function assertStep(from: EntryState, to: EntryState): void {
  if (!NEXT[from].includes(to)) throw new Error(`a wallet transaction cannot go from ${from} to ${to}`);
}

export const OPERATIONS = ['approve', 'transfer', 'swap', 'send'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** What the owner reads about an operation later, and what the allowances in use are counted from. */
export interface EntryDetails {
  readonly token?: Address | 'native';
  readonly tokenOut?: Address | 'native';
  readonly spender?: Address;
  readonly recipient?: Address;
  /** In the token's smallest unit, as decimal digits. */
  readonly amount?: string;
  readonly minAmountOut?: string;
  readonly quotedAmountOut?: string;
  readonly protocol?: string;
  /** An approval that a swap asked for: the request id is the swap's. */
  readonly forSwap?: true;
}

/** An operation that passed every check, before it has a row. */
export interface NewEntry {
  readonly id: string;
  readonly requestId: string;
  readonly idempotencyKey?: string;
  readonly chain: ChainName;
  readonly from: Address;
  readonly operation: Operation;
  readonly call: Call;
  readonly gasLimit: bigint;
  readonly nonce: number;
  readonly atMs: number;
  readonly details: EntryDetails;
}

/** One signed form of an operation. */
export interface Attempt extends Fees {
  readonly hash: Hex;
  readonly raw: Hex;
  readonly nonce: number;
  readonly signedAtMs: number;
}

/** The form that got into a block, and of a swap what really came out of it. */
export interface Mined extends Receipt {
  readonly hash: Hex;
  readonly amountOut?: bigint;
}

export interface Entry extends NewEntry {
  /** Later operations have larger ones. */
  readonly seq: number;
  readonly state: EntryState;
  /** Oldest first; none while it is only reserved. */
  readonly attempts: readonly Attempt[];
  readonly mined?: Mined;
  readonly error?: string;
  readonly updatedAtMs: number;
}

/** The transaction an entry stands for now: the one in a block, else the newest. */
export const hashOf = ({ mined, attempts }: Pick<Entry, 'mined' | 'attempts'>): Hex | undefined =>
  mined?.hash ?? attempts.at(-1)?.hash;

export type Reservation =
  | { readonly kind: 'reserved'; readonly entry: Entry }
  | { readonly kind: 'duplicate'; readonly original: Entry }
  | { readonly kind: 'over-daily-limit'; readonly spentWei: bigint };

export interface EntryStep {
  readonly id: string;
  readonly atMs: number;
  readonly state: EntryState;
  /** `null` takes it away again. */
  readonly mined?: Mined | null;
  readonly error?: string | null;
}

export interface EntryFilter {
  readonly chain: ChainName;
  readonly limit: number;
  readonly belowSeq?: number;
}

const DAY_MS = 86_400_000;
/** Days since 1970, UTC. */
export const dayOf = (atMs: number): number => Math.floor(atMs / DAY_MS);

export interface Ledger {
  /**
   * Claims the idempotency key, counts the value against the day's limit and writes the row, all in one transaction, so
   * that operations side by side cannot overrun the limit together. Days that lie ahead count too: a clock that was
   * set back gives no second allowance.
   */
  reserve(entry: NewEntry, dailyLimitWei: bigint | undefined): Promise<Reservation>;
  /** Writes a signed form down; of a row that is `sent` it is a replacement and the row stays so. */
  signed(id: string, attempt: Attempt): Promise<Entry>;
  /** To `dropped` it also gives the idempotency key and the share of the day's spending back. */
  step(step: EntryStep): Promise<Entry>;
  /** What has no final state, by nonce. */
  live(chain: ChainName, from: Address): Promise<readonly Entry[]>;
  /** Who has something that is not final. */
  liveSenders(chain: ChainName): Promise<readonly Address[]>;
  byHash(chain: ChainName, hash: Hex): Promise<Entry | undefined>;
  byClaim(idempotencyKey: string): Promise<Entry | undefined>;
  /** Newest first. */
  list(filter: EntryFilter): Promise<readonly Entry[]>;
  spentWei(chain: ChainName, from: Address, day: number): Promise<bigint>;
}
