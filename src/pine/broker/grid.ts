// The grid of a market: prices in ticks, quantities in contract steps, money in so many digits.

import type { BrokerMarket, Direction } from './settings.ts';

/** A price this near to a tick is on it: sums of doubles are never exact. */
const ON_GRID = 1e-4;
/** A few units in the last place of a double: what the number of ticks itself may be wrong by. */
const LAST_PLACE = 1e-15;
/** The same of quantities, which come from divisions: a part of a step, and some units in the last place of many steps. */
const PART_OF_STEP = 1e-9;
const LAST_PLACES = 1e-14;
/** Parts of a contract that the ledger tells apart. */
const UNITS = 1e8;

/** The remainder of a quantity, without the dust that subtracting doubles leaves. */
export const inUnits = (quantity: number): number => Math.round(quantity * UNITS) / UNITS;

/** A price and a distance of ticks, without the last digits that adding doubles leaves: prices have fewer than twelve. */
export const moved = (price: number, by: number): number => (by === 0 ? price : Number((price + by).toPrecision(12)));

/** Money is booked in ten digits. */
export function tenDigits(amount: number): number {
  if (amount === 0 || !Number.isFinite(amount)) return amount;
  const scale = 10 ** (9 - Math.floor(Math.log10(Math.abs(amount))));
  return Number.isFinite(scale) && scale > 0 ? Math.round(amount * scale) / scale : amount;
}

export class Grid {
  readonly mintick: number;
  private readonly scale: number;
  private readonly move: number;
  /** Steps in one contract. */
  private readonly steps: number;

  constructor({ pricescale, minmove, mincontract }: BrokerMarket) {
    this.scale = pricescale;
    this.move = minmove;
    this.mintick = minmove / pricescale;
    this.steps = 1 / mincontract;
  }

  /** The tick at or above for 1, at or below for -1. */
  snap(price: number, direction: Direction): number {
    const ticks = (price * this.scale) / this.move;
    const near = Math.round(ticks);
    const tolerance = ON_GRID + Math.abs(ticks) * LAST_PLACE;
    const whole = Math.abs(ticks - near) < tolerance ? near : direction > 0 ? Math.ceil(ticks) : Math.floor(ticks);
    return (whole * this.move) / this.scale;
  }

  nearest(price: number): number {
    return (Math.round((price * this.scale) / this.move) * this.move) / this.scale;
  }

  /** So many ticks as money; a fraction of a tick counts as a whole one, away from nothing. */
  ticks(count: number): number {
    return (Math.ceil(count - ON_GRID) * this.move) / this.scale;
  }

  /** So many whole ticks as money; a fraction of a tick is left off. */
  wholeTicks(count: number): number {
    return (Math.floor(count + ON_GRID) * this.move) / this.scale;
  }

  /** The largest whole number of steps in a quantity, whose last digits may come from a division. */
  floor(quantity: number): number {
    const steps = quantity * this.steps;
    const near = Math.round(steps);
    const tolerance = PART_OF_STEP + Math.abs(steps) * LAST_PLACES;
    const whole = Math.abs(steps - near) < tolerance ? near : Math.floor(steps);
    return inUnits(whole / this.steps);
  }
}
