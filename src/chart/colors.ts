// Colors as numbers 0xRRGGBBAA: reading them from text, mixing them and telling whether one can be seen on another.

/** The names of the language, so that a color of an option may be written as scripts write it. */
const NAMES: Readonly<Record<string, number>> = {
  aqua: 0x00bcd4ff,
  black: 0x363a45ff,
  blue: 0x2962ffff,
  fuchsia: 0xe040fbff,
  gray: 0x787b86ff,
  green: 0x4caf50ff,
  lime: 0x00e676ff,
  maroon: 0x880e4fff,
  navy: 0x311b92ff,
  olive: 0x808000ff,
  orange: 0xff9800ff,
  purple: 0x9c27b0ff,
  red: 0xf23645ff,
  silver: 0xb2b5beff,
  teal: 0x089981ff,
  white: 0xffffffff,
  yellow: 0xfdd835ff,
};

/** "#RGB", "#RRGGBB", "#RRGGBBAA" or a name of the language, in any case; NaN for everything else. */
export function readColor(text: unknown): number {
  if (typeof text !== 'string') return Number.NaN;
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i.exec(text)?.[1];
  if (digits === undefined) return Object.hasOwn(NAMES, text.toLowerCase()) ? NAMES[text.toLowerCase()]! : Number.NaN;
  if (digits.length === 3) return Number.parseInt(`${[...digits].map((digit) => digit + digit).join('')}ff`, 16);
  return Number.parseInt(digits.length === 6 ? `${digits}ff` : digits, 16);
}

/** Nothing to draw: na, or fully transparent. */
export const isInvisible = (color: number): boolean => Number.isNaN(color) || color % 0x100 === 0;

/** The color with its alpha multiplied by a share of 0 to 1. */
export function faded(color: number, share: number): number {
  const alpha = Math.round((color & 0xff) * share);
  return ((color & 0xffffff00) | alpha) >>> 0;
}

/** The color at a share (0 to 1) of the way from one to another. */
export function between(from: number, to: number, share: number): number {
  const part = (shift: number) => {
    const start = (from >>> shift) & 0xff;
    return Math.round(start + (((to >>> shift) & 0xff) - start) * share) << shift;
  };
  return (part(24) | part(16) | part(8) | part(0)) >>> 0;
}

/** Relative luminance, 0 black to 1 white. */
export function luminance(color: number): number {
  const linear = (shift: number) => {
    const part = ((color >>> shift) & 0xff) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(24) + 0.7152 * linear(16) + 0.0722 * linear(8);
}

/** From 1, the same, to 21, black on white. */
export function contrast(a: number, b: number): number {
  const [light, dark] = [luminance(a), luminance(b)].toSorted((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}
