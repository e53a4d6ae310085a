// Randomness without state: the same seed and index give the same number, in any order and after any restart.

/** Mixes two 32-bit integers into one in which every bit depends on all of theirs. */
export function hash32(seed: number, index: number): number {
  let h = seed ^ Math.imul(index, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Evenly spread over [-1, 1). */
export const signedUnit = (seed: number, index: number): number => hash32(seed, index) / 0x8000_0000 - 1;

/** Evenly spread over [0, 1). */
export const unit = (seed: number, index: number): number => hash32(seed, index) / 0x1_0000_0000;

/** A seed from a name. */
export function hashText(seed: number, text: string): number {
  let h = hash32(seed, text.length);
  for (let i = 0; i < text.length; i++) h = hash32(h, text.charCodeAt(i));
  return h;
}
