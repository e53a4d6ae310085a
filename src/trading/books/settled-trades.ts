// Which old trades may leave the journal, market by market: those up to a moment at which nothing was open in the market.
//
// Sums over fills (limits, performance, closed trades) begin with nothing open. If the fills before such a moment go, all of
// them together, everything that is computed from the rest stays as it was. So trades leave in groups: each ends where the
// books of its market were flat, and holds every trade with a fill since the moment before.
//
// Trades come in their order, fills are wanted in the order of time: an order that rests fills after later ones. A fill is
// looked at when no trade can come any more whose fill was earlier.

import type { HistoricFill } from './fill-history.ts';
import { MarketBooks } from './performance.ts';

/** A venue's clock tells when a fill was, ours when a trade came. They differ by less than this. */
const CLOCK_DIFFERENCE_MS = 3_600_000;

export interface OldTrade {
  readonly seq: number;
  readonly receivedAtMs: number;
  /** Its exchange, mode, account and market as one name. */
  readonly market: string;
  /** It has ended, and nothing refers to it any more. */
  readonly mayLeave: boolean;
  readonly fills: readonly HistoricFill[];
}

interface WaitingFill {
  readonly fill: HistoricFill;
  readonly trade: OldTrade;
}

class SettledMarket {
  readonly #books = new MarketBooks();
  #waiting: WaitingFill[] = [];
  /** Trades with a fill since the books were last flat. */
  readonly #since = new Set<OldTrade>();
  /** How many fills of those are still to come. */
  #toCome = 0;
  #seenUntilMs = Number.NEGATIVE_INFINITY;
  #isOver = false;
  readonly groups: number[][] = [];

  add(trade: OldTrade): void {
    if (this.#isOver) return;
    // A clock that was set back: in which order its fills were is not known, so nothing of the market leaves.
    if (trade.fills.some(({ atMs }) => atMs < this.#seenUntilMs)) {
      this.groups.length = 0;
      this.#end();
      return;
    }
    for (const fill of trade.fills) this.#waiting.push({ fill, trade });
  }

  lookUntil(untilMs: number): void {
    if (this.#isOver || untilMs <= this.#seenUntilMs) return;
    this.#seenUntilMs = untilMs;
    const due = this.#waiting.filter(({ fill }) => fill.atMs < untilMs).sort((a, b) => a.fill.atMs - b.fill.atMs);
    this.#waiting = this.#waiting.filter(({ fill }) => fill.atMs >= untilMs);
    for (const each of due) {
      // Whatever comes after a trade that stays may rest on it.
      if (!each.trade.mayLeave) {
        this.#end();
        return;
      }
      this.#apply(each);
    }
  }

  #apply({ fill, trade }: WaitingFill): void {
    if (!this.#since.has(trade)) {
      this.#since.add(trade);
      this.#toCome += trade.fills.length;
    }
    this.#toCome--;
    this.#books.apply(fill);
    if (this.#books.isFlat) this.leave();
  }

  /** The trades since the last group are one, unless a fill of them is still to come. */
  leave(): void {
    if (this.#isOver || this.#toCome > 0 || this.#since.size === 0) return;
    this.groups.push([...this.#since].map(({ seq }) => seq));
    this.#since.clear();
  }

  /** Without another trade in the market: it was closed at its venue, beside us, and no fill of ours says so. */
  leaveAll(): void {
    if (this.#waiting.length === 0) this.leave();
  }

  #end(): void {
    this.#isOver = true;
    this.#waiting = [];
    this.#since.clear();
  }
}

export class SettledTrades {
  readonly #beforeMs: number;
  readonly #markets = new Map<string, SettledMarket>();
  readonly #unfilled: number[] = [];

  /** Of trades that came before then. */
  constructor(beforeMs: number) {
    this.#beforeMs = beforeMs;
  }

  /** The next trades in the order of their numbers. */
  add(trades: readonly OldTrade[]): void {
    for (const trade of trades) {
      if (trade.fills.length > 0) this.#marketOf(trade.market).add(trade);
      else if (trade.mayLeave) this.#unfilled.push(trade.seq);
    }
    const last = trades.at(-1);
    if (last) this.#lookUntil(Math.min(last.receivedAtMs, this.#beforeMs));
  }

  /** All trades have come. `isClosed`: nothing is open in the market, and nothing was traded in it since. */
  groups(isClosed: (market: string) => boolean): readonly (readonly number[])[] {
    this.#lookUntil(this.#beforeMs);
    for (const [name, market] of this.#markets) if (isClosed(name)) market.leaveAll();
    return [...this.#unfilled.map((seq) => [seq]), ...[...this.#markets.values()].flatMap(({ groups }) => groups)];
  }

  #lookUntil(receivedAtMs: number): void {
    for (const market of this.#markets.values()) market.lookUntil(receivedAtMs - CLOCK_DIFFERENCE_MS);
  }

  #marketOf(name: string): SettledMarket {
    const market = this.#markets.get(name) ?? new SettledMarket();
    this.#markets.set(name, market);
    return market;
  }
}
