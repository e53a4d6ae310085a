// The stops that may be at venues, and what is done with one of them: it is placed, looked at, taken away, or booked when it has acted.
//
// All of it runs in the lane of its market. A stop is on disk before the venue hears of it, and off the disk when it is certain what
// became of it; what has no clear answer is asked about by its id, and never sent again.

import { errorText } from '../../errors/error-text.ts';
import { type ShortShareName, shareInWords } from '../books/strategy-book.ts';
import type { Decimal } from '../decimal.ts';
import { clientStopId } from '../execution/client-order-id.ts';
import { type StopKind, StopPassed, type StopRequest, type StopState, VenueError, type VenueStops } from '../venue.ts';
import type { ActedStops } from './acted-stops.ts';
import { stopInWords } from './closings.ts';
import { isAt, type Place } from './stop-places.ts';
import type { StandingStop } from './stop-steps.ts';
import type { OlderStop, UnprotectedShares } from './unprotected-shares.ts';
import type { StoredStop, VenueStopStore } from './venue-stop-store.ts';
import type { WantedStop } from './wanted-stops.ts';

/**
 * The market order of a stop fills at once or ends. One that stays open is taken back after this, because it holds what it has not
 * closed: the venue would refuse our own close of it.
 */
export const MAX_ORDER_OPEN_MS = 5000;

export interface StandingStopParts {
  readonly store: VenueStopStore;
  readonly acted: ActedStops;
  readonly unprotected: UnprotectedShares;
  readonly newRequestId: () => string;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly onTrouble: (what: string, error: unknown) => void;
  /** All that a stop has closed is in our books. */
  readonly onBooked: (stop: StoredStop) => void;
  /** It was at the venue and is gone from there, and not because we have taken it away. */
  readonly onGone: (stop: StoredStop) => void;
  /** The market is past its price already: nothing was placed. */
  readonly onPassed: (wanted: WantedStop) => void;
}

interface Look {
  readonly outcome: StopState | 'not there' | 'in doubt';
  readonly isBooked: boolean;
}

export class StandingStops {
  readonly #parts: StandingStopParts;
  readonly #stops = new Map<string, StandingStop>();
  /** Left by the last process, and not told to their venue yet. */
  readonly #toRecall = new Set<string>();

  constructor(parts: StandingStopParts) {
    this.#parts = parts;
  }

  /** Reads what the last process left: it may be at the venue, or gone. */
  async restore(): Promise<void> {
    for (const stored of await this.#parts.store.load()) {
      this.#stops.set(stored.clientStopId, {
        stored,
        phase: 'in doubt',
        isToLook: true,
        placedMs: 0,
        stoodBefore: true,
      });
      this.#toRecall.add(stored.clientStopId);
    }
  }

  /** Before anything is asked about a stop of the last process: a venue that keeps no ids of ours finds it only so. */
  async recall(stops: VenueStops, { stored }: StandingStop): Promise<void> {
    if (!this.#toRecall.has(stored.clientStopId)) return;
    await stops.recall?.(requestOf(stored), stored.createdAtMs);
    this.#toRecall.delete(stored.clientStopId);
  }

  all(): readonly StandingStop[] {
    return [...this.#stops.values()];
  }

  get(id: string): StandingStop | undefined {
    return this.#stops.get(id);
  }

  in({ venue, market }: Place): readonly StandingStop[] {
    return this.all().filter(({ stored: { share } }) => isAt(venue, share) && share.market === market);
  }

  of(share: ShortShareName): readonly StandingStop[] {
    const key = shareInWords(share);
    return this.all().filter(({ stored }) => shareInWords(stored.share) === key);
  }

  /** One that guards all that is held of a share, at whatever level; one that is known to stand first. */
  forAllOf(share: ShortShareName, kind: StopKind, held: Decimal): OlderStop | undefined {
    const all = this.of(share).filter(({ stored }) => stored.kind === kind && stored.quantity >= held);
    const found = all.find(({ phase }) => phase === 'waiting') ?? all.find(({ stoodBefore }) => stoodBefore);
    return found && { triggerPrice: found.stored.triggerPrice, isKnown: found.phase === 'waiting' };
  }

  /** Never rejects: what could not be placed is told and tried again. */
  async place({ stops, market }: Place, wanted: WantedStop): Promise<void> {
    const { store, unprotected, newRequestId, nowMs, monotonicMs, onTrouble, onPassed } = this.#parts;
    const { kind, by, quantity, triggerPrice, protection } = wanted;
    const { exchange, mode, account, side, strategy } = protection;
    const share = { exchange, mode, account, market, side, strategy };
    const id = clientStopId(newRequestId());
    const stored: StoredStop = { clientStopId: id, share, kind, by, quantity, triggerPrice, createdAtMs: nowMs() };
    try {
      await store.add(stored);
    } catch (error) {
      return unprotected.note(share, kind, `it could not be stored: ${errorText(error)}`);
    }
    const stop: StandingStop = { stored, phase: 'in doubt', isToLook: true, placedMs: monotonicMs() };
    this.#stops.set(id, stop);
    try {
      await stops.place(requestOf(stored));
      stop.isToLook = false;
      this.#stands(stop);
    } catch (error) {
      const failure = error instanceof VenueError ? error.failure : undefined;
      if (failure === undefined) onTrouble(`the stop ${stopInWords(stored)} met a fault`, error);
      // Without a clear answer it is looked at next, and nothing else is placed for its share until that is clear.
      if (failure !== 'rejected' && failure !== 'not-sent') return;
      await this.#forget(stop);
      if (error instanceof StopPassed) onPassed(wanted);
      else unprotected.note(share, kind, errorText(error));
    }
  }

  /**
   * Asks what became of it, and books what it has closed; whether there was something to book. Rejects where the venue cannot be asked.
   */
  async check(place: Place, stop: StandingStop): Promise<boolean> {
    const wasThere = stop.phase === 'waiting';
    const { outcome, isBooked } = await this.#lookAt(place, stop);
    const isGone = outcome === 'ended' || (outcome === 'not there' && wasThere);
    if (isGone && !stop.isTakenBack) this.#parts.onGone(stop.stored);
    return isBooked;
  }

  async #lookAt(place: Place, stop: StandingStop): Promise<Look> {
    const beganMs = this.#parts.monotonicMs();
    try {
      return await this.#askAbout(place, stop);
    } finally {
      stop.lookedMs = beganMs;
    }
  }

  async #askAbout({ venue, stops, market }: Place, stop: StandingStop): Promise<Look> {
    const { stored } = stop;
    const { acted, onBooked } = this.#parts;
    stop.isToLook = false;
    await this.recall(stops, stop);
    const found = await stops.find(market, stored.clientStopId);
    if (found.found && found.stop.state === 'sent') {
      stop.phase = 'sent';
      const seen = await acted.book(venue, stored);
      const booking = seen === 'open' && this.#isOpenTooLong(stop) ? await acted.withdraw(venue, stored) : seen;
      if (booking === 'ended') {
        await this.#forget(stop);
        onBooked(stored);
      }
      return { outcome: 'sent', isBooked: booking !== 'unseen' };
    }
    const outcome = found.found ? found.stop.state : found.certain ? 'not there' : 'in doubt';
    if (outcome === 'waiting') this.#stands(stop);
    else if (outcome === 'in doubt') this.#doubts(stop);
    else await this.#forget(stop);
    return { outcome, isBooked: false };
  }

  /** Rejects where it may still act afterwards; one that is in doubt is looked at on and on, and does not hold up others. */
  async remove(place: Place, stop: StandingStop): Promise<void> {
    const { clientStopId: id } = stop.stored;
    const wasInDoubt = stop.phase === 'in doubt';
    await this.recall(place.stops, stop);
    const failed = await place.stops.cancel(place.market, id).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    stop.isTakenBack = true;
    try {
      await this.#lookAt(place, stop);
    } catch (error) {
      // The venue may have taken it back, and says no more: it is not counted on until it is seen there again.
      if (!isCertain(failed?.error)) {
        stop.stoodBefore ||= stop.phase === 'waiting';
        stop.phase = 'in doubt';
      }
      stop.isToLook = true;
      throw failed?.error ?? error;
    }
    if (!this.#stops.has(id)) return;
    if (failed && !wasInDoubt) throw failed.error;
    if (stop.phase !== 'in doubt') throw new VenueError('unknown', `it is not clear yet what became of the stop ${id}`);
  }

  #isOpenTooLong(stop: StandingStop): boolean {
    const nowMs = this.#parts.monotonicMs();
    stop.orderOpenMs ??= nowMs;
    return nowMs - stop.orderOpenMs >= MAX_ORDER_OPEN_MS;
  }

  #doubts(stop: StandingStop): void {
    const { unprotected } = this.#parts;
    const { share, kind } = stop.stored;
    stop.phase = 'in doubt';
    stop.stoodBefore = false;
    if (unprotected.mayTry(share, kind)) unprotected.note(share, kind, 'the venue does not say whether it has it');
  }

  #stands(stop: StandingStop): void {
    stop.phase = 'waiting';
    stop.isTakenBack = false;
    stop.stoodBefore = false;
    this.#parts.unprotected.over(stop.stored.share, stop.stored.kind);
  }

  async #forget({ stored }: StandingStop): Promise<void> {
    const id = stored.clientStopId;
    this.#stops.delete(id);
    this.#toRecall.delete(id);
    // One that stays on disk is found at the next start, and the venue says again that it is over.
    await this.#parts.store
      .remove(id)
      .catch((error) => this.#parts.onTrouble(`the stop ${stopInWords(stored)} is still on disk`, error));
  }
}

/** The venue has not done what it was asked. */
const isCertain = (error: unknown): boolean =>
  error instanceof VenueError && (error.failure === 'rejected' || error.failure === 'not-sent');

const requestOf = ({ clientStopId, share, kind, quantity, triggerPrice }: StoredStop): StopRequest => ({
  ...{ clientStopId, market: share.market, kind, positionSide: share.side, quantity, triggerPrice },
});
