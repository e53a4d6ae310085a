// Swaps: a quote, the least that must come out of it, and an exact approval first where the router needs one.

import { type Address, type Chain, ChainUnreachable, type SwapQuote, type TokenRef } from './chain.ts';
import type { Lane } from './lane.ts';
import { type Entry, hashOf } from './ledger.ts';
import { WalletRefusal } from './refusal.ts';
import type { Order } from './submit.ts';
import type { Turns } from './turns.ts';

export const DEFAULT_SLIPPAGE_BPS = 50;
/** More than this gives a fifth to whoever watches the mempool; it takes a word of its own. */
export const MAX_SLIPPAGE_BPS = 1000;
/** Even with that word: half of it may not be lost. */
export const MAX_ALLOWED_SLIPPAGE_BPS = 5000;
export const DEFAULT_DEADLINE_S = 20 * 60;
const BPS = 10_000n;

/** A few blocks of the slowest chain. */
export const APPROVAL_WAIT_MS = 60_000;

export interface SwapAsk {
  readonly tokenIn: TokenRef;
  readonly tokenOut: TokenRef;
  readonly amountIn: bigint;
  readonly slippageBps: number;
}

export interface SwapRequest extends SwapAsk, Pick<Order, 'requestId' | 'idempotencyKey' | 'gasLimit'> {
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
  readonly lane: Lane;
  readonly turns: Turns;
  readonly nowMs: () => number;
  /** Between two looks for a block. */
  readonly pause: () => Promise<void>;
}

export async function boundedQuote(chain: Chain, { slippageBps, ...ask }: SwapAsk): Promise<BoundedQuote> {
  if (ask.tokenIn === ask.tokenOut)
    throw new WalletRefusal('invalid', 'tokenIn and tokenOut are the same; send two different tokens');
  const quote = await chain.quote(ask);
  if (quote === undefined)
    throw new WalletRefusal(
      'no-swap',
      `no pool on ${chain.name} swaps these tokens in this amount; try other tokens or a smaller amount`,
    );
  const minAmountOut = (quote.amountOut * (BPS - BigInt(slippageBps))) / BPS;
  if (minAmountOut > 0n) return { quote, minAmountOut };
  throw new WalletRefusal('no-swap', 'the amount is so small that nothing would come out; swap more');
}

export async function swap(parts: SwapParts, request: SwapRequest): Promise<Entry> {
  const { tokenIn } = request;
  if (tokenIn === 'native') return quoteAndSwap(parts, request);
  // One at a time per token: an exact approval is for one swap, and the next approval would overwrite it.
  const name = `allowance ${parts.chain.name} ${tokenIn}`;
  return parts.turns.take(name, () => quoteAndSwap(parts, request));
}

async function quoteAndSwap(parts: SwapParts, request: SwapRequest): Promise<Entry> {
  const { chain, lane, nowMs } = parts;
  const { tokenIn, tokenOut, amountIn, requestId, idempotencyKey, gasLimit } = request;
  const { quote, minAmountOut: bound } = await boundedQuote(chain, request);
  const minAmountOut =
    request.minAmountOut !== undefined && request.minAmountOut > bound ? request.minAmountOut : bound;
  if (quote.amountOut < minAmountOut)
    throw new WalletRefusal(
      'no-swap',
      `the best offer is ${quote.amountOut}, below minAmountOut ${minAmountOut}; nothing was signed`,
    );
  const details = {
    ...{ token: tokenIn, tokenOut, spender: quote.router, protocol: quote.protocol },
    ...{ amount: String(amountIn), minAmountOut: String(minAmountOut), quotedAmountOut: String(quote.amountOut) },
  };
  const terms = (): Pick<Order, 'operation' | 'call' | 'details'> => ({
    operation: 'swap',
    call: chain.swapCall(quote, {
      recipient: lane.address,
      minAmountOut,
      deadlineS: Math.floor(nowMs() / 1000) + request.deadlineS,
    }),
    details,
  });
  // Before money is spent on an approval: would the owner's rules let the swap itself pass?
  await lane.check({ ...terms(), ...(idempotencyKey === undefined ? {} : { idempotencyKey }) });
  if (tokenIn !== 'native') await ensureAllowance(parts, tokenIn, quote.router, request);
  return lane.submit({
    ...terms(),
    requestId,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(gasLimit === undefined ? {} : { gasLimit }),
  });
}

async function ensureAllowance(
  parts: SwapParts,
  token: Address,
  spender: Address,
  { amountIn, requestId, signal }: SwapRequest,
): Promise<void> {
  const { chain, lane } = parts;
  const waiting = (await lane.live()).filter(
    ({ state, details }) => state !== 'mined' && details.token === token && details.spender === spender,
  );
  const amountOf = ({ details }: Entry): bigint => BigInt(details.amount ?? 0);
  // Swaps that are on their way will use up their part of what is approved now.
  const inUse = waiting
    .filter(({ operation }) => operation === 'swap')
    .reduce((sum, entry) => sum + amountOf(entry), 0n);
  if ((await chain.allowance(token, lane.address, spender)) - inUse >= amountIn) return;
  const last = waiting.at(-1);
  const approval =
    last?.operation === 'approve' && amountOf(last) >= amountIn
      ? last
      : await lane.submit({
          operation: 'approve',
          requestId,
          call: chain.approveCall(token, spender, amountIn),
          details: { token, spender, amount: String(amountIn), forSwap: true },
        });
  const isThere = async () => (await chain.allowance(token, lane.address, spender)) >= amountIn;
  await untilMined(parts, approval, isThere, signal);
}

async function untilMined(
  { lane, nowMs, pause }: SwapParts,
  approval: Entry,
  isThere: () => Promise<boolean>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const untilMs = nowMs() + APPROVAL_WAIT_MS;
  for (;;) {
    const { state, mined } = (await lane.entry(approval)) ?? approval;
    // Who hung up will ask again, and must not find two swaps.
    if (signal?.aborted)
      throw new WalletRefusal('approval-pending', 'nobody waits for this swap any more; it was not signed', {
        entry: approval,
      });
    if (state === 'mined' || state === 'confirmed' || state === 'reverted') {
      // Another node than the one that told of the block may be a block behind.
      if (mined?.status === 'success' && (await isThere().catch(() => false))) return;
      if (mined?.status !== 'success')
        throw new WalletRefusal(
          'would-revert',
          'the approval for the swap failed on the chain; the swap was not signed',
          { entry: approval },
        );
    }
    if (state === 'replaced' || state === 'dropped' || nowMs() >= untilMs)
      throw new WalletRefusal(
        'approval-pending',
        `the approval ${hashOf(approval)} for the swap is not in a block yet; ask for the swap again when it is`,
        { entry: approval },
      );
    await pause();
    // An outage that ends in time costs nothing but the wait.
    await lane.look().catch((error: unknown) => {
      if (!(error instanceof ChainUnreachable)) throw error;
    });
  }
}
