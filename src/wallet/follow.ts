// Follows what was sent to its end: receipts, confirmations, reorganisations, what got lost, what is stuck, what was replaced.

import type { Fees, Receipt } from './chain.ts';
import { dropReserved, isKnown, type LaneParts, newest, sendAgain, signDurably } from './lane-parts.ts';
import type { Attempt, Entry, Mined } from './ledger.ts';

/** With at least an eighth more each time this ends at about 1.8 times the fee; a market that runs away is not chased. */
export const MAX_REPLACEMENTS = 5;
/** Nodes want 10 % more for a replacement, some 12.5 %. */
const BUMP_NUMERATOR = 1125n;
const BUMP_DENOMINATOR = 1000n;
/** A fee this many times the first one is no longer what the owner agreed to. */
const MAX_FEE_FACTOR = 10n;

export interface Follower {
  /** One look at everything of the lane that is not final. Callers take turns with those who submit. */
  look(): Promise<void>;
}

export function createFollower(parts: LaneParts): Follower {
  const { chain, signer, ledger, nowMs, killSwitch, stuckAfterMs } = parts;
  /** Since when an entry's nonce has been used by something else. */
  const takenSinceMs = new Map<string, number>();
  const notedIds = new Set<string>();

  async function look(): Promise<void> {
    const live = await dropReserved(parts, await ledger.live(chain.name, signer.address));
    if (live.length === 0) return;
    // Before the receipts: a nonce that is used by then has a receipt to be found.
    const latest = await chain.nonce(signer.address, 'latest');
    for (const entry of live) await lookAt(entry, latest);
    await noteGap(latest);
  }

  async function lookAt(entry: Entry, latest: number): Promise<void> {
    if (await settle(entry)) {
      takenSinceMs.delete(entry.id);
      notedIds.delete(entry.id);
      return;
    }
    const waiting = entry.state === 'mined' ? await backToSent(entry) : entry;
    if (waiting.attempts.every(({ nonce }) => nonce < latest)) {
      await noteTaken(waiting);
      return;
    }
    takenSinceMs.delete(entry.id);
    // With the switch thrown for everything, not even what is signed already leaves; it is watched all the same.
    const { active, scope } = killSwitch();
    if (active && scope === 'all') return;
    if (!(await anyKnown(waiting))) await sendAgain(parts, waiting);
    else if (waiting.state === 'signed')
      await ledger.step({ id: waiting.id, atMs: nowMs(), state: 'sent', error: null });
    else if (isStuck(waiting, latest)) await replace(waiting);
  }

  /** Whether one of its attempts is in a block; if so, how deep. */
  async function settle(entry: Entry): Promise<boolean> {
    for (const { hash } of entry.attempts.toReversed()) {
      const receipt = await chain.receipt(hash);
      if (receipt === undefined) continue;
      const before = entry.mined;
      const mined = await withAmountOut(entry, { ...receipt, hash });
      const isNews =
        before?.blockHash !== receipt.blockHash ||
        before.confirmations !== receipt.confirmations ||
        before.amountOut !== mined.amountOut;
      const at = { id: entry.id, atMs: nowMs() };
      if (isNews || entry.state !== 'mined') await ledger.step({ ...at, state: 'mined', mined, error: null });
      if (receipt.confirmations >= parts.confirmations)
        await ledger.step(
          receipt.status === 'success'
            ? { ...at, state: 'confirmed', ...shortfallOf(entry, mined) }
            : { ...at, state: 'reverted', error: failureOf(entry, receipt) },
        );
      return true;
    }
    return false;
  }

  /** What came out of a swap; where no endpoint tells now, the next look asks again. */
  async function withAmountOut({ mined: before, operation, details, from, call }: Entry, mined: Mined): Promise<Mined> {
    if (operation !== 'swap' || mined.status !== 'success' || details.tokenOut === undefined) return mined;
    const isSame = before?.blockHash === mined.blockHash && before.amountOut !== undefined;
    const { tokenOut } = details;
    const amountOut = isSame
      ? before.amountOut
      : await chain
          .received({ hash: mined.hash, blockNumber: mined.blockNumber, owner: from, router: call.to, tokenOut })
          .catch(() => undefined);
    return amountOut === undefined ? mined : { ...mined, amountOut };
  }

  /** The token itself broke its word: nothing can be done any more but to tell. */
  function shortfallOf({ details }: Entry, { hash, amountOut }: Mined): { error?: string } {
    const least = BigInt(details.minAmountOut ?? 0);
    if (amountOut === undefined || amountOut >= least) return {};
    const error = `only ${amountOut} came out, less than the ${least} asked for: the token kept the rest`;
    parts.onTrouble(`a swap on ${chain.name} brought too little: ${error}`, new Error(hash));
    return { error };
  }

  const backToSent = ({ id }: Entry): Promise<Entry> =>
    ledger.step({ id, atMs: nowMs(), state: 'sent', mined: null, error: null });

  /** Final only when it has been so for a while: a node that lags, or a block that goes away again, looks the same. */
  async function noteTaken({ id }: Entry): Promise<void> {
    const sinceMs = takenSinceMs.get(id);
    if (sinceMs === undefined) takenSinceMs.set(id, nowMs());
    else if (nowMs() - sinceMs >= stuckAfterMs) {
      takenSinceMs.delete(id);
      const error = 'another transaction with the same nonce was mined; this one can no longer be';
      await ledger.step({ id, atMs: nowMs(), state: 'replaced', error });
    }
  }

  /** Another program took a nonce and never used it: nothing after it can be mined until something fills the gap. */
  async function noteGap(latest: number): Promise<void> {
    const [first] = await ledger.live(chain.name, signer.address);
    if (first?.state !== 'sent' || first.nonce <= latest || nowMs() - first.updatedAtMs < stuckAfterMs) return;
    const error = `it waits for a transaction with nonce ${latest} that nobody sent; any new transaction of this wallet takes its place`;
    if (first.error === error) return;
    parts.onTrouble(`a transaction on ${chain.name} is stuck: ${error}`, new Error(newest(first).hash));
    await ledger.step({ id: first.id, atMs: nowMs(), state: 'sent', error });
  }

  async function anyKnown({ attempts }: Entry): Promise<boolean> {
    for (const attempt of attempts.toReversed()) if (await isKnown(parts, attempt)) return true;
    return false;
  }

  /** Only the next one in line can be stuck: the others wait for it. */
  const isStuck = ({ nonce, updatedAtMs }: Entry, latest: number): boolean =>
    nonce === latest && nowMs() - updatedAtMs >= stuckAfterMs;

  async function replace(entry: Entry): Promise<void> {
    const fees = higherFees(entry.attempts, await chain.fees());
    if (fees === undefined) {
      if (!notedIds.has(entry.id))
        parts.onTrouble(
          `a transaction on ${chain.name} is stuck and its fee is not raised any further`,
          new Error(newest(entry).hash),
        );
      notedIds.add(entry.id);
      return;
    }
    const replaced = await signDurably(parts, entry, entry.nonce, fees);
    // Whatever the network says: both are written down, and the next look finds the one that was taken.
    await sendAgain(parts, replaced);
  }

  return { look };
}

/** A call that runs out of gas deep inside leaves a little of it over. */
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
