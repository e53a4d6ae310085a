// The nonce queue of one account on one chain: new transactions, and looks at those already sent, run one at a time.
//
// Every transaction of an account carries the next number, its nonce, and the chain takes them in that order alone. Two
// that were prepared side by side would take the same nonce, and one of them would be lost.

import type { Address } from './chain.ts';
import { TransactionFollower } from './follow.ts';
import { type Entry, hashOf } from './ledger.ts';
import { checkKillSwitch, checkPolicy } from './policy.ts';
import { accountOf, type QueueParts } from './queue-parts.ts';
import { assertUnclaimed, type Submission, submit } from './submit.ts';
import type { Turns } from './turns.ts';

export class NonceQueue {
  readonly address: Address;
  readonly #parts: QueueParts;
  readonly #turns: Turns;
  readonly #follower: TransactionFollower;
  /** What its turns are taken under. */
  readonly #name: string;

  constructor(parts: QueueParts, turns: Turns) {
    this.address = parts.signer.address;
    this.#parts = parts;
    this.#turns = turns;
    this.#follower = new TransactionFollower(parts);
    this.#name = `nonces ${parts.chain.name} ${parts.signer.address}`;
  }

  /** Refuses what the owner's rules or a used idempotency key forbid, without a question to the chain. */
  async check(submission: Pick<Submission, 'operation' | 'call' | 'details' | 'idempotencyKey'>): Promise<void> {
    checkKillSwitch(submission, this.#parts.killSwitch());
    checkPolicy(submission, this.#parts.rules, accountOf(this.#parts));
    await assertUnclaimed(this.#parts, submission.idempotencyKey);
  }

  submit(submission: Submission): Promise<Entry> {
    return this.#turns.take(this.#name, () => submit(this.#parts, submission));
  }

  /** Brings everything that is not final a step further, as far as the chain has come. */
  look(): Promise<void> {
    return this.#turns.take(this.#name, () => this.#follower.look());
  }

  /** What is not final yet. */
  live(): Promise<readonly Entry[]> {
    return this.#parts.ledger.live(this.#parts.chain.name, this.address);
  }

  /** The entry as it is in the ledger now; undefined where it has not been signed. */
  async entry(known: Entry): Promise<Entry | undefined> {
    const hash = hashOf(known);
    return hash === undefined ? undefined : this.#parts.ledger.byHash(this.#parts.chain.name, hash);
  }
}
