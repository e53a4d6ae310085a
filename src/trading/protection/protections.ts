// The protections of all shares of positions: made by entries or by the owner, watched every second, gone with their share.

import type { Timers } from '../../timing/timers.ts';
import { withTimeout } from '../../timing/with-timeout.ts';
import type { PricesOf } from '../account-prices.ts';
import { type Accounts, accountInWords } from '../accounts.ts';
import { isFinal, type Journal, type Trade } from '../books/journal.ts';
import { keyInWords } from '../books/position.ts';
import type { PositionBook, PositionChange } from '../books/position-book.ts';
import { type ShareName, type ShortShareName, shareInWords } from '../books/strategy-book.ts';
import { type Decimal, plus, ZERO } from '../decimal.ts';
import type { FilledEntry } from '../execution/order-costs.ts';
import { atLeastOneTick } from '../fixed-levels.ts';
import { type Patience, patienceUnder } from '../leases.ts';
import type { OnAlarm } from '../notifications/alarm.ts';
import type { Whose } from './change-refusals.ts';
import { changedStops } from './changed-stops.ts';
import type { Closer, FoundTrade } from './close-position.ts';
import { Closings } from './closings.ts';
import { lookAtMarket, type TradedPrices } from './look-at-market.ts';
import { type AskedChange, stillAsked } from './named-parts.ts';
import { asFilled, asPrices, newProtection, type Start, withAsked, withFills } from './new-protection.ts';
import { asksTicks, type Changed, OwnerChanges, type Reach, type StopChange } from './owner-changes.ts';
import { type LateProtection, PendingStops, shareOf } from './pending-stops.ts';
import { guardsNothing, type Protection } from './protection.ts';
import { ProtectionBook } from './protection-book.ts';
import type { PendingStop, ProtectionStore } from './protection-store.ts';
import { rememberRanges } from './remembered-ranges.ts';
import { StopAlarms } from './stop-alarms.ts';
import type { ShownStop, StoredStop, VenueStopStore } from './venue-stop-store.ts';
import { type VenueStopParts, VenueStops } from './venue-stops.ts';
import { createWatch, type Watch } from './watch.ts';

export interface ProtectionParts {
  readonly store: ProtectionStore;
  readonly pricesOf: PricesOf<TradedPrices>;
  readonly positions: Pick<PositionBook, 'share' | 'sharesOf' | 'watch'>;
  readonly closer: Closer;
  /** Stops that venues keep; absent where none does. */
  readonly atVenue?: VenueStopParts | undefined;
  /** What was placed at venues, for whoever only looks. */
  readonly placedStops?: Pick<VenueStopStore, 'load'> | undefined;
  readonly accounts: Pick<Accounts, 'find' | 'has'>;
  readonly newRequestId: () => string;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly timers: Timers;
  readonly patience?: Patience | undefined;
  readonly onAlarm?: OnAlarm | undefined;
  readonly onAlarmOver?: ((kind: string) => void) | undefined;
  readonly onTrouble: (what: string, error: unknown) => void;
  /** Told of every change that the owner has made. */
  readonly onChange?: ((change: StopChange) => void) | undefined;
}

/** A start waits this long for the ticks of venues; what needs one that came later is protected by the next sweep. */
const LEARN_TICKS_MS = 2000;
/** For looks that wait for a market, and for closes that are being given to their lanes; each. */
const STOP_TIMEOUT_MS = 3000;

const notKnown = (stop: StoredStop): ShownStop => ({ ...stop, isKnown: false });

const SWEEP_FAILED = 'the stops at the venues could not be listed';

export class Protections {
  /** Undefined where no venue keeps stops. */
  readonly venueStops: VenueStops | undefined;
  readonly #parts: ProtectionParts;
  readonly #book: ProtectionBook;
  readonly #closings: Closings;
  readonly #alarms: StopAlarms;
  readonly #pending: PendingStops;
  readonly #owner: OwnerChanges;
  readonly #watch: Watch;
  /** Loaded although their position is not there: the entry that asked for them has not told its fill yet. */
  readonly #unconfirmed = new Set<Protection>();
  /** Their market is being read, which may take long; until then they are not looked at again. */
  readonly #busy = new Set<Protection>();
  /** Only a desk that trades tidies up: on the folder of a stopped instance nothing changes by being looked at. */
  #isTrading = false;
  /** What the last process has placed at venues, for a desk that only looks. */
  #placed: readonly StoredStop[] = [];

  constructor(parts: ProtectionParts) {
    const { store, positions, closer, onTrouble } = parts;
    this.#parts = parts;
    this.#book = new ProtectionBook(store, onTrouble);
    this.#alarms = new StopAlarms(parts);
    const own = { book: this.#book, alarms: this.#alarms };
    this.#closings = new Closings({ ...parts, ...own, positionOf: (share) => positions.share(share) });
    this.venueStops =
      parts.atVenue &&
      new VenueStops({
        ...{ ...parts, ...parts.atVenue, ...own },
        fire: (protection, trigger, words) => this.#closings.fire(protection, trigger, words),
      });
    this.#pending = new PendingStops({ store, find: closer.find, onTrouble });
    this.#owner = new OwnerChanges({
      ...{ ...parts, book: this.#book, pending: this.#pending, unfinished: closer.unfinished },
      lookAt: (each) => this.#lookAt(each, parts.pricesOf(each)),
      sweep: () => this.#sweepPending('running'),
    });
    this.#watch = createWatch({ ...parts, look: () => this.look(), sweep: () => this.#sweep() });
    positions.watch((change) => this.#noteChange(change));
  }

  /** Wraps `accept`, so that the stops an entry asks for are known before it can fill; the journal stores them. */
  before(journal: Pick<Journal, 'accept'>): Pick<Journal, 'accept'> {
    return this.#pending.before(journal);
  }

  /** The stops that an entry asked for and that wait for its fill. */
  waitingOf(requestId: string): PendingStop | undefined {
    return this.#pending.get(requestId);
  }

  /** The stops that wait for the fill of their entry; those whose entry has ended meanwhile are gone first. */
  async waiting(): Promise<readonly PendingStop[]> {
    if (this.#isTrading) await this.#sweepPending('running');
    return this.#pending.all().flatMap((stop) => this.#toCome(stop) ?? []);
  }

  /** Reads what the last process left, to be looked at. */
  async restore(): Promise<void> {
    const { store, accounts, placedStops } = this.#parts;
    const { protections, pending } = await store.load();
    for (const stop of pending) this.#pending.restore(stop);
    // Where its account is not traded now it waits until that one is used again. Whoever only looks may have other settings.
    for (const protection of protections)
      if (!this.#isTrading || accounts.has(protection)) this.#book.restore(protection);
    await this.venueStops?.restore();
    if (!this.#isTrading) this.#placed = (await placedStops?.load()) ?? [];
  }

  /** Takes up what the last process left. Call before trades are recovered; `start` after that. */
  async load(): Promise<void> {
    this.#isTrading = true;
    await this.restore();
    const ticks = this.#pending.all().map(({ share }) => share && this.#learnTick(share));
    const { patience = patienceUnder(undefined), timers } = this.#parts;
    await withTimeout(Promise.all(ticks), patience(LEARN_TICKS_MS), () => undefined, timers);
    for (const protection of this.#book.all()) await this.#catchUp(protection);
    for (const protection of this.#book.all()) await this.#confirm(protection);
    await this.#sweepPending('start');
  }

  start(): void {
    this.#watch.start();
    this.venueStops?.start().catch((error) => this.#parts.onTrouble(SWEEP_FAILED, error));
  }

  async stop(): Promise<void> {
    await this.#watch.stop(STOP_TIMEOUT_MS);
    await this.#closings.settled(STOP_TIMEOUT_MS);
    await this.#book.flush('all');
  }

  /** Resolves when no position is being closed by its stop; one that is to be tried again waits for the next look. */
  idle(): Promise<void> {
    return this.#closings.idle();
  }

  /** Sorted by key. */
  list(): readonly Protection[] {
    return [...this.#book.all()].sort((a, b) => (shareInWords(a) < shareInWords(b) ? -1 : 1));
  }

  /** Keys of those that trail. */
  activeTrailingStops(): readonly string[] {
    const trailing = this.list().filter(({ trail }) => trail !== undefined);
    return [...new Set(trailing.map(keyInWords))];
  }

  /** Which of a share's stops stand at its venue too, or may; undefined where that keeps none. */
  stopsAtVenue(share: ShareName): readonly ShownStop[] | undefined {
    if (this.#isTrading || this.venueStops) return this.venueStops?.of(share);
    // On the folder of a stopped instance nobody asks a venue: there is what the last process has placed.
    if (share.mode === 'paper') return undefined;
    return this.#placed.filter((stop) => shareInWords(stop.share) === shareInWords(share)).map(notKnown);
  }

  get(share: ShortShareName): Protection | undefined {
    return this.#book.get(share);
  }

  /** What the fill of an entry would change of the stops of what its share holds, in words; undefined where nothing. */
  changedStops(trade: Trade, entry: FilledEntry): string | undefined {
    const share = shareOf(trade);
    return changedStops(share, this.#parts.positions.share(share), this.#book.get(share), entry);
  }

  /** What is given takes the place of what was there; the rest stays. On disk when it resolves; rejects when it cannot be. */
  set(where: Whose, change: AskedChange, by = 'owner', reach: Reach = 'waiting-too'): Promise<Changed> {
    return this.#owner.set(where, change, by, reach);
  }

  /** Undefined when there is none. Off the disk when it resolves; rejects when it cannot be. */
  remove(where: Whose, by = 'owner', reach: Reach = 'waiting-too'): Promise<Changed | undefined> {
    return this.#owner.remove(where, by, reach);
  }

  /** Looks at every market once; the watch does so every second. */
  async look(): Promise<void> {
    const pricesOf = rememberRanges(this.#parts.pricesOf);
    const looks = this.#book.all().map(async (protection) => {
      if (protection.fired) return this.#closings.goOn(protection);
      if (this.#heldOf(protection) === ZERO || this.#busy.has(protection)) return;
      this.#busy.add(protection);
      await this.#lookAt(protection, pricesOf(protection)).finally(() => this.#busy.delete(protection));
    });
    await Promise.all(looks);
    this.venueStops?.look();
    await this.#book.flush('due');
  }

  async #lookAt(protection: Protection, prices: TradedPrices): Promise<void> {
    const { after, trigger, fault } = await lookAtMarket(protection, prices, this.#parts.nowMs());
    this.#watch.noteFault(whereInWords(protection), fault);
    // Not moved on: the next look finds the level reached again, until the venue has acted or has had its time.
    if (trigger && this.#book.get(protection) === protection && this.venueStops?.isWaitedFor(after, trigger)) return;
    // Closed, changed or taken away while the market was read: then this look was at something else.
    if (!this.#book.move(protection, after)) return;
    if (trigger) this.#closings.fire(after, trigger);
  }

  async #sweep(): Promise<void> {
    await this.#sweepPending('running');
    for (const protection of [...this.#unconfirmed]) await this.#confirm(protection);
    await this.venueStops?.sweep();
  }

  #sweepPending(when: 'start' | 'running'): Promise<void> {
    return this.#pending.sweep((stop, trade) => this.#protectLate(stop, trade), when);
  }

  #heldOf(share: ShareName): Decimal {
    return this.#parts.positions.share(share)?.quantity ?? ZERO;
  }

  /** Runs inside the books, in the lane: what it decides is decided before the next order of that market. */
  #noteChange(change: PositionChange): void {
    this.#follow(change);
    this.venueStops?.noteChange(change.shares);
  }

  #follow({ shares, by }: PositionChange): void {
    for (const share of shares) {
      const known = share.quantity === ZERO ? this.#book.get(share) : undefined;
      if (known) this.#book.remove(known);
      if (share.quantity === ZERO) this.#alarms.over(share);
    }
    if (by === undefined || by.added <= ZERO) return;
    const { trade, report, added, price } = by;
    const stop = this.#pending.get(trade.requestId);
    if (stop === undefined) {
      const known = this.#book.get(shareOf(trade));
      if (known?.origin === trade.requestId) this.#book.put(withFills(known, added, price));
      return;
    }
    const lastFillMs = report.fills.reduce((latest, { atMs }) => Math.max(latest, atMs), 0);
    const firstFillMs = report.fills.reduce((first, { atMs }) => Math.min(first, atMs), lastFillMs);
    const atMs = Math.min(this.#parts.nowMs(), lastFillMs);
    this.#protect(stop, shareOf(trade), { price, filled: added, atMs, sinceMs: Math.min(atMs, firstFillMs) });
  }

  /** Turns a pending stop into the protection of its share. False: it cannot be measured now and stays pending. */
  #protect(stop: PendingStop, share: ShareName, fill: FirstFill): boolean {
    const { nowMs, newRequestId } = this.#parts;
    const { requestId: origin } = stop;
    const before = this.#book.get(share);
    const asked = stillAsked(stop, before?.named);
    const tick = this.#tickOf(share);
    if (tick === undefined && asksTicks(asked)) {
      void this.#learnTick(share);
      return false;
    }
    const { price, atMs, filled } = fill;
    const held = this.#heldOf(share);
    const basis = {
      ...{ price, filled, tick: tick ?? ZERO },
      quantity: before?.basis === undefined || asked.targets ? held : plus(before.basis.quantity, filled),
      sinceMs: before?.basis === undefined || asked.maxHoldSeconds !== undefined ? fill.sinceMs : before.basis.sinceMs,
    };
    const start: Start = { price, atMs, basis };
    const made = () => ({ createdAtMs: nowMs(), origin, seenUntilMs: atMs, closeRequestId: newRequestId() });
    // Where the owner has named all of it since, the entry is like one without stops.
    const changed =
      before && Object.keys(asked).length === 0
        ? before
        : { ...withAsked(before ? asPrices(before) : newProtection(share, made()), asked, start), origin };
    this.#book.put(atLeastOneTick(changed, basis.tick), origin);
    this.#pending.settle(origin);
    return true;
  }

  /** What a fill would bring as things stand; undefined where the owner has named all of it since. */
  #toCome(stop: PendingStop): PendingStop | undefined {
    const asked = stillAsked(stop, stop.share && this.#book.get(stop.share)?.named);
    return guardsNothing(asked) ? undefined : { ...stop, asked };
  }

  /** Its fill is on disk and the protection is not, because the process ended or the store failed: better late than never. */
  #protectLate(stop: PendingStop, trade: FoundTrade): LateProtection {
    const { accounts, nowMs, positions } = this.#parts;
    const share = shareOf(trade);
    if (!accounts.has(share)) return 'later';
    if (this.#heldOf(share) === ZERO || this.#book.get(share)?.origin === stop.requestId) return 'nothing-held';
    const {
      averagePrice = positions.share(share)?.entryPrice ?? ZERO,
      executedQuantity,
      firstFillMs = nowMs(),
    } = trade;
    const fill = { price: averagePrice, filled: executedQuantity, atMs: nowMs(), sinceMs: firstFillMs };
    return this.#protect(stop, share, fill) ? 'protected' : 'later';
  }

  #tickOf({ exchange, account, market }: ShareName): Decimal | undefined {
    return this.#parts.accounts.find(exchange, account)?.tickOf(market);
  }

  /** So that it is at hand when the entry fills; a venue that cannot be asked now is asked again by the next sweep. */
  async #learnTick(share: ShareName): Promise<void> {
    if (this.#tickOf(share) !== undefined) return;
    await this.#parts.accounts
      .find(share.exchange, share.account)
      ?.market(share.market)
      .catch(() => undefined);
  }

  /** What its entry had filled when the last process ended, of which that may not have written what follows for the stops. */
  async #catchUp(protection: Protection): Promise<void> {
    const { origin, fired } = protection;
    const entry = origin === undefined || fired ? undefined : await this.#parts.closer.find(origin);
    const after = entry && asFilled(protection, entry);
    if (after && after !== protection) this.#book.put(after);
  }

  /** Gone with its share, unless the entry that made it has yet to tell its fill. */
  async #confirm(protection: Protection): Promise<void> {
    if (this.#heldOf(protection) > ZERO) return void this.#unconfirmed.delete(protection);
    const entry = protection.origin === undefined ? undefined : await this.#parts.closer.find(protection.origin);
    if (entry && !isFinal(entry.state)) return void this.#unconfirmed.add(protection);
    this.#unconfirmed.delete(protection);
    if (this.#heldOf(protection) === ZERO && this.#book.get(protection) === protection) this.#book.remove(protection);
  }
}

/** The market, and whose: paper accounts see all markets through one source, the others each through its own venue. */
const whereInWords = (share: ShareName): string =>
  share.mode === 'paper' ? share.market : `${share.market} on ${accountInWords(share)} (${share.mode})`;

/** The first fills of an entry: their average, how much they were, and from when on the market counts. */
interface FirstFill {
  readonly price: Decimal;
  readonly filled: Decimal;
  readonly atMs: number;
  readonly sinceMs: number;
}
