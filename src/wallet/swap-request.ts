// What a swap is asked for with, its bounds, and what it works with.

import type { Chain, SwapQuote, TokenRef } from './chain.ts';
import type { NonceQueue } from './nonce-queue.ts';
import type { Submission } from './submit.ts';
import type { Turns } from './turns.ts';

export const DEFAULT_SLIPPAGE_BPS = 50;
/** More than this may be lost to whoever watches for large swaps, so the request must allow it in so many words. */
export const MAX_SLIPPAGE_BPS = 1000;
/** Not even then may more than half be lost. */
export const MAX_ALLOWED_SLIPPAGE_BPS = 5000;
export const DEFAULT_DEADLINE_S = 20 * 60;

export interface SwapAsk {
  readonly tokenIn: TokenRef;
  readonly tokenOut: TokenRef;
  readonly amountIn: bigint;
  readonly slippageBps: number;
}

export interface SwapRequest extends SwapAsk, Pick<Submission, 'requestId' | 'idempotencyKey' | 'gasLimit'> {
  /** Where the caller's own bound is higher, it counts. */
  readonly minAmountOut?: bigint;
  readonly deadlineS: number;
  /** Aborted when whoever asked has hung up. */
  readonly signal?: AbortSignal;
}

export interface BoundedQuote {
  readonly quote: SwapQuote;
  readonly minAmountOut: bigint;
}

export interface SwapParts {
  readonly chain: Chain;
  readonly queue: NonceQueue;
  readonly turns: Turns;
  readonly nowMs: () => number;
  readonly maxPriceImpactBps: number | undefined;
  /** Between two looks for a block. */
  readonly pause: () => Promise<void>;
  /** Told of what whoever asked may not hear. */
  readonly onTrouble: (what: string, error: unknown) => void;
}
