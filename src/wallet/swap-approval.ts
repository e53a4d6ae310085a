// The exact approval of a swap: made where it is missing, waited for, and taken back when its swap does not follow.

import { type Address, ChainUnreachable } from './chain.ts';
import { type Entry, hashOf } from './ledger.ts';
import { WalletRefusal } from './refusal.ts';
import type { SwapParts, SwapRequest } from './swap-request.ts';

/** A few blocks of the slowest chain. */
export const APPROVAL_WAIT_MS = 60_000;

/** The approval that had to be made for it; undefined where there was enough. */
export async function ensureAllowance(
  parts: SwapParts,
  token: Address,
  spender: Address,
  { amountIn, requestId, signal }: SwapRequest,
): Promise<Entry | undefined> {
  const { chain, lane } = parts;
  const waiting = (await lane.live()).filter(
    ({ state, details }) => state !== 'mined' && details.token === token && details.spender === spender,
  );
  const amountOf = ({ details }: Entry): bigint => BigInt(details.amount ?? 0);
  // Swaps that are on their way will use up their part of what is approved now.
  const inUse = waiting
    .filter(({ operation }) => operation === 'swap')
    .reduce((sum, entry) => sum + amountOf(entry), 0n);
  if ((await chain.allowance(token, lane.address, spender)) - inUse >= amountIn) return undefined;
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
  return approval;
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

interface Granted {
  readonly token: Address;
  readonly spender: Address;
  readonly approval: Entry;
  readonly requestId: string;
}

/** An approval whose swap did not follow is a permission nobody wants: it is taken back, and told of either way. */
export async function takeBack({ chain, lane }: SwapParts, granted: Granted, error: unknown): Promise<never> {
  const { token, spender, approval, requestId } = granted;
  const undone = await lane
    .submit({
      operation: 'approve',
      requestId,
      call: chain.approveCall(token, spender, 0n),
      details: { token, spender, amount: '0', forSwap: true },
    })
    .catch(() => undefined);
  const stands = `the approval ${hashOf(approval)} of ${approval.details.amount} for ${spender} is in a block`;
  const ending =
    undone === undefined
      ? `${stands} and still stands; take it back with approve and amount "0"`
      : `${stands}; ${hashOf(undone)} takes it back`;
  if (error instanceof WalletRefusal)
    throw new WalletRefusal(error.kind, `${error.message}; ${ending}`, { entry: approval, cause: error });
  if (error instanceof ChainUnreachable) throw new ChainUnreachable(`${error.message}; ${ending}`, { cause: error });
  throw error;
}
