// Follows what was sent to its end: receipts, confirmations, reorganisations, what got lost, what is stuck, what was replaced.

import type { Fees, Receipt } from './chain.ts';
import type { Attempt, Entry, Mined } from './ledger.ts';
import { dropReserved, isKnown, newest, type QueueParts, sendAgain, signDurably } from './queue-parts.ts';

/** With at least an eighth more each time this ends at about 1.8 times the fee; a market that runs away is not chased. */
export const MAX_REPLACEMENTS = 5;
/** Nodes want 10 % more for a replacement, some 12.5 %. */
const BUMP_NUMERATOR = 1125n;
const BUMP_DENOMINATOR = 1000n;
/** A fee this many times the first one is no longer what the owner agreed to. */
const MAX_FEE_FACTOR = 10n;

export class TransactionFollower {
  readonly #parts: QueueParts;
  /** Since when the nonce of an entry has been used by something else. */
  readonly #takenSinceMs = new Map<string, number>();
  /** Entries that are stuck for good, and about which the owner was told. */
  readonly #toldStuck = new Set<string>();

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  /** One look at everything of the account that is not final. Whoever calls this takes turns with those who submit. */
  async look(): Promise<void> {
    const { chain, signer, ledger } = this.#parts;
    const live = await dropReserved(this.#parts, await ledger.live(chain.name, signer.address));
    if (live.length === 0) return;
    // Asked before the receipts: a nonce that is used by then has a receipt to be found.
    const latest = await chain.nonce(signer.address, 'latest');
    for (const entry of live) await this.#lookAt(entry, latest);
    await this.#noteGap(latest);
  }

  async #lookAt(entry: Entry, latest: number): Promise<void> {
    const { ledger, nowMs, killSwitch } = this.#parts;
    if (await this.#settle(entry)) {
      this.#takenSinceMs.delete(entry.id);
      this.#toldStuck.delete(entry.id);
      return;
    }
    const waiting = entry.state === 'mined' ? await this.#backToSent(entry) : entry;
    if (waiting.attempts.every(({ nonce }) => nonce < latest)) {
      await this.#noteTaken(waiting);
      return;
    }
    this.#takenSinceMs.delete(entry.id);
    // With the kill switch on for everything, not even signed bytes leave again; they are watched all the same.
    const { active, scope } = killSwitch();
    if (active && scope === 'all') return;
    if (!(await this.#isAnyKnown(waiting))) await sendAgain(this.#parts, waiting);
    else if (waiting.state === 'signed')
      await ledger.step({ id: waiting.id, atMs: nowMs(), state: 'sent', error: null });
    else if (this.#isStuck(waiting, latest)) await this.#replace(waiting);
  }

  /** Whether one of its attempts is in a block. If so, writes down how deep, and the end when it is deep enough. */
  async #settle(entry: Entry): Promise<boolean> {
    const { chain, ledger } = this.#parts;
    for (const { hash } of entry.attempts.toReversed()) {
      const receipt = await chain.receipt(hash);
      if (receipt === undefined) continue;
      const before = entry.mined;
      const mined = await this.#withAmountOut(entry, { ...receipt, hash });
      const isNews =
        before?.blockHash !== receipt.blockHash ||
        before.confirmations !== receipt.confirmations ||
        before.amountOut !== mined.amountOut;
      const at = { id: entry.id, atMs: this.#parts.nowMs() };
      if (isNews || entry.state !== 'mined') await ledger.step({ ...at, state: 'mined', mined, error: null });
      if (receipt.confirmations >= this.#parts.confirmations)
        await ledger.step(
          receipt.status === 'success'
            ? { ...at, state: 'confirmed', ...this.#shortfallOf(entry, mined) }
            : { ...at, state: 'reverted', error: failureOf(entry, receipt) },
        );
      return true;
    }
    return false;
  }

  /** With what came out of a swap. Where no endpoint can tell now, the next look asks again. */
  async #withAmountOut(entry: Entry, mined: Mined): Promise<Mined> {
    const { mined: before, operation, details, from, call } = entry;
    if (operation !== 'swap' || mined.status !== 'success' || details.tokenOut === undefined) return mined;
    const isSame = before?.blockHash === mined.blockHash && before.amountOut !== undefined;
    const { tokenOut } = details;
    const amountOut = isSame
      ? before.amountOut
      : await this.#parts.chain
          .received({ hash: mined.hash, blockNumber: mined.blockNumber, owner: from, router: call.to, tokenOut })
          .catch(() => undefined);
    return amountOut === undefined ? mined : { ...mined, amountOut };
  }

  /** A token that kept more than was agreed has broken its word: all that is left to do is to tell the owner. */
  #shortfallOf({ details }: Entry, { hash, amountOut }: Mined): { error?: string } {
    const least = BigInt(details.minAmountOut ?? 0);
    if (amountOut === undefined || amountOut >= least) return {};
    const { chain, onTrouble } = this.#parts;
    const error = `only ${amountOut} came out, less than the ${least} asked for: the token kept the rest`;
    onTrouble(`a swap on ${chain.name} brought too little: ${error}`, new Error(hash));
    return { error };
  }

  /** A reorganisation took its block away. */
  #backToSent({ id }: Entry): Promise<Entry> {
    const { ledger, nowMs } = this.#parts;
    return ledger.step({ id, atMs: nowMs(), state: 'sent', mined: null, error: null });
  }

  /** Final only when it has been so for a while: a node that lags, or a block that goes away again, looks the same. */
  async #noteTaken({ id }: Entry): Promise<void> {
    const { ledger, nowMs, stuckAfterMs } = this.#parts;
    const sinceMs = this.#takenSinceMs.get(id);
    if (sinceMs === undefined) this.#takenSinceMs.set(id, nowMs());
    else if (nowMs() - sinceMs >= stuckAfterMs) {
      this.#takenSinceMs.delete(id);
      const error = 'another transaction with the same nonce was mined; this one can no longer be';
      await ledger.step({ id, atMs: nowMs(), state: 'replaced', error });
    }
  }

  /** Another program took a nonce and never used it: nothing after it can be mined until something fills the gap. */
  async #noteGap(latest: number): Promise<void> {
    const { chain, signer, ledger, nowMs, stuckAfterMs, onTrouble } = this.#parts;
    const [first] = await ledger.live(chain.name, signer.address);
    if (first?.state !== 'sent' || first.nonce <= latest || nowMs() - first.updatedAtMs < stuckAfterMs) return;
    const error = `it waits for a transaction with nonce ${latest} that nobody sent; any new transaction of this wallet takes its place`;
    if (first.error === error) return;
    onTrouble(`a transaction on ${chain.name} is stuck: ${error}`, new Error(newest(first).hash));
    await ledger.step({ id: first.id, atMs: nowMs(), state: 'sent', error });
  }

  async #isAnyKnown({ attempts }: Entry): Promise<boolean> {
    for (const attempt of attempts.toReversed()) if (await isKnown(this.#parts, attempt)) return true;
    return false;
  }

  /** Only the one whose nonce comes next can be stuck: all later ones wait for it. */
  #isStuck({ nonce, updatedAtMs }: Entry, latest: number): boolean {
    const { nowMs, stuckAfterMs } = this.#parts;
    return nonce === latest && nowMs() - updatedAtMs >= stuckAfterMs;
  }

  /** Signs it again with the same nonce and a higher fee, within bounds. */
  async #replace(entry: Entry): Promise<void> {
    const { chain, onTrouble } = this.#parts;
    const fees = higherFees(entry.attempts, await chain.fees());
    if (fees === undefined) {
      if (!this.#toldStuck.has(entry.id))
        onTrouble(
          `a transaction on ${chain.name} is stuck and its fee is not raised any further`,
          new Error(newest(entry).hash),
        );
      this.#toldStuck.add(entry.id);
      return;
    }
    const replaced = await signDurably(this.#parts, entry, entry.nonce, fees);
    // Whatever the network answers: both forms are written down, and the next look finds the one that was taken.
    await sendAgain(this.#parts, replaced);
  }
}

/** Why it failed. A call that runs out of gas deep inside leaves a little of it over, so 95 % counts as all of it. */
function failureOf({ gasLimit }: Entry, { gasUsed }: Receipt): string {
  return gasUsed * 100n >= gasLimit * 95n
    ? 'it ran out of gas; only the fee was spent, ask again with a higher gasLimit'
    : 'the call failed on the chain, because something changed since it was simulated; only the fee was spent';
}

const higher = (old: bigint, now: bigint): bigint => {
  const bumped = (old * BUMP_NUMERATOR + BUMP_DENOMINATOR - 1n) / BUMP_DENOMINATOR;
  return now > bumped ? now : bumped;
};

/** At least an eighth above the last attempt, never below today's fees; undefined past the bounds. */
export function higherFees(attempts: readonly Attempt[], today: Fees): Fees | undefined {
  const [first, last] = [attempts[0], attempts.at(-1)];
  if (first === undefined || last === undefined || attempts.length > MAX_REPLACEMENTS) return undefined;
  const maxPriorityFeePerGas = higher(last.maxPriorityFeePerGas, today.maxPriorityFeePerGas);
  const wanted = higher(last.maxFeePerGas, today.maxFeePerGas);
  const maxFeePerGas = wanted > maxPriorityFeePerGas ? wanted : maxPriorityFeePerGas;
  return maxFeePerGas > first.maxFeePerGas * MAX_FEE_FACTOR ? undefined : { maxFeePerGas, maxPriorityFeePerGas };
}
