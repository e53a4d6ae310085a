// What the owner does to protections: sets, moves and takes away stops of positions that are open, one strategy's share at a
// time. In force at once, and acknowledged when it is on disk.

import { type Accounts, accountInWords } from '../accounts.ts';
import { keyInWords, type Position, type PositionName, type ShortName } from '../books/position.ts';
import type { PositionBook } from '../books/position-book.ts';
import { NAMELESS, type ShareName, shareInWords } from '../books/strategy-book.ts';
import { type Decimal, decimal, ZERO } from '../decimal.ts';
import { wrongSide } from '../fixed-levels.ts';
import type { TradedPrices } from './look-at-market.ts';
import { type AskedChange, newProtection, type Start, withAsked } from './new-protection.ts';
import { type Basis, guardsNothing, type Protection } from './protection.ts';
import type { ProtectionBook } from './protection-book.ts';
import type { ProtectionStore } from './protection-store.ts';

/** A position, and whose share of it where that is named. */
export interface Whose extends ShortName {
  readonly strategy?: string | undefined;
}

/** Why nothing was changed, in words. */
export interface NotChanged {
  readonly conflict: string;
  readonly cause: 'no-position' | 'closing' | 'which-strategy' | 'wrong-side' | 'invalid';
}

/** `isGone`: the change took away the last of it. */
export type Changed =
  | { readonly protection: Protection; readonly isNew: boolean; readonly isGone?: boolean }
  | NotChanged;

/** A change that is made: the audit keeps it, and a replay makes it again. */
export interface StopChange {
  readonly atMs: number;
  /** Who asked for it, in words. */
  readonly by: string;
  readonly share: ShareName;
  /** Absent: everything was taken away. */
  readonly change?: AskedChange;
}

export interface OwnerChangeParts {
  /** Told after a change is on disk. */
  readonly onChange?: ((change: StopChange) => void) | undefined;
  readonly book: ProtectionBook;
  readonly store: Pick<ProtectionStore, 'write'>;
  readonly prices: Pick<TradedPrices, 'lastPrice'>;
  readonly positions: Pick<PositionBook, 'share' | 'sharesOf'>;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly newRequestId: () => string;
  readonly nowMs: () => number;
  /** Takes a protection through what was traded until now. */
  readonly lookAt: (protection: Protection) => Promise<void>;
}

export class OwnerChanges {
  readonly #parts: OwnerChangeParts;

  constructor(parts: OwnerChangeParts) {
    this.#parts = parts;
  }

  /** What is given takes the place of what was there; the rest stays. On disk when it resolves; rejects when it cannot be. */
  async set(where: Whose, change: AskedChange, by: string): Promise<Changed> {
    const { prices, accounts, book, positions, lookAt, nowMs, onChange } = this.#parts;
    const venue = accounts.find(where.exchange, where.account);
    if (venue === undefined) return { conflict: noPosition(where), cause: 'no-position' };
    const name = this.#shareOf({ ...where, mode: venue.mode });
    if ('conflict' in name) return name;
    const tick = venue.tickOf(name.market) ?? (asksTicks(change) ? (await venue.market(name.market)).tickSize : ZERO);
    const price = await prices.lastPrice(name.market).then(decimal, () => undefined);
    // What was traded so far met the levels as they were.
    const present = book.get(name);
    if (present && !present.fired) await lookAt(present);
    const before = book.get(name);
    const share = positions.share(name);
    if (share === undefined || share.quantity === ZERO) return { conflict: noPosition(where), cause: 'no-position' };
    if (before?.fired) return { conflict: alreadyClosing(name), cause: 'closing' };
    const from = { price, atMs: nowMs(), basis: basisFor(before, change, share, tick, nowMs()) };
    const changed = await this.#put(name, before, change, from);
    if ('protection' in changed) onChange?.({ atMs: from.atMs, by, share: name, change });
    return changed;
  }

  /** Undefined when there is none. Off the disk when it resolves; rejects when it cannot be. */
  async remove(where: Whose, by: string): Promise<Changed | undefined> {
    const { nowMs, onChange } = this.#parts;
    const found = this.#parts.book.all().filter((each) => keyInWords(each) === keyInWords(where));
    const picked = pick(found, where.strategy);
    if (picked === 'several') return whichStrategy(where, found);
    if (picked === undefined) return undefined;
    if (picked.fired) return { conflict: alreadyClosing(picked), cause: 'closing' };
    const atMs = nowMs();
    await this.#forget(picked);
    onChange?.({ atMs, by, share: shareNameOf(picked) });
    return { protection: picked, isNew: false };
  }

  /** Without a name: the nameless share, or the only one there is. */
  #shareOf({ strategy, ...position }: Whose & PositionName): ShareName | NotChanged {
    if (strategy !== undefined) return { ...position, strategy };
    const shares = this.#parts.positions.sharesOf(position);
    const picked = pick(shares, undefined);
    if (picked === 'several') return whichStrategy(position, shares);
    return { ...position, strategy: picked?.strategy ?? NAMELESS };
  }

  async #put(name: ShareName, before: Protection | undefined, change: AskedChange, from: Start): Promise<Changed> {
    const { nowMs, newRequestId } = this.#parts;
    const made = { createdAtMs: nowMs(), origin: undefined, seenUntilMs: from.atMs, closeRequestId: newRequestId() };
    const protection = { ...withAsked(before ?? newProtection(name, made), change, from), seenUntilMs: from.atMs };
    const { breakEvenAfter, targets = [] } = protection;
    if (breakEvenAfter !== undefined && breakEvenAfter > targets.length)
      return { conflict: breakEvenAlone(targets.length), cause: 'invalid' };
    const price = from.price ?? from.basis.price;
    const wrong = wrongSide(namedIn(protection, change), { side: name.side, price, what: 'market' });
    if (wrong !== undefined) return { conflict: `${wrong}; nothing was changed`, cause: 'wrong-side' };
    if (!guardsNothing(protection)) {
      await this.#save(protection, before);
      return { protection, isNew: before === undefined };
    }
    if (before === undefined) return { conflict: NOTHING_ASKED, cause: 'invalid' };
    await this.#forget(before);
    return { protection, isNew: false, isGone: true };
  }

  /** In force first: whatever happens to the position while the disk is waited for then meets it. */
  async #save(protection: Protection, before: Protection | undefined): Promise<void> {
    const { book, store } = this.#parts;
    book.restore(protection);
    try {
      await store.write({ save: [protection] });
    } catch (error) {
      const present = book.get(protection);
      // Closed or reached in the meantime: then it is as it should be.
      if (present === undefined || present.fired) throw error;
      if (before === undefined) book.forget(present);
      else book.restore(before);
      throw error;
    }
  }

  async #forget(protection: Protection): Promise<void> {
    const { book, store } = this.#parts;
    book.forget(protection);
    try {
      await store.write({ remove: [protection] });
    } catch (error) {
      if (book.get(protection) === undefined) book.restore(protection);
      throw error;
    }
  }
}

const shareNameOf = ({ exchange, mode, account, market, side, strategy }: Protection): ShareName => ({
  ...{ exchange, mode, account, market, side, strategy },
});

/** The share that is meant where none is named: the nameless one, or the only one. */
function pick<T extends { readonly strategy: string }>(
  found: readonly T[],
  strategy: string | undefined,
): T | 'several' | undefined {
  if (strategy !== undefined) return found.find((each) => each.strategy === strategy);
  const nameless = found.find((each) => each.strategy === NAMELESS);
  return nameless ?? (found.length > 1 ? 'several' : found[0]);
}

export const asksTicks = ({ stopLoss, takeProfit, trail, targets }: AskedChange): boolean =>
  [stopLoss, takeProfit, trail, ...(targets ?? []).map(({ level }) => level)].some((level) => level?.unit === 'ticks');

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
): Pick<Protection, 'stopLoss' | 'takeProfit' | 'targets' | 'trail'> {
  const { stopLoss, takeProfit, targets, trail } = protection;
  return {
    ...(change.stopLoss && stopLoss !== undefined && { stopLoss }),
    ...(change.takeProfit && takeProfit !== undefined && { takeProfit }),
    ...(change.targets && targets && { targets }),
    ...(change.trail && trail && { trail }),
  };
}

const noPosition = (where: Whose): string =>
  `there is no ${where.side.toLowerCase()} position in ${where.market} on ${accountInWords(where)}` +
  `${where.strategy ? ` of strategy ${JSON.stringify(where.strategy)}` : ''} to protect; open it first, or send the stops with the entry`;

const alreadyClosing = (share: ShareName): string =>
  `the stop ${shareInWords(share)} was reached and the position is being closed; GET /trades shows it`;

const whichStrategy = (where: ShortName, shares: readonly { readonly strategy: string }[]): NotChanged => ({
  conflict: `${keyInWords(where)} has shares of several strategies: name one of ${shares.map(({ strategy }) => JSON.stringify(strategy)).join(', ')} with ?strategy=`,
  cause: 'which-strategy',
});

const breakEvenAlone = (targets: number): string =>
  targets === 0
    ? 'breakEvenAfter: counts targets, and there are none; send targets with it'
    : `breakEvenAfter: counts targets, and there are ${targets}; send 1 to ${targets}`;

const NOTHING_ASKED =
  'there are no stops to take away, and none was asked for; send stopLoss, takeProfit, trail, targets or maxHoldSeconds';
