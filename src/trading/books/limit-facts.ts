// What limits count: the entries and the result of the day, the stops of each market, and which keys have built a position.
//
// It is read from the journal when a limit first needs it, which where there are limits is at the start, and followed from then
// on: the fills of today, and of held positions what has made them. Nobody pays for it who has no limits.

import type { AccountName } from '../accounts.ts';
import { ACTION_MEANING } from '../action.ts';
import { type Decimal, minus, plus, ZERO } from '../decimal.ts';
import type { SignalSource } from '../signal.ts';
import { DAY_MS, dayStartOf } from './account-reports.ts';
import { type CountingFills, positionOf, readCountingFills } from './counting-fills.ts';
import { type FillHistory, type HistoricFill, isClosing } from './fill-history.ts';
import { fillKey, type Journal, type Trade } from './journal.ts';
import type { PastTrade, PastTrades } from './past-trades.ts';
import { type Position, type PositionName, positionKey } from './position.ts';
import type { FillsOf, PositionBook, PositionChange } from './position-book.ts';
import { type HoldingFill, PositionHolders } from './position-holders.ts';
import { type MarketName, marketKey } from './strategy-book.ts';

/** An entry of today, by everybody whom it can count for. */
export type CountedEntry = Pick<PastTrade, 'keyLabel' | 'strategy' | 'exchange' | 'account' | 'market'>;

export interface LimitFactsParts {
  readonly journal: Pick<Journal, 'probe'>;
  readonly history: FillHistory;
  readonly pastTrades: PastTrades;
  readonly book: Pick<PositionBook, 'all' | 'watch'>;
  /** Rows of another mode, or of an account that is gone, count for nothing. */
  readonly isTraded: (account: AccountName) => boolean;
  readonly nowMs: () => number;
}

/** With all of it where its result counts today. */
interface CountedFill extends HoldingFill {
  readonly fill?: HistoricFill;
}

/** Stops that are older than this lock nothing any more. */
export const MAX_LOCK_SECONDS = 604_800;
const MAX_LOCK_MS = MAX_LOCK_SECONDS * 1000;

/** A target that was reached is no stop. */
const isStop = (source: SignalSource): boolean => source === 'stop-loss' || source === 'trailing-stop';

export class LimitFacts {
  readonly #parts: LimitFactsParts;
  #loading: Promise<void> | undefined;
  #isLoaded = false;
  /** Fills that came while the journal was read. */
  readonly #meanwhile = new Map<string, HistoricFill>();
  #day = 0;
  /** Results of the day by subject, as `account:binance:main`. */
  readonly #results = new Map<string, Decimal>();
  /** The entries of the day by their number in the journal, so that none counts twice. */
  readonly #entries = new Map<number, CountedEntry>();
  /** When stops closed a position, by market. */
  readonly #stops = new Map<string, Map<number, number>>();
  readonly #holders = new PositionHolders();

  constructor(parts: LimitFactsParts) {
    this.#parts = parts;
    parts.book.watch((change) => this.#follow(change));
  }

  /** Resolves when everything that was booked before this call is counted. */
  load(): Promise<void> {
    if (this.#isLoaded) return Promise.resolve();
    this.#loading ??= this.#read().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /**
   * What the fills of a subject have earned today after fees; a loss is negative. Funding is not in it: it is paid on a
   * whole position, which several of them may share.
   */
  resultToday(subject: string): Decimal {
    this.#turnDay();
    return this.#results.get(subject) ?? ZERO;
  }

  /** `but`: this trade does not count against itself. */
  entriesToday(counts: (entry: CountedEntry) => boolean, but: Pick<Trade, 'seq'>): number {
    this.#turnDay();
    return [...this.#entries].filter(([seq, entry]) => seq !== but.seq && counts(entry)).length;
  }

  /** An entry is about to be sent. */
  addEntry({ seq, receivedAtMs, keyLabel, account, order }: Trade): void {
    this.#turnDay();
    if (!this.#isLoaded || receivedAtMs < this.#day) return;
    const { exchange, market, strategy = '' } = order;
    this.#entries.set(seq, { keyLabel, strategy, exchange, account, market });
  }

  /** Nothing of it was sent after all. */
  removeEntry({ seq }: Pick<Trade, 'seq'>): void {
    this.#entries.delete(seq);
  }

  /** When stops closed positions in this market, the last one first. */
  stopsIn(market: MarketName): readonly number[] {
    return [...(this.#stops.get(marketKey(market))?.values() ?? [])].sort((a, b) => b - a);
  }

  isHeldBy(position: PositionName, keyLabel: string): boolean {
    return this.#holders.has(positionKey(position), keyLabel);
  }

  async #read(): Promise<void> {
    const { journal, history, pastTrades, book, isTraded, nowMs } = this.#parts;
    this.#forget();
    // A write of our own stands behind all that was decided before it: then the journal has it.
    await journal.probe();
    this.#turnDay();
    const [dayMs, meanwhile] = [this.#day, this.#meanwhile];
    const read = await readCountingFills({ history, dayMs, isTraded, meanwhile, held: () => book.all() });
    for await (const trades of pastTrades.pages(nowMs() - MAX_LOCK_MS))
      for (const trade of trades) if (isTraded(trade) && trade.isPlaced) this.#noteTrade(trade);
    for (const fill of meanwhile.values()) read.add(fill);
    this.#noteAll(read);
    meanwhile.clear();
    this.#isLoaded = true;
  }

  /** A reading that failed half way must not count twice. */
  #forget(): void {
    this.#meanwhile.clear();
    this.#results.clear();
    this.#entries.clear();
    this.#stops.clear();
    this.#holders.clear();
  }

  #noteAll(read: CountingFills): void {
    const open = new Map(this.#parts.book.all().map((each) => [positionKey(each), each.quantity]));
    for (const [position, fills] of read.inOrder()) {
      const quantity = open.get(position) ?? ZERO;
      this.#note(
        fills.map((fill) => this.#countedFill(fill)),
        quantity,
      );
      if (quantity === ZERO) this.#holders.forget(position);
    }
  }

  #noteTrade({ seq, receivedAtMs, source, action, ...where }: PastTrade): void {
    if (isStop(source)) this.#noteStop(where, seq, receivedAtMs);
    const isEntry = !ACTION_MEANING[action].closes;
    if (isEntry && receivedAtMs >= this.#day) this.#entries.set(seq, where);
  }

  #noteStop(market: MarketName, seq: number, atMs: number): void {
    const key = marketKey(market);
    const known = this.#stops.get(key) ?? new Map<number, number>();
    this.#stops.set(key, known.set(seq, atMs));
    for (const [old, oldAtMs] of known) if (oldAtMs < atMs - MAX_LOCK_MS) known.delete(old);
  }

  #follow({ position, by }: PositionChange): void {
    if (position === undefined || (!this.#isLoaded && this.#loading === undefined)) return;
    if (by) this.#followFills(position, by);
    if (position.quantity === ZERO) this.#holders.forget(positionKey(position));
  }

  #followFills(position: Position, { trade, report, fills }: FillsOf): void {
    if (isStop(trade.source)) this.#noteStop({ ...position }, trade.seq, trade.receivedAtMs);
    const { exchange, mode, account, market } = position;
    const { side, positionSide } = report;
    const common = { exchange, mode, account, market, side, positionSide, keyLabel: trade.keyLabel, netted: true };
    const historic = fills.map((fill) => ({ ...fill, ...common }));
    if (this.#isLoaded)
      this.#note(
        historic.map((fill) => this.#countedFill(fill)),
        position.quantity,
      );
    else for (const fill of historic) this.#meanwhile.set(fillKey(fill), fill);
  }

  #countedFill(fill: HistoricFill): CountedFill {
    const { keyLabel, quantity, atMs } = fill;
    const counted = { position: positionOf(fill), keyLabel, closes: isClosing(fill), quantity, atMs };
    return atMs < this.#day ? counted : { ...counted, fill };
  }

  /** The fills of one position, oldest first, and what is held after them. */
  #note(fills: readonly CountedFill[], quantityNow: Decimal): void {
    this.#turnDay();
    this.#holders.note(fills, quantityNow, ({ fill }, keys) => {
      if (fill && fill.atMs >= this.#day) this.#noteResult(fill, keys);
    });
  }

  /** A result counts for the keys that made the position, whoever closes it: a stop, the owner or another key. */
  #noteResult(fill: HistoricFill, keys: readonly string[]): void {
    const { exchange, account, market, realizedPnl, fee, shares = [] } = fill;
    const result = minus(realizedPnl, fee);
    const subjects = [
      ...keys.map((label) => `key:${label}`),
      ...[`account:${exchange}:${account}`, `symbol:${market}`, `symbol:${exchange}:${market}`],
    ];
    for (const subject of subjects) this.#add(subject, result);
    for (const share of shares) this.#add(`strategy:${share.strategy}`, minus(share.realizedPnl, share.fee));
  }

  #add(subject: string, result: Decimal): void {
    this.#results.set(subject, plus(this.#results.get(subject) ?? ZERO, result));
  }

  /** Yesterday's counts are over. */
  #turnDay(): void {
    const day = dayStartOf(this.#parts.nowMs());
    // A clock that was set back a little must not bring yesterday's counts to an end twice.
    if (day <= this.#day && day > this.#day - DAY_MS * 2) return;
    this.#day = day;
    this.#results.clear();
    this.#entries.clear();
  }
}
