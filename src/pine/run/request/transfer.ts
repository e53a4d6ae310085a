// Values on their way from the requested chart to the script's: what can change is copied, whole, and belongs to the
// chart that it goes to.

import { ItemArray, type Journal, PineArray, PineMap, PineMatrix, PineObject } from '../../values/index.ts';

/** Objects in objects that are followed; a list that leads back to itself ends here. */
const MAX_DEPTH = 8;

export function transfer(value: unknown, journal: Journal, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return null;
  if (value instanceof PineArray) return arrayOf(value, journal, depth);
  if (value instanceof PineMatrix || value instanceof PineMap) return owned(value.copy(), journal);
  if (!(value instanceof PineObject)) return value;
  const copy = owned(value.copy(), journal) as unknown as Record<string, unknown>;
  for (const name of Object.keys(copy)) if (/^f\d+$/.test(name)) copy[name] = transfer(copy[name], journal, depth + 1);
  return copy;
}

function arrayOf(array: PineArray<unknown>, journal: Journal, depth: number): PineArray<unknown> {
  if (!(array instanceof ItemArray)) return owned(array.copy(), journal);
  return ItemArray.of<unknown>(
    journal,
    array.toList().map((item) => transfer(item, journal, depth + 1)),
  );
}

/** A fresh copy that nobody else knows yet may still change whom it belongs to. */
function owned<T extends object>(copy: T, journal: Journal): T {
  return Object.assign(copy, { journal, born: journal.epoch });
}
