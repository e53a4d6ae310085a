// The protections of all positions: made by entries or by the owner, watched every second, gone with their position.

import type { Timers } from '../../timing/timers.ts';
import { type Accounts, accountInWords } from '../accounts.ts';
import { isFinal, type Journal, type Trade } from '../books/journal.ts';
import { keyInWords, type PositionName, type ShortName } from '../books/position.ts';
import type { PositionBook, PositionChange } from '../books/position-book.ts';
import { decimal, ZERO } from '../decimal.ts';
import { accountOf } from '../execution/trade-run.ts';
import type { OnAlarm } from '../notifications/alarm.ts';
import type { Closer } from './close-position.ts';
import { Closings } from './closings.ts';
import { lookAtMarket, type TradedPrices } from './look-at-market.ts';
import { newProtection, type Start, withLevels } from './new-protection.ts';
import { PendingStops } from './pending-stops.ts';
import type { Levels, Protection } from './protection.ts';
import { ProtectionBook } from './protection-book.ts';
import type { PendingStop, ProtectionStore } from './protection-store.ts';
import { trailingLevel } from './stop-rules.ts';
import { createWatch, type Watch } from './watch.ts';

export interface ProtectionParts {
  readonly store: ProtectionStore;
  readonly prices: TradedPrices;
  readonly positions: Pick<PositionBook, 'get' | 'watch'>;
  readonly closer: Closer;
  readonly accounts: Pick<Accounts, 'find' | 'has'>;
  readonly newRequestId: () => string;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly timers: Timers;
  readonly onAlarm?: OnAlarm | undefined;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** `conflict` says in words what stands in the way. */
export type Changed = { readonly protection: Protection; readonly isNew: boolean } | { readonly conflict: string };

/** For looks that wait for a market, and for closes that are being given to their lanes; each. */
const STOP_TIMEOUT_MS = 3000;

export class Protections {
  readonly #parts: ProtectionParts;
  readonly #book: ProtectionBook;
  readonly #closings: Closings;
  readonly #pending: PendingStops;
  readonly #watch: Watch;
  /** Loaded although their position is not there: the entry that asked for them has not told its fill yet. */
  readonly #unconfirmed = new Set<Protection>();
  /** Their market is being read, which may take long; until then they are not looked at again. */
  readonly #busy = new Set<Protection>();

  constructor(parts: ProtectionParts) {
    const { store, positions, closer, nowMs, onTrouble } = parts;
    this.#parts = parts;
    this.#book = new ProtectionBook(store, onTrouble);
    this.#closings = new Closings({ ...parts, book: this.#book, positionOf: (name) => positions.get(name) });
    this.#pending = new PendingStops({ store, find: closer.find, nowMs, onTrouble });
    this.#watch = createWatch({ ...parts, look: () => this.look(), sweep: () => this.#sweep() });
    positions.watch((change) => this.#noteChange(change));
  }

  /** Wraps `accept`, so that the stops an entry asks for are known before it can fill; the journal stores them. */
  before(journal: Pick<Journal, 'accept'>): Pick<Journal, 'accept'> {
    return this.#pending.before(journal);
  }

  /** The levels that an entry asked for and that wait for its fill. */
  askedBy(requestId: string): Levels | undefined {
    return this.#pending.get(requestId)?.levels;
  }

  /** Takes up what the last process left. Call before trades are recovered; `start` after that. */
  async load(): Promise<void> {
    const { store, accounts } = this.#parts;
    const { protections, pending } = store.load();
    for (const stop of pending) this.#pending.restore(stop);
    for (const protection of protections) {
      // Its account is not traded now: it waits until that one is used again.
      if (!accounts.has(protection)) continue;
      this.#book.restore(protection);
      await this.#confirm(protection);
    }
    await this.#pending.sweep((stop, trade) => this.#protectLate(stop, trade), 'start');
  }

  start(): void {
    this.#watch.start();
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
    return [...this.#book.all()].sort((a, b) => (keyInWords(a) < keyInWords(b) ? -1 : 1));
  }

  /** Keys of those that trail. */
  activeTrailingStops(): readonly string[] {
    return this.list()
      .filter(({ trail }) => trail !== undefined)
      .map(keyInWords);
  }

  /** What is given takes the place of what was there; the rest stays. On disk when it resolves; rejects when it cannot be. */
  async set(where: ShortName, levels: Levels): Promise<Changed> {
    const { prices, positions, accounts, nowMs } = this.#parts;
    const mode = accounts.find(where.exchange, where.account)?.mode;
    if (mode === undefined) return { conflict: noPosition(where) };
    const name = { ...where, mode };
    const price = await prices.lastPrice(name.market).then(decimal, () => undefined);
    const before = this.#book.get(name);
    const position = positions.get(name);
    if (position === undefined || position.quantity === ZERO) return { conflict: noPosition(name) };
    if (before?.fired) return { conflict: alreadyClosing(name) };
    if (levels.trail && trailingLevel(name.side, levels.trail, price ?? position.entryPrice) <= ZERO)
      return { conflict: 'trailAmount: is as much as the price itself, so the stop could never be reached; lower it' };
    const protection = this.#withLevels(name, levels, { price, atMs: nowMs() });
    await this.#save(protection, before);
    return { protection, isNew: before === undefined };
  }

  /** Undefined when there is none. Off the disk when it resolves; rejects when it cannot be. */
  async remove(where: ShortName): Promise<Changed | undefined> {
    const protection = this.#book.get(where);
    if (protection === undefined) return undefined;
    if (protection.fired) return { conflict: alreadyClosing(where) };
    this.#book.forget(protection);
    try {
      await this.#parts.store.write({ remove: [protection] });
    } catch (error) {
      if (this.#book.get(where) === undefined) this.#book.restore(protection);
      throw error;
    }
    return { protection, isNew: false };
  }

  /** Looks at every market once; the watch does so every second. */
  async look(): Promise<void> {
    const prices = rememberRanges(this.#parts.prices);
    const looks = this.#book.all().map(async (protection) => {
      if (protection.fired) return this.#closings.goOn(protection);
      if (!this.#isHeld(protection) || this.#busy.has(protection)) return;
      this.#busy.add(protection);
      await this.#lookAt(protection, prices).finally(() => this.#busy.delete(protection));
    });
    await Promise.all(looks);
    await this.#book.flush('due');
  }

  async #lookAt(protection: Protection, prices: TradedPrices): Promise<void> {
    const { after, trigger, fault } = await lookAtMarket(protection, prices, this.#parts.nowMs());
    this.#watch.noteFault(protection.market, fault);
    // Closed, changed or taken away while the market was read: then this look was at something else.
    if (!this.#book.move(protection, after)) return;
    if (trigger) this.#closings.fire(after, trigger);
  }

  async #sweep(): Promise<void> {
    await this.#pending.sweep((stop, trade) => this.#protectLate(stop, trade), 'running');
    for (const protection of [...this.#unconfirmed]) await this.#confirm(protection);
  }

  #isHeld(name: PositionName): boolean {
    return (this.#parts.positions.get(name)?.quantity ?? ZERO) > ZERO;
  }

  #withLevels(name: PositionName, levels: Levels, from: Start, origin?: string): Protection {
    const { nowMs, newRequestId } = this.#parts;
    const made = () => ({ createdAtMs: nowMs(), origin, seenUntilMs: from.atMs, closeRequestId: newRequestId() });
    return withLevels(this.#book.get(name) ?? newProtection(name, made()), levels, from);
  }

  /** In force first: whatever happens to the position while the disk is waited for then meets it. */
  async #save(protection: Protection, before: Protection | undefined): Promise<void> {
    this.#book.restore(protection);
    try {
      await this.#parts.store.write({ save: [protection] });
    } catch (error) {
      const present = this.#book.get(protection);
      // Closed or reached in the meantime: then it is as it should be.
      if (present === undefined || present.fired) throw error;
      if (before === undefined) this.#book.forget(present);
      else this.#book.restore(before);
      throw error;
    }
  }

  /** Turns a pending stop into the protection of its position. */
  #protect({ requestId, levels }: PendingStop, name: PositionName, from: Start): void {
    this.#book.put(this.#withLevels(name, levels, from, requestId), requestId);
    this.#pending.settle(requestId);
  }

  /** Runs inside the books, in the lane: what it decides is decided before the next order of that market. */
  #noteChange({ position, by }: PositionChange): void {
    const known = this.#book.get(position);
    if (position.quantity === ZERO) {
      if (known) this.#book.remove(known);
      return;
    }
    const stop = by === undefined || by.report.reduceOnly ? undefined : this.#pending.get(by.trade.requestId);
    if (by === undefined || stop === undefined) return;
    const { report } = by;
    const lastFillMs = report.fills.reduce((latest, { atMs }) => Math.max(latest, atMs), 0);
    const atMs = Math.min(this.#parts.nowMs(), lastFillMs);
    this.#protect(stop, position, { price: report.averagePrice ?? position.entryPrice, atMs });
  }

  /** Its fill was booked while the store failed: better late than never, and from the present on. */
  #protectLate(stop: PendingStop, trade: Trade): boolean {
    const { order, averagePrice } = trade;
    const { accounts, nowMs } = this.#parts;
    const account = accountOf(trade);
    if (!accounts.has(account)) return false;
    const side = order.action === 'LONG' ? 'LONG' : 'SHORT';
    const name = { ...account, market: order.market, side } as const;
    if (this.#isHeld(name) && this.#book.get(name)?.origin !== stop.requestId)
      this.#protect(stop, name, { price: averagePrice, atMs: nowMs() });
    return true;
  }

  /** Gone with its position, unless the entry that made it has yet to tell its fill. */
  async #confirm(protection: Protection): Promise<void> {
    if (this.#isHeld(protection)) return void this.#unconfirmed.delete(protection);
    const entry = protection.origin === undefined ? undefined : await this.#parts.closer.find(protection.origin);
    if (entry && !isFinal(entry.state)) return void this.#unconfirmed.add(protection);
    this.#unconfirmed.delete(protection);
    if (!this.#isHeld(protection) && this.#book.get(protection) === protection) this.#book.remove(protection);
  }
}

/** Several protections of one market look at the same stretch: it is read once. */
function rememberRanges(prices: TradedPrices): TradedPrices {
  const ranges = new Map<string, ReturnType<TradedPrices['range']>>();
  return {
    lastPrice: (market) => prices.lastPrice(market),
    range(market, fromMs, toMs) {
      const key = `${market} ${fromMs} ${toMs}`;
      const range = ranges.get(key) ?? prices.range(market, fromMs, toMs);
      ranges.set(key, range);
      return range;
    },
  };
}

const noPosition = (where: ShortName): string =>
  `there is no ${where.side.toLowerCase()} position in ${where.market} on ${accountInWords(where)} to protect; open it first, or send trailPercent with the entry`;

const alreadyClosing = (where: ShortName): string =>
  `the stop ${keyInWords(where)} was reached and the position is being closed; GET /trades shows it`;
