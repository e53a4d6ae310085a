// The mark between two pages of a list: the place of the last script shown, as a short text that clients only pass on.

/** A version letter and the place in base 36; 11 digits hold every whole number a JSON number can. */
const CURSOR = /^a[0-9a-z]{1,11}$/;

export const cursorAt = (place: number): string => `a${place.toString(36)}`;

/** Undefined for a text that no list of ours has given out. */
export function placeOf(cursor: string): number | undefined {
  if (!CURSOR.test(cursor)) return undefined;
  const place = Number.parseInt(cursor.slice(1), 36);
  return Number.isSafeInteger(place) && cursorAt(place) === cursor ? place : undefined;
}
