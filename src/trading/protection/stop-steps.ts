// What is to be done next so that what stands at the venue is what is wanted there: pure, and one step at a time.
//
//   in doubt ──► waiting ──► sent ──► gone        in doubt: sent to the venue, and not seen there yet
//       │           └─────────────────► gone      gone: booked, canceled, ended, or certain never to appear
//       └───────────────────────────────► gone
//
// First what is in doubt is looked at, then what is not wanted goes, then what is missing is placed. While a stop of a share is in
// doubt no other one of its kind is placed. One that is moved, or that the venue would soon end by itself, is placed anew before the
// old one goes, so that the share is never without; where another strategy holds something too, the old one goes first, because both
// together could close more than the share.

import type { Spell } from '../../timing/spell.ts';
import { type ShareName, shareInWords } from '../books/strategy-book.ts';
import { absolute, minus, ZERO } from '../decimal.ts';
import type { StoredStop } from './venue-stop-store.ts';
import { isAsNear, type WantedStop } from './wanted-stops.ts';

export type StopPhase = 'in doubt' | 'waiting' | 'sent';

/** A stop of ours, as far as we know it stands at the venue. */
export interface StandingStop {
  readonly stored: StoredStop;
  phase: StopPhase;
  /** Something says that it may have changed: it is looked at before anything else is decided. */
  isToLook: boolean;
  /** On a clock that never jumps; zero for one of an earlier process. */
  readonly placedMs: number;
  /** It is in doubt only because its venue has not been heard since: then it stood, as far as we know. */
  stoodBefore?: boolean;
  /** When it was last asked about, answered or not; on the same clock, like the next ones. */
  lookedMs?: number;
  /** That its price was reached. */
  reached?: Spell;
  /** When the order that it has sent was first seen open. */
  orderOpenMs?: number;
  /** We have asked the venue to take it back: that it is gone is no news. */
  isTakenBack?: boolean;
  /** That it held up orders: it could not be taken away, or nobody knew what became of it. */
  inTheWay?: Spell;
}

export type StopStep =
  | { readonly do: 'look'; readonly stop: StandingStop }
  | { readonly do: 'remove'; readonly stop: StandingStop }
  | { readonly do: 'place'; readonly wanted: WantedStop };

export interface StepFacts {
  readonly standing: readonly StandingStop[];
  readonly wanted: readonly WantedStop[];
  /** Shares that are being closed: what stands for them is left to their close. */
  readonly isClosing: (share: ShareName) => boolean;
  /** Whether this one may be placed now; it is tried again after a pause. */
  readonly mayPlace: (wanted: WantedStop) => boolean;
  /** Whether its venue will end it soon, because it keeps stops for so long only. */
  readonly isEnding: (stop: StoredStop) => boolean;
  readonly nowMs: number;
}

/** A stop that trails is moved at most so often; in between our own guard acts at the newer level. */
export const MOVE_EVERY_MS = 5000;

const isOf = ({ stored }: StandingStop, { protection, kind }: WantedStop): boolean =>
  stored.kind === kind && shareInWords(stored.share) === shareInWords(protection);

/** All that can be done now, what comes first first; nothing where everything is as it should be. */
export function nextSteps(facts: StepFacts): readonly StopStep[] {
  const { standing, wanted, isClosing, mayPlace } = facts;
  const looks = standing.filter(({ isToLook }) => isToLook).map((stop) => ({ do: 'look' as const, stop }));
  const unwanted = standing.filter((stop) => !isClosing(stop.stored.share) && !wanted.some((each) => isOf(stop, each)));
  const changes = wanted.map((each) =>
    changeOf(
      each,
      standing.filter((stop) => isOf(stop, each)),
      facts,
    ),
  );
  const remove = [...unwanted, ...changes.flatMap((change) => change.remove)].filter(
    ({ phase }) => phase === 'waiting',
  );
  const place = changes.flatMap((change) => change.place ?? []).filter(mayPlace);
  return [
    ...looks,
    ...remove.map((stop) => ({ do: 'remove' as const, stop })),
    ...place.map((each) => ({ do: 'place' as const, wanted: each })),
  ];
}

interface Change {
  readonly remove: readonly StandingStop[];
  readonly place?: WantedStop;
}

/** `standing` are those of the same share and kind. */
function changeOf(wanted: WantedStop, standing: readonly StandingStop[], facts: StepFacts): Change {
  // What is in doubt may appear, and what has sent its order is closing the share: nothing else of its kind is placed.
  if (standing.some(({ phase }) => phase !== 'waiting')) return { remove: [] };
  const lasting = standing.filter(({ stored }) => !facts.isEnding(stored));
  const exact = lasting.find((stop) => isAsWanted(stop, wanted));
  const kept = exact ?? lasting.find((stop) => isCloseEnough(stop, wanted, facts.nowMs));
  if (kept) return { remove: standing.filter((stop) => stop !== kept) };
  if (standing.length > 0 && !wanted.isAlone) return { remove: standing };
  return { remove: [], place: wanted };
}

const isAsWanted = ({ stored }: StandingStop, { triggerPrice, quantity }: WantedStop): boolean =>
  stored.triggerPrice === triggerPrice && stored.quantity === quantity;

/** A trailing stop that is a little behind. One that would act before its level does not count: that is not what was asked for. */
function isCloseEnough({ stored, placedMs }: StandingStop, wanted: WantedStop, nowMs: number): boolean {
  const { leeway, quantity, triggerPrice, protection, kind } = wanted;
  if (leeway === ZERO || stored.quantity !== quantity || stored.by !== wanted.by) return false;
  if (!isAsNear(protection.side, kind, triggerPrice, stored.triggerPrice)) return false;
  return absolute(minus(triggerPrice, stored.triggerPrice)) < leeway || nowMs - placedMs < MOVE_EVERY_MS;
}
