// A market that walks at random, the same walk each time: closed bars by their time, and the ticks a forming bar goes through.

import type { MarketBar } from '../ports.ts';
import { createHandMarket, FIRST_BAR_MS, type HandMarket } from './hand-market.ts';

const QUARTER_HOUR_MS = 900_000;
/** How often the price of a bar moves after its open. */
const MOVES = 3;

export interface WalkingMarket extends HandMarket {
  /** The forming bar after so many of its moves. */
  formingAfter(moves: number): MarketBar;
  /** Where it was last seen. */
  readonly price: number;
}

/** From 0 up to 1, always the same for one place. */
function chance(place: number): number {
  let mixed = Math.imul(place ^ 0x9e3779b9, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}

export function createWalkingMarket(closedBars: number, timeframeMs = QUARTER_HOUR_MS): WalkingMarket {
  const prices: number[][] = [];
  let close = 1000;
  let price = 1000;
  const pathOf = (index: number): readonly number[] => {
    for (let next = prices.length; next <= index; next += 1) {
      const path = [close];
      for (let move = 0; move < MOVES; move += 1)
        path.push(Math.round(path.at(-1)! * (1 + (chance(next * MOVES + move) - 0.5) * 0.008) * 100) / 100);
      prices.push(path);
      close = path.at(-1)!;
    }
    return prices[index]!;
  };
  const indexOf = (timeMs: number): number => timeMs / timeframeMs - Math.ceil(FIRST_BAR_MS / timeframeMs);
  const barOf = (timeMs: number, moves: number): MarketBar => {
    const path = pathOf(indexOf(timeMs)).slice(0, moves + 1);
    const [open = Number.NaN] = path;
    return {
      time: timeMs,
      open,
      high: Math.max(...path),
      low: Math.min(...path),
      close: path.at(-1)!,
      volume: moves + 1,
    };
  };
  const market = createHandMarket(closedBars, { timeframeMs, barAt: (timeMs) => barOf(timeMs, MOVES) });
  return Object.defineProperties(
    {
      formingAfter(moves: number) {
        const bar = barOf(market.formingMs, moves);
        price = bar.close;
        return bar;
      },
      get price() {
        return price;
      },
    } as WalkingMarket,
    Object.getOwnPropertyDescriptors(market),
  );
}
