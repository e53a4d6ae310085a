// One new transaction from its rules to its sending: simulation, nonce, reservation, signature. The nonce queue calls it, one at a time.

import { readCall } from './call-contents.ts';
import { type Fees, NotAToken, type SendOutcome } from './chain.ts';
import type { Entry } from './ledger.ts';
import { checkKillSwitch, checkPolicy, type Intent, overDailyLimit, withoutLimit } from './policy.ts';
import {
  accountOf,
  dropReserved,
  isKnown,
  markSent,
  newest,
  type QueueParts,
  sendAgain,
  signDurably,
} from './queue-parts.ts';
import { WalletRefusal } from './refusal.ts';

/** Nodes keep about 64 waiting transactions of one account and forget the rest. */
export const MAX_LIVE = 64;
/**
 * A contract may do more in the next block than in the simulated one: the first swap of a block in a Uniswap pool also
 * keeps its books, two or more words of storage. What is not used is not paid.
 */
const CALL_MARGIN_PERCENT = 50n;
/** Of a plain payment, where a large margin would only keep the last coins from being sent. */
const PAYMENT_MARGIN_PERCENT = 20n;
/** Each one means that another program used the same key in that very moment. */
const MAX_RESYNCS = 3;

/** A transaction that is asked for. */
export interface Submission extends Intent {
  readonly requestId: string;
  readonly idempotencyKey?: string;
  /** Instead of what the simulation needs and a margin. */
  readonly gasLimit?: bigint;
}

export async function submit(parts: QueueParts, submission: Submission): Promise<Entry> {
  const { chain, signer, ledger, rules, killSwitch, nowMs, newId } = parts;
  checkKillSwitch(submission, killSwitch());
  checkPolicy(submission, rules, accountOf(parts));
  await assertUnclaimed(parts, submission.idempotencyKey);
  await assertLimited(parts, submission);
  const live = await clearTheWay(parts);
  const [gasLimit, fees, pending] = await Promise.all([
    simulatedGas(parts, submission),
    chain.fees(),
    chain.nonce(signer.address, 'pending'),
  ]);
  // Asked again: simulating takes a while, and nobody may be surprised by a signature after the switch was thrown.
  checkKillSwitch(submission, killSwitch());
  const { requestId, idempotencyKey, operation, call, details } = submission;
  const taken = new Set(live.map(({ nonce }) => nonce));
  const reservation = await ledger.reserve(
    {
      ...{ id: newId(), requestId, operation, call, gasLimit, details },
      ...{ chain: chain.name, from: signer.address, atMs: nowMs() },
      nonce: freeNonce(pending, taken),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    },
    rules.dailyLimitWei,
  );
  if (reservation.kind === 'duplicate') throw duplicate(reservation.original);
  if (reservation.kind === 'over-daily-limit')
    throw overDailyLimit(reservation.spentWei, rules.dailyLimitWei as bigint);
  return signAndSend(parts, reservation.entry, reservation.entry.nonce, { fees, taken, resyncsLeft: MAX_RESYNCS });
}

export async function assertUnclaimed({ ledger }: Pick<QueueParts, 'ledger'>, key: string | undefined): Promise<void> {
  const original = key === undefined ? undefined : await ledger.byClaim(key);
  if (original !== undefined) throw duplicate(original);
}

const duplicate = (original: Entry): WalletRefusal =>
  new WalletRefusal('duplicate', 'this idempotencyKey was used already; nothing new was signed', { entry: original });

/** Earlier ones leave first: a nonce that is missing on the chain holds up every later one. */
async function clearTheWay(parts: QueueParts): Promise<readonly Entry[]> {
  const live = await dropReserved(parts, await parts.ledger.live(parts.chain.name, parts.signer.address));
  const waiting = live.filter(({ state }) => state !== 'mined').length;
  if (waiting >= MAX_LIVE)
    throw new WalletRefusal(
      'busy',
      `${waiting} transactions are waiting on ${parts.chain.name}; wait until some are in a block`,
    );
  for (const entry of live) {
    if (entry.state !== 'signed' || (await isKnown(parts, newest(entry))) || (await sendAgain(parts, entry))) continue;
    const reason = entry.error === undefined ? '' : ` (${entry.error})`;
    throw new WalletRefusal(
      'busy',
      `an earlier transaction with nonce ${entry.nonce} could not be sent yet${reason}; POST /wallet/transactions shows it`,
      { entry },
    );
  }
  return live;
}

/** An approval is limited when the account could pay it now: a larger one would also allow what the account gets later. */
async function assertLimited({ chain, signer }: QueueParts, { call }: Submission): Promise<void> {
  const granted = readCall(call).approvals.filter(({ amount, forAll }) => amount > 0n && forAll !== true);
  for (const { token, spender, amount, adds } of granted) {
    const held = await chain.tokenBalances([token], signer.address).catch((error: unknown) => {
      // A contract without balances, such as a collection: nothing to compare with.
      if (error instanceof NotAToken) return [];
      throw error;
    });
    const before = adds ? await chain.allowance(token, signer.address, spender) : 0n;
    if (held[0] !== undefined && before + amount > held[0]) throw withoutLimit(held[0]);
  }
}

async function simulatedGas({ chain, signer }: QueueParts, { call, gasLimit }: Submission): Promise<bigint> {
  const simulation = await chain.simulate(signer.address, call);
  if (!simulation.ok)
    throw new WalletRefusal('would-revert', `the transaction would fail: ${simulation.reason}; nothing was signed`);
  const margin = call.data === '0x' ? PAYMENT_MARGIN_PERCENT : CALL_MARGIN_PERCENT;
  if (gasLimit === undefined) return (simulation.gas * (100n + margin)) / 100n;
  if (gasLimit >= simulation.gas) return gasLimit;
  throw new WalletRefusal(
    'would-revert',
    `gasLimit ${gasLimit} is too low, the call needs ${simulation.gas}; raise it or leave it out`,
  );
}

async function signAndSend(
  parts: QueueParts,
  reserved: Entry,
  nonce: number,
  terms: { readonly fees: Fees; readonly taken: ReadonlySet<number>; readonly resyncsLeft: number },
): Promise<Entry> {
  const { fees, taken, resyncsLeft } = terms;
  const entry = await signDurably(parts, reserved, nonce, fees).catch((error: unknown) =>
    giveUp(parts, reserved, error),
  );
  let outcome: SendOutcome;
  let known: boolean;
  try {
    outcome = await parts.chain.send(newest(entry));
    if (outcome.kind === 'accepted' || outcome.kind === 'known') return markSent(parts, entry);
    // A refusal of one node is no word about the others: one of them may have taken it a moment ago.
    known = await isKnown(parts, newest(entry));
  } catch (error) {
    // It may have arrived or not: these bytes are kept, asked for, and sent again until the chain has them.
    parts.onTrouble('the answer to a sent transaction was lost', error);
    return entry;
  }
  if (known) return markSent(parts, entry);
  const next = resyncsLeft > 0 ? await nonceAfter(parts, outcome, nonce) : undefined;
  if (next !== undefined)
    return signAndSend(parts, entry, freeNonce(next, taken), { ...terms, resyncsLeft: resyncsLeft - 1 });
  const reason = 'reason' in outcome ? outcome.reason : 'its nonce was taken by another transaction';
  return giveUp(parts, entry, new WalletRefusal('refused', `the network refused the transaction: ${reason}`));
}

/**
 * The first from here on that none of ours has. A node that lags does not know our latest ones yet; and where another
 * program took a nonce and never used it, this fills the gap that holds everything after it up.
 */
export function freeNonce(from: number, taken: ReadonlySet<number>): number {
  let nonce = from;
  while (taken.has(nonce)) nonce += 1;
  return nonce;
}

/** Where to look for the next nonce when this one turned out to be taken. These bytes were refused for it, so they can never count. */
async function nonceAfter(
  { chain, signer }: QueueParts,
  { kind }: SendOutcome,
  nonce: number,
): Promise<number | undefined> {
  if (kind === 'refused') return undefined;
  const pending = await chain.nonce(signer.address, 'pending').catch(() => undefined);
  if (pending === undefined) return undefined;
  if (kind === 'stale-nonce') return Math.max(pending, nonce + 1);
  // Too cheap may mean that someone else's transaction waits under this nonce; to outbid it would be to erase it.
  return pending > nonce ? pending : undefined;
}

async function giveUp({ ledger, nowMs, onTrouble }: QueueParts, { id }: Entry, error: unknown): Promise<never> {
  const reason = error instanceof WalletRefusal ? error.message : 'it could not be signed and stored';
  await ledger
    .step({ id, atMs: nowMs(), state: 'dropped', error: reason })
    // The row stays reserved and is given back when the nonce queue works next.
    .catch((fault: unknown) => onTrouble('a reservation of the wallet could not be given back', fault));
  throw error;
}
