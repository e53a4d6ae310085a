// How much and at what price: quantities in contract steps, levels on ticks, and the size that a strategy declares.

import type { ExitOrder, ExitRequest } from './exit-order.ts';
import { type Grid, inUnits, tenDigits } from './grid.ts';
import type { Lot } from './lot.ts';
import type { Order, OrderNumbers } from './order.ts';
import type { PointValue } from './point-value.ts';
import type { QuietRange } from './quiet-range.ts';
import type { BrokerSettings, Direction } from './settings.ts';

export class Sizing {
  private readonly settings: BrokerSettings;
  private readonly grid: Grid;
  private readonly pointValue: PointValue;

  constructor(settings: BrokerSettings, grid: Grid, pointValue: PointValue) {
    this.settings = settings;
    this.grid = grid;
    this.pointValue = pointValue;
  }

  /** Levels lie on ticks: a stop on the worse side of what was asked for, a limit on the better. */
  rounded(direction: Direction, quantity: number, limit: number, stop: number): OrderNumbers {
    const { grid } = this;
    return {
      direction,
      quantity: Number.isNaN(quantity) ? quantity : grid.floor(quantity),
      limit: Number.isNaN(limit) ? limit : grid.snap(limit, direction > 0 ? -1 : 1),
      stop: Number.isNaN(stop) ? stop : grid.snap(stop, direction),
    };
  }

  isByDefault(order: Order): boolean {
    return order.isByDefault && this.settings.quantityType !== 'fixed';
  }

  /** A number of contracts, or what an amount of money buys at a price when the fee is paid from it. */
  defaultQuantity(order: Order, price: number): number {
    const { slippage } = this.settings;
    const slipped = order.isMarket ? price + order.direction * slippage * this.grid.mintick : price;
    return this.quantityFor(slipped, order.equityAtPlacement);
  }

  /** What an order trades of its own: as it was given, or worked out at its fill, less what its group has taken. */
  ownQuantity(order: Order, price: number): number {
    if (!Number.isNaN(order.quantity)) return order.quantity;
    return inUnits(this.defaultQuantity(order, price) - order.reducedBy);
  }

  quantityFor(price: number, equity: number): number {
    const { quantityType, quantityValue, commissionType, commissionValue } = this.settings;
    if (quantityType === 'fixed') return this.grid.floor(quantityValue);
    const budget = tenDigits(quantityType === 'cash' ? quantityValue : (equity * quantityValue) / 100);
    const fee = commissionType === 'percent' ? 1 + commissionValue / 100 : 1;
    return Math.max(0, this.grid.floor(budget / (price * this.pointValue.now * fee)));
  }

  /** Levels of a bracket around an entry; distances in ticks are measured from its price. */
  priceExit(exit: ExitOrder, request: ExitRequest, quiet: QuietRange): void {
    const { grid } = this;
    const { lot } = exit;
    const side = lot.direction;
    const away = (ticks: number, sign: number): number => lot.price + side * sign * grid.ticks(ticks);
    const target = this.chosen(request.limit, away(request.profit, 1), -side);
    const stop = this.chosen(request.stop, away(request.loss, -1), side);
    const trail = this.chosen(request.trailPrice, away(request.trailPoints, 1), -side);
    const levels = {
      limit: Number.isNaN(target) ? target : grid.snap(target, side),
      stop: Number.isNaN(stop) ? stop : grid.snap(stop, side > 0 ? -1 : 1),
      activation: Number.isNaN(trail) ? trail : grid.snap(trail, side),
      offset: grid.wholeTicks(request.trailOffset),
    };
    exit.ask(request, this.wantedOf(lot, request), levels, quiet);
  }

  /** A price and a distance in ticks: from v6 on the one that is reached first counts. `side` 1 chooses the higher one. */
  private chosen(price: number, byTicks: number, side: number): number {
    if (Number.isNaN(price)) return byTicks;
    if (Number.isNaN(byTicks) || !this.settings.nearerCounts) return price;
    return side > 0 ? Math.max(price, byTicks) : Math.min(price, byTicks);
  }

  /** A percentage is one of the entry as it was filled. */
  private wantedOf(lot: Lot, { quantity, quantityPercent }: ExitRequest): number {
    if (!Number.isNaN(quantity)) return this.grid.floor(quantity);
    if (quantityPercent >= 100) return Number.POSITIVE_INFINITY;
    return this.grid.floor((lot.original * quantityPercent) / 100);
  }
}
