// Every closed trade by itself: what it was entered and left at, what it made, and what was at risk by its first stop.
//
// A closed trade is a closing fill, as in performance.ts. What was at risk is, for each entry fill, its distance to the stop
// that its signal brought along, times its quantity; a stop that was set or moved later is not the first one. What was opened
// without a stop had no limit to its risk, so a trade that closes any of it has none.

import type { Exchange } from '../../exchanges/exchange.ts';
import { type Decimal, minus, negate, over, plus, smaller, times, ZERO } from '../decimal.ts';
import { distanceOf, levelPrice } from '../level.ts';
import type { ProtectRequest } from '../signal.ts';
import type { PositionSide } from '../venue.ts';
import { isClosing, type TradedFill } from './fill-history.ts';
import { positionKey } from './position.ts';
import type { MarketName } from './strategy-book.ts';

export interface ClosedTrade extends MarketName {
  /** The closing fill's: `<client order id>/<fill id>`. */
  readonly id: string;
  readonly side: PositionSide;
  readonly quantity: Decimal;
  readonly entryPrice: Decimal;
  readonly exitPrice: Decimal;
  /** When the position was opened that it closed, all or a part of it; undefined where no fill of ours did. */
  readonly openedAtMs: number | undefined;
  readonly closedAtMs: number;
  /** Before fees. */
  readonly pnl: Decimal;
  /** Its own, and its share of those of the fills that opened what it closed. */
  readonly fees: Decimal;
  /** Of the trade that closed it. */
  readonly requestId: string;
  readonly strategy: string;
  /** Of the trade that opened the position. */
  readonly entryRequestId: string | undefined;
  /** Of all trades that opened something of it, the first included. */
  readonly entryRequestIds: readonly string[];
  readonly keyLabel: string;
  /** Undefined where there was no stop. */
  readonly atRisk: Decimal | undefined;
}

export interface StopSights {
  /** As signals asked for them, by request id. */
  readonly asked: ReadonlyMap<string, ProtectRequest>;
  readonly tickOf: (exchange: Exchange, market: string) => Decimal | undefined;
}

/** Oldest first. Fills in any order. */
export function closedTrades(fills: readonly TradedFill[], stops: StopSights): readonly ClosedTrade[] {
  const books = new Map<string, OpenPosition>();
  return fills
    .toSorted((a, b) => a.atMs - b.atMs)
    .flatMap((fill) => {
      const key = positionKey({ ...fill, side: fill.positionSide });
      const book = books.get(key) ?? new OpenPosition();
      books.set(key, book);
      if (isClosing(fill)) return [book.close(fill)];
      book.open(fill, riskOf(fill, stops));
      return [];
    });
}

/** Undefined where the entry brought no stop, or one that cannot be placed. */
function riskOf(fill: TradedFill, { asked, tickOf }: StopSights): Decimal | undefined {
  const [signal = ''] = fill.requestId.split('.');
  const { stopLoss, trail, activationPrice } = asked.get(signal) ?? {};
  const { price, positionSide: side, exchange, market } = fill;
  const tick = tickOf(exchange, market) ?? ZERO;
  const towards = (stop: Decimal): Decimal => (side === 'LONG' ? minus(price, stop) : minus(stop, price));
  const distances = [
    ...(stopLoss ? [towards(levelPrice(stopLoss, 'loss', side, price, tick))] : []),
    // A trail that begins later guards nothing at first.
    ...(trail && activationPrice === undefined ? [distanceOf(trail, price, tick)] : []),
  ].filter((distance) => distance > ZERO);
  return distances.length === 0 ? undefined : times(distances.reduce(smaller), fill.quantity);
}

class OpenPosition {
  #quantity: Decimal = ZERO;
  #fees: Decimal = ZERO;
  #risk: Decimal = ZERO;
  /** How much of it had no stop. */
  #unguarded: Decimal = ZERO;
  #first: TradedFill | undefined;
  #openers = new Set<string>();

  open(fill: TradedFill, risk: Decimal | undefined): void {
    this.#first ??= fill;
    this.#openers.add(fill.requestId);
    this.#quantity = plus(this.#quantity, fill.quantity);
    this.#fees = plus(this.#fees, fill.fee);
    if (risk === undefined) this.#unguarded = plus(this.#unguarded, fill.quantity);
    else this.#risk = plus(this.#risk, risk);
  }

  close(fill: TradedFill): ClosedTrade {
    const { exchange, mode, account, market, positionSide: side, quantity, price, realizedPnl, fee } = fill;
    const first = this.#first;
    const isKnown = this.#quantity >= quantity;
    const atRisk =
      isKnown && this.#unguarded === ZERO && this.#risk > ZERO ? this.#share(this.#risk, quantity) : undefined;
    const openingFees = this.#share(this.#fees, quantity);
    const entryRequestIds = [...this.#openers];
    this.#take(quantity);
    const gain = over(realizedPnl, quantity);
    return {
      ...{ id: `${fill.clientOrderId}/${fill.fillId}`, exchange, mode, account, market, side, quantity, atRisk },
      entryPrice: minus(price, side === 'LONG' ? gain : negate(gain)),
      exitPrice: price,
      openedAtMs: first?.atMs,
      closedAtMs: fill.atMs,
      pnl: realizedPnl,
      fees: plus(fee, openingFees),
      ...{ requestId: fill.requestId, strategy: fill.strategy },
      ...{ entryRequestId: first?.requestId, entryRequestIds },
      keyLabel: first?.keyLabel ?? fill.keyLabel,
    };
  }

  /** More than is known to be open may be closed: what was adopted from the venue was opened by no fill of ours. */
  #share(of: Decimal, quantity: Decimal): Decimal {
    const taken = smaller(this.#quantity, quantity);
    return this.#quantity === ZERO ? ZERO : (((of * taken) / this.#quantity) as Decimal);
  }

  #take(quantity: Decimal): void {
    this.#fees = minus(this.#fees, this.#share(this.#fees, quantity));
    this.#risk = minus(this.#risk, this.#share(this.#risk, quantity));
    this.#unguarded = minus(this.#unguarded, this.#share(this.#unguarded, quantity));
    this.#quantity = minus(this.#quantity, smaller(this.#quantity, quantity));
    if (this.#quantity !== ZERO) return;
    [this.#fees, this.#risk, this.#unguarded, this.#first] = [ZERO, ZERO, ZERO, undefined];
    this.#openers.clear();
  }
}
