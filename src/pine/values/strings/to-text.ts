// `str.tostring`: every value of the language as text.

import { PineArray } from '../arrays/array.ts';
import { roundToMintick } from '../math.ts';
import { PineMatrix } from '../matrices/matrix.ts';
import { EnumMember } from '../objects.ts';
import { PineRuntimeError } from '../runtime-error.ts';
import { checkLength } from './limit.ts';
import { formatNumber } from './number-format.ts';

/** How a number is written when nothing is said. */
const DEFAULT_PATTERN = '#.##########';

/** How `array.join` writes a number: the exact value to sixteen decimals, of a float with one at least. */
const JOINED_PATTERN = `#.${'#'.repeat(16)}`;
const JOINED_FLOAT_PATTERN = `0.0${'#'.repeat(15)}`;

/** The constants `format.*` as they arrive here. */
const NAMED_FORMATS = new Set(['mintick', 'price', 'inherit', 'volume', 'percent']);

/** Letters of the volume format and what they stand for. */
const VOLUME_UNITS: readonly (readonly [number, string])[] = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'K'],
];

export function toText(value: unknown, format: string | null | undefined, mintick: number): string {
  if (typeof value === 'number') return numberText(value, format ?? DEFAULT_PATTERN, mintick);
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (value === null || value === undefined) return 'NaN';
  if (value instanceof EnumMember) return value.title;
  if (value instanceof PineArray) return `[${joinAll(value, ', ', (item) => toText(item, format, mintick))}]`;
  if (value instanceof PineMatrix) {
    const lines: string[] = [];
    for (let row = 0; row < value.rows(); row += 1) lines.push(toText(value.row(row), format, mintick));
    return lines.join('\n');
  }
  throw new PineRuntimeError("In 'str.tostring()' function. A value of this type has no text.");
}

/** `array.join`. */
export function joinedText(id: PineArray<unknown>, separator: string, mintick: number): string {
  return joinAll(id, separator, (value) =>
    typeof value === 'number' ? formatNumber(value, JOINED_PATTERN, 'even') : toText(value, null, mintick),
  );
}

/** `array.join` of floats, as TradingView shows them in a log: 1.0 and not 1. */
export function joinedFloats(id: PineArray<number>, separator: string): string {
  return joinAll(id, separator, (value) => formatNumber(value as number, JOINED_FLOAT_PATTERN, 'even'));
}

/** The elements as text with a separator between them; stops at the limit instead of building what nobody may have. */
function joinAll(id: PineArray<unknown>, separator: string, textOf: (value: unknown) => string): string {
  const size = id.size();
  let joined = '';
  for (let i = 0; i < size; i += 1) {
    joined += (i > 0 ? separator : '') + textOf(id.at(i));
    checkLength(joined.length);
  }
  return joined;
}

function numberText(value: number, format: string, mintick: number): string {
  // A division by zero counts as na.
  if (!Number.isFinite(value)) return 'NaN';
  if (!NAMED_FORMATS.has(format)) return formatNumber(value, format, 'away');
  if (format === 'percent') return `${formatNumber(value, '#.##', 'away')}%`;
  if (format === 'volume') return volumeText(value);
  const decimals = decimalsOf(mintick);
  return formatNumber(roundToMintick(value, mintick), decimals === 0 ? '#' : `0.${'0'.repeat(decimals)}`, 'away');
}

/** The letter goes by the value itself and not by what is left of it: 999,999,600 is 1000M, and 999.5 is 1000. */
function volumeText(value: number): string {
  const [unit, letter] = VOLUME_UNITS.find(([least]) => Math.abs(value) >= least) ?? [1, ''];
  return formatNumber(value / unit, letter === '' ? '#' : '#.###', 'away') + letter;
}

/** Decimals of the symbol's prices: 2 for 0.01 and for 0.25. */
export function decimalsOf(mintick: number): number {
  if (!(mintick > 0)) return 0;
  const decimals = mintick.toFixed(12).replace(/0+$/, '').split('.')[1] ?? '';
  return decimals.length;
}
