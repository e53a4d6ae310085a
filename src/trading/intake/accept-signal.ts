// Takes a signal through the gates in their order (key, address, rate, account, real money, market, kill switch, limits, duplicate) and into the journal.

import { OvertakenError, StaleControlsError } from '../../errors/storage-error.ts';
import { type MaybePromise, whenKnown } from '../../timing/maybe-promise.ts';
import { type AccountName, type Accounts, MAIN_ACCOUNT } from '../accounts.ts';
import { type Journal, type NewTrade, type ResendOf, tradeIdOf } from '../books/journal.ts';
import type { PositionBook } from '../books/position-book.ts';
import type { SignalStore } from '../books/signal-store.ts';
import type { SignalOrder, SignalSource } from '../signal.ts';
import type { Venue } from '../venue.ts';
import { type AcceptedSignal, acceptedSignals } from './accepted-signal.ts';
import { alertClaimOf } from './alert-claim.ts';
import { closingByName } from './closing-name.ts';
import type { ControlsCopy, KillSwitch } from './controls.ts';
import type { EntryRates, EntryTaken } from './entry-rates.ts';
import {
  addressGate,
  confirmationGate,
  duplicateGate,
  killSwitchGate,
  marketGate,
  type RateVerdict,
  type Refusal,
  rateGate,
  type Sender,
  wrongKey,
} from './gates.ts';
import { type Asked, entryRefusalOf, isEntry, listRefusal, pauseRefusal, thrownSwitch } from './limit-rules.ts';
import { windowOfOwnKeys } from './own-keys.ts';
import type { Restriction, Restrictions } from './restrictions.ts';
import { type Target, targetsOf } from './routes.ts';

export interface Candidate {
  readonly requestId: string;
  readonly receivedAtMs: number;
  readonly source: SignalSource;
  readonly apiKey: string;
  readonly address: string;
  readonly order: SignalOrder;
  /** What its door ignored; told in the answer. */
  readonly warnings?: readonly string[];
  /** Only for signals without an idempotency key and without an alert's name. */
  readonly bodyDigest?: Uint8Array;
  readonly resendOf?: ResendOf;
}

/** The gates in their order. Whoever is proved by his door, such as the sender of a mail, has passed the first there. */
export const GATES = [
  'key',
  'key_limits',
  'address',
  'rate',
  'account',
  'real_money',
  'market',
  'kill_switch',
  'limits',
  'entry_rate',
  'duplicate',
] as const;
export type GateName = (typeof GATES)[number];

/** A signal whose sender its door has proved. Mail comes through relays: it has no address that would say anything. */
export type ProvedCandidate = Omit<Candidate, 'apiKey' | 'address'> & { readonly address?: string };

export interface GateKeepers {
  readonly authenticate: (apiKey: string) => Sender | undefined;
  /** Counts a wrong key of this address, and says whether it has sent too many. */
  readonly countWrongKey: (address: string) => MaybePromise<RateVerdict>;
  readonly isAddressAllowed: (address: string) => boolean;
  readonly takeFromRate: (keyId: string) => MaybePromise<RateVerdict>;
  readonly killSwitch: () => KillSwitch;
  /** The copy of the controls that all gates go by; absent where only this process changes them. */
  readonly controls?: ControlsCopy | undefined;
  readonly restrictions: Pick<Restrictions, 'find' | 'of'>;
  readonly entryRates: Pick<EntryRates, 'take'>;
  readonly accounts: Pick<Accounts, 'find' | 'namesAt' | 'whyOff'>;
  /** Whether an account may open positions; on paper and on testnets it always may. */
  readonly isLiveConfirmed: (account: AccountName) => boolean;
  readonly positions: Pick<PositionBook, 'strategiesIn'>;
  readonly journal: Pick<Journal, 'accept'>;
  readonly signals: Pick<SignalStore, 'add'>;
  readonly idempotencyWindowMs: number;
  readonly nowMs: () => number;
  /** Hears of a signal whose sender is told that it was taken before. False: that one comes to nothing in this moment. */
  readonly noteTold?: (requestId: string) => Promise<boolean>;
  /** A refused signal that could not be recorded is still refused; somebody should know. */
  readonly onRecordFailure: (error: unknown) => void;
  /** Hears of each gate that was asked what it said; undefined means that it let the signal through. */
  readonly noteGate?: (gate: GateName, refused: Refusal | undefined) => void;
}

export type Verdict =
  /** One trade for each account; the first is that of the first route. */
  | { readonly accepted: AcceptedSignal; readonly further: readonly AcceptedSignal[] }
  | { readonly refused: Refusal; readonly sender: Sender | undefined };

/** How often the gates are asked because the owner changes something just then; after that the sender is told to try again. */
const MOST_TRIES = 3;

/** Where the controls were changed while it was judged, it is judged again by the new ones; it counts as one signal all the same. */
export async function acceptSignal(candidate: Candidate, keepers: GateKeepers): Promise<Verdict> {
  const { controls } = keepers;
  if (controls === undefined) return askGates(candidate, keepers);
  let rate: MaybePromise<RateVerdict> | undefined;
  const takeFromRate = (keyId: string): MaybePromise<RateVerdict> => {
    rate ??= keepers.takeFromRate(keyId);
    return rate;
  };
  for (let tries = 1; ; tries += 1) {
    try {
      return await askGates(candidate, { ...keepers, takeFromRate });
    } catch (error) {
      if (!(error instanceof StaleControlsError) || tries === MOST_TRIES) throw error;
      // It was certainly not accepted, whatever becomes of the look.
      await controls.refresh().catch(() => {
        throw error;
      });
    }
  }
}

async function askGates(candidate: Candidate, keepers: GateKeepers): Promise<Verdict> {
  const sender = keepers.authenticate(candidate.apiKey);
  // A good key passes whatever else comes from its address: the senders of a charting platform share a few.
  const refused = sender === undefined ? wrongKey(await keepers.countWrongKey(candidate.address)) : undefined;
  keepers.noteGate?.('key', refused);
  if (sender === undefined) return { refused: refused as Refusal, sender };
  return acceptFrom(sender, candidate, keepers);
}

/**
 * The gates behind the key, for a sender who is known already. Where the controls were changed meanwhile it rejects with
 * StaleControlsError: whoever knows the sender must find him again, for his key may be the change.
 */
export function acceptFrom(sender: Sender, candidate: ProvedCandidate, keepers: GateKeepers): Promise<Verdict> {
  const targets = targetsOf(sender, candidate.order, keepers.accounts);
  const named = 'code' in targets ? targets : targets.map((target) => closingByName(target, keepers.positions));
  return acceptAt(named, sender, candidate, keepers);
}

/** The same for a signal whose accounts are known too, or why it goes to none. */
export function acceptAt(
  targets: readonly Target[] | Refusal,
  sender: Sender,
  candidate: ProvedCandidate,
  keepers: GateKeepers,
): Promise<Verdict> {
  const { order, address } = candidate;
  // Before the first gate is asked: those behind it may wait.
  const controlsVersion = keepers.controls?.version();
  const refuse = (why: Refusal): Promise<Verdict> =>
    recordRefusal(candidate, why, keepers).then(() => ({ refused: why, sender }));
  // Behind the gate of the account there are targets.
  const found = targets as readonly Target[];
  const venues = (): readonly Venue[] => found.map(({ venue }) => venue);
  const refused = firstRefusal(keepers, [
    ['key_limits', () => keyGate(sender, order, targets, keepers)],
    ['address', () => (address === undefined ? undefined : addressGate(address, keepers.isAddressAllowed))],
    ['rate', () => whenKnown(keepers.takeFromRate(sender.keyId), rateGate)],
    ['account', () => ('code' in targets ? targets : undefined)],
    ['real_money', () => confirmationGate(order, venues(), keepers.isLiveConfirmed)],
    ['market', () => marketGate(order, venues())],
    ['kill_switch', () => killSwitchGate(keepers.killSwitch(), order.action)],
    ['limits', () => limitGate(sender, found, keepers)],
  ]);
  return whenKnown(refused, (why) => {
    if (why) return refuse(why);
    return whenKnown(countEntry(sender, found, keepers), (entry) => {
      keepers.noteGate?.('entry_rate', 'refused' in entry ? entry.refused : undefined);
      if ('refused' in entry) return refuse(entry.refused);
      return enterCounted(entry, () => enterJournal({ ...candidate, controlsVersion }, sender, found, keepers));
    });
  });
}

/** Gives the entry back that was counted for a signal which the journal did not take. */
function enterCounted(entry: { giveBack(): void }, enter: () => Promise<Verdict>): Promise<Verdict> {
  return enter().then(
    (verdict) => {
      if ('refused' in verdict) entry.giveBack();
      return verdict;
    },
    (error) => {
      entry.giveBack();
      throw error;
    },
  );
}

type Gate = readonly [name: GateName, ask: () => MaybePromise<Refusal | undefined>];

/** The gates behind one that refuses are not asked. Nothing waits but for a gate that has to. */
function firstRefusal({ noteGate }: GateKeepers, gates: readonly Gate[]): MaybePromise<Refusal | undefined> {
  // It goes on where it was left.
  const left = gates.values();
  const askLeft = (): MaybePromise<Refusal | undefined> => {
    for (const [name, ask] of left) {
      const answer = ask();
      if (answer instanceof Promise)
        return answer.then((refused) => {
          noteGate?.(name, refused);
          return refused ?? askLeft();
        });
      noteGate?.(name, answer);
      if (answer) return answer;
    }
    return undefined;
  };
  return askLeft();
}

/** What the key itself may do, on every account its signal goes to: a paused one does nothing at all. */
function keyGate(
  { label }: Sender,
  order: SignalOrder,
  targets: readonly Target[] | Refusal,
  { restrictions }: GateKeepers,
): Refusal | undefined {
  const key = restrictions.find({ kind: 'key', name: label });
  if (key === undefined) return undefined;
  const paused = pauseRefusal(key);
  if (paused) return paused;
  const asked = 'code' in targets ? [{ account: order.account ?? MAIN_ACCOUNT, order }] : targets.map(askedOf);
  return asked.map((each) => listRefusal(key, each)).find((refused) => refused !== undefined);
}

const askedOf = ({ venue, order }: Target): Asked => ({ account: venue.account, order });

/**
 * The limits that need no look at the market. One account that may not trade does not stop the others: a signal is
 * refused here only where none of its accounts takes it; otherwise each is asked again in its lane.
 */
function limitGate(sender: Sender, targets: readonly Target[], keepers: GateKeepers): Refusal | undefined {
  const concerned = targets.map((target) => restrictionsOf(sender, target, keepers));
  if (concerned.every((rows) => rows.length === 0)) return undefined;
  const refusals = targets.map((target, at) => targetRefusal(target, concerned[at] ?? [], keepers.nowMs()));
  return refusals.every((refused) => refused !== undefined) ? refusals[0] : undefined;
}

/**
 * A rate counts signals, so it stops the whole of one. What a sender sends again is no further entry: the journal,
 * which comes after this, knows it, and then the entry is given back.
 */
function countEntry(sender: Sender, targets: readonly Target[], keepers: GateKeepers): MaybePromise<EntryTaken> {
  const entries = targets.filter(({ order }) => isEntry(order.action));
  const concerned = entries.flatMap((target) => restrictionsOf(sender, target, keepers));
  return keepers.entryRates.take([...new Set(concerned)]);
}

const restrictionsOf = ({ label }: Sender, { venue, order }: Target, { restrictions }: GateKeepers) =>
  restrictions.of({ keyLabel: label, account: venue.account, order });

function targetRefusal(target: Target, rows: readonly Restriction[], nowMs: number): Refusal | undefined {
  const { action } = target.order;
  const thrown = thrownSwitch(rows, action);
  if (thrown) return killSwitchGate(thrown.killSwitch, action, thrown.subject);
  return isEntry(action) ? entryRefusalOf(rows, askedOf(target), nowMs) : undefined;
}

/** The claim, the resend check and the journal rows are one transaction: two at the same instant cannot both pass. */
function enterJournal(
  candidate: ProvedCandidate & Pick<NewTrade, 'controlsVersion'>,
  sender: Sender,
  targets: readonly Target[],
  keepers: GateKeepers,
): Promise<Verdict> {
  const [trade, ...further] = targets.map(
    ({ venue, order }, index): NewTrade => ({
      requestId: tradeIdOf(candidate.requestId, index + 1),
      receivedAtMs: candidate.receivedAtMs,
      source: candidate.source,
      keyLabel: sender.label,
      mode: venue.mode,
      account: venue.account,
      order,
      bodyDigest: candidate.bodyDigest,
      resendOf: candidate.resendOf,
      controlsVersion: candidate.controlsVersion,
      alertClaim: order.alertId === undefined ? undefined : alertClaimOf(sender.keyId, order.alertId),
    }),
  ) as [NewTrade, ...NewTrade[]];
  const { idempotencyWindowMs } = keepers;
  const windowMs = candidate.source === 'ticket' ? windowOfOwnKeys(idempotencyWindowMs) : idempotencyWindowMs;
  return keepers.journal.accept(trade, windowMs, further).then((acceptance) => {
    const duplicate = duplicateGate(acceptance);
    keepers.noteGate?.('duplicate', duplicate);
    if (!acceptance.accepted) return refuseAgain(duplicate as Refusal, sender, keepers);
    const [accepted, ...others] = acceptedSignals([trade, ...further], acceptance);
    return { accepted, further: others };
  });
}

/** Whoever hears that his signal was taken relies on that. */
async function refuseAgain(refused: Refusal, sender: Sender, { noteTold }: GateKeepers): Promise<Verdict> {
  const isTaken = (await noteTold?.(String(refused.originalRequestId))) ?? true;
  if (!isTaken) throw new OvertakenError(COMES_TO_NOTHING);
  return { refused, sender };
}

const COMES_TO_NOTHING = 'the first one comes to nothing in this moment, because its exchange is away; send it again';

async function recordRefusal(candidate: ProvedCandidate, refused: Refusal, keepers: GateKeepers): Promise<void> {
  try {
    await keepers.signals.add({
      signalId: candidate.requestId,
      timestampMs: candidate.receivedAtMs,
      symbol: candidate.order.symbol,
      signalType: candidate.order.action,
      source: candidate.source,
      decision: refused.code,
      alertId: candidate.order.alertId,
    });
  } catch (error) {
    keepers.onRecordFailure(error);
  }
}
