// Numbers as people read them: fixed decimals, thousands apart, a true minus sign, and a sign where gain and loss differ.

const MINUS = '−';
const NOTHING = '–';

const formats = new Map<number, Intl.NumberFormat>();

function format(decimals: number): Intl.NumberFormat {
  let found = formats.get(decimals);
  if (found === undefined) {
    found = new Intl.NumberFormat('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
    formats.set(decimals, found);
  }
  return found;
}

/** `1,234.50`; a value that rounds to zero has no sign. */
export function fixed(value: number | null | undefined, decimals = 2): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NOTHING;
  const text = format(decimals).format(Math.abs(value));
  return value < 0 && /[1-9]/.test(text) ? `${MINUS}${text}` : text;
}

/** The same with a plus before a gain. */
export function signed(value: number | null | undefined, decimals = 2): string {
  const text = fixed(value, decimals);
  return value !== null && value !== undefined && value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

/** A share of one as `+1.28 %`. */
export const percent = (share: number | null | undefined, decimals = 2): string =>
  share === null || share === undefined || !Number.isFinite(share) ? NOTHING : `${signed(share * 100, decimals)} %`;

/** As many decimals as the value itself has, so that a column of different markets stays readable. */
export function plain(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NOTHING;
  return fixed(value, decimalsOf(value));
}

const MAX_DECIMALS = 10;

/** How many decimals a value was written with. */
export function decimalsOf(value: number): number {
  const [, fraction = '', exponent] = /^-?\d+(?:\.(\d+))?(?:e([-+]\d+))?$/.exec(String(value)) ?? [];
  return Math.min(MAX_DECIMALS, Math.max(0, fraction.length - Number(exponent ?? 0)));
}

/** The most decimals that any of them has: one for a whole column. */
export const decimalsOfAll = (values: readonly (number | null | undefined)[]): number =>
  Math.max(0, ...values.map((value) => (value === null || value === undefined ? 0 : decimalsOf(value))));

/** Less than that is written as nothing, so it has no colour either. */
const HALF_A_CENT = 0.005;

/** Which word of the stylesheet says gain or loss; none where it is neither. */
export const gainOrLoss = (value: number | null | undefined): 'up' | 'down' | undefined => {
  if (value === null || value === undefined || Math.abs(value) < HALF_A_CENT) return undefined;
  return value > 0 ? 'up' : 'down';
};

/** `1 order`, `2 orders`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
