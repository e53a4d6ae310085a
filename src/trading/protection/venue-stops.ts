// Stops at the venues: keeps what stands there in line with what the protections want, and takes up what has acted.
//
// A venue's stop acts whether we live or not; our own guard is the second line. Everything here that asks a venue runs in the lane of
// its market, like orders do: so no stop is placed for a share while that share is being closed, and what a stop has closed is in
// our books before the next order of the market is planned. stop-steps.ts says what is done, in which order.

import { accountInWords } from '../accounts.ts';
import type { Trade } from '../books/journal.ts';
import type { PositionBook } from '../books/position-book.ts';
import { type MarketName, type ShareName, type StrategyBook, shareInWords } from '../books/strategy-book.ts';
import { type Decimal, larger, toText, ZERO } from '../decimal.ts';
import type { Lanes } from '../execution/lanes.ts';
import type { StartLook } from '../execution/start-look.ts';
import { laneNamed } from '../execution/trade-run.ts';
import type { OnAlarm } from '../notifications/alarm.ts';
import type { OrderReport, StopKind, Venue, VenueStop } from '../venue.ts';
import { type ActedStopParts, ActedStops } from './acted-stops.ts';
import { CLOSES_UNPROTECTED, describeShare, STOP_WORDS, stopInWords } from './closings.ts';
import { HeadStart } from './head-start.ts';
import { RulesOfMarkets } from './market-rules.ts';
import type { Protection, Trigger } from './protection.ts';
import type { ProtectionBook } from './protection-book.ts';
import { StandingStops } from './standing-stops.ts';
import type { StopAlarms } from './stop-alarms.ts';
import { isAt, laneAt, marketAt, type Place, placeOf, sharesIn } from './stop-places.ts';
import { nextSteps, type StandingStop, type StopStep } from './stop-steps.ts';
import { StopsInTheWay } from './stops-in-the-way.ts';
import { UnknownStops } from './unknown-stops.ts';
import { CLOSE_UNPROTECTED_AFTER_MS, type UnprotectedPositions, UnprotectedShares } from './unprotected-shares.ts';
import type { ShownStop, StoredStop, VenueStopStore } from './venue-stop-store.ts';
import { isAsNear, levelNow, type StopFacts, type WantedStop, wantedStops } from './wanted-stops.ts';

/** What the desk hands in. */
export interface VenueStopParts extends Omit<ActedStopParts, 'onActed' | 'nowMs'> {
  readonly store: VenueStopStore;
  /** Whether stops are placed at venues; where they are not, those that are there are taken away. */
  readonly isOn: boolean;
  readonly unprotected: UnprotectedPositions;
  readonly venues: readonly Venue[];
  readonly lanes: Pick<Lanes, 'post' | 'postFirst'>;
  readonly onStanding?: OnAlarm | undefined;
}

interface Parts extends VenueStopParts {
  readonly book: Pick<ProtectionBook, 'get' | 'all'>;
  readonly positions: Pick<PositionBook, 'share' | 'sharesOf'>;
  readonly fire: (protection: Protection, trigger: Trigger, words?: string) => void;
  readonly newRequestId: () => string;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly onAlarm?: OnAlarm | undefined;
  readonly onAlarmOver?: ((kind: string) => void) | undefined;
  readonly alarms: StopAlarms;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Of one round in one market; whatever is left is done in the next. */
const MAX_STEPS = 40;
const KINDS = ['stop', 'take-profit'] as const;
/** Before its venue would end it a stop is placed anew: so long we may be away without one that ends meanwhile unseen. */
const RENEW_BEFORE_MS = 24 * 3_600_000;

export class VenueStops {
  /** For orders of the markets in which stops wait. */
  readonly inTheWay: StopsInTheWay;
  readonly #parts: Parts;
  readonly #acted: ActedStops;
  readonly #unprotected: UnprotectedShares;
  readonly #standing: StandingStops;
  readonly #unknown: UnknownStops;
  readonly #rules: RulesOfMarkets;
  readonly #headStart: HeadStart;
  /** Lanes in which a round waits for its turn. */
  readonly #queued = { post: new Set<string>(), postFirst: new Set<string>() };

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#unprotected = new UnprotectedShares({
      ...parts,
      olderStop: (share, kind) => this.#standing.forAllOf(share, kind, parts.positions.share(share)?.quantity ?? ZERO),
    });
    this.#acted = new ActedStops({ ...parts, onActed: (stop) => this.#tellActed(stop) });
    this.#standing = new StandingStops({
      ...{ ...parts, acted: this.#acted, unprotected: this.#unprotected },
      onBooked: (stop) => this.#closeRest(stop),
      onGone: (stop) => this.#noteGone(stop),
      onPassed: ({ protection, by, triggerPrice: level }) => {
        const now = parts.book.get(protection);
        if (now && !now.fired) parts.fire(now, { by, level });
        else if (now)
          this.#unprotected.note(protection, 'stop', 'the market has passed its price, and its close waits');
      },
    });
    this.#rules = new RulesOfMarkets(parts);
    this.#headStart = new HeadStart({
      ...{ ...parts, standing: this.#standing, rules: this.#rules },
      onLook: (place) => this.#queue(place, 'post'),
    });
    this.inTheWay = new StopsInTheWay({
      ...{ ...parts, standing: this.#standing },
      onMadeWay: (place) => this.#queue(place, 'postFirst'),
      lookAfter: (place, waiting) => this.#round(place, waiting),
    });
    this.#unknown = new UnknownStops({ ...parts, isKnown: (id) => this.#standing.get(id) !== undefined });
  }

  restore(): Promise<void> {
    return this.#standing.restore();
  }

  /** After recovery: before it, what a stop has closed must not be booked by a round. */
  async start(): Promise<void> {
    for (const venue of this.#parts.venues)
      venue.stops?.watchEnded?.(({ clientStopId, market }) =>
        this.noteOrder(venue, { clientOrderId: clientStopId, market }),
      );
    await this.sweep();
  }

  /** What has acted while nobody looked is written into the journal, where recovery finds it. Call before that. */
  async lookUp(look: StartLook): Promise<void> {
    await Promise.all(
      this.#parts.venues.map((venue) =>
        this.#lookUpAt(venue, look).catch((error) =>
          this.#parts.onTrouble(`the stops at ${accountInWords(venue)} cannot be looked up`, error),
        ),
      ),
    );
  }

  /** Those that wait are told in one answer; only the others are asked about one by one. What is late says nothing of now. */
  async #lookUpAt(venue: Venue, look: StartLook): Promise<void> {
    const ours = this.#standing.all().filter(({ stored }) => isAt(venue, stored.share));
    if (venue.stops === undefined || ours.length === 0) return;
    for (const stop of ours) await this.#standing.recall(venue.stops, stop);
    const waiting = new Set((await venue.stops.waiting()).map((stop) => stop.clientStopId));
    for (const stop of ours) {
      if (look.isOver) return;
      const { share, clientStopId } = stop.stored;
      stop.isToLook = !waiting.has(clientStopId);
      if (!stop.isToLook) stop.phase = 'waiting';
      const found = stop.isToLook ? await venue.stops.find(share.market, clientStopId) : undefined;
      if (look.isOver || !found?.found || found.stop.state !== 'sent') continue;
      stop.phase = 'sent';
      await this.#acted.lookUp(venue, stop.stored, look);
    }
  }

  /** What the venue guards of a share, or may guard; undefined where it keeps no stops. */
  of(share: ShareName): readonly ShownStop[] | undefined {
    if (this.#placeOf(share) === undefined) return undefined;
    return this.#standing.of(share).map(({ stored, phase }) => ({ ...stored, isKnown: phase !== 'in doubt' }));
  }

  /** Runs inside the books, in the lane: the stops of a fill are placed before the next order of its market. */
  noteChange(shares: readonly StrategyBook[]): void {
    for (const share of shares) {
      if (share.quantity === ZERO) for (const kind of KINDS) this.#unprotected.over(share, kind);
      const place = this.#placeOf(share);
      if (place && (this.#standing.in(place).length > 0 || this.#protectionsIn(place).length > 0))
        this.#queue(place, 'postFirst');
    }
  }

  /** Once a second: what is not as it should be is seen to in its lane. */
  look(): void {
    for (const { share, kind } of this.#unprotected.all())
      if (!this.#isWanted(share, kind)) this.#unprotected.over(share, kind);
    const stops = this.#standing.all();
    for (const stop of stops) if (stop.phase !== 'waiting') stop.isToLook = true;
    const places = new Map<string, Place>();
    for (const share of [...this.#parts.book.all(), ...stops.map(({ stored }) => stored.share)]) {
      const place = this.#placeOf(share);
      if (place) places.set(laneAt(place), place);
    }
    for (const place of places.values())
      if (this.#rules.isToRead(place) || this.#steps(place).length > 0) this.#queue(place, 'post');
    this.#unprotected.look(this.#missing());
    if (this.#parts.unprotected === 'close') this.#closeUnprotected();
  }

  /** What is held and should have a stop, where none for all of it is known to stand; of what is being closed too. */
  #missing(): readonly Protection[] {
    const { book, positions, isOn } = this.#parts;
    if (!isOn) return [];
    const known = new Map<string, Decimal>();
    for (const { stored, phase } of this.#standing.all())
      if (stored.kind === 'stop' && phase !== 'in doubt')
        known.set(shareInWords(stored.share), larger(stored.quantity, known.get(shareInWords(stored.share)) ?? ZERO));
    return book.all().filter((protection) => {
      const key = shareInWords(protection);
      const held = positions.share(protection)?.quantity ?? ZERO;
      const standing = known.get(key) ?? ZERO;
      const place = this.#placeOf(protection);
      if (place === undefined || held <= standing) return false;
      const wanted = this.#wantedIn(place, () => true);
      // Before the rules of its market are known, as right after a start, any level counts.
      if (wanted === undefined) return standing === ZERO && levelNow(protection, 'stop', 1n as Decimal) !== undefined;
      const stop = wanted.find(({ kind, protection: of }) => kind === 'stop' && shareInWords(of) === key);
      return stop !== undefined && stop.quantity > standing;
    });
  }

  /** Once a minute: what the venues have is compared with what we know. */
  async sweep(): Promise<void> {
    const { venues, lanes } = this.#parts;
    await Promise.all(
      venues.map(async (venue) => {
        if (venue.stops === undefined) return;
        const known = this.#standing.all().filter(({ stored }) => isAt(venue, stored.share));
        const waiting = await venue.stops.waiting();
        const ids = new Set(waiting.map((stop) => stop.clientStopId));
        for (const stop of known) if (!ids.has(stop.stored.clientStopId)) stop.isToLook = true;
        const unknown = waiting.filter((stop) => this.#standing.get(stop.clientStopId) === undefined);
        this.#unknown.keepOnly(venue, unknown);
        for (const stop of unknown) lanes.post(laneNamed(venue, stop.market), () => this.#lookAtUnknown(venue, stop));
      }),
    );
  }

  /** The venue tells of an order that a stop has sent, or that there will be none. */
  noteOrder(venue: Venue, { clientOrderId, market }: Pick<OrderReport, 'clientOrderId' | 'market'>): void {
    const stop = this.#standing.get(clientOrderId);
    if (stop === undefined || venue.stops === undefined) return;
    stop.isToLook = true;
    this.#queue({ venue, stops: venue.stops, market }, 'post');
  }

  /** Whether our own guard, which has seen this level reached, lets the venue's stop go first. */
  isWaitedFor(protection: Protection, trigger: Trigger): boolean {
    return this.#headStart.isRunning(protection, trigger);
  }

  /** Runs in the lane, or while `waiting` does in it. Never rejects. */
  async #round(place: Place, waiting?: Trade): Promise<void> {
    const tried = new Set<StandingStop>();
    try {
      await this.#rules.read(place);
      for (let count = 0; count < MAX_STEPS; count++) {
        const step = this.#steps(place, waiting).find((each) => each.do === 'place' || !tried.has(each.stop));
        if (step === undefined) return;
        if (step.do === 'remove') tried.add(step.stop);
        await this.#take(place, step);
      }
    } catch (error) {
      this.#parts.onTrouble(
        `the stops of ${place.market} at ${accountInWords(place.venue)} could not be looked after`,
        error,
      );
    }
  }

  async #take(place: Place, step: StopStep): Promise<void> {
    if (step.do === 'place') return this.#standing.place(place, step.wanted);
    const what = step.do === 'look' ? 'looked at' : 'taken away';
    const work = step.do === 'look' ? this.#standing.check(place, step.stop) : this.#standing.remove(place, step.stop);
    await work.catch((error) =>
      this.#parts.onTrouble(`the stop ${stopInWords(step.stop.stored)} could not be ${what}`, error),
    );
  }

  #steps(place: Place, waiting?: Trade): readonly StopStep[] {
    const { book, monotonicMs, nowMs } = this.#parts;
    const { livesForMs = Number.POSITIVE_INFINITY } = place.stops;
    const isCloseHeldUp = ({ closeRequestId }: Protection): boolean => closeRequestId === waiting?.requestId;
    return nextSteps({
      standing: this.#standing.in(place),
      wanted: this.#wantedIn(place, isCloseHeldUp) ?? [],
      isClosing: (share) => book.get(share)?.fired !== undefined,
      mayPlace: ({ protection, kind }) => this.#unprotected.mayTry(protection, kind),
      isEnding: ({ createdAtMs }) => nowMs() - createdAtMs > livesForMs - RENEW_BEFORE_MS,
      nowMs: monotonicMs(),
    });
  }

  /** Undefined while the rules of the market are not known. */
  #wantedIn(place: Place, isCloseHeldUp?: StopFacts['isCloseHeldUp']): readonly WantedStop[] | undefined {
    const { positions, isOn } = this.#parts;
    const rules = this.#rules.of(place);
    const shares = sharesIn(positions, marketAt(place.venue, place.market));
    return rules && (isOn ? wantedStops(this.#protectionsIn(place), { ...rules, shares, isCloseHeldUp }) : []);
  }

  /** Whether there should be such a stop, as far as that can be said; a share that is being closed should have had it. */
  #isWanted(share: ShareName, kind: StopKind): boolean {
    const place = this.#placeOf(share);
    const wanted = place && this.#wantedIn(place);
    if (wanted === undefined || this.#parts.book.get(share)?.fired) return true;
    return wanted.some((each) => each.kind === kind && shareInWords(each.protection) === shareInWords(share));
  }

  /** In front of all that waits in the lane, or behind it. */
  #queue(place: Place, how: 'post' | 'postFirst'): void {
    const lane = laneAt(place);
    if (this.#queued[how].has(lane)) return;
    this.#queued[how].add(lane);
    this.#parts.lanes[how](lane, () => {
      this.#queued[how].delete(lane);
      return this.#round(place);
    });
  }

  /** A stop has closed its part: where its level still counts, what is left of the share is closed by us, at once. */
  #closeRest({ share, kind, by, triggerPrice }: StoredStop): void {
    const { book, positions, fire } = this.#parts;
    const place = this.#placeOf(share);
    const tick = place && this.#rules.of(place)?.market.tickSize;
    const protection = book.get(share);
    const isHeld = (positions.share(share)?.quantity ?? ZERO) > ZERO;
    if (protection === undefined || protection.fired || !isHeld) return;
    const now = levelNow(protection, kind, tick ?? (1n as typeof ZERO));
    if (now !== undefined && isAsNear(share.side, kind, now, triggerPrice))
      fire(protection, { by, level: triggerPrice });
  }

  /** Where it is still wanted the owner is told, and it is placed again after a pause: a venue may drop that one too. */
  #noteGone({ share, kind }: StoredStop): void {
    const { book, positions } = this.#parts;
    const protection = book.get(share);
    const isHeld = (positions.share(share)?.quantity ?? ZERO) > ZERO;
    const hasOther = this.#standing.of(share).some(({ stored }) => stored.kind === kind);
    if (protection && !protection.fired && isHeld && !hasOther)
      this.#unprotected.note(share, kind, 'it was canceled or dropped there');
  }

  #closeUnprotected(): void {
    for (const protection of this.#parts.book.all()) {
      if (protection.fired || !this.#unprotected.isTooLong(protection, 'stop')) continue;
      const why = `had no stop at the venue for ${CLOSE_UNPROTECTED_AFTER_MS / 1000} seconds and is being closed (${CLOSES_UNPROTECTED})`;
      this.#parts.fire(protection, { by: 'stop-loss' }, `${describeShare(protection)} ${why}`);
    }
  }

  /** Runs in the lane and never rejects. */
  async #lookAtUnknown(venue: Venue, stop: VenueStop): Promise<void> {
    await this.#unknown
      .look(venue, stop)
      .catch((error) => this.#parts.onTrouble(`the unknown stop ${stop.clientStopId} could not be looked at`, error));
  }

  #tellActed({ share, by, triggerPrice }: StoredStop): void {
    const what = `${describeShare(share)} reached its ${STOP_WORDS[by]} at ${toText(triggerPrice)}, and the venue closes it`;
    this.#parts.alarms.raise(share, by, what);
  }

  #placeOf(where: MarketName): Place | undefined {
    return placeOf(this.#parts.venues, where);
  }

  #protectionsIn({ venue, market }: Place): readonly Protection[] {
    return this.#parts.book.all().filter((each) => isAt(venue, each) && each.market === market);
  }
}
