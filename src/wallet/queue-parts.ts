// What the nonce queue of one account on one chain works with, and the steps that submitting and following share.

import type { Chain, Fees, Signer } from './chain.ts';
import type { Attempt, Entry, Ledger } from './ledger.ts';
import type { Account, KillState, PolicyRules } from './policy.ts';

export interface QueueParts {
  readonly chain: Chain;
  readonly signer: Signer;
  readonly ledger: Ledger;
  readonly rules: PolicyRules;
  readonly killSwitch: () => KillState;
  readonly nowMs: () => number;
  readonly newId: () => string;
  /** How long a transaction may wait before it is signed again with a higher fee. */
  readonly stuckAfterMs: number;
  /** Blocks on top, its own counted, after which an outcome is final. */
  readonly confirmations: number;
  /** Told of what no caller hears, such as a lost answer. */
  readonly onTrouble: (what: string, error: unknown) => void;
}

export const accountOf = ({ chain, signer }: QueueParts): Account => ({ chain: chain.name, address: signer.address });

export const newest = ({ attempts }: Entry): Attempt => attempts.at(-1) as Attempt;

/** Signs the entry's call and writes the bytes down. Nothing has left when this resolves. */
export async function signDurably(
  { chain, signer, ledger, nowMs }: QueueParts,
  { id, call, gasLimit }: Entry,
  nonce: number,
  { maxFeePerGas, maxPriorityFeePerGas }: Fees,
): Promise<Entry> {
  const fees = { maxFeePerGas, maxPriorityFeePerGas };
  const { hash, raw } = await signer.sign({ ...call, ...fees, chainId: chain.chainId, nonce, gasLimit });
  return ledger.signed(id, { hash, raw, nonce, ...fees, signedAtMs: nowMs() });
}

/** The bytes have left: a disk that fails now must not make the answer say otherwise. The next look puts the row right. */
export async function markSent({ ledger, nowMs, onTrouble }: QueueParts, entry: Entry): Promise<Entry> {
  try {
    return await ledger.step({ id: entry.id, atMs: nowMs(), state: 'sent', error: null });
  } catch (error) {
    onTrouble('a transaction was sent but its row could not be written', error);
    return { ...entry, state: 'sent' };
  }
}

/** Whether the network has this very transaction, waiting or in a block. */
export async function isKnown({ chain }: QueueParts, { hash }: Attempt): Promise<boolean> {
  return (await chain.knows(hash)) || (await chain.receipt(hash)) !== undefined;
}

/** Sends the newest bytes once more; whatever is unclear stays as it is. Tells whether later ones may follow it now. */
export async function sendAgain(parts: QueueParts, entry: Entry): Promise<boolean> {
  const { chain, ledger, nowMs, onTrouble } = parts;
  const outcome = await chain.send(newest(entry));
  if (outcome.kind === 'accepted' || outcome.kind === 'known') await markSent(parts, entry);
  // Taken; or its nonce is used, by itself or by something else: to find out which is for the next look.
  if (!('reason' in outcome)) return true;
  if (entry.error !== outcome.reason) {
    onTrouble(`a transaction cannot be sent again: ${outcome.reason}`, new Error(newest(entry).hash));
    await ledger.step({ id: entry.id, atMs: nowMs(), state: entry.state, error: outcome.reason });
  }
  return false;
}

/** What was only reserved when the process ended was never signed: it is given back. Only the nonce queue may call this, at its turn. */
export async function dropReserved(
  { ledger, nowMs }: QueueParts,
  entries: readonly Entry[],
): Promise<readonly Entry[]> {
  for (const { id, state } of entries)
    if (state === 'reserved')
      await ledger.step({ id, atMs: nowMs(), state: 'dropped', error: 'stopped before it was signed' });
  return entries.filter(({ state }) => state !== 'reserved');
}
