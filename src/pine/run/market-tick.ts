// The tick of a symbol in its three notations: mintick is minmove / pricescale, and each can be had from the others.

export interface Tick {
  /** The smallest step of the price. */
  readonly mintick: number;
  readonly pricescale: number;
  readonly minmove: number;
}

/** What a symbol says of its tick; any part may be missing. */
export interface TickParts {
  readonly mintick?: number | undefined;
  readonly pricescale?: number | undefined;
  readonly minmove?: number | undefined;
}

const DEFAULT_MINTICK = 0.01;
/** Coins are quoted with up to 18 decimals; a longer fraction is one that decimals cannot write, such as 1/3. */
const MAX_DECIMALS = 18;
/** Two notations of one tick may differ by the rounding of a division, not by more. */
const RELATIVE_TOLERANCE = 1e-9;

/** The tick, or what is wrong with it in words. */
export function tickOf({ mintick, pricescale, minmove }: TickParts): Tick | string {
  if (mintick !== undefined && !(mintick > 0 && Number.isFinite(mintick)))
    return `mintick is ${mintick}, but must be a number above zero such as 0.01.`;
  for (const [name, value] of Object.entries({ pricescale, minmove }))
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 1))
      return `${name} is ${value}, but must be a whole number of at least 1, such as 100.`;
  if (pricescale === undefined) return withScale(mintick ?? DEFAULT_MINTICK * (minmove ?? 1), minmove);
  const moves = minmove ?? (mintick === undefined ? 1 : Math.max(Math.round(mintick * pricescale), 1));
  return agreed({ mintick: mintick ?? moves / pricescale, pricescale, minmove: moves });
}

function withScale(mintick: number, minmove: number | undefined): Tick | string {
  if (minmove !== undefined)
    return agreed({ mintick, pricescale: Math.max(Math.round(minmove / mintick), 1), minmove });
  const decimals = decimalsOf(mintick);
  const scale = 10 ** decimals;
  if (decimals <= MAX_DECIMALS && Number.isSafeInteger(scale))
    return { mintick, pricescale: scale, minmove: Math.round(mintick * scale) };
  return { mintick, pricescale: Math.max(Math.round(1 / mintick), 1), minmove: 1 };
}

function agreed(tick: Tick): Tick | string {
  const { mintick, pricescale, minmove } = tick;
  if (Math.abs(minmove / pricescale - mintick) <= mintick * RELATIVE_TOLERANCE) return tick;
  return `mintick ${mintick} is not minmove ${minmove} / pricescale ${pricescale}. Leave out one of them, and it follows from the others.`;
}

/** Decimals of the shortest text that reads back as the number. */
function decimalsOf(value: number): number {
  const [digits = '', power = '0'] = value.toExponential().split('e');
  return Math.max(digits.replace('.', '').length - 1 - Number(power), 0);
}
