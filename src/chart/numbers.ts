// Numbers as people read them on a chart: enough decimals to tell neighbours apart, and no more.

/** What a double can hold beyond the point without showing its own rounding. */
const MOST_DECIMALS = 12;
/** Digits in all that a price is shown with: 64123.45, 0.00001234567. */
const SIGNIFICANT_DIGITS = 7;
/** Bars that are asked how many decimals prices have; a market keeps its tick size. */
const PRICES_LOOKED_AT = 50;

const UNITS: readonly (readonly [number, string])[] = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'K'],
];

/** Numbers beyond these bounds are written with an exponent. */
const HUGE = 1e15;
const TINY = 1e-10;
const LONG_PRICE = 1e9;

const exponentOf = (value: number) => Math.floor(Math.log10(Math.abs(value)));

/** Decimals of a step between ticks, such as 2 for 0.05. */
export function decimalsOfStep(step: number): number {
  return Math.min(Math.max(-Math.floor(Math.log10(step) + 1e-9), 0), MOST_DECIMALS);
}

export function fixed(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return '-';
  const size = Math.abs(value);
  if (size >= HUGE || (size > 0 && size < TINY && decimals >= MOST_DECIMALS - 1)) return value.toExponential(2);
  const text = value.toFixed(decimals);
  return /^-[0.]+$/.test(text) ? text.slice(1) : text;
}

/** The decimals of a market, seen from its prices. */
export function decimalsOfPrices(prices: Float64Array, count: number): number {
  let [decimals, largest] = [0, 0];
  for (let i = Math.max(0, count - PRICES_LOOKED_AT); i < count; i += 1) {
    const price = prices[i]!;
    if (!Number.isFinite(price)) continue;
    largest = Math.max(largest, Math.abs(price));
    const [mantissa = '', exponent = '0'] = String(price).split('e');
    decimals = Math.max(decimals, (mantissa.split('.')[1]?.length ?? 0) - Number(exponent));
  }
  const most = largest === 0 ? 2 : SIGNIFICANT_DIGITS - 1 - exponentOf(largest);
  return Math.max(0, Math.min(decimals, most, MOST_DECIMALS));
}

/** A value of a script, whose tick size nobody knows. */
export function valueText(value: number, precision: number | null): string {
  if (!Number.isFinite(value)) return 'na';
  if (Math.abs(value) >= 1e7) return compact(value);
  if (precision !== null) return fixed(value, Math.min(Math.max(precision, 0), MOST_DECIMALS));
  return fixed(value, value === 0 || Math.abs(value) >= 1 ? 2 : Math.min(3 - exponentOf(value), MOST_DECIMALS));
}

/** A price with the decimals of its market, or with a unit once it would be longer than people read. */
export function priceText(value: number, decimals: number): string {
  return Math.abs(value) >= LONG_PRICE && Math.abs(value) < HUGE ? compact(value, 4) : fixed(value, decimals);
}

/** With a letter for thousands, millions…: volumes and other large numbers. */
export function compact(value: number, decimals = 2): string {
  if (!Number.isFinite(value)) return 'na';
  const size = Math.abs(value);
  if (size >= HUGE) return value.toExponential(2);
  // 999,999 is 1M, not 1000K: the unit is chosen by the rounded number.
  const [unit, letter] = UNITS.find(([least]) => size >= least * 0.9995) ?? [1, ''];
  if (unit === 1 && size > 0 && size < 1) return valueText(value, null);
  const scaled = value / unit;
  return `${Number(scaled.toFixed(decimals))}${letter}`;
}
