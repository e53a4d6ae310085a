// The protections of all positions: made by entries or by the owner, watched every second, gone with their position.

import { isFinal, type Journal, type Trade } from '../books/journal.ts';
import type { PositionBook, PositionChange } from '../books/position-book.ts';
import { type Decimal, decimal, ZERO } from '../decimal.ts';
import type { OnAlarm } from '../notifications/alarm.ts';
import type { Exchange } from '../signal.ts';
import type { VenueMode } from '../venue.ts';
import type { Closer } from './close-position.ts';
import { createClosings } from './closings.ts';
import { lookAtMarket, type TradedPrices } from './look-at-market.ts';
import { type Levels, type PositionName, type Protection, protectionKey } from './protection.ts';
import type { ProtectionStore, Wish } from './protection-store.ts';
import { createShelf } from './shelf.ts';
import { peakAfter, trailingLevel } from './stop-rules.ts';
import { createWatch, type Watch } from './watch.ts';
import { createWishes } from './wishes.ts';

export interface ProtectionParts {
  readonly store: ProtectionStore;
  readonly prices: TradedPrices;
  readonly book: Pick<PositionBook, 'get' | 'watch'>;
  readonly closer: Closer;
  readonly accountOf: (exchange: Exchange) => VenueMode;
  readonly newRequestId: () => string;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly onAlarm?: OnAlarm | undefined;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** `conflict` says in words what stands in the way. */
export type Changed = { readonly protection: Protection; readonly isNew: boolean } | { readonly conflict: string };

export interface Protections extends Pick<Watch, 'start' | 'look'> {
  stop(): Promise<void>;
  /** Stands before the journal, so that what an entry asks for is never lost. */
  before(journal: Pick<Journal, 'accept'>): Pick<Journal, 'accept'>;
  /** Takes up what the last process left. Call before trades are recovered; `start` after that. */
  load(): Promise<void>;
  /** The levels that an entry asked for and that wait for its fill. */
  askedBy(requestId: string): Levels | undefined;
  /** What is given takes the place of what was there; the rest stays. On disk when it resolves; rejects when it cannot be. */
  set(name: Omit<PositionName, 'account'>, levels: Levels): Promise<Changed>;
  /** Undefined when there is none. Off the disk when it resolves; rejects when it cannot be. */
  remove(name: Omit<PositionName, 'account'>): Promise<Changed | undefined>;
  /** Sorted by key. */
  list(): readonly Protection[];
  /** Keys of those that trail. */
  activeTrailingStops(): readonly string[];
}

export function createProtections(parts: ProtectionParts): Protections {
  const { store, prices, book, closer, accountOf, newRequestId, nowMs, onTrouble } = parts;
  const positionOf = (name: PositionName) => book.get(name);
  const shelf = createShelf(store, onTrouble);
  const closings = createClosings({ ...parts, shelf, positionOf });
  const wishes = createWishes({ store, find: closer.find, nowMs, onTrouble });
  /** Loaded although their position is not there: the entry that asked for them has not told its fill yet. */
  const unconfirmed = new Set<Protection>();
  /** Their market is being read, and may hang. */
  const busy = new Set<Protection>();

  const held = (name: PositionName): boolean => (book.get(name)?.quantity ?? ZERO) > ZERO;

  /** The trail begins anew from this price; other levels that are not given stay. */
  const withLevels = (name: PositionName, levels: Levels, from: Start): Protection => {
    const before = shelf.get(name);
    const { peak: _, activationPrice: __, ...kept } = before ?? fresh(name, from);
    if (levels.trail === undefined) return { ...(before ?? kept), ...levels };
    const changed: Protection = { ...kept, ...levels, seenUntilMs: from.atMs };
    const peak = from.price === undefined ? undefined : peakAfter(changed, from.price);
    return { ...changed, ...(peak !== undefined && { peak }) };
  };

  const fresh = ({ exchange, account, market, side }: PositionName, { atMs, origin }: Start): Protection => ({
    ...{ exchange, account, market, side },
    createdAtMs: nowMs(),
    ...(origin !== undefined && { origin }),
    seenUntilMs: atMs,
    closeRequestId: newRequestId(),
  });

  const grant = (wish: Wish, name: PositionName, from: Start): void => {
    shelf.put(withLevels(name, wish.levels, { ...from, origin: wish.requestId }), wish.requestId);
    wishes.granted(wish.requestId);
  };

  /** Runs inside the books, in the lane: what it decides is decided before the next order of that market. */
  const noteChange = ({ position, by }: PositionChange): void => {
    const known = shelf.get(position);
    if (position.quantity === ZERO) {
      if (known) shelf.remove(known);
      return;
    }
    const wish = by === undefined || by.report.reduceOnly ? undefined : wishes.get(by.trade.requestId);
    if (by === undefined || wish === undefined) return;
    const { report } = by;
    const lastFillMs = report.fills.reduce((latest, { atMs }) => Math.max(latest, atMs), 0);
    grant(wish, position, { price: report.averagePrice ?? position.entryPrice, atMs: Math.min(nowMs(), lastFillMs) });
  };

  /** Its fill was booked while the store failed: better late than never, and from the present on. */
  const grantLate = (wish: Wish, { order, account, averagePrice }: Trade): boolean => {
    if (account !== accountOf(order.exchange)) return false;
    const side = order.action === 'LONG' ? 'LONG' : 'SHORT';
    const name = { exchange: order.exchange, account, market: order.market, side } as const;
    if (held(name) && shelf.get(name)?.origin !== wish.requestId)
      grant(wish, name, { price: averagePrice, atMs: nowMs() });
    return true;
  };

  /** Gone with its position, unless the entry that made it has yet to tell its fill. */
  const confirm = async (protection: Protection): Promise<void> => {
    if (held(protection)) return void unconfirmed.delete(protection);
    const entry = protection.origin === undefined ? undefined : await closer.find(protection.origin);
    if (entry && !isFinal(entry.state)) return void unconfirmed.add(protection);
    unconfirmed.delete(protection);
    if (!held(protection) && shelf.get(protection) === protection) shelf.remove(protection);
  };

  const look = async (): Promise<void> => {
    const seen = rememberRanges(prices);
    const looks = shelf.all().map(async (protection) => {
      if (protection.fired) return closings.goOn(protection);
      if (!held(protection) || busy.has(protection)) return;
      busy.add(protection);
      await lookAt(protection, seen).finally(() => busy.delete(protection));
    });
    await Promise.all(looks);
    await shelf.flush('due');
  };

  const lookAt = async (protection: Protection, seen: TradedPrices): Promise<void> => {
    const { after, trigger, fault } = await lookAtMarket(protection, seen, nowMs());
    watch.noteFault(protection.market, fault);
    // Closed, changed or taken away while the market was read: then this look was at something else.
    if (!shelf.move(protection, after)) return;
    if (trigger) closings.fire(after, trigger);
  };

  const sweep = async (): Promise<void> => {
    await wishes.sweep(grantLate, 'running');
    for (const protection of [...unconfirmed]) await confirm(protection);
  };

  const watch = createWatch({ look, sweep, nowMs, monotonicMs: parts.monotonicMs, onTrouble });
  book.watch(noteChange);

  const list = (): readonly Protection[] =>
    [...shelf.all()].sort((a, b) => (protectionKey(a) < protectionKey(b) ? -1 : 1));

  return {
    before: wishes.before,
    askedBy: (requestId) => wishes.get(requestId)?.levels,
    async load() {
      const { protections, wishes: open } = store.load();
      for (const wish of open) wishes.restore(wish);
      for (const protection of protections) {
        // Made for another account of that venue: it waits until that one is used again.
        if (protection.account !== accountOf(protection.exchange)) continue;
        shelf.restore(protection);
        await confirm(protection);
      }
      await wishes.sweep(grantLate, 'start');
    },
    async set(where, levels) {
      const name = { ...where, account: accountOf(where.exchange) };
      const price = await prices.lastPrice(name.market).then(decimal, () => undefined);
      const before = shelf.get(name);
      const position = book.get(name);
      if (position === undefined || position.quantity === ZERO) return { conflict: noPosition(name) };
      if (before?.fired) return { conflict: alreadyClosing(name) };
      const from = { price, atMs: nowMs() };
      if (levels.trail && trailingLevel(name.side, levels.trail, price ?? position.entryPrice) <= ZERO)
        return {
          conflict: 'trailAmount: is as much as the price itself, so the stop could never be reached; lower it',
        };
      const protection = withLevels(name, levels, from);
      // In force first: whatever happens to the position while the disk is waited for then meets it.
      shelf.restore(protection);
      try {
        await store.write({ save: [protection] });
      } catch (error) {
        const present = shelf.get(name);
        // Closed or reached in the meantime: then it is as it should be.
        if (present === undefined || present.fired) throw error;
        if (before === undefined) shelf.forget(present);
        else shelf.restore(before);
        throw error;
      }
      return { protection, isNew: before === undefined };
    },
    async remove(where) {
      const protection = shelf.get(where);
      if (protection === undefined) return undefined;
      if (protection.fired) return { conflict: alreadyClosing(where) };
      shelf.forget(protection);
      try {
        await store.write({ remove: [protection] });
      } catch (error) {
        if (shelf.get(where) === undefined) shelf.restore(protection);
        throw error;
      }
      return { protection, isNew: false };
    },
    list,
    activeTrailingStops: () =>
      list()
        .filter(({ trail }) => trail !== undefined)
        .map(protectionKey),
    look: () => watch.look(),
    start: () => watch.start(),
    async stop() {
      await watch.stop(STOP_TIMEOUT_MS);
      await closings.settled(STOP_TIMEOUT_MS);
      await shelf.flush('all');
    },
  };
}

/** For looks that wait for a market, and for closes that are being given to their lanes; each. */
const STOP_TIMEOUT_MS = 3000;

/** From when on the market counts, and at which price. */
interface Start {
  readonly price?: Decimal | undefined;
  readonly atMs: number;
  readonly origin?: string;
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

type Where = Omit<PositionName, 'account'>;

const noPosition = ({ exchange, market, side }: Where): string =>
  `there is no ${side.toLowerCase()} position in ${market} on ${exchange} to protect; open it first, or send trailPercent with the entry`;

const alreadyClosing = (where: Where): string =>
  `the stop ${protectionKey(where)} was reached and the position is being closed; GET /trades shows it`;
