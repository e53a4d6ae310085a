// MEXC's stop orders: the take profit and stop loss of a position, two prices in one order, of which one ends the other.
//
// Certain: the fields, trends, states, the codes 5001 to 5004, and that both prices may be changed together.
// Assumed: `volType` 2 means the whole position as it is when the price comes, 1 a volume; a position that is closed takes
// its stop orders with it (state 4).

import { type Decimal, minus, toNumber, ZERO } from '../../../../src/trading/decimal.ts';
import { type FuturesOrder, isOpen, type NewStop, opposite, Refusal, type StopOrder } from '../futures-order.ts';
import type { MatchingMarket } from '../matching-market.ts';
import type { Contracts } from './contracts.ts';
import { MexcRefusal } from './error-codes.ts';
import { idOf, type OrderNote, type OrderNotes } from './order-row.ts';
import { type Parameters, pageOf, periodOf } from './parameters.ts';
import type { PositionLife, Positions } from './positions.ts';

const FIRST_ID = 357_000_000;
const WHOLE = 2;
const STOP = 'stop';

type Kind = 'loss' | 'profit';
const nameOf = (id: number, kind: Kind): string => `stoporder_${id}_${kind}`;

interface Exits {
  readonly stopLoss: Decimal;
  readonly takeProfit: Decimal;
  readonly lossTrend: number;
  readonly profitTrend: number;
}

interface StopRecord {
  readonly id: number;
  readonly position: PositionLife;
  /** Absent: the whole position. */
  readonly quantity: Decimal | undefined;
  readonly createdMs: number;
  exits: Exits;
  legs: { readonly loss: StopOrder | undefined; readonly profit: StopOrder | undefined };
  isCancelled: boolean;
}

export class StopOrders {
  readonly #market: MatchingMarket;
  readonly #contracts: Contracts;
  readonly #positions: Positions;
  readonly #records: StopRecord[] = [];

  constructor(market: MatchingMarket, contracts: Contracts, positions: Positions, notes: OrderNotes) {
    this.#market = market;
    this.#contracts = contracts;
    this.#positions = positions;
    market.listen((event) => {
      if (event.type === 'stop' && event.stop.status === 'TRIGGERING') this.#endOther(event.stop);
      if (event.type === 'account') this.#dropGone();
      if (event.type === 'order' && !isOpen(event.order) && event.order.executed > ZERO)
        this.#bring(event.order, notes.get(event.order.orderId));
    });
  }

  /** The exits that came with an order, for what it has filled. One whose price is reached already closes it at once. */
  #bring(order: FuturesOrder, note: OrderNote | undefined): void {
    const { stopLoss = ZERO, takeProfit = ZERO } = note ?? {};
    const position = this.#positions.current(order.symbol, order.positionSide);
    if (position === undefined || (stopLoss === ZERO && takeProfit === ZERO)) return;
    try {
      this.#add(position, order.executed, { stopLoss, takeProfit, lossTrend: 1, profitTrend: 1 });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { symbol, positionSide, executed: quantity } = order;
      const common = { clientOrderId: `stoporder_${order.orderId}`, symbol, positionSide, quantity } as const;
      const reduceOnly = positionSide === 'BOTH';
      this.#market.place({ ...common, side: opposite(order.side), timeInForce: 'IOC', reduceOnly });
    }
  }

  place(parameters: Parameters): number {
    const position = this.#positions.held(parameters.integer('positionId'));
    const exits = exitsOf(parameters);
    this.#check(position, exits);
    const isWhole = (parameters.integer('volType') ?? 1) === WHOLE;
    const asked = parameters.amount('vol');
    const spec = this.#market.spec(position.symbol);
    const quantity = isWhole || asked === undefined ? undefined : this.#contracts.quantityOf(spec, asked);
    if (quantity === ZERO) throw new MexcRefusal(2011);
    if (!isWhole && asked === undefined) throw new MexcRefusal(2011);
    const closable = minus(position.quantity, this.#positions.frozen(position));
    if (quantity !== undefined && quantity > closable) throw new MexcRefusal(5004);
    return this.#add(position, quantity, exits);
  }

  #add(position: PositionLife, quantity: Decimal | undefined, exits: Exits): number {
    const id = FIRST_ID + this.#records.length + 1;
    const legs = { loss: undefined, profit: undefined };
    const createdMs = this.#market.nowMs();
    const record: StopRecord = { id, position, quantity, createdMs, exits, legs, isCancelled: false };
    this.#records.push(record);
    try {
      this.#placeLegs(record);
    } catch (error) {
      this.#records.pop();
      const mine = [nameOf(id, 'loss'), nameOf(id, 'profit')];
      for (const stop of this.#market.stops.waiting())
        if (mine.includes(stop.clientStopId)) this.#market.stops.cancel(stop);
      throw error;
    }
    return id;
  }

  /** Prices, trends and volume of both at once. */
  change(parameters: Parameters): null {
    const record = this.#open(parameters.integer('stopPlanOrderId'));
    const exits = exitsOf(parameters);
    this.#check(record.position, exits);
    this.#cancelLegs(record);
    record.exits = exits;
    this.#placeLegs(record);
    return null;
  }

  /** A list of `{ stopPlanOrderId }`. */
  cancel(parameters: Parameters): null {
    const found = parameters.list.map((entry) => {
      const isNamed = typeof entry === 'object' && entry !== null && 'stopPlanOrderId' in entry;
      return this.#open(isNamed ? Number(entry.stopPlanOrderId) : undefined);
    });
    if (found.length === 0) throw new MexcRefusal(600);
    for (const record of found) this.#cancel(record);
    return null;
  }

  cancelAll(parameters: Parameters): null {
    const positionId = parameters.integer('positionId');
    const name = parameters.text('symbol');
    for (const record of this.#records.filter((one) => stateOf(one) === 1)) {
      const isMeant = positionId === undefined || record.position.positionId === positionId;
      if (isMeant && (name === undefined || this.#contracts.nameOf(record.position.symbol) === name))
        this.#cancel(record);
    }
    return null;
  }

  openOrders(parameters: Parameters): object[] {
    return this.#asked(parameters)
      .filter((record) => stateOf(record) === 1)
      .map((record) => this.#row(record));
  }

  list(parameters: Parameters): object[] {
    const { fromMs, toMs } = periodOf(parameters, this.#market.nowMs());
    const isFinished = parameters.integer('is_finished');
    const rows = this.#asked(parameters)
      .filter(({ createdMs }) => fromMs <= createdMs && createdMs <= toMs)
      .filter((record) => isFinished === undefined || isFinished === (stateOf(record) === 1 ? 0 : 1));
    return pageOf(rows, parameters).map((record) => this.#row(record));
  }

  /** The stop order that a stop of the market is a part of, as it is told of. */
  rowOf(stop: StopOrder): object | undefined {
    const record = this.#recordOf(stop);
    return record === undefined ? undefined : this.#row(record);
  }

  #asked(parameters: Parameters): StopRecord[] {
    const name = parameters.text('symbol');
    return this.#records
      .filter(({ position }) => name === undefined || this.#contracts.nameOf(position.symbol) === name)
      .reverse();
  }

  #open(id: number | undefined): StopRecord {
    const record = this.#records.find((one) => one.id === id && stateOf(one) === 1);
    if (record === undefined) throw new MexcRefusal(5002);
    return record;
  }

  #cancel(record: StopRecord): void {
    record.isCancelled = true;
    this.#cancelLegs(record);
  }

  #cancelLegs({ legs }: StopRecord): void {
    for (const leg of [legs.loss, legs.profit]) if (leg !== undefined) this.#market.stops.cancel(leg);
  }

  #endOther(stop: StopOrder): void {
    const record = this.#recordOf(stop);
    const other = record?.legs.loss === stop ? record.legs.profit : record?.legs.loss;
    if (other !== undefined) this.#market.stops.cancel(other, 'EXPIRED');
  }

  #dropGone(): void {
    for (const { position, legs } of this.#records)
      if (position.quantity === ZERO)
        for (const leg of [legs.loss, legs.profit]) if (leg !== undefined) this.#market.stops.cancel(leg, 'EXPIRED');
  }

  #check(position: PositionLife, { stopLoss, takeProfit, lossTrend, profitTrend }: Exits): void {
    if (stopLoss === ZERO && takeProfit === ZERO) throw new MexcRefusal(5001);
    if (![1, 2, 3].includes(lossTrend) || ![1, 2, 3].includes(profitTrend)) throw new MexcRefusal(3001);
    const { last, mark } = this.#market.prices(position.symbol);
    const isLong = position.positionType === 1;
    const isAbove = (price: Decimal, trend: number): boolean => price > (trend === 1 ? last : mark);
    const isBelow = (price: Decimal, trend: number): boolean => price < (trend === 1 ? last : mark);
    const isLossRight = isLong ? isBelow(stopLoss, lossTrend) : isAbove(stopLoss, lossTrend);
    const isProfitRight = isLong ? isAbove(takeProfit, profitTrend) : isBelow(takeProfit, profitTrend);
    if (stopLoss !== ZERO && !isLossRight) throw new MexcRefusal(5003);
    if (takeProfit !== ZERO && !isProfitRight) throw new MexcRefusal(5003);
  }

  /** The market tells of a stop before it is a leg, so that it is known by its name. */
  #recordOf({ clientStopId }: StopOrder): StopRecord | undefined {
    return this.#records.find(({ id }) => clientStopId === nameOf(id, 'loss') || clientStopId === nameOf(id, 'profit'));
  }

  #placeLegs(record: StopRecord): void {
    const { stopLoss, takeProfit, lossTrend, profitTrend } = record.exits;
    const loss = this.#placeLeg(record, 'loss', stopLoss, lossTrend);
    record.legs = { loss, profit: this.#placeLeg(record, 'profit', takeProfit, profitTrend) };
  }

  #placeLeg(record: StopRecord, kind: Kind, triggerPrice: Decimal, trend: number): StopOrder | undefined {
    if (triggerPrice === ZERO) return undefined;
    const { id, position, quantity } = record;
    const isLong = position.positionType === 1;
    const stop: NewStop = {
      clientStopId: nameOf(id, kind),
      symbol: position.symbol,
      side: isLong ? 'SELL' : 'BUY',
      positionSide: position.side,
      triggerPrice,
      triggerBy: trend === 1 ? 'LAST' : 'MARK',
      waitsFor: isLong === (kind === 'profit') ? 'rise' : 'fall',
      ...(quantity === undefined ? {} : { quantity }),
      reduceOnly: position.side === 'BOTH',
      timeInForce: 'IOC',
      venueType: STOP,
    };
    return this.#market.placeStop(stop);
  }

  #row(record: StopRecord): object {
    const { id, position, exits, legs } = record;
    const done = [legs.loss, legs.profit].find((leg) => leg?.order !== undefined);
    const volume = this.#contracts.volumeOf(position.symbol, record.quantity ?? position.quantity);
    const updated = [legs.loss, legs.profit].map((leg) => leg?.updatedMs ?? 0);
    return {
      id,
      orderId: '0',
      symbol: this.#contracts.nameOf(position.symbol),
      positionId: String(position.positionId),
      lossTrend: exits.lossTrend,
      profitTrend: exits.profitTrend,
      stopLossPrice: toNumber(exits.stopLoss),
      takeProfitPrice: toNumber(exits.takeProfit),
      state: stateOf(record),
      triggerSide: done === undefined ? 0 : done === legs.profit ? 1 : 2,
      positionType: position.positionType,
      vol: volume,
      takeProfitVol: volume,
      stopLossVol: volume,
      realityVol: done?.order === undefined ? 0 : this.#contracts.volumeOf(position.symbol, done.order.executed),
      placeOrderId: done?.order === undefined ? '0' : idOf(done.order.orderId),
      errorCode: 0,
      version: 1,
      isFinished: stateOf(record) === 1 ? 0 : 1,
      profitLossVolType: 'SAME',
      volType: record.quantity === undefined ? WHOLE : 1,
      createTime: record.createdMs,
      updateTime: Math.max(record.createdMs, ...updated),
    };
  }
}

/** 1 waits, 2 was cancelled, 3 has placed its order, 4 has lost its position. */
function stateOf({ legs, isCancelled }: StopRecord): 1 | 2 | 3 | 4 {
  const all = [legs.loss, legs.profit].filter((leg) => leg !== undefined);
  if (all.some(({ status }) => status === 'TRIGGERING' || status === 'TRIGGERED' || status === 'FINISHED')) return 3;
  if (isCancelled) return 2;
  if (all.length === 0) return 1;
  return all.some(({ status }) => status === 'NEW') ? 1 : 4;
}

function exitsOf(parameters: Parameters): Exits {
  return {
    stopLoss: parameters.amount('stopLossPrice') ?? ZERO,
    takeProfit: parameters.amount('takeProfitPrice') ?? ZERO,
    lossTrend: parameters.integer('lossTrend') ?? 1,
    profitTrend: parameters.integer('profitTrend') ?? 1,
  };
}
