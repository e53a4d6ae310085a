// MEXC's positions. Each has an id from its opening to its end; leverage and margin are set for it, or before it is opened.
//
// Certain: the fields, the numbers for modes, types and states, and what change_leverage wants with and without a position.
// Assumed: the refusals of a change of mode (2019) and of leverage by contract while there is a position (2019). The market
// underneath has one leverage for both directions of a contract.

import {
  absolute,
  type Decimal,
  decimal,
  minus,
  over,
  plus,
  smaller,
  times,
  toNumber,
  ZERO,
} from '../../../../src/trading/decimal.ts';
import { entryPriceOf, type PositionMode, signed } from '../futures-account.ts';
import type { FuturesOrder, PositionSide, Trade } from '../futures-order.ts';
import type { MarketSpec } from '../market-spec.ts';
import type { MatchingMarket } from '../matching-market.ts';
import type { Contracts } from './contracts.ts';
import { MexcRefusal } from './error-codes.ts';
import { type Parameters, pageOf } from './parameters.ts';

const LONG = 1;
const SHORT = 2;
const HOLDING = 1;
const CLOSED = 3;
const FIRST_ID = 1_394_000;

/** One life of a position, from flat to flat. */
export interface PositionLife {
  readonly positionId: number;
  readonly symbol: string;
  readonly side: PositionSide;
  readonly positionType: typeof LONG | typeof SHORT;
  readonly openedMs: number;
  quantity: Decimal;
  closed: Decimal;
  closedValue: Decimal;
  realised: Decimal;
  funding: Decimal;
  entryPrice: Decimal;
  updatedMs: number;
}

interface FundingRecord {
  readonly id: number;
  readonly symbol: string;
  readonly positionType: number;
  readonly positionValue: number;
  readonly funding: number;
  readonly rate: number;
  readonly settleTime: number;
  readonly positionId: number;
}

export class Positions {
  mode: PositionMode = 'hedge';
  readonly #market: MatchingMarket;
  readonly #contracts: Contracts;
  readonly #lives: PositionLife[] = [];
  readonly #fundings: FundingRecord[] = [];
  readonly #touched = new Map<string, readonly PositionLife[]>();

  /** Must be made before those who tell of positions listen to the market. */
  constructor(market: MatchingMarket, contracts: Contracts) {
    this.#market = market;
    this.#contracts = contracts;
    market.listen((event) => {
      if (event.type === 'order' && event.trade !== undefined) this.#traded(event.order, event.trade);
      if (event.type === 'account' && event.reason === 'FUNDING_FEE') this.#funded(event.symbol);
    });
  }

  /** A trade may end one life of a position and begin the next. */
  #traded({ symbol, positionSide, side }: FuturesOrder, { quantity, price, realizedPnl, fee, atMs }: Trade): void {
    const held = this.current(symbol, positionSide);
    const isBuy = signed(side, quantity) > 0n;
    const closed =
      held !== undefined && (held.positionType === LONG) !== isBuy ? smaller(quantity, held.quantity) : ZERO;
    const opened = minus(quantity, closed);
    const grown = closed === ZERO ? held : undefined;
    const lives = closed === ZERO ? [] : [held!];
    if (opened !== ZERO) lives.push(grown ?? this.#open(symbol, positionSide, isBuy, atMs));
    if (closed !== ZERO) {
      held!.quantity = minus(held!.quantity, closed);
      held!.closed = plus(held!.closed, closed);
      held!.closedValue = plus(held!.closedValue, times(closed, price));
    }
    const last = lives.at(-1)!;
    if (opened !== ZERO) last.quantity = plus(last.quantity, opened);
    if (last.quantity > ZERO) last.entryPrice = entryPriceOf(this.#market.account.position(symbol, positionSide));
    lives[0]!.realised = plus(lives[0]!.realised, minus(realizedPnl, fee));
    for (const life of lives) life.updatedMs = atMs;
    this.#touched.set(symbol, lives);
  }

  #open(symbol: string, side: PositionSide, isBuy: boolean, openedMs: number): PositionLife {
    const nothing = {
      quantity: ZERO,
      closed: ZERO,
      closedValue: ZERO,
      realised: ZERO,
      funding: ZERO,
      entryPrice: ZERO,
    };
    const positionType = isBuy ? LONG : SHORT;
    const positionId = FIRST_ID + this.#market.idsFrom + this.#lives.length + 1;
    const life: PositionLife = { positionId, symbol, side, positionType, openedMs, updatedMs: openedMs, ...nothing };
    this.#lives.push(life);
    return life;
  }

  #funded(symbol: string): void {
    const { account } = this.#market;
    const held = account.heldPositions(symbol);
    const paid = account.income.filter(({ type }) => type === 'FUNDING_FEE').slice(-held.length);
    for (const [index, { id, amount, atMs }] of paid.entries()) {
      const position = held[index]!;
      const life = this.current(symbol, position.side)!;
      life.funding = plus(life.funding, amount);
      const value = account.notional(position);
      this.#fundings.push({
        id,
        symbol: this.#contracts.nameOf(symbol),
        positionType: life.positionType,
        positionValue: toNumber(absolute(value)),
        funding: toNumber(amount),
        rate: -toNumber(over(amount, value)),
        settleTime: atMs,
        positionId: life.positionId,
      });
    }
  }

  /** The one that is held, if one is. */
  current(symbol: string, side: PositionSide): PositionLife | undefined {
    return this.#lives.findLast((life) => life.symbol === symbol && life.side === side && life.quantity > ZERO);
  }

  held(positionId: number | undefined): PositionLife {
    const life = this.#lives.find((one) => one.positionId === positionId && one.quantity > ZERO);
    if (life === undefined) throw new MexcRefusal(2009);
    return life;
  }

  /** What the last trade of a contract has changed: a position that is over comes before the one that follows it. */
  touched(symbol: string): readonly PositionLife[] {
    return this.#touched.get(symbol) ?? [];
  }

  heldOf(symbol: string): readonly PositionLife[] {
    return this.#lives.filter((life) => life.symbol === symbol && life.quantity > ZERO);
  }

  /** The position that orders of this direction belong to. */
  sideOf(isLong: boolean): PositionSide {
    if (this.mode === 'one-way') return 'BOTH';
    return isLong ? 'LONG' : 'SHORT';
  }

  openPositions(parameters: Parameters): object[] {
    const name = parameters.text('symbol');
    const id = parameters.integer('positionId');
    return this.#lives
      .filter(({ quantity }) => quantity > ZERO)
      .filter(({ symbol }) => name === undefined || this.#contracts.nameOf(symbol) === name)
      .filter(({ positionId }) => id === undefined || positionId === id)
      .map((life) => this.row(life));
  }

  /** How much resting orders that close it speak for. */
  frozen({ symbol, side, positionType }: PositionLife): Decimal {
    return this.#market
      .openOrders(symbol)
      .filter((order) => order.positionSide === side && this.#market.reduces(order))
      .filter((order) => (order.side === 'SELL') === (positionType === LONG))
      .reduce((sum, order) => plus(sum, minus(order.quantity, order.executed)), ZERO);
  }

  row(life: PositionLife): object {
    const { account } = this.#market;
    const position = account.position(life.symbol, life.side);
    const isHeld = life.quantity > ZERO;
    const settings = account.settings(life.symbol);
    const margin = isHeld ? toNumber(account.initialMargin(position)) : 0;
    const volume = (quantity: Decimal): number => this.#contracts.volumeOf(life.symbol, quantity);
    return {
      positionId: life.positionId,
      symbol: this.#contracts.nameOf(life.symbol),
      positionType: life.positionType,
      openType: settings.marginType === 'ISOLATED' ? 1 : 2,
      state: isHeld ? HOLDING : CLOSED,
      holdVol: volume(life.quantity),
      frozenVol: isHeld ? volume(this.frozen(life)) : 0,
      closeVol: volume(life.closed),
      holdAvgPrice: toNumber(life.entryPrice),
      openAvgPrice: toNumber(life.entryPrice),
      closeAvgPrice: life.closed === ZERO ? 0 : toNumber(over(life.closedValue, life.closed)),
      liquidatePrice: isHeld ? toNumber(account.liquidationPrice(position)) : 0,
      oim: margin,
      im: margin,
      holdFee: toNumber(life.funding),
      realised: toNumber(plus(life.realised, life.funding)),
      leverage: settings.leverage,
      autoAddIm: false,
      createTime: life.openedMs,
      updateTime: life.updatedMs,
    };
  }

  fundingRecords(parameters: Parameters): object {
    const name = parameters.text('symbol');
    const rows = this.#fundings.filter(({ symbol }) => name === undefined || symbol === name).reverse();
    const resultList = pageOf(rows, parameters);
    const pageSize = parameters.integer('page_size') ?? 20;
    const totalPage = Math.ceil(rows.length / pageSize);
    return {
      pageSize,
      totalCount: rows.length,
      totalPage,
      currentPage: parameters.integer('page_num') ?? 1,
      resultList,
    };
  }

  leverages(parameters: Parameters): object[] {
    const spec = this.#contracts.find(parameters.text('symbol'));
    const { leverage, marginType } = this.#market.account.settings(spec.symbol);
    const [bracket] = spec.brackets;
    const common = { level: 1, mmr: toNumber(bracket!.maintenanceRate), imr: 1 / bracket!.maxLeverage, leverage };
    const openType = marginType === 'ISOLATED' ? 1 : 2;
    return [LONG, SHORT].map((positionType) => ({
      positionType,
      openType,
      symbol: parameters.text('symbol'),
      ...common,
    }));
  }

  /** Of a position by its id; before there is one, by contract, direction and margin. Setting what is set is a success. */
  changeLeverage(parameters: Parameters): null {
    const id = parameters.integer('positionId');
    const leverage = parameters.integer('leverage');
    if (id !== undefined) {
      this.#setLeverage(this.#market.spec(this.held(id).symbol), leverage);
      return null;
    }
    const spec = this.#contracts.find(parameters.text('symbol'));
    const openType = parameters.integer('openType');
    const type = parameters.integer('positionType');
    if (openType !== 1 && openType !== 2) throw new MexcRefusal(2002);
    if (type !== LONG && type !== SHORT) throw new MexcRefusal(2022);
    if (this.current(spec.symbol, this.sideOf(type === LONG)) !== undefined) throw new MexcRefusal(2019);
    this.#setLeverage(spec, leverage);
    this.#market.account.settings(spec.symbol).marginType = openType === 1 ? 'ISOLATED' : 'CROSSED';
    return null;
  }

  #setLeverage(spec: MarketSpec, leverage: number | undefined): void {
    const { account } = this.#market;
    if (leverage === undefined || leverage < 1 || leverage > spec.brackets[0]!.maxLeverage) throw new MexcRefusal(2006);
    const held = account.heldPositions(spec.symbol).map((position) => absolute(account.notional(position)));
    if (held.some((value) => value > account.maxNotional(spec.symbol, leverage))) throw new MexcRefusal(2031);
    if (decimal(account.settings(spec.symbol).leverage) !== decimal(leverage))
      this.#market.setLeverage(spec.symbol, leverage);
  }

  positionMode(): number {
    return this.mode === 'hedge' ? 1 : 2;
  }

  /** Only while nothing is held and nothing waits. */
  changePositionMode(parameters: Parameters): null {
    const asked = parameters.integer('positionMode');
    if (asked !== 1 && asked !== 2) throw new MexcRefusal(600);
    const waits = this.#market.openOrders().length + this.#market.stops.waiting().length;
    if (this.#market.account.heldPositions().length + waits > 0) throw new MexcRefusal(2019);
    this.mode = asked === 1 ? 'hedge' : 'one-way';
    return null;
  }
}
