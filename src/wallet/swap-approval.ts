// The exact approval of a swap: made where it is missing, waited for, and taken back when its swap does not follow.

import { type Address, ChainUnreachable } from './chain.ts';
import { type Entry, hashOf } from './ledger.ts';
import { WalletRefusal } from './refusal.ts';
import type { SwapParts, SwapRequest } from './swap-request.ts';

/** How long to wait for an approval: a few blocks of the slowest chain. */
export const APPROVAL_WAIT_MS = 60_000;

/** The approval that is sent for it and not in a block yet; undefined where there was enough. */
export async function ensureApproval(
  { chain, queue }: SwapParts,
  token: Address,
  spender: Address,
  { amountIn, requestId }: SwapRequest,
): Promise<Entry | undefined> {
  const waiting = (await queue.live()).filter(
    ({ state, details }) => state !== 'mined' && details.token === token && details.spender === spender,
  );
  const amountOf = ({ details }: Entry): bigint => BigInt(details.amount ?? 0);
  // Swaps that are on their way will use up their part of what is approved now.
  const inUse = waiting
    .filter(({ operation }) => operation === 'swap')
    .reduce((sum, entry) => sum + amountOf(entry), 0n);
  // An approval on its way, such as one that takes another back, will overwrite what is approved now.
  const isChanging = waiting.some(({ operation }) => operation === 'approve');
  if (!isChanging && (await chain.allowance(token, queue.address, spender)) - inUse >= amountIn) return undefined;
  const last = waiting.at(-1);
  if (last?.operation === 'approve' && amountOf(last) >= amountIn) return last;
  return queue.submit({
    operation: 'approve',
    requestId,
    call: chain.approveCall(token, spender, amountIn),
    details: { token, spender, amount: String(amountIn), forSwap: true },
  });
}

export async function untilApproved(
  { chain, queue, nowMs, pause }: SwapParts,
  { token, spender, approval }: Granted,
  { amountIn, signal }: SwapRequest,
): Promise<void> {
  const isThere = async () => (await chain.allowance(token, queue.address, spender)) >= amountIn;
  const untilMs = nowMs() + APPROVAL_WAIT_MS;
  for (;;) {
    const { state, mined } = (await queue.entry(approval)) ?? approval;
    // Whoever hung up will ask again. If the swap went on, there would be two.
    if (signal?.aborted)
      throw new WalletRefusal('approval-pending', 'nobody waits for this swap any more; it was not signed');
    if (state === 'mined' || state === 'confirmed' || state === 'reverted') {
      // Another node than the one that told of the block may be a block behind.
      if (mined?.status === 'success' && (await isThere().catch(() => false))) return;
      if (mined?.status !== 'success')
        throw new WalletRefusal(
          'would-revert',
          'the approval for the swap failed on the chain; the swap was not signed',
        );
    }
    if (state === 'replaced' || state === 'dropped' || nowMs() >= untilMs)
      throw new WalletRefusal(
        'approval-pending',
        'the approval for the swap did not get into a block in time; the swap was not signed, ask for it again',
      );
    await pause();
    // An outage that ends in time costs nothing but the wait.
    await queue.look().catch((error: unknown) => {
      if (!(error instanceof ChainUnreachable)) throw error;
    });
  }
}

interface Granted {
  readonly token: Address;
  readonly spender: Address;
  readonly approval: Entry;
  readonly requestId: string;
}

/**
 * An approval whose swap did not follow is a permission nobody wants. It is taken back by the next nonce, which is mined
 * after it wherever it is now; and whatever went wrong leaves with a word about it.
 */
export async function takeBack(parts: SwapParts, granted: Granted, error: unknown): Promise<never> {
  const approval = (await parts.queue.entry(granted.approval).catch(() => undefined)) ?? granted.approval;
  const ending = await endingOf(parts, { ...granted, approval });
  if (error instanceof ChainUnreachable) throw new ChainUnreachable(`${error.message}; ${ending}`, { cause: error });
  const [kind, words] =
    error instanceof WalletRefusal ? [error.kind, error.message] : (['fault', 'the swap was not sent'] as const);
  throw new WalletRefusal(kind, `${words}; ${ending}`, { entry: approval, cause: error });
}

async function endingOf(
  { chain, queue, onTrouble }: SwapParts,
  { token, spender, approval, requestId }: Granted,
): Promise<string> {
  const { state, mined, details } = approval;
  const named = `the approval ${hashOf(approval)} of ${details.amount} for ${spender}`;
  if (mined?.status === 'reverted' || state === 'replaced' || state === 'dropped')
    return `${named} gives no allowance (${mined?.status ?? state})`;
  const place = mined === undefined ? 'is on its way into a block' : 'is in a block';
  const remedy = 'take it back with approve and amount "0"';
  // The owner asked for this approval, and not for this swap, so it is not taken back.
  if (details.forSwap !== true)
    return `${named} ${place} and stands, as you asked for it; ${remedy} if it is not wanted`;
  try {
    const undone = await queue.submit({
      operation: 'approve',
      requestId,
      call: chain.approveCall(token, spender, 0n),
      details: { token, spender, amount: '0', forSwap: true },
    });
    return `${named} ${place}; ${hashOf(undone)} takes it back`;
  } catch (fault) {
    const stands = `${named} ${place} and still stands; ${remedy}`;
    // Whoever asked for the swap may have hung up, so the owner is told too.
    onTrouble(`a swap on ${chain.name} was not made, and ${stands}`, fault);
    return stands;
  }
}
