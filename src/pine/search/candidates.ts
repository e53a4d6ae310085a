// The combinations of values that a search tries: all of them, or a sample that a seed decides.

import type { SearchAxis } from '../run/input-space.ts';

/** Which value each axis has, by its place on the axis. */
export type Candidate = readonly number[];

export type SearchMethod =
  | { readonly kind: 'grid' }
  /** The same seed draws the same sample, on every machine. */
  | { readonly kind: 'random'; readonly samples: number; readonly seed: number };

/** The largest seed: the generator has a state of 32 bits. */
export const MAX_SEED = 2 ** 32 - 1;
/** Drawing again what was drawn already is given up after so many times; then there is hardly anything left to draw. */
const MAX_DRAWS_EACH = 50;

/** How many there are on the whole grid. */
export const gridSize = (axes: readonly SearchAxis[]): number =>
  axes.reduce((product, { values }) => product * values.length, 1);

/** How many a search tries. */
export const candidateCount = (axes: readonly SearchAxis[], method: SearchMethod): number =>
  method.kind === 'grid' ? gridSize(axes) : Math.min(method.samples, gridSize(axes));

/** In an order that never changes: the last axis turns fastest, and a sample stands in the order of the grid. */
export function candidatesOf(axes: readonly SearchAxis[], method: SearchMethod): Candidate[] {
  const total = gridSize(axes);
  if (method.kind === 'grid' || method.samples >= total)
    return Array.from({ length: total }, (_, index) => atPlace(axes, index));
  return drawn(axes, method);
}

function atPlace(axes: readonly SearchAxis[], index: number): Candidate {
  const places: number[] = [];
  let rest = index;
  for (const { values } of axes.toReversed()) {
    places.push(rest % values.length);
    rest = Math.floor(rest / values.length);
  }
  return places.reverse();
}

function drawn(axes: readonly SearchAxis[], { samples, seed }: { samples: number; seed: number }): Candidate[] {
  const random = randomFrom(seed);
  const found = new Map<string, Candidate>();
  for (let draws = 0; found.size < samples && draws < samples * MAX_DRAWS_EACH; draws += 1) {
    const places = axes.map(({ values }) => Math.floor(random() * values.length));
    found.set(places.join(','), places);
  }
  return [...found.values()].sort(inOrder);
}

function inOrder(a: Candidate, b: Candidate): number {
  const axis = a.findIndex((place, index) => place !== b[index]);
  return axis < 0 ? 0 : a[axis]! - b[axis]!;
}

/**
 * Numbers from 0 to below 1. A counter that is multiplied and folded until no bit of it shows any more (the constants are
 * those of the 32-bit finalizer of MurmurHash3): plain to write down, and the same everywhere.
 */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let bits = state;
    bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
    return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
  };
}

/** The values of a candidate by title. */
export const candidateInputs = (axes: readonly SearchAxis[], candidate: Candidate): Record<string, unknown> =>
  Object.fromEntries(axes.map(({ title, values }, axis) => [title, values[candidate[axis]!]]));
