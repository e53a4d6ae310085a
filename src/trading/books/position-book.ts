// Our own positions in memory, and their division between strategies, as the journal's fills made them or a venue
// corrected them; each market is touched by its lane only.

import { ACTION_MEANING } from '../action.ts';
import { type Decimal, minus, type Product, plus, product, quotient, smaller, ZERO } from '../decimal.ts';
import { LIQUIDATION, OWNER } from '../signal.ts';
import type { Fill, OrderReport, OrderSide, PositionSide } from '../venue.ts';
import { type BookedFill, fillKey, type Trade } from './journal.ts';
import { applyFill, emptyPosition, type Position, type PositionName, positionKey } from './position.ts';
import { type Alignment, type MarketName, NAMELESS, type ShareName, type StrategyBook } from './strategy-book.ts';
import { StrategyBooks } from './strategy-books.ts';

/** What the fills of a report changed, to be written with them. */
export interface Booked {
  readonly fills: BookedFill[];
  readonly positions: readonly Position[];
  readonly books: readonly StrategyBook[];
}

interface Applied {
  readonly positions: readonly Position[];
  readonly realizedPnl: Decimal;
}

export interface PositionChange {
  /** Absent where only its division between strategies changed. */
  readonly position?: Position;
  /** The shares that changed, as they are now. */
  readonly shares: readonly StrategyBook[];
  /**
   * Whose fills made it; absent where the venue's word was taken over, and where an order that opens the other side of a netted
   * account took from it: that is told with the side of the order.
   */
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
    const strategy = strategyOf(trade);
    const isDivided = this.#strategies.concerns(where, strategy);
    const positions = new Map<PositionSide, Position>();
    const changed = new Map<string, StrategyBook>();
    const fills: BookedFill[] = [];
    const own = this.#ownShare(trade);
    for (const fill of report.fills) {
      const id = fillKey({ clientOrderId, fillId: fill.fillId });
      if (booked.has(id)) continue;
      booked.add(id);
      const before = isDivided ? this.#positionsIn(where) : [];
      // What closes the position, whoever holds it, such as a liquidation, may close what somebody traded beside us: it opens nothing.
      const isNetted = netted && (strategy !== undefined || !report.reduceOnly);
      const applied = this.#applyFill({ ...where, side: positionSide }, side, fill, isNetted);
      for (const position of applied.positions) positions.set(position.side, position);
      const booking: BookedFill = { ...fill, clientOrderId, realizedPnl: applied.realizedPnl };
      if (!isDivided) {
        fills.push(booking);
        continue;
      }
      const ownFill = { strategy, side, positionSide, netted, fill };
      const divided = this.#strategies.note(where, ownFill, before, this.#positionsIn(where));
      for (const book of divided.changed) changed.set(`${book.side} ${book.strategy}`, book);
      fills.push({ ...booking, shares: divided.shares });
    }
    if (fills.length === 0) return { fills, positions: [], books: [] };
    const books = [...changed.values()];
    const added = minus(this.#ownShare(trade), own);
    const touched = [...positions.values()];
    const shares = isDivided ? books : touched.map((position) => ({ ...position, strategy: NAMELESS }));
    const of = { ...where, side: positionSide };
    const position = this.get(of) ?? emptyPosition(of);
    this.#tell({ position, shares, by: { trade, report, added, price: averageOf(fills), fills } });
    const other = positions.get(otherOf(positionSide));
    if (other) this.#tell({ position: other, shares: [] });
    return { fills, positions: touched, books };
  }

  #applyFill(of: PositionName, orderSide: OrderSide, fill: Fill, netted: boolean): Applied {
    // The venue's own count, where it gives one: the shares of strategies are counted by what each of them has paid.
    const apply = (name: PositionName, part: Fill) =>
      applyFill(this.get(name) ?? emptyPosition(name), orderSide, part, fill.realizedPnl);
    const applied = netted
      ? this.#netted(of, orderSide, fill).map(({ name, part }) => apply(name, part))
      : [apply(of, fill)];
    for (const { position } of applied) this.#positions.set(positionKey(position), position);
    const realizedPnl = applied.map((each) => each.realizedPnl).reduce(plus, ZERO);
    return { positions: applied.map(({ position }) => position), realizedPnl };
  }

  /**
   * A netted account holds one side only: whatever an order was sent for, it takes the other side away first and opens what is left.
   * So what is held is the sum of all fills, also where the fill of a resting order is told later than that of an order after it.
   * The fee of a fill that does both is that of what it closed.
   */
  #netted(of: PositionName, orderSide: OrderSide, fill: Fill): { readonly name: PositionName; readonly part: Fill }[] {
    const [grows, shrinks] = (orderSide === 'BUY' ? ['LONG', 'SHORT'] : ['SHORT', 'LONG']) as [
      PositionSide,
      PositionSide,
    ];
    const other = { ...of, side: shrinks };
    const taken = smaller(this.get(other)?.quantity ?? ZERO, fill.quantity);
    const rest = { ...fill, quantity: minus(fill.quantity, taken), fee: taken === ZERO ? fill.fee : ZERO };
    const parts = [
      { name: other, part: { ...fill, quantity: taken } },
      { name: { ...of, side: grows }, part: rest },
    ];
    return parts.filter(({ part }) => part.quantity > ZERO);
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

const otherOf = (side: PositionSide): PositionSide => (side === 'LONG' ? 'SHORT' : 'LONG');

const nameless = (name: PositionName): ShareName => ({ ...name, strategy: NAMELESS });

function averageOf(fills: readonly BookedFill[]): Decimal {
  const [first, ...others] = fills as readonly [BookedFill, ...BookedFill[]];
  if (others.length === 0) return first.price;
  const cost = fills.reduce((sum, { quantity, price }) => sum + product(quantity, price), 0n) as Product;
  return quotient(cost, fills.reduce((sum, { quantity }) => sum + quantity, 0n) as Decimal);
}
