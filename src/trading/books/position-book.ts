// Our own positions in memory, and their division between strategies, as the journal's fills made them or a venue
// corrected them; each market is touched by its lane only.

import { ACTION_MEANING } from '../action.ts';
import { type Decimal, minus, type Product, product, quotient, ZERO } from '../decimal.ts';
import { LIQUIDATION, OWNER } from '../signal.ts';
import type { OrderReport, PositionSide } from '../venue.ts';
import { type BookedFill, fillKey, type Trade } from './journal.ts';
import { applyFill, emptyPosition, type Position, type PositionName, positionKey } from './position.ts';
import { type Alignment, type MarketName, NAMELESS, type ShareName, type StrategyBook } from './strategy-book.ts';
import { StrategyBooks } from './strategy-books.ts';

/** What the fills of a report changed, to be written with them. */
export interface Booked {
  readonly fills: BookedFill[];
  readonly position: Position | undefined;
  readonly books: readonly StrategyBook[];
}

export interface PositionChange {
  /** Absent where only its division between strategies changed. */
  readonly position?: Position;
  /** The shares that changed, as they are now. */
  readonly shares: readonly StrategyBook[];
  /** Whose fills made it; absent where the venue's word was taken over. */
  readonly by?: FillsOf;
}

export interface FillsOf {
  readonly trade: Trade;
  readonly report: OrderReport;
  /** How much its strategy holds more on the side of its action, and at which average price these fills were. */
  readonly added: Decimal;
  readonly price: Decimal;
  readonly fills: readonly BookedFill[];
}

/** The strategy whose share a trade deals with; undefined means the whole position, whoever holds it: so the owner closes. */
export const strategyOf = (trade: Pick<Trade, 'source' | 'order'>): string | undefined =>
  trade.order.strategy ?? (trade.source === OWNER || trade.source === LIQUIDATION ? undefined : NAMELESS);

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

  /** What a strategy holds of a position; undefined where it never had anything of it. */
  share(name: ShareName): StrategyBook | undefined {
    const books = this.#strategies.of(name);
    if (books.length > 0) return books.find(({ side, strategy }) => side === name.side && strategy === name.strategy);
    const position = name.strategy === NAMELESS ? this.get(name) : undefined;
    return position && { ...position, strategy: NAMELESS };
  }

  /** The shares of a position that are not flat. */
  sharesOf(name: PositionName): readonly StrategyBook[] {
    const books = this.#strategies.of(name);
    const shares = books.length > 0 ? books.filter(({ side }) => side === name.side) : [this.share(nameless(name))];
    return shares.filter((share) => share !== undefined && share.quantity > ZERO) as readonly StrategyBook[];
  }

  /** Takes the venue's word for our own, and makes the books of the market add up to it. Returns those that changed. */
  adopt(
    positions: readonly Position[],
    market: MarketName,
    netted: boolean,
    alignment: Alignment,
  ): readonly StrategyBook[] {
    for (const position of positions) this.#positions.set(positionKey(position), position);
    const { changed } = this.#strategies.align(market, this.#positionsIn(market), netted, alignment);
    const isDivided = this.#strategies.of(market).length > 0;
    if (isDivided) this.#tell({ shares: changed });
    for (const position of positions)
      this.#tell({ position, shares: isDivided ? [] : [{ ...position, strategy: NAMELESS }] });
    return changed;
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
    const own = this.#ownShare(trade);
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
      const ownFill = { strategy, side, positionSide, netted, fill };
      const divided = this.#strategies.note(where, ownFill, before, this.#positionsIn(where));
      for (const book of divided.changed) changed.set(`${book.side} ${book.strategy}`, book);
      fills.push({ ...booking, shares: divided.shares });
    }
    if (fills.length === 0) return { fills, position: undefined, books: [] };
    const books = [...changed.values()];
    const added = minus(this.#ownShare(trade), own);
    const shares = isDivided ? books : [{ ...position, strategy: NAMELESS }];
    this.#tell({ position, shares, by: { trade, report, added, price: averageOf(fills), fills } });
    return { fills, position, books };
  }

  /** What the strategy of a trade holds on the side of its action. */
  #ownShare({ order, mode, account }: Trade): Decimal {
    const { exchange, market, action, strategy = NAMELESS } = order;
    const side = ACTION_MEANING[action].positionSide;
    return this.share({ exchange, mode, account, market, side, strategy })?.quantity ?? ZERO;
  }

  #positionsIn(market: MarketName): readonly Position[] {
    const { exchange, mode, account, market: name } = market;
    return SIDES.flatMap((side) => this.get({ exchange, mode, account, market: name, side }) ?? []);
  }

  #tell(change: PositionChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}

const nameless = (name: PositionName): ShareName => ({ ...name, strategy: NAMELESS });

function averageOf(fills: readonly BookedFill[]): Decimal {
  const [first, ...others] = fills as readonly [BookedFill, ...BookedFill[]];
  if (others.length === 0) return first.price;
  const cost = fills.reduce((sum, { quantity, price }) => sum + product(quantity, price), 0n) as Product;
  return quotient(cost, fills.reduce((sum, { quantity }) => sum + quantity, 0n) as Decimal);
}
