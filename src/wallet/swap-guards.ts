// What a swap must pass before anything is signed for it: price impact, balance, and what would really arrive.

import type { SwapQuote, TokenRef } from './chain.ts';
import { WalletRefusal } from './refusal.ts';
import type { SwapParts } from './swap-request.ts';

export function assertPriceImpact({ priceImpactBps }: SwapQuote, maxBps: number | undefined): void {
  if (maxBps === undefined || priceImpactBps === undefined || priceImpactBps <= maxBps) return;
  throw new WalletRefusal(
    'no-swap',
    `the swap would move the price by ${priceImpactBps / 100} % against itself, more than the ${maxBps / 100} % of WALLET_MAX_PRICE_IMPACT_BPS; swap less at a time, or raise it; nothing was signed`,
  );
}

export async function assertBalance({ chain, queue }: SwapParts, token: TokenRef, amount: bigint): Promise<void> {
  const held =
    token === 'native'
      ? await chain.nativeBalance(queue.address)
      : ((await chain.tokenBalances([token], queue.address))[0] as bigint);
  if (held < amount)
    throw new WalletRefusal(
      'would-revert',
      `the account holds ${held} of ${token === 'native' ? 'the chain’s coin' : token}, the swap needs ${amount}; nothing was signed`,
    );
}

/** A quote knows nothing of a token that keeps a part of every transfer: only what arrives counts. */
export async function assertArrives(
  { chain, queue }: SwapParts,
  quote: SwapQuote,
  minAmountOut: bigint,
  deadlineS: number,
): Promise<void> {
  const trial = await chain.trySwap(queue.address, quote, deadlineS);
  if (!trial.ok) throw new WalletRefusal('would-revert', `the swap would fail: ${trial.reason}; it was not signed`);
  if (trial.spent > quote.amountIn)
    throw new WalletRefusal(
      'no-swap',
      `the swap would take ${trial.spent} instead of ${quote.amountIn}: the token charges the sender; it was not signed`,
    );
  if (trial.received < minAmountOut)
    throw new WalletRefusal(
      'no-swap',
      `only ${trial.received} of the ${quote.amountOut} quoted would arrive, less than ${minAmountOut}: the price moved, or a token keeps a part of every transfer (then slippageBps must cover it); the swap was not signed`,
    );
}
