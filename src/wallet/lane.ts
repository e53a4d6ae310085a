// The nonce lane of one (chain, address): new transactions and looks at the old ones take turns, strictly one at a time.

import type { Address } from './chain.ts';
import { createFollower } from './follow.ts';
import { accountOf, type LaneParts } from './lane-parts.ts';
import { type Entry, hashOf } from './ledger.ts';
import { checkKillSwitch, checkPolicy } from './policy.ts';
import { assertUnclaimed, type Order, submit } from './submit.ts';
import type { Turns } from './turns.ts';

export interface Lane {
  readonly address: Address;
  /** The owner's rules and the idempotency key alone, without a look at the chain. */
  check(order: Pick<Order, 'operation' | 'call' | 'details' | 'idempotencyKey'>): Promise<void>;
  submit(order: Order): Promise<Entry>;
  look(): Promise<void>;
  live(): Promise<readonly Entry[]>;
  /** As it is now. */
  entry(known: Entry): Promise<Entry | undefined>;
}

export function createLane(parts: LaneParts, turns: Turns): Lane {
  const { chain, signer, ledger } = parts;
  const follower = createFollower(parts);
  const name = `lane ${chain.name} ${signer.address}`;

  return {
    address: signer.address,
    async check(order) {
      checkKillSwitch(order, parts.killSwitch());
      checkPolicy(order, parts.rules, accountOf(parts));
      await assertUnclaimed(parts, order.idempotencyKey);
    },
    submit: (order) => turns.take(name, () => submit(parts, order)),
    look: () => turns.take(name, () => follower.look()),
    live: () => ledger.live(chain.name, signer.address),
    async entry(known) {
      const hash = hashOf(known);
      return hash === undefined ? undefined : ledger.byHash(chain.name, hash);
    },
  };
}
