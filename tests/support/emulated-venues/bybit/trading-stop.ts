// Bybit's stop loss and take profit of a position. In full mode there is one of each for the whole position, and setting it
// again moves it; in partial mode each call adds another for a part. All of them end with the position.

import { absolute, type Decimal, toText, ZERO } from '../../../../src/trading/decimal.ts';
import type { FuturesPosition } from '../futures-account.ts';
import { type FuturesOrder, type NewStop, type PositionSide, Refusal, type StopOrder } from '../futures-order.ts';
import type { MatchingMarket } from '../matching-market.ts';
import { listed, numberOf, type OrderNotes } from './listed-order.ts';
import type { Parameters } from './parameters.ts';
import type { Positions } from './positions.ts';
import { BybitRefusal } from './ret-codes.ts';

const PRICES = ['LastPrice', 'MarkPrice'] as const;
type TriggerPrice = (typeof PRICES)[number];
type Kind = 'StopLoss' | 'TakeProfit';

interface Exit {
  readonly kind: Kind;
  readonly price: Decimal;
  readonly by: TriggerPrice;
  /** Absent: the whole position. */
  readonly size?: Decimal;
}

export class TradingStop {
  readonly #market: MatchingMarket;
  readonly #positions: Positions;

  constructor(market: MatchingMarket, positions: Positions, notes: OrderNotes) {
    this.#market = market;
    this.#positions = positions;
    market.listen((event) => {
      if (event.type === 'account') this.#dropPartial(event.symbol);
      if (event.type !== 'order' || event.change !== 'trade') return;
      const { takeProfit, stopLoss } = notes.get(numberOf(listed(market, event.order))) ?? {};
      this.#bring(event.order, { TakeProfit: takeProfit, StopLoss: stopLoss });
    });
  }

  set(parameters: Parameters): object {
    parameters.checkCategory();
    const { symbol } = parameters.spec(this.#market.specs);
    if (parameters.text('trailingStop') !== undefined)
      throw new BybitRefusal(10001, 'params error: this emulated venue has no trailing stop');
    const index = parameters.integer('positionIdx');
    if (index === undefined) throw new BybitRefusal(10001, 'params error: positionIdx is required');
    const position = this.#market.account.position(symbol, this.#positions.sideOf(symbol, index));
    const mode = parameters.word('tpslMode', ['Full', 'Partial']);
    if (position.quantity === ZERO) throw new BybitRefusal(10001, 'can not set tp/sl/ts for zero position');
    const exits = exitsOf(parameters, mode);
    if (exits.length === 0)
      throw new BybitRefusal(10001, 'params error: takeProfit, stopLoss or trailingStop is required');
    for (const exit of exits) if (exit.price !== ZERO) this.#checkSide(position, exit);
    if (mode === 'Partial') this.#addPartial(position, exits);
    else this.#setFull(position, exits);
    return {};
  }

  /** The exits that came with an order become those of the position with its first fill. */
  #bring({ symbol, positionSide }: FuturesOrder, prices: Readonly<Record<Kind, Decimal | undefined>>): void {
    for (const kind of ['TakeProfit', 'StopLoss'] as const) {
      const price = prices[kind];
      const position = this.#market.account.position(symbol, positionSide);
      const isSet = price === this.#present(symbol, positionSide, kind)?.triggerPrice;
      if (price !== undefined && price !== ZERO && !isSet && position.quantity !== ZERO)
        this.#bringOne(position, { kind, price, by: 'LastPrice' });
    }
  }

  /** One whose price has been reached before the order filled closes the position at once. */
  #bringOne(position: FuturesPosition, exit: Exit): void {
    try {
      this.#setFull(position, [exit]);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { symbol, side: positionSide, quantity } = position;
      const side = quantity > 0n ? 'SELL' : 'BUY';
      const common = { clientOrderId: '', symbol, side, positionSide, quantity: absolute(quantity) } as const;
      this.#market.place({ ...common, timeInForce: 'IOC', reduceOnly: positionSide === 'BOTH' });
    }
  }

  #setFull(position: FuturesPosition, exits: readonly Exit[]): void {
    const changes = exits.filter(({ kind, price, by }) => {
      const present = this.#present(position.symbol, position.side, kind);
      if (present === undefined) return price !== ZERO;
      return present.triggerPrice !== price || present.triggerBy !== watched(by);
    });
    if (changes.length === 0) throw new BybitRefusal(34040);
    for (const exit of changes) {
      const present = this.#present(position.symbol, position.side, exit.kind);
      if (present !== undefined) this.#market.stops.cancel(present);
      if (exit.price !== ZERO) this.#place(position, exit, exit.kind);
    }
  }

  #present(symbol: string, side: PositionSide, kind: Kind): StopOrder | undefined {
    return this.#market.stops
      .waiting(symbol)
      .find(({ venueType, positionSide }) => venueType === kind && positionSide === side);
  }

  #addPartial(position: FuturesPosition, exits: readonly Exit[]): void {
    const sizes = new Set(exits.map(({ size }) => size));
    const [size] = sizes;
    if (size === undefined || size === ZERO || sizes.size > 1)
      throw new BybitRefusal(10001, 'params error: tpSize and slSize must be given and equal');
    if (size > absolute(position.quantity))
      throw new BybitRefusal(10001, 'params error: tpSize or slSize is larger than the position');
    for (const exit of exits) this.#place(position, exit, `Partial${exit.kind}`);
  }

  #place({ symbol, side, quantity }: FuturesPosition, exit: Exit, venueType: string): void {
    const isLong = quantity > 0n;
    const stop: NewStop = {
      clientStopId: '',
      symbol,
      side: isLong ? 'SELL' : 'BUY',
      positionSide: side,
      triggerPrice: exit.price,
      triggerBy: watched(exit.by),
      waitsFor: isLong === (exit.kind === 'TakeProfit') ? 'rise' : 'fall',
      ...(exit.size === undefined ? {} : { quantity: exit.size }),
      reduceOnly: side === 'BOTH',
      timeInForce: 'IOC',
      venueType,
    };
    this.#market.placeStop(stop);
  }

  /** A stop loss must lie below the price for a long position and above it for a short one, a take profit the other way. */
  #checkSide({ symbol, quantity }: FuturesPosition, { kind, price, by }: Exit): void {
    const { last, mark } = this.#market.prices(symbol);
    const base = by === 'MarkPrice' ? mark : last;
    const isLong = quantity > 0n;
    const mustBeHigher = isLong === (kind === 'TakeProfit');
    if (mustBeHigher ? price > base : price < base) return;
    const words = `${isLong ? 'Buy' : 'Sell'} position should ${mustBeHigher ? 'higher' : 'lower'} than`;
    throw new BybitRefusal(10001, `${kind}:${toText(price)} set for ${words} base_price:${toText(base)}??${by}`);
  }

  /** The market itself ends what closes a whole position. */
  #dropPartial(symbol: string): void {
    for (const stop of this.#market.stops.waiting(symbol)) {
      const isGone = this.#market.account.position(symbol, stop.positionSide).quantity === ZERO;
      if (stop.venueType.startsWith('Partial') && isGone) this.#market.stops.cancel(stop, 'EXPIRED');
    }
  }
}

const watched = (by: TriggerPrice): NewStop['triggerBy'] => (by === 'MarkPrice' ? 'MARK' : 'LAST');

/** A price of zero takes the present one away. */
function exitsOf(parameters: Parameters, mode: 'Full' | 'Partial'): Exit[] {
  const read = (kind: Kind, name: string, short: 'tp' | 'sl'): Exit[] => {
    const price = parameters.amount(name);
    if (price === undefined) return [];
    const size = parameters.amount(`${short}Size`) ?? ZERO;
    const by = parameters.word(`${short}TriggerBy`, PRICES, 'LastPrice');
    return [{ kind, price, by, ...(mode === 'Partial' ? { size } : {}) }];
  };
  return [...read('TakeProfit', 'takeProfit', 'tp'), ...read('StopLoss', 'stopLoss', 'sl')];
}
