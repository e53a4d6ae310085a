// Bybit's positions: one-way or hedge for each contract, leverage, and how a position is listed.

import { absolute, type Decimal, decimal, toNumber, toText, ZERO } from '../../../../src/trading/decimal.ts';
import { entryPriceOf, type FuturesPosition, type PositionMode } from '../futures-account.ts';
import type { PositionSide } from '../futures-order.ts';
import type { MatchingMarket } from '../matching-market.ts';
import { INDEXES } from './listed-order.ts';
import { type Page, type Parameters, pageOf } from './parameters.ts';
import { BybitRefusal } from './ret-codes.ts';

const SIDES: readonly PositionSide[] = ['BOTH', 'LONG', 'SHORT'];
const PAGE = { usual: 20, most: 200 };
/** Bybit's numbers for the position mode. */
const MODES: Readonly<Record<number, PositionMode>> = { 0: 'one-way', 3: 'hedge' };

export class Positions {
  readonly #market: MatchingMarket;
  readonly #hedged = new Set<string>();

  constructor(market: MatchingMarket) {
    this.#market = market;
  }

  modeOf(symbol: string): PositionMode {
    return this.#hedged.has(symbol) ? 'hedge' : 'one-way';
  }

  /** The position that an index means; one that does not fit the mode of the contract is refused. */
  sideOf(symbol: string, index: number | undefined): PositionSide {
    const side = SIDES[index ?? 0];
    if (side === undefined) throw new BybitRefusal(10001, 'params error: PositionIdx invalid');
    if ((side === 'BOTH') === this.#hedged.has(symbol))
      throw new BybitRefusal(10001, 'position idx not match position mode');
    return side;
  }

  /** Asked by contract, flat positions are listed too; asked by settle coin, only what is held. */
  list(parameters: Parameters): Page<object> {
    parameters.checkCategory();
    if (parameters.text('symbol') !== undefined) {
      const { symbol } = parameters.spec(this.#market.specs);
      return pageOf(this.rowsOf(symbol), parameters, PAGE);
    }
    if (parameters.text('settleCoin') === undefined)
      throw new BybitRefusal(10001, 'Missing some parameters that must be filled in, symbol or settleCoin');
    const isUsdt = parameters.text('settleCoin') === 'USDT';
    const held = isUsdt ? this.#market.account.heldPositions() : [];
    return pageOf(
      held.map((position) => this.#row(position)),
      parameters,
      PAGE,
    );
  }

  rowsOf(symbol: string): object[] {
    const sides: readonly PositionSide[] = this.#hedged.has(symbol) ? ['LONG', 'SHORT'] : ['BOTH'];
    return sides.map((side) => this.#row(this.#market.account.position(symbol, side)));
  }

  setLeverage(parameters: Parameters): object {
    parameters.checkCategory();
    const { symbol, brackets } = parameters.spec(this.#market.specs);
    const leverage = parameters.amount('buyLeverage') ?? ZERO;
    if (leverage !== parameters.amount('sellLeverage'))
      throw new BybitRefusal(10001, 'params error: buy leverage must equal sell leverage');
    if (leverage < decimal(1)) throw new BybitRefusal(10001, 'params error: leverage invalid');
    const most = brackets[0]!.maxLeverage;
    if (leverage > decimal(most))
      throw new BybitRefusal(
        110013,
        `cannot set leverage [${toText(leverage)}] gt maxLeverage [${most}] by risk limit`,
      );
    const { account } = this.#market;
    if (decimal(account.settings(symbol).leverage) === leverage) throw new BybitRefusal(110043);
    const held = account.heldPositions(symbol).map((position) => absolute(account.notional(position)));
    if (held.some((value) => value > account.maxNotional(symbol, toNumber(leverage)))) throw new BybitRefusal(110013);
    this.#market.setLeverage(symbol, toNumber(leverage));
    return {};
  }

  /** For one contract, or for all that settle in a coin. */
  switchMode(parameters: Parameters): object {
    parameters.checkCategory();
    const mode = MODES[parameters.integer('mode') ?? -1];
    if (mode === undefined) throw new BybitRefusal(10001, 'params error: mode invalid');
    const all = parameters.text('coin') === 'USDT' ? [...this.#market.specs.keys()] : undefined;
    const symbols = all ?? [parameters.spec(this.#market.specs).symbol];
    if (symbols.every((symbol) => this.modeOf(symbol) === mode)) throw new BybitRefusal(110025);
    for (const symbol of symbols) {
      if (this.#market.account.heldPositions(symbol).length > 0) throw new BybitRefusal(110024);
      const waits = this.#market.openOrders(symbol).length + this.#market.stops.waiting(symbol).length;
      if (waits > 0) throw new BybitRefusal(110028);
    }
    for (const symbol of symbols) {
      if (mode === 'hedge') this.#hedged.add(symbol);
      else this.#hedged.delete(symbol);
    }
    return {};
  }

  /** The trigger of the stop loss or take profit of a whole position. */
  #fullStop(position: FuturesPosition, type: 'StopLoss' | 'TakeProfit'): string {
    const stop = this.#market.stops
      .waiting(position.symbol)
      .find(({ venueType, positionSide }) => venueType === type && positionSide === position.side);
    return stop === undefined ? '' : toText(stop.triggerPrice);
  }

  #row(position: FuturesPosition): object {
    const { account } = this.#market;
    const { symbol, side, quantity } = position;
    const isFlat = quantity === ZERO;
    const ofHeld = (value: () => Decimal): string => (isFlat ? '' : toText(value()));
    const liquidation = isFlat ? ZERO : account.liquidationPrice(position);
    return {
      positionIdx: INDEXES[side],
      riskId: 1,
      riskLimitValue: toText(this.#market.spec(symbol).brackets[0]!.notionalCap),
      symbol,
      side: isFlat ? '' : quantity > 0n ? 'Buy' : 'Sell',
      size: toText(absolute(quantity)),
      avgPrice: isFlat ? '0' : toText(entryPriceOf(position)),
      positionValue: ofHeld(() => absolute(account.notional(position))),
      tradeMode: 0,
      autoAddMargin: 0,
      positionStatus: 'Normal',
      leverage: String(account.settings(symbol).leverage),
      markPrice: this.#market.hasPrice(symbol) ? toText(this.#market.prices(symbol).mark) : '',
      liqPrice: liquidation === ZERO ? '' : toText(liquidation),
      bustPrice: '',
      positionIM: ofHeld(() => account.initialMargin(position)),
      positionMM: ofHeld(() => account.maintenanceMargin(position)),
      positionBalance: ofHeld(() => account.initialMargin(position)),
      tpslMode: 'Full',
      takeProfit: this.#fullStop(position, 'TakeProfit'),
      stopLoss: this.#fullStop(position, 'StopLoss'),
      trailingStop: '0',
      unrealisedPnl: ofHeld(() => account.unrealizedPnl(position)),
      curRealisedPnl: toText(position.realizedPnl),
      cumRealisedPnl: toText(position.realizedPnl),
      adlRankIndicator: 0,
      isReduceOnly: false,
      seq: position.updatedMs,
      createdTime: String(position.updatedMs),
      updatedTime: String(position.updatedMs),
    };
  }
}
