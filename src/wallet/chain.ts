// The port of one EVM chain: what can be read there, what a call would do, and signed transactions on their way out.

export const CHAINS = ['ethereum', 'arbitrum', 'polygon'] as const;
export type ChainName = (typeof CHAINS)[number];

export type Hex = `0x${string}`;
/** With its checksum capitals. */
export type Address = `0x${string}`;

/** What a transaction does, before it has a nonce, fees and a signature. */
export interface Call {
  readonly to: Address;
  readonly valueWei: bigint;
  readonly data: Hex;
}

export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

export interface UnsignedTransaction extends Call, Fees {
  readonly chainId: number;
  readonly nonce: number;
  readonly gasLimit: bigint;
}

export interface SignedTransaction {
  readonly hash: Hex;
  readonly raw: Hex;
}

export interface Signer {
  readonly address: Address;
  /** The same transaction always gives the same hash, so that what may have been sent can be asked for. */
  sign(transaction: UnsignedTransaction): Promise<SignedTransaction>;
}

export interface Token {
  readonly address: Address;
  readonly symbol: string;
  readonly decimals: number;
}

/** `native` is the chain's own coin. */
export type TokenRef = Address | 'native';

export interface SwapQuote {
  readonly tokenIn: TokenRef;
  readonly tokenOut: TokenRef;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly router: Address;
  readonly protocol: 'uniswap-v2' | 'uniswap-v3';
  /** The tokens on the way; of v3 the fees between them, in hundredths of a basis point. */
  readonly path: readonly Address[];
  readonly feesPath: readonly number[];
  /** How much worse than the price of a small amount on the same way; undefined where the amount is too small to tell. */
  readonly priceImpactBps: number | undefined;
}

/** What a swap really moves, tried without signing anything. */
export type SwapTrial =
  | { readonly ok: true; readonly spent: bigint; readonly received: bigint }
  | { readonly ok: false; readonly reason: string };

export type Simulation =
  | { readonly ok: true; readonly gas: bigint }
  /** It would revert; the reason is decoded as far as it can be. */
  | { readonly ok: false; readonly reason: string };

/** What the network said to a transaction. `known`: it has it already. `stale-nonce`: another one took its place. */
export type SendOutcome =
  | { readonly kind: 'accepted' | 'known' | 'stale-nonce' }
  | { readonly kind: 'underpriced' | 'refused'; readonly reason: string };

export interface Receipt {
  readonly status: 'success' | 'reverted';
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  readonly gasUsed: bigint;
  readonly effectiveGasPrice: bigint;
  /** Blocks on top of it, itself counted. */
  readonly confirmations: number;
}

export interface MinedSwap {
  readonly hash: Hex;
  readonly blockNumber: bigint;
  readonly owner: Address;
  readonly router: Address;
  readonly tokenOut: TokenRef;
}

/** No endpoint of the chain answered. What was being sent may have arrived or not. */
export class ChainUnreachable extends Error {
  override readonly name = 'ChainUnreachable';
}

/** What was asked about as a token answers like none; the message names the address. */
export class NotAToken extends Error {
  override readonly name = 'NotAToken';
}

export interface Chain {
  readonly name: ChainName;
  readonly chainId: number;
  /** Confirms that every endpoint is of this chain; rejects with the endpoint that is not. */
  verify(): Promise<void>;
  nativeBalance(owner: Address): Promise<bigint>;
  token(address: Address): Promise<Token>;
  tokenBalances(tokens: readonly Address[], owner: Address): Promise<readonly bigint[]>;
  allowance(token: Address, owner: Address, spender: Address): Promise<bigint>;
  /** The best of the routers; undefined where no pool can do it. */
  quote(ask: Pick<SwapQuote, 'tokenIn' | 'tokenOut' | 'amountIn'>): Promise<SwapQuote | undefined>;
  swapCall(quote: SwapQuote, terms: { recipient: Address; minAmountOut: bigint; deadlineS: number }): Call;
  approveCall(token: Address, spender: Address, amount: bigint): Call;
  transferCall(token: TokenRef, to: Address, amount: bigint): Call;
  simulate(from: Address, call: Call): Promise<Simulation>;
  /** Approves and swaps as `owner` would, for any amount out, and compares balances before and after. */
  trySwap(owner: Address, quote: SwapQuote, deadlineS: number): Promise<SwapTrial>;
  fees(): Promise<Fees>;
  /** The next nonce after everything the network knows, waiting transactions included, or only those in blocks. */
  nonce(owner: Address, block: 'pending' | 'latest'): Promise<number>;
  send(transaction: SignedTransaction): Promise<SendOutcome>;
  /** Undefined while it is in no block (any more: after a reorganisation it may be gone again). */
  receipt(hash: Hex): Promise<Receipt | undefined>;
  /** What a mined swap brought its owner, by its logs and by balances; undefined where no endpoint tells. */
  received(swap: MinedSwap): Promise<bigint | undefined>;
  /** Whether the network has it, waiting or mined. */
  knows(hash: Hex): Promise<boolean>;
}
