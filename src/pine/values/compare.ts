// The comparisons of the language: floats that differ by less than a hair are equal, and nothing compares with na.

/** Absolute tolerance of `== != < > <= >=` on floats and of the functions that count with them. */
export const TOLERANCE = 1e-10;

export function eq(a: number, b: number): boolean {
  // The first test is for infinities, whose difference is not a number.
  return a === b || Math.abs(a - b) <= TOLERANCE;
}

/** Not the opposite of `eq` when a side is na: every comparison with na is false. */
export function ne(a: number, b: number): boolean {
  return Math.abs(a - b) > TOLERANCE;
}

export function lt(a: number, b: number): boolean {
  return b - a > TOLERANCE;
}

export function gt(a: number, b: number): boolean {
  return a - b > TOLERANCE;
}

export function le(a: number, b: number): boolean {
  return a === b || a - b <= TOLERANCE;
}

export function ge(a: number, b: number): boolean {
  return a === b || b - a <= TOLERANCE;
}

/** `==` on strings. On TradingView an na of a string is the empty string, and the empty string is na. */
export function sameText(a: string | null, b: string | null): boolean {
  return (a ?? '') === (b ?? '');
}

/** `!=` on strings. */
export function differentText(a: string | null, b: string | null): boolean {
  return !sameText(a, b);
}

/** `==` on colors, bools, enums and references; na equals nothing, not even na. */
export function sameItem(a: unknown, b: unknown): boolean {
  return a !== null && a === b;
}

/** `!=` on the same; false when a side is na. */
export function differentItem(a: unknown, b: unknown): boolean {
  return a !== null && b !== null && a !== b;
}
