// Swaps: a quote, the least that must come out of it, and an exact approval first where the router needs one.

import type { Chain } from './chain.ts';
import type { Entry } from './ledger.ts';
import { WalletRefusal } from './refusal.ts';
import type { Submission } from './submit.ts';
import { ensureApproval, takeBack, untilApproved } from './swap-approval.ts';
import { assertArrives, assertBalance, assertPriceImpact } from './swap-guards.ts';
import type { BoundedQuote, SwapAsk, SwapParts, SwapRequest } from './swap-request.ts';

const BPS = 10_000n;

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
  const { chain, queue, nowMs } = parts;
  const { tokenIn, tokenOut, amountIn, requestId, idempotencyKey, gasLimit } = request;
  const { quote, minAmountOut: bound } = await boundedQuote(chain, request);
  const minAmountOut =
    request.minAmountOut !== undefined && request.minAmountOut > bound ? request.minAmountOut : bound;
  if (quote.amountOut < minAmountOut)
    throw new WalletRefusal(
      'no-swap',
      `the best offer is ${quote.amountOut}, below minAmountOut ${minAmountOut}; nothing was signed`,
    );
  assertPriceImpact(quote, parts.maxPriceImpactBps);
  const details = {
    ...{ token: tokenIn, tokenOut, spender: quote.router, protocol: quote.protocol },
    ...{ amount: String(amountIn), minAmountOut: String(minAmountOut), quotedAmountOut: String(quote.amountOut) },
  };
  const deadlineS = (): number => Math.floor(nowMs() / 1000) + request.deadlineS;
  const terms = (): Pick<Submission, 'operation' | 'call' | 'details'> => ({
    operation: 'swap',
    call: chain.swapCall(quote, { recipient: queue.address, minAmountOut, deadlineS: deadlineS() }),
    details,
  });
  const submit = (): Promise<Entry> =>
    queue.submit({
      ...terms(),
      requestId,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(gasLimit === undefined ? {} : { gasLimit }),
    });
  const tryIt = (): Promise<void> => assertArrives(parts, quote, minAmountOut, deadlineS());
  // Before money is spent on an approval: would the owner's rules let the swap pass, and would it bring what it must?
  await queue.check({ ...terms(), ...(idempotencyKey === undefined ? {} : { idempotencyKey }) });
  await assertBalance(parts, tokenIn, amountIn);
  await tryIt();
  if (tokenIn === 'native') return submit();
  const approval = await ensureApproval(parts, tokenIn, quote.router, request);
  if (approval === undefined) return submit();
  const granted = { token: tokenIn, spender: quote.router, approval, requestId };
  try {
    await untilApproved(parts, granted, request);
    // The price has moved while the approval waited for its block.
    await tryIt();
    return await submit();
  } catch (error) {
    return takeBack(parts, granted, error);
  }
}
