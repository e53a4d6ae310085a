// Where marks stand: beside their bar or at an edge of the pane, each further out than those already there.

import type { Pane, Scene } from './scene.ts';

/** Between a bar and its marks, and between marks. */
export const MARK_GAP_PX = 3;

export interface Stack {
  /** The middle of a new mark of a height at a slot; the room is taken from then on. */
  place(slot: number, height: number): number;
}

export class Stacks {
  readonly #stacks: Readonly<Record<'above' | 'below' | 'top' | 'bottom', Stack>>;
  readonly #isPrice: boolean;

  constructor({ slots, bars }: Scene, { scale, box, legendHeight, isPrice }: Pane) {
    const highs = slots.highs(bars.high.subarray(0, bars.count)).map(scale.y);
    const lows = slots.lows(bars.low.subarray(0, bars.count)).map(scale.y);
    this.#isPrice = isPrice;
    this.#stacks = {
      above: stackOf(highs, -1),
      below: stackOf(lows, 1),
      top: stackOf(new Float64Array(slots.count).fill(box.top + legendHeight), 1),
      bottom: stackOf(new Float64Array(slots.count).fill(box.bottom), -1),
    };
  }

  /** By the language's name of a location; null for one that is a value. */
  at(location: string): Stack | null {
    if (location === 'absolute') return null;
    // There are no bars on the pane below them, so that marks beside bars stand at its edges.
    if (location === 'top' || location === 'bottom') return this.#stacks[location];
    if (location === 'belowbar') return this.#isPrice ? this.#stacks.below : this.#stacks.bottom;
    return this.#isPrice ? this.#stacks.above : this.#stacks.top;
  }
}

/** From its edges, outwards: down for 1, up for -1. */
function stackOf(edges: Float64Array, direction: 1 | -1): Stack {
  return {
    place(slot, height) {
      const near = edges[slot]! + direction * MARK_GAP_PX;
      edges[slot] = near + direction * height;
      return near + (direction * height) / 2;
    },
  };
}
