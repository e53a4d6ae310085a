// Where marks stand: beside their bar or at an edge of the pane, each further out than those already there.

import type { Pane, Scene } from './scene.ts';

/** Between a bar and its marks, and between marks. */
export const MARK_GAP_PX = 3;

export interface Stack {
  /** The middle of a new mark of a height at a slot; the room is taken from then on. */
  place(slot: number, height: number): number;
}

type Edge = 'above' | 'below' | 'top' | 'bottom';

export class Stacks {
  readonly #scene: Scene;
  readonly #pane: Pane;
  /** Those that some mark has asked for: most scripts mark nothing, and looking through the bars for it costs each frame something. */
  readonly #stacks = new Map<Edge, Stack>();

  constructor(scene: Scene, pane: Pane) {
    this.#scene = scene;
    this.#pane = pane;
  }

  /** By the language's name of a location; null for one that is a value. */
  at(location: string): Stack | null {
    if (location === 'absolute') return null;
    // There are no bars on the pane below them, so that marks beside bars stand at its edges.
    if (location === 'top' || location === 'bottom') return this.#of(location);
    if (location === 'belowbar') return this.#of(this.#pane.isPrice ? 'below' : 'bottom');
    return this.#of(this.#pane.isPrice ? 'above' : 'top');
  }

  #of(edge: Edge): Stack {
    let stack = this.#stacks.get(edge);
    if (stack === undefined) {
      stack = stackOf(this.#edges(edge), edge === 'above' || edge === 'bottom' ? -1 : 1);
      this.#stacks.set(edge, stack);
    }
    return stack;
  }

  #edges(edge: Edge): Float64Array {
    const { slots, bars } = this.#scene;
    const { scale, box, legendHeight } = this.#pane;
    if (edge === 'above') return slots.highs(bars.high.subarray(0, bars.count)).map(scale.y);
    if (edge === 'below') return slots.lows(bars.low.subarray(0, bars.count)).map(scale.y);
    return new Float64Array(slots.count).fill(edge === 'top' ? box.top + legendHeight : box.bottom);
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
