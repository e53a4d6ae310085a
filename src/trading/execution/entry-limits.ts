// The limits that need fresh facts, asked in the lane when an entry is planned: sizes, counts, losses, cooldowns and locks.
//
// Lanes run side by side, and some limits are about several markets. So the question and the claim that follows from its
// answer are one step without a pause: of two entries at once, the second one sees the first. A claim lasts until its
// entry rests at the venue, is in the books, or has come to nothing.

import type { Timers } from '../../timing/timers.ts';
import { withTimeout } from '../../timing/with-timeout.ts';
import type { Accounts } from '../accounts.ts';
import { ACTION_MEANING } from '../action.ts';
import type { CountedEntry, LimitFacts } from '../books/limit-facts.ts';
import { type PositionName, positionKey } from '../books/position.ts';
import type { PositionBook } from '../books/position-book.ts';
import { type Decimal, decimal, floorTo, minus, negate, over, plus, times, toText, ZERO } from '../decimal.ts';
import { type LimitRefusal, refusal } from '../intake/limit-rules.ts';
import { type Restriction, type Restrictions, subjectInWords, type TradeLimits } from '../intake/restrictions.ts';
import type { Market, PositionSide, Quote } from '../venue.ts';
import {
  guardRefusal,
  type LiveGuards,
  leverageRefusal,
  type PricedEntry,
  priceRefusal,
  spreadRefusal,
} from './market-limits.ts';
import type { PlannedOrder } from './plan-orders.ts';
import type { RestingOrders } from './resting-orders.ts';
import { highestPrice } from './size-order.ts';
import { accountOf, type TradeRun } from './trade-run.ts';

/** An entry as it is planned, seen in its own direction: what it adds to is positive. */
export interface PlannedEntry {
  readonly market: Market;
  readonly positionSide: PositionSide;
  /** What the signal comes to. */
  readonly quantity: Decimal;
  readonly orders: readonly PlannedOrder[];
  /** What the account and the strategy hold before these orders. */
  readonly net: Decimal;
  readonly own: Decimal;
  /** Undefined where nobody needs it, and where it cannot be had. */
  readonly quote?: Quote | undefined;
  /** What it trades with; undefined where nobody needs it, and where the venue does not tell. */
  readonly leverage?: number | undefined;
}

export interface EntryLimitsParts {
  readonly restrictions: Pick<Restrictions, 'of' | 'list' | 'watch'>;
  readonly facts: LimitFacts;
  readonly book: Pick<PositionBook, 'all' | 'allStrategies' | 'get' | 'strategiesIn'>;
  readonly resting: Pick<RestingOrders, 'entries'>;
  readonly accounts: Pick<Accounts, 'has'>;
  readonly liveGuards: LiveGuards;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly timers: Timers;
  /** PATIENCE_MS if it is left out; for ever in a replay, whose clock jumps. */
  readonly patienceMs?: number | undefined;
}

/**
 * So long a start, and an entry in its lane, wait for what limits count, from the beginning of its reading. A journal may be long,
 * and whoever closes stands behind the start, and behind the entry in its lane.
 */
const PATIENCE_MS = 2000;

/** An entry under limits that cannot be asked yet. */
export class LimitsUnread extends Error {
  constructor() {
    super(
      'what its limits count is still being read from the journal, as after a start; nothing was sent, try again in a moment',
    );
    this.name = 'LimitsUnread';
  }
}

interface Claim {
  readonly run: TradeRun;
  readonly positionSide: PositionSide;
}

/** An entry with the restriction it is compared with. */
interface Question {
  readonly run: TradeRun;
  readonly entry: PlannedEntry;
  readonly row: Restriction;
}

type Check = (question: Question) => LimitRefusal | undefined;

export class EntryLimits {
  readonly #parts: EntryLimitsParts;
  readonly #claims = new Map<number, Claim>();
  #isStopped = false;
  /** While the journal is read. */
  #patienceEndsMs: number | undefined;
  /** In the order in which they are told; among several subjects the strictest is told. */
  readonly #checks: readonly (readonly [keyof TradeLimits, Check])[] = [
    ['entriesPerDay', (question) => this.#entriesPerDay(question)],
    ['cooldownSeconds', (question) => this.#cooldown(question)],
    ['lockAfterStops', (question) => this.#lock(question)],
    ['dailyLoss', (question) => this.#dailyLoss(question)],
    ['openPositions', (question) => this.#openPositions(question)],
    ['largestOrder', (question) => this.#largestOrder(question)],
    ['largestPosition', (question) => this.#largestPosition(question)],
    ['leverage', ({ run, entry, row }) => leverageRefusal(row, entry, run.trade.order)],
    ['priceDeviationPercent', ({ run, entry, row }) => priceRefusal(row, pricedOf(run, entry))],
    ['spreadPercent', ({ run, entry, row }) => spreadRefusal(row, pricedOf(run, entry))],
  ];

  constructor(parts: EntryLimitsParts) {
    this.#parts = parts;
  }

  /**
   * What limits count is read before the first signal comes, where that does not take long, and otherwise as soon as there is such
   * a limit.
   */
  async start(onTrouble: (what: string, error: unknown) => void): Promise<void> {
    const { restrictions, facts, timers } = this.#parts;
    const load = (): Promise<void> =>
      this.#load().catch((error) => {
        if (!this.#isStopped) onTrouble('what limits count cannot be read yet; entries under them wait', error);
      });
    restrictions.watch((row) => {
      if (!facts.isLoaded && needsFacts(row)) void load();
    });
    if (restrictions.list().some(needsFacts)) await withTimeout(load(), PATIENCE_MS, () => undefined, timers);
  }

  /** A reading that the end of the program cuts short is nobody's trouble. */
  stop(): void {
    this.#isStopped = true;
  }

  /**
   * Nothing to wait for, unless the limit is new, the journal is long or could not be read. Rejects with LimitsUnread where it
   * takes long. What has begun goes on: between its orders no limit is asked.
   */
  async prepare(run: TradeRun): Promise<void> {
    const { restrictions, facts, monotonicMs, timers } = this.#parts;
    if (run.placed || facts.isLoaded || !restrictions.of(run.trade).some(needsFacts)) return;
    const load = this.#load();
    const leftMs = (this.#patienceEndsMs ?? 0) - monotonicMs();
    if (leftMs <= 0) {
      // Whoever waited for it is told if it fails.
      load.catch(() => undefined);
      throw new LimitsUnread();
    }
    const late = await withTimeout(load, leftMs, () => 'late' as const, timers);
    if (late === 'late') throw new LimitsUnread();
  }

  #load(): Promise<void> {
    const { facts, monotonicMs, patienceMs = PATIENCE_MS } = this.#parts;
    if (facts.isLoaded) return Promise.resolve();
    this.#patienceEndsMs ??= monotonicMs() + patienceMs;
    return facts.load().finally(() => {
      this.#patienceEndsMs = undefined;
    });
  }

  /** Whether one of these limits is set for anybody whom this trade concerns. */
  has({ trade }: TradeRun, ...names: readonly (keyof TradeLimits)[]): boolean {
    return this.#parts.restrictions.of(trade).some(({ limits }) => names.some((name) => limits[name] !== undefined));
  }

  /**
   * Undefined: it may be sent, and counts from now on. A reversal is asked before its first order and never between the two:
   * what it closed itself, and at which loss, must not leave it half done.
   */
  claim(run: TradeRun, entry: PlannedEntry): LimitRefusal | undefined {
    const refused = this.refusalOf(run, entry);
    if (refused) return refused;
    this.hold(run, entry.positionSide);
    this.#parts.facts.addEntry(run.trade);
    return undefined;
  }

  /** The same question without the claim. */
  refusalOf(run: TradeRun, entry: PlannedEntry): LimitRefusal | undefined {
    const { trade } = run;
    const rows = run.placed ? [] : this.#parts.restrictions.of(trade);
    for (const [limit, check] of rows.length > 0 ? this.#checks : []) {
      const limiting = rows.filter(({ limits }) => limits[limit] !== undefined).sort(strictestFirst(limit));
      for (const row of limiting) {
        const refused = check({ run, entry, row });
        if (refused) return refused;
      }
    }
    const isGuarded = !run.placed && trade.mode !== 'paper';
    return isGuarded ? guardRefusal(this.#parts.liveGuards, pricedOf(run, entry)) : undefined;
  }

  /** What opens after another order took its time: the owner's limits are not asked between the two, a spread of now is. */
  guardOf(run: TradeRun, entry: Priced): LimitRefusal | undefined {
    return run.trade.mode === 'paper' ? undefined : guardRefusal(this.#parts.liveGuards, pricedOf(run, entry));
  }

  /** An entry that may be on its way counts, whatever it was asked before. */
  hold(run: TradeRun, positionSide: PositionSide): void {
    this.#claims.set(run.trade.seq, { run, positionSide });
  }

  /** What became of it is in the books or among the resting orders now. */
  release(run: TradeRun): void {
    if (!this.#claims.delete(run.trade.seq)) return;
    if (!run.placed) this.#parts.facts.removeEntry(run.trade);
  }

  #entriesPerDay({ run, row }: Question): LimitRefusal | undefined {
    const most = row.limits.entriesPerDay as number;
    const { facts } = this.#parts;
    // One that is tried again, or goes on after a restart, is not an entry more.
    const counted = facts.entriesToday(countsFor(row), run.trade);
    if (counted < most) return undefined;
    const words = `${most} entries a day are allowed, and there were ${counted}; the next day begins at 00:00 UTC`;
    return refusal(row, 'entriesPerDay', 'LIMIT_ENTRIES_PER_DAY', words);
  }

  /** A flat position, or share of a strategy, keeps the time of its last fill. */
  #cooldown({ run, row }: Question): LimitRefusal | undefined {
    const { book, nowMs } = this.#parts;
    const market = { ...accountOf(run.trade), market: run.trade.order.market };
    const held =
      row.kind === 'strategy'
        ? book.strategiesIn(market).filter(({ strategy }) => strategy === row.name)
        : SIDES.flatMap((side) => book.get({ ...market, side }) ?? []);
    const closedAtMs = Math.max(0, ...held.map(({ quantity, updatedAtMs }) => (quantity === ZERO ? updatedAtMs : 0)));
    const seconds = row.limits.cooldownSeconds as number;
    const leftMs = closedAtMs + seconds * 1000 - nowMs();
    if (closedAtMs === 0 || leftMs <= 0) return undefined;
    const words = `${market.market} was closed less than ${seconds} s ago; entries are allowed again in ${inSeconds(leftMs)} s`;
    return refusal(row, 'cooldownSeconds', 'LIMIT_COOLDOWN', words);
  }

  /** So many stops within so many seconds lock the market for as long, from the last of them on. */
  #lock({ run, row }: Question): LimitRefusal | undefined {
    const { facts, nowMs } = this.#parts;
    const { stops, seconds } = row.limits.lockAfterStops as { stops: number; seconds: number };
    const { market } = run.trade.order;
    const times = facts.stopsIn({ ...accountOf(run.trade), market });
    const [last = 0] = times;
    const near = times.filter((time) => time > last - seconds * 1000).length;
    const leftMs = last + seconds * 1000 - nowMs();
    if (near < stops || leftMs <= 0) return undefined;
    const words = `${market} was stopped out ${near} times and is locked; entries are allowed again in ${inSeconds(leftMs)} s`;
    return refusal(row, 'lockAfterStops', 'LIMIT_LOCKED_AFTER_STOPS', words);
  }

  #dailyLoss({ row }: Question): LimitRefusal | undefined {
    const most = decimal(row.limits.dailyLoss as number);
    const loss = negate(this.#parts.facts.resultToday(subjectInWords(row)));
    if (loss < most) return undefined;
    const words = `today lost ${toText(floorTo(loss, CENT))} USDT, and ${toText(most)} USDT end the day; the next one begins at 00:00 UTC`;
    return refusal(row, 'dailyLoss', 'LIMIT_DAILY_LOSS', words);
  }

  #openPositions({ run, entry, row }: Question): LimitRefusal | undefined {
    const most = row.limits.openPositions as number;
    const open = this.#openOf(row, run);
    const at = { ...accountOf(run.trade), market: run.trade.order.market };
    const sides = run.netted ? SIDES : [entry.positionSide];
    if (sides.some((side) => open.has(positionKey({ ...at, side })))) return undefined;
    if (open.size < most) return undefined;
    const words = `${most} open positions are allowed, and there are ${open.size}, entries that wait included; close one first`;
    return refusal(row, 'openPositions', 'LIMIT_OPEN_POSITIONS', words);
  }

  /** Positions that are open, and those that entries which rest or are on their way would open. */
  #openOf(row: Restriction, mine: TradeRun): ReadonlySet<string> {
    const { book, facts, resting, accounts } = this.#parts;
    const held: readonly (PositionName & { quantity: Decimal; strategy?: string })[] =
      row.kind === 'strategy' ? book.allStrategies() : book.all();
    const isMeant = (position: PositionName & { strategy?: string }): boolean =>
      row.kind === 'key' ? facts.isHeldBy(position, row.name) : isOf(row, { ...position, keyLabel: '' });
    const open = held.filter((each) => each.quantity > ZERO && accounts.has(each) && isMeant(each));
    const waiting = [
      ...this.#claims.values(),
      ...resting
        .entries()
        .flatMap(([, { run, order }]) => (order.reduceOnly ? [] : [{ run, positionSide: order.positionSide }])),
    ].filter(({ run }) => run.trade.seq !== mine.trade.seq && isOf(row, entryOf(run)));
    return new Set([
      ...open.map(positionKey),
      ...waiting.map(({ run, positionSide }) =>
        positionKey({ ...accountOf(run.trade), market: run.trade.order.market, side: positionSide }),
      ),
    ]);
  }

  #largestOrder({ run, entry, row }: Question): LimitRefusal | undefined {
    const most = decimal(row.limits.largestOrder as number);
    const price = priceOf(run, entry);
    if (price === undefined) return refusal(row, 'largestOrder', 'LIMIT_LARGEST_ORDER', NO_PRICE);
    const worth = times(entry.quantity, price);
    if (worth <= most) return undefined;
    const words = `an order may be worth ${toText(most)} USDT, this one is worth ${money(worth)} USDT; at most ${atMost(most, price, entry)} would be allowed`;
    return refusal(row, 'largestOrder', 'LIMIT_LARGEST_ORDER', words);
  }

  /** With what waits to be added to it. What only reduces a position is never too large. */
  #largestPosition({ run, entry, row }: Question): LimitRefusal | undefined {
    const most = decimal(row.limits.largestPosition as number);
    const held = plus(row.kind === 'strategy' ? entry.own : entry.net, this.#waitingWith(run, entry, row));
    const after = entry.orders.map(({ quantity }) => quantity).reduce(plus, held);
    if (after <= ZERO) return undefined;
    const price = priceOf(run, entry);
    if (price === undefined) return refusal(row, 'largestPosition', 'LIMIT_LARGEST_POSITION', NO_PRICE);
    const worth = times(after, price);
    if (worth <= most) return undefined;
    const room = minus(most, times(held > ZERO ? held : ZERO, price));
    const words = `a position may be worth ${toText(most)} USDT, this one would be worth ${money(worth)} USDT; at most ${atMost(room, price, entry)} would be allowed`;
    return refusal(row, 'largestPosition', 'LIMIT_LARGEST_POSITION', words);
  }

  /** Entries that rest in the same position: they may fill at any time. */
  #waitingWith(mine: TradeRun, { positionSide }: PlannedEntry, row: Restriction): Decimal {
    const { trade } = mine;
    const { exchange, mode, account } = accountOf(trade);
    return this.#parts.resting
      .entries()
      .filter(([, { run, order }]) => {
        const there = accountOf(run.trade);
        const isSame = there.exchange === exchange && there.mode === mode && there.account === account;
        const isHere = isSame && run.trade.order.market === trade.order.market && order.positionSide === positionSide;
        const isOther = run.trade.seq !== trade.seq && !order.reduceOnly;
        return isHere && isOther && (row.kind !== 'strategy' || run.trade.order.strategy === row.name);
      })
      .map(([id, { run, order }]) => minus(order.quantity, run.executedBy(id)))
      .reduce(plus, ZERO);
  }
}

const SIDES: readonly PositionSide[] = ['LONG', 'SHORT'];
const CENT = decimal('0.01');
const NO_PRICE = 'the market has no price now, so what this is worth cannot be said; try again';
const inSeconds = (ms: number): number => Math.ceil(ms / 1000);
const money = (worth: Decimal): string => toText(floorTo(worth, CENT));

type Priced = Pick<PlannedEntry, 'market' | 'orders' | 'quote'>;

const pricedOf = ({ trade }: TradeRun, { market, orders, quote }: Priced): PricedEntry => {
  const last = orders.at(-1);
  return { market, side: last?.side ?? ACTION_MEANING[trade.order.action].side, price: last?.price, quote };
};

const needsFacts = ({ kind, limits }: Restriction): boolean =>
  limits.entriesPerDay !== undefined ||
  limits.lockAfterStops !== undefined ||
  limits.dailyLoss !== undefined ||
  (kind === 'key' && limits.openPositions !== undefined);

const entryOf = ({ trade }: TradeRun): CountedEntry => {
  const { exchange, market, strategy = '' } = trade.order;
  return { keyLabel: trade.keyLabel, exchange, account: trade.account, market, strategy };
};

/** Whether something is of the key, strategy, account or symbol that a restriction is about. */
function isOf({ kind, name }: Restriction, of: Omit<CountedEntry, 'strategy'> & { strategy?: string }): boolean {
  switch (kind) {
    case 'key':
      return of.keyLabel === name;
    case 'strategy':
      return of.strategy === name;
    case 'account':
      return `${of.exchange}:${of.account}` === name;
    case 'symbol':
      return of.market === name || `${of.exchange}:${of.market}` === name;
  }
}

const countsFor =
  (row: Restriction) =>
  (entry: CountedEntry): boolean =>
    isOf(row, entry);

/** The one that leaves least room. */
function strictestFirst(limit: keyof TradeLimits): (a: Restriction, b: Restriction) => number {
  const room = ({ limits }: Restriction): number => {
    if (limit === 'cooldownSeconds') return -(limits.cooldownSeconds ?? 0);
    if (limit === 'lockAfterStops') return limits.lockAfterStops?.stops ?? 0;
    return limits[limit] as number;
  };
  return (a, b) => room(a) - room(b);
}

const priceOf = ({ trade }: TradeRun, { market }: PlannedEntry): Decimal | undefined => {
  const price = highestPrice(trade.order, market);
  return price === ZERO ? undefined : price;
};

function atMost(room: Decimal, price: Decimal, { market }: PlannedEntry): string {
  const quantity = room > ZERO ? floorTo(over(room, price), market.stepSize) : ZERO;
  return `${toText(quantity)} ${market.symbol}`;
}
