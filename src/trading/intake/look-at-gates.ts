// The gates for whoever only asks: the very same code over keepers that look, where the others count, claim and write.

import { type MaybePromise, whenKnown } from '../../timing/maybe-promise.ts';
import type { Trade } from '../books/journal.ts';
import {
  acceptFrom,
  acceptSignal,
  type Candidate,
  GATES,
  type GateKeepers,
  type GateName,
  type ProvedCandidate,
} from './accept-signal.ts';
import type { EntryRates, EntryTaken } from './entry-rates.ts';
import type { RateVerdict, Refusal, Sender } from './gates.ts';
import type { ResendGuard } from './resend-guard.ts';

/** What takes something from its sender, looked at. */
export interface RateLooks {
  readonly lookAtRate: (keyId: string) => MaybePromise<RateVerdict>;
  readonly lookAtWrongKeys: (address: string) => MaybePromise<RateVerdict>;
}

export interface LookParts extends RateLooks {
  readonly keepers: GateKeepers;
  readonly entryRates: Pick<EntryRates, 'refusalOf'>;
  readonly resends: Pick<ResendGuard, 'duplicateOf'>;
}

export interface GateSeen {
  readonly gate: GateName;
  readonly outcome: 'passed' | 'refused' | 'not_reached';
  readonly refused?: Refusal;
}

export interface GatesSeen {
  /** All of them, in their order. */
  readonly gates: readonly GateSeen[];
  readonly sender: Sender | undefined;
  readonly refused?: Refusal;
  /** What would be accepted, one for each account. None of it is on disk, so none is proof of anything. */
  readonly trades: readonly Trade[];
}

/** A signal as its door read it; with the key that stood in it, or with the sender whom its door has proved. */
export type AskedSignal =
  | { readonly candidate: Candidate; readonly sender?: undefined }
  | { readonly candidate: ProvedCandidate; readonly sender: Sender };

export async function lookAtGates(
  { candidate, sender }: AskedSignal,
  nowMs: () => number,
  parts: LookParts,
): Promise<GatesSeen> {
  const asked = new Map<GateName, Refusal | undefined>();
  const keepers: GateKeepers = {
    ...lookingKeepers(parts),
    nowMs,
    noteGate: (gate, refused) => void asked.set(gate, refused),
  };
  // Whoever is proved has passed it at his door.
  if (sender) asked.set('key', undefined);
  const verdict = sender ? await acceptFrom(sender, candidate, keepers) : await acceptSignal(candidate, keepers);
  const gates = GATES.map((gate): GateSeen => {
    if (!asked.has(gate)) return { gate, outcome: 'not_reached' };
    const refused = asked.get(gate);
    return refused ? { gate, outcome: 'refused', refused } : { gate, outcome: 'passed' };
  });
  const known = sender ?? ('apiKey' in candidate ? keepers.authenticate(candidate.apiKey) : undefined);
  if ('refused' in verdict) return { gates, sender: known, refused: verdict.refused, trades: [] };
  return { gates, sender: known, trades: [verdict.accepted, ...verdict.further] };
}

function lookingKeepers({ keepers, entryRates, resends, lookAtRate, lookAtWrongKeys }: LookParts): GateKeepers {
  return {
    ...keepers,
    takeFromRate: lookAtRate,
    countWrongKey: lookAtWrongKeys,
    entryRates: {
      take: (restrictions) =>
        whenKnown(
          entryRates.refusalOf(restrictions),
          (refused): EntryTaken => (refused ? { refused } : { giveBack: () => {} }),
        ),
    },
    journal: {
      // Below every number that the journal gives, so that nothing that is counted by them is taken for one of these.
      accept: async (trade, windowMs, further = []) =>
        (await resends.duplicateOf(trade, windowMs)) ?? {
          accepted: true,
          seqs: [-1, ...further.map((_, index) => -2 - index)],
        },
    },
    signals: { add: async () => {} },
  };
}
