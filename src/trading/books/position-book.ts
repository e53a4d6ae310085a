// Our own positions in memory, and their division between strategies, as the journal's fills made them or a venue
// corrected them; each market is touched by its lane only.

import { isDirectClose } from '../signal.ts';
import type { OrderReport, PositionSide } from '../venue.ts';
import { type BookedFill, fillKey, type Trade } from './journal.ts';
import { applyFill, emptyPosition, type Position, type PositionName, positionKey } from './position.ts';
import { type Alignment, type MarketName, NAMELESS, type StrategyBook } from './strategy-book.ts';
import { StrategyBooks } from './strategy-books.ts';

/** What the fills of a report changed, to be written with them. */
export interface Booked {
  readonly fills: BookedFill[];
  readonly position: Position | undefined;
  readonly books: readonly StrategyBook[];
}

export interface PositionChange {
  readonly position: Position;
  /** Whose fills made it; absent where the venue's word was taken over. */
  readonly by?: { readonly trade: Trade; readonly report: OrderReport; readonly fills: readonly BookedFill[] };
}

/** The strategy whose share a trade deals with; undefined means the whole position, whoever holds it. */
export const strategyOf = (trade: Pick<Trade, 'source' | 'order'>): string | undefined =>
  trade.order.strategy ?? (isDirectClose(trade) ? undefined : NAMELESS);

const SIDES: readonly PositionSide[] = ['LONG', 'SHORT'];

export class PositionBook {
  readonly #positions: Map<string, Position>;
  readonly #strategies: StrategyBooks;
  readonly #listeners: ((change: PositionChange) => void)[] = [];

  constructor(positions: readonly Position[], strategies: readonly StrategyBook[] = []) {
    this.#positions = new Map(positions.map((position) => [positionKey(position), position]));
    this.#strategies = new StrategyBooks(strategies);
  }

  get(name: PositionName): Position | undefined {
    return this.#positions.get(positionKey(name));
  }

  /** Every position there is or was. */
  all(): readonly Position[] {
    return [...this.#positions.values()];
  }

  /** Empty while no strategy with a name has traded in the market. */
  strategiesIn(market: MarketName): readonly StrategyBook[] {
    return this.#strategies.of(market);
  }

  /** The shares of all markets that are divided. */
  allStrategies(): readonly StrategyBook[] {
    return this.#strategies.all();
  }

  /** Takes the venue's word for our own. */
  adopt(position: Position): void {
    this.#positions.set(positionKey(position), position);
    this.#tell({ position });
  }

  /** After `adopt`: makes the books of the market add up to it. Returns those that changed. */
  alignStrategies(market: MarketName, netted: boolean, alignment: Alignment): readonly StrategyBook[] {
    return this.#strategies.align(market, this.#positionsIn(market), netted, alignment).changed;
  }

  /** Tells of every change of a position, at once and in the order of the books. */
  watch(listener: (change: PositionChange) => void): void {
    this.#listeners.push(listener);
  }

  /** Books the fills that are not in `booked` yet, adds them to it, and returns what must be written. */
  apply(trade: Trade, report: OrderReport, booked: Set<string>, netted: boolean): Booked {
    const { clientOrderId, market, side, positionSide } = report;
    const where = { exchange: trade.order.exchange, mode: trade.mode, account: trade.account, market };
    const of = { ...where, side: positionSide };
    const key = positionKey(of);
    const strategy = strategyOf(trade);
    const isDivided = this.#strategies.concerns(where, strategy);
    const changed = new Map<string, StrategyBook>();
    const fills: BookedFill[] = [];
    let position = this.#positions.get(key) ?? emptyPosition(of);
    for (const fill of report.fills) {
      const id = fillKey({ clientOrderId, fillId: fill.fillId });
      if (booked.has(id)) continue;
      booked.add(id);
      const before = isDivided ? this.#positionsIn(where) : [];
      const applied = applyFill(position, side, fill);
      position = applied.position;
      this.#positions.set(key, position);
      const booking: BookedFill = { clientOrderId, ...fill, realizedPnl: applied.realizedPnl };
      if (!isDivided) {
        fills.push(booking);
        continue;
      }
      const own = { strategy, side, positionSide, netted, fill };
      const divided = this.#strategies.note(where, own, before, this.#positionsIn(where));
      for (const book of divided.changed) changed.set(`${book.side} ${book.strategy}`, book);
      fills.push({ ...booking, shares: divided.shares });
    }
    if (fills.length === 0) return { fills, position: undefined, books: [] };
    this.#tell({ position, by: { trade, report, fills } });
    return { fills, position, books: [...changed.values()] };
  }

  #positionsIn(market: MarketName): readonly Position[] {
    const { exchange, mode, account, market: name } = market;
    return SIDES.flatMap((side) => this.get({ exchange, mode, account, market: name, side }) ?? []);
  }

  #tell(change: PositionChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
