// What the owner does to protections: sets, moves and takes away stops of one strategy's share at a time, of what is open and of
// what waits for its fill. In force at once, and acknowledged when it is on disk.
//
// A share may be guarded and have entries that wait with stops of their own. What the owner sets then stands when they fill (see
// named-parts.ts), and what he takes away is taken from them too, in the same write. Where nothing is held yet, he changes what
// the entries that wait ask for, and gives stops to those that ask for none.

import { SerialQueues } from '../../timing/serial-queue.ts';
import type { PricesOf } from '../account-prices.ts';
import type { Accounts } from '../accounts.ts';
import type { Trade } from '../books/journal.ts';
import { keyInWords, type Position, type PositionName, type ShortName } from '../books/position.ts';
import type { PositionBook } from '../books/position-book.ts';
import { NAMELESS, type ShareName, shareInWords } from '../books/strategy-book.ts';
import { type Decimal, decimal, ZERO } from '../decimal.ts';
import { wrongSide } from '../fixed-levels.ts';
import type { ProtectRequest } from '../signal.ts';
import type { Venue } from '../venue.ts';
import {
  alreadyClosing,
  breakEvenAlone,
  NOTHING_ASKED,
  type NotChanged,
  noPosition,
  pick,
  type Whose,
  whichStrategy,
} from './change-refusals.ts';
import type { TradedPrices } from './look-at-market.ts';
import { type ChangeParts, makeChange, type WaitingStop } from './make-change.ts';
import { type AskedChange, askedWith, namedBy, takenAway } from './named-parts.ts';
import { newProtection, type Start, withAsked } from './new-protection.ts';
import { type Basis, guardsNothing, type Protection } from './protection.ts';
import type { PendingStop } from './protection-store.ts';
import { type WaitingEntry, waitingEntries, waitingFault, waitingFor } from './waiting-entries.ts';

/** `isGone`: the change took away the last of it. `waitingEntries`: so many entries of the share that wait are met by it too. */
export interface ChangedProtection {
  readonly protection: Protection;
  readonly isNew: boolean;
  readonly isGone?: boolean;
  readonly waitingEntries: number;
}

/** Nothing is held yet: as the first of the entries that wait asks for it now, or did where it is gone. */
export interface ChangedWaiting {
  readonly waiting: WaitingStop;
  readonly isGone: boolean;
  readonly waitingEntries: number;
}

export type Changed = ChangedProtection | ChangedWaiting | NotChanged;

/** Whether stops are meant also where only an entry waits. */
export type Reach = 'held' | 'waiting-too';

/** A change that is made: the audit keeps it, and a replay makes it again. */
export interface StopChange {
  readonly atMs: number;
  /** Who asked for it, in words. */
  readonly by: string;
  readonly share: ShareName;
  /** Absent: everything was taken away. */
  readonly change?: AskedChange;
}

export interface OwnerChangeParts extends ChangeParts {
  /** Told after a change is on disk. */
  readonly onChange?: ((change: StopChange) => void) | undefined;
  /** The trades whose end is not known: the entries that wait are among them. */
  readonly unfinished: () => Promise<readonly Trade[]>;
  readonly pricesOf: PricesOf<Pick<TradedPrices, 'lastPrice'>>;
  readonly positions: Pick<PositionBook, 'share' | 'sharesOf'>;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly newRequestId: () => string;
  readonly nowMs: () => number;
  /** Takes a protection through what was traded until now. */
  readonly lookAt: (protection: Protection) => Promise<void>;
}

export class OwnerChanges {
  readonly #parts: OwnerChangeParts;
  /** One change of a position after the other: a second one begins with what the first has left. */
  readonly #queues = new SerialQueues();

  constructor(parts: OwnerChangeParts) {
    this.#parts = parts;
  }

  /** What is given takes the place of what was there; the rest stays. On disk when it resolves; rejects when it cannot be. */
  set(where: Whose, change: AskedChange, by: string, reach: Reach): Promise<Changed> {
    return this.#queues.run(keyInWords(where), () => this.#set(where, change, by, reach));
  }

  /** Undefined when there is none. Off the disk when it resolves; rejects when it cannot be. */
  remove(where: Whose, by: string, reach: Reach): Promise<Changed | undefined> {
    return this.#queues.run(keyInWords(where), () => this.#remove(where, by, reach));
  }

  async #set(where: Whose, change: AskedChange, by: string, reach: Reach): Promise<Changed> {
    await this.#dropEnded(where);
    const { pricesOf, accounts, book, positions, lookAt, nowMs, onChange } = this.#parts;
    const venue = accounts.find(where.exchange, where.account);
    if (venue === undefined) return { conflict: noPosition(where), cause: 'no-position' };
    const position = { ...where, mode: venue.mode };
    const entries = reach === 'held' ? [] : waitingEntries(await this.#parts.unfinished(), position);
    const name = this.#shareOf(position, entries);
    if ('conflict' in name) return name;
    const tick = venue.tickOf(name.market) ?? (await tickAt(venue, name.market, change));
    const price = await pricesOf(name)
      .lastPrice(name.market)
      .then(decimal, () => undefined);
    // What was traded so far met the levels as they were.
    const present = book.get(name);
    if (present && !present.fired) await lookAt(present);
    // From here to the change nothing is waited for: an entry that fills now meets all of it or nothing.
    const [before, share, stops] = [book.get(name), positions.share(name), this.#pendingOf(name)];
    const atMs = nowMs();
    const isHeld = share !== undefined && share.quantity > ZERO;
    const waiting = reach === 'held' ? [] : waitingFor(name, stops, entries);
    if (!isHeld && waiting.length === 0) return { conflict: noPosition(where), cause: 'no-position' };
    if (before?.fired) return { conflict: alreadyClosing(name), cause: 'closing' };
    const changed = isHeld
      ? await this.#setHeld(name, change, stops, { price, atMs, basis: basisFor(before, change, share, tick, atMs) })
      : await this.#setWaiting(waiting, change, { entries, tick });
    if (!('conflict' in changed)) onChange?.({ atMs, by, share: name, change });
    return changed;
  }

  async #remove(where: Whose, by: string, reach: Reach): Promise<Changed | undefined> {
    const { nowMs, onChange, book, pending } = this.#parts;
    await this.#dropEnded(where);
    const isHere = (each: ShortName): boolean => keyInWords(each) === keyInWords(where);
    const guarded: readonly ShareName[] = book.all().filter(isHere);
    const waiting = reach === 'held' ? [] : pending.shares().filter(isHere);
    const found = pick(guarded, where.strategy) ?? pick(waiting, where.strategy);
    if (found === 'several') return whichStrategy(where, guarded.length > 0 ? guarded : waiting);
    if (found === undefined) return undefined;
    const [before, stops] = [book.get(found), this.#pendingOf(found)];
    if (before?.fired) return { conflict: alreadyClosing(before), cause: 'closing' };
    const atMs = nowMs();
    await makeChange(this.#parts, { before, after: undefined, stops, asked: () => ({}) });
    onChange?.({ atMs, by, share: shareNameOf(found) });
    const waitingEntries = stops.length;
    if (before) return { protection: before, isNew: false, waitingEntries };
    const [first] = stops;
    return first && { waiting: first, isGone: true, waitingEntries };
  }

  /** An entry that was refused or canceled a moment ago waits for nothing any more. */
  async #dropEnded(where: Whose): Promise<void> {
    const { pending, sweep } = this.#parts;
    if (pending.shares().some((share) => keyInWords(share) === keyInWords(where))) await sweep();
  }

  /** Without a name: the nameless share, or the only one that is held; where none is, the only one that waits. */
  #shareOf({ strategy, ...position }: Whose & PositionName, entries: readonly WaitingEntry[]): ShareName | NotChanged {
    if (strategy !== undefined) return { ...position, strategy };
    const held = this.#parts.positions.sharesOf(position);
    const pending = this.#parts.pending.shares().filter((share) => keyInWords(share) === keyInWords(position));
    const waiting = [...pending, ...entries.map(({ stop }) => stop.share)];
    const shares = held.length > 0 ? held : [...new Map(waiting.map((each) => [each.strategy, each])).values()];
    const picked = pick(shares, undefined);
    if (picked === 'several') return whichStrategy(position, shares);
    return { ...position, strategy: picked?.strategy ?? NAMELESS };
  }

  #pendingOf(name: ShareName): readonly WaitingStop[] {
    const isOfShare = (stop: PendingStop): stop is WaitingStop =>
      stop.share !== undefined && shareInWords(stop.share) === shareInWords(name);
    return this.#parts.pending.all().filter(isOfShare);
  }

  async #setHeld(
    name: ShareName,
    change: AskedChange,
    stops: readonly WaitingStop[],
    from: Start,
  ): Promise<ChangedProtection | NotChanged> {
    const { book, newRequestId } = this.#parts;
    const before = book.get(name);
    const made = { createdAtMs: from.atMs, origin: undefined, seenUntilMs: from.atMs, closeRequestId: newRequestId() };
    const protection: Protection = {
      ...withAsked(before ?? newProtection(name, made), change, from),
      ...{ seenUntilMs: from.atMs, named: namedBy(before?.named, change, from.atMs, stops) },
    };
    const { breakEvenAfter, targets = [] } = protection;
    if (breakEvenAfter !== undefined && breakEvenAfter > targets.length)
      return { conflict: breakEvenAlone(targets.length), cause: 'invalid' };
    const price = from.price ?? from.basis.price;
    const wrong = wrongSide(namedIn(protection, change), {
      ...{ side: name.side, price, tick: from.basis.tick, what: 'market' },
    });
    if (wrong !== undefined) return { conflict: `${wrong}; nothing was changed`, cause: 'wrong-side' };
    const isGone = guardsNothing(protection);
    const taken = takenAway(change);
    if (isGone && before === undefined && !stops.some(({ asked }) => losesBy(asked, taken)))
      return { conflict: NOTHING_ASKED, cause: 'invalid' };
    const after = isGone ? undefined : protection;
    await makeChange(this.#parts, { before, after, stops, asked: ({ asked }) => askedWith(asked, taken) });
    const waitingEntries = stops.length;
    return { protection, isNew: before === undefined, waitingEntries, ...(isGone && { isGone }) };
  }

  /** Every entry that waits for the share gets it, also one without stops; each is judged by the price at which it waits. */
  async #setWaiting(
    waiting: readonly WaitingStop[],
    change: AskedChange,
    { entries, tick }: { readonly entries: readonly WaitingEntry[]; readonly tick: Decimal },
  ): Promise<ChangedWaiting | NotChanged> {
    const asked = (stop: WaitingStop): ProtectRequest => askedWith(stop.asked, change);
    const prices = new Map(entries.map(({ stop, price }) => [stop.requestId, price]));
    for (const stop of waiting) {
      const fault = waitingFault({ ...stop, asked: asked(stop) }, { price: prices.get(stop.requestId), tick });
      if (fault) return fault;
    }
    const stops = waiting.filter((stop) => !guardsNothing(stop.asked) || !guardsNothing(asked(stop)));
    if (stops.length === 0) return { conflict: NOTHING_ASKED, cause: 'invalid' };
    await makeChange(this.#parts, { before: undefined, after: undefined, stops, asked });
    const waitingEntries = stops.length;
    const first = stops.find((stop) => !guardsNothing(asked(stop)));
    if (first) return { waiting: { ...first, asked: asked(first) }, isGone: false, waitingEntries };
    return { waiting: stops[0] as WaitingStop, isGone: true, waitingEntries };
  }
}

const losesBy = (asked: ProtectRequest, taken: AskedChange): boolean =>
  Object.keys(taken).some((part) => asked[part as keyof ProtectRequest] !== undefined);

const shareNameOf = ({ exchange, mode, account, market, side, strategy }: ShareName): ShareName => ({
  ...{ exchange, mode, account, market, side, strategy },
});

export const asksTicks = ({ stopLoss, takeProfit, trail, targets }: AskedChange): boolean =>
  [stopLoss, takeProfit, trail, ...(targets ?? []).map(({ level }) => level)].some((level) => level?.unit === 'ticks');

/** A venue that cannot be asked now does not stand in the way of levels that are prices. */
async function tickAt(venue: Pick<Venue, 'market'>, market: string, change: AskedChange): Promise<Decimal> {
  const tick = venue.market(market).then(({ tickSize }) => tickSize);
  return asksTicks(change) ? tick : tick.catch(() => ZERO);
}

/** The fills of the entry that made the protection; where the owner makes it, what is held now. */
function basisFor(
  before: Protection | undefined,
  change: AskedChange,
  share: Position,
  tick: Decimal,
  nowMs: number,
): Basis {
  const held = { price: share.entryPrice, filled: share.quantity, quantity: share.quantity, tick, sinceMs: nowMs };
  const basis = before?.basis ? { ...before.basis, tick: tick === ZERO ? before.basis.tick : tick } : held;
  return change.targets ? { ...basis, quantity: share.quantity } : basis;
}

/** Only what the change names is judged: the rest was right when it was asked for. */
function namedIn(
  protection: Protection,
  change: AskedChange,
): Pick<Protection, 'stopLoss' | 'takeProfit' | 'targets' | 'trail' | 'activationPrice'> {
  const { stopLoss, takeProfit, targets, trail, activationPrice } = protection;
  return {
    ...(change.stopLoss && stopLoss !== undefined && { stopLoss }),
    ...(change.takeProfit && takeProfit !== undefined && { takeProfit }),
    ...(change.targets && targets && { targets }),
    ...(change.trail && trail && { trail }),
    ...(change.trail && activationPrice !== undefined && { activationPrice }),
  };
}
