// What fills came to: closed trades, profits, fees, drawdown and holding times, in groups and in total, exact to the last digit.
//
// A closed trade is a closing fill: one that reduces a position (of a strategy, where strategies are told apart). Its
// result is its profit, less its own fee and its share of the fees of the fills that opened what it closed. Profits and
// fees of a group are plain sums over its fills, opening ones too, so that all groups add up to the total. The result of a
// key is that of the positions it opened, whoever closed them. A tag has what was closed of the positions that trades with it
// opened, and what trades with it closed; a trade with two tags counts for both, so groups by tag do not add up. Funding is paid
// on whole positions, which keys, strategies and tags share: groups by them have none, and only the total has it.

import { type AccountName, accountInWords } from '../accounts.ts';
import { type Decimal, larger, minus, plus, smaller, ZERO } from '../decimal.ts';
import type { Funding } from '../venue.ts';
import { type HistoricFill, isClosing } from './fill-history.ts';
import { type OpenerPart, OpenerParts } from './opener-parts.ts';
import { NAMELESS } from './strategy-book.ts';

export const GROUPINGS = ['key', 'strategy', 'symbol', 'account', 'day', 'tag'] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface Performance {
  /** Closed ones. */
  readonly trades: number;
  readonly wins: number;
  readonly losses: number;
  /** Before fees. */
  readonly pnl: Decimal;
  readonly fees: Decimal;
  /** What holding cost (negative) or earned; undefined where it cannot be told apart, in groups by key, strategy and tag. */
  readonly funding: Decimal | undefined;
  /** What the winning trades earned and the losing ones lost, after fees; both are positive. */
  readonly gained: Decimal;
  readonly lost: Decimal;
  /** The deepest fall of the running sum of profits less fees, and funding, below its highest point, which is 0 at first. */
  readonly maxDrawdown: Decimal;
  /** Of the trades whose opening is known. */
  readonly averageHoldingMs: number | undefined;
}

export interface PerformanceOf extends Performance {
  /** A day, a market, an account in words, the label of a key, a strategy or a tag; '' is the nameless one, and no tag. */
  readonly group: string;
}

export interface PerformanceRange {
  readonly by: Grouping;
  /** Fills from here on, and before there, count. Earlier ones tell when a position was opened, and at what fee. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The calendar of groups by day, such as that of a time zone; UTC where it is left out. */
  readonly dayOf?: ((ms: number) => string) | undefined;
}

/** For groups by tag: those of the trade that a fill belongs to. */
export type TagsOf<Fill extends HistoricFill> = (fill: Fill) => readonly string[];

/** A fill, or a strategy's share of it. */
interface Part {
  /** What it opens or closes a piece of. */
  readonly book: string;
  readonly strategy: string;
  readonly quantity: Decimal;
  readonly realizedPnl: Decimal;
  readonly fee: Decimal;
  /** How much of it closes; the rest opens. */
  readonly closes: (book: OpenedBook) => Decimal;
}

/** A payment with the account it belongs to. */
export interface HistoricFunding extends AccountName, Funding {}

/** Fills and payments in any order; each counts once. */
export function performanceOf<Fill extends HistoricFill>(
  fills: readonly Fill[],
  { by, fromMs, toMs, dayOf = utcDay }: PerformanceRange,
  payments: readonly HistoricFunding[] = [],
  tagsOf: TagsOf<Fill> = () => [],
) {
  const books = new Map<string, OpenedBook>();
  const groups = new Map<string, Tally>();
  const total = new Tally();
  const openers = new OpenerParts<Fill>((fill) => (by === 'tag' ? tagsOf(fill).join(TAGS_APART) : fill.keyLabel));
  const isDivisible = by === 'symbol' || by === 'account' || by === 'day';
  const tallyOf = (name: string): Tally => {
    const tally = groups.get(name) ?? new Tally();
    groups.set(name, tally);
    return tally;
  };
  const due = payments.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).toSorted((a, b) => a.atMs - b.atMs);
  const payUntil = (atMs: number): void => {
    for (let next = due[0]; next !== undefined && next.atMs <= atMs; next = due[0]) {
      due.shift();
      total.pay(next.amount);
      if (isDivisible) tallyOf(placeOf(next, by, dayOf)).pay(next.amount);
    }
  };
  for (const fill of fills.toSorted((a, b) => a.atMs - b.atMs)) {
    if (fill.atMs >= toMs) break;
    payUntil(fill.atMs);
    const isCounted = fill.atMs >= fromMs;
    const booked = (part: Part): BookedPart => {
      const book = books.get(part.book) ?? new OpenedBook();
      books.set(part.book, book);
      return { ...part, closed: book.apply(part, fill) };
    };
    for (const part of partsOf(fill, by).map(booked)) {
      if (!isCounted) continue;
      total.add(part);
      if (by !== 'key' && by !== 'tag') tallyOf(groupOf(fill, part, by, dayOf)).add(part);
    }
    // A fill that closes what several have opened is one closed trade of the total, and one of each of them.
    if (by !== 'key' && by !== 'tag') continue;
    const parts = openers.of(fill).map((part) => ({ opener: part.opener, ...booked(partOfOpener(part, fill)) }));
    if (!isCounted) continue;
    const grouped = Map.groupBy(
      parts.flatMap((part) => namesOf(part.opener, by, tagsOf(fill)).map((name) => ({ name, part }))),
      ({ name }) => name,
    );
    for (const [name, of] of grouped) tallyOf(name).add(together(of.map(({ part }) => part)));
  }
  payUntil(toMs);
  return {
    total: total.summary(true),
    groups: [...groups]
      .map(([group, tally]): PerformanceOf => ({ group, ...tally.summary(isDivisible) }))
      .sort((a, b) => (a.group < b.group ? -1 : 1)),
  };
}

/** No tag has one. */
const TAGS_APART = ',';
const UNTAGGED = '';

/** The groups of what an opener holds, where this fill opens or closes it. */
function namesOf(opener: string, by: 'key' | 'tag', tags: readonly string[]): readonly string[] {
  if (by === 'key') return [opener];
  const names = new Set([...opener.split(TAGS_APART), ...tags].filter((tag) => tag !== UNTAGGED));
  return names.size === 0 ? [UNTAGGED] : [...names];
}

const utcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

type DayOf = (ms: number) => string;

const groupOf = (fill: HistoricFill, { strategy }: Part, by: Exclude<Grouping, 'key' | 'tag'>, dayOf: DayOf): string =>
  by === 'strategy' ? strategy : placeOf(fill, by, dayOf);

function placeOf(of: HistoricFunding | HistoricFill, by: 'symbol' | 'account' | 'day', dayOf: DayOf): string {
  switch (by) {
    case 'symbol':
      return of.market;
    case 'account':
      return accountInWords(of);
    case 'day':
      return dayOf(of.atMs);
  }
}

/** Strategies are measured on their own shares, where a position is divided; everything else on the position. */
function partsOf(fill: HistoricFill, by: Grouping): readonly Part[] {
  const { exchange, mode, account, market, side, positionSide, quantity, realizedPnl, fee, netted } = fill;
  const place = `${exchange}:${mode}:${account}:${market}`;
  const wholly = (): Decimal => (isClosing(fill) ? quantity : ZERO);
  const isByStrategy = by === 'strategy';
  const shares = isByStrategy ? (fill.shares ?? []) : [];
  // What the nameless book has opened before its market was divided is closed behind that: it is one book.
  const sideOfBook = netted && isByStrategy ? '' : positionSide;
  if (shares.length === 0) {
    const book = `${place}:${sideOfBook}:${NAMELESS}`;
    return [{ book, strategy: NAMELESS, quantity, realizedPnl, fee, closes: wholly }];
  }
  return shares.map((share) => ({
    ...share,
    book: `${place}:${sideOfBook}:${share.strategy}`,
    // A fill that several strategies share closes for each of them; one of a single strategy reduces what it holds against.
    closes: (book) => {
      if (!netted) return isClosing(fill) ? share.quantity : ZERO;
      const isAgainst = shares.length > 1 || (book.side !== undefined && book.side !== side);
      return isAgainst ? smaller(book.quantity, share.quantity) : ZERO;
    },
  }));
}

const partOfOpener = ({ opener, position, quantity, realizedPnl, fee }: OpenerPart, fill: HistoricFill): Part => ({
  ...{ book: `${position} by ${opener}`, strategy: NAMELESS, quantity, realizedPnl, fee },
  closes: () => (isClosing(fill) ? quantity : ZERO),
});

interface ClosedPart {
  /** After its fee and its share of the opening ones. */
  readonly result: Decimal;
  readonly heldMs: number | undefined;
}

interface BookedPart extends Part {
  /** Undefined where it closes nothing. */
  readonly closed: ClosedPart | undefined;
}

type Counted = Pick<BookedPart, 'realizedPnl' | 'fee' | 'closed'>;

/** Parts of one fill as one closed trade, held as long as its parts were on average. */
function together(parts: readonly BookedPart[]): Counted {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const closed = parts.filter((part): part is BookedPart & { closed: ClosedPart } => part.closed !== undefined);
  const held = closed.flatMap(({ closed: { heldMs }, quantity }) =>
    heldMs === undefined ? [] : [{ heldMs, quantity }],
  );
  const weight = held.reduce((sum, { quantity }) => sum + Number(quantity), 0);
  const average = held.reduce((sum, { heldMs, quantity }) => sum + (heldMs * Number(quantity)) / weight, 0);
  return {
    realizedPnl: parts.map(({ realizedPnl }) => realizedPnl).reduce(plus, ZERO),
    fee: parts.map(({ fee }) => fee).reduce(plus, ZERO),
    closed:
      closed.length === 0
        ? undefined
        : {
            result: closed.map(({ closed: { result } }) => result).reduce(plus, ZERO),
            heldMs: held.length === 0 ? undefined : Math.round(average),
          },
  };
}

/** What is open of a position or a strategy's share, when it was opened on average, and the fees of that. */
class OpenedBook {
  quantity: Decimal = ZERO;
  /** Of the orders that opened it. */
  side: HistoricFill['side'] | undefined;
  /** The sum of quantity times moment. */
  #moments = 0n;
  #fees: Decimal = ZERO;

  /** Undefined for a fill that closes nothing. */
  apply(part: Part, { atMs, side }: HistoricFill): ClosedPart | undefined {
    const closing = part.closes(this);
    const closed = closing === ZERO && part.realizedPnl === ZERO ? undefined : this.#close(part, closing, atMs);
    const opening = minus(part.quantity, closing);
    if (opening > ZERO && (closed === undefined || closing > ZERO)) {
      // Whatever is known of the other side was closed beside us.
      if (this.side !== undefined && this.side !== side) this.#forget();
      this.quantity = plus(this.quantity, opening);
      this.#moments += opening * BigInt(atMs);
      // The fee of a fill that turns a book around is that of what it closed.
      if (closed === undefined) this.#fees = plus(this.#fees, part.fee);
      this.side = side;
    }
    return closed;
  }

  #forget(): void {
    this.quantity = ZERO;
    this.#moments = 0n;
    this.#fees = ZERO;
  }

  /** More than is known to be open may be closed: what was adopted from the venue was opened by no fill of ours. */
  #close({ realizedPnl, fee }: Part, quantity: Decimal, atMs: number): ClosedPart {
    const before = this.quantity;
    const taken = smaller(before, quantity);
    const share = (of: bigint): bigint => (taken === before ? of : (of * taken) / before);
    const heldMs = before === ZERO ? undefined : atMs - Number(this.#moments / before);
    const fees = share(this.#fees) as Decimal;
    this.#moments -= share(this.#moments);
    this.#fees = minus(this.#fees, fees);
    this.quantity = minus(before, taken);
    if (this.quantity === ZERO) this.side = undefined;
    return { result: minus(minus(realizedPnl, fee), fees), heldMs };
  }
}

/** What is open in one market by its fills, as every grouping sees it: of positions, and of strategies in them. */
export class MarketBooks {
  readonly #open = new Map<string, OpenedBook>();

  /** Fills must come in the order of time. */
  apply(fill: HistoricFill): void {
    for (const by of ['symbol', 'strategy'] as const)
      for (const part of partsOf(fill, by)) {
        const name = `${by} ${part.book}`;
        const book = this.#open.get(name) ?? new OpenedBook();
        book.apply(part, fill);
        if (book.quantity === ZERO) this.#open.delete(name);
        else this.#open.set(name, book);
      }
  }

  get isFlat(): boolean {
    return this.#open.size === 0;
  }
}

/** Adds up one group. */
class Tally {
  #trades = 0;
  #wins = 0;
  #losses = 0;
  #pnl: Decimal = ZERO;
  #fees: Decimal = ZERO;
  #funding: Decimal = ZERO;
  #gained: Decimal = ZERO;
  #lost: Decimal = ZERO;
  #peak: Decimal = ZERO;
  #maxDrawdown: Decimal = ZERO;
  #heldMs = 0;
  #held = 0;

  add({ realizedPnl, fee, closed }: Counted): void {
    this.#pnl = plus(this.#pnl, realizedPnl);
    this.#fees = plus(this.#fees, fee);
    this.#noteNet();
    if (closed) this.#count(closed);
  }

  pay(amount: Decimal): void {
    this.#funding = plus(this.#funding, amount);
    this.#noteNet();
  }

  #noteNet(): void {
    const net = plus(minus(this.#pnl, this.#fees), this.#funding);
    this.#peak = larger(this.#peak, net);
    this.#maxDrawdown = larger(this.#maxDrawdown, minus(this.#peak, net));
  }

  #count({ result, heldMs }: ClosedPart): void {
    this.#trades++;
    if (result > ZERO) {
      this.#wins++;
      this.#gained = plus(this.#gained, result);
    } else if (result < ZERO) {
      this.#losses++;
      this.#lost = minus(this.#lost, result);
    }
    if (heldMs === undefined) return;
    this.#heldMs += heldMs;
    this.#held++;
  }

  summary(tellsFunding: boolean): Performance {
    return {
      trades: this.#trades,
      wins: this.#wins,
      losses: this.#losses,
      pnl: this.#pnl,
      fees: this.#fees,
      funding: tellsFunding ? this.#funding : undefined,
      gained: this.#gained,
      lost: this.#lost,
      maxDrawdown: this.#maxDrawdown,
      averageHoldingMs: this.#held === 0 ? undefined : Math.round(this.#heldMs / this.#held),
    };
  }
}
