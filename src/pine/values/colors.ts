// Colors as unsigned 32-bit numbers 0xRRGGBBAA, and the functions of `color.*`.

import { PineRuntimeError } from './runtime-error.ts';

const OPAQUE = 0xff;
const INVISIBLE = 0x00000000;

/**
 * A color of three channels (0..255) and a transparency (0 opaque .. 100 invisible). As seen on TradingView nothing of
 * it makes the color na: a channel that is na counts as 0, a transparency that is na as 100.
 */
export function rgb(red: number, green: number, blue: number, transparency = 0): number {
  return pack(channel(red), channel(green), channel(blue), alphaOf(transparency));
}

/** The color with another transparency; na is shaded as if it were black. */
export function withTransparency(color: number | null, transparency: number): number {
  return (((color ?? 0) & 0xffffff00) | alphaOf(transparency)) >>> 0;
}

export function red(color: number | null): number {
  return color === null ? Number.NaN : color >>> 24;
}

export function green(color: number | null): number {
  return color === null ? Number.NaN : (color >>> 16) & 0xff;
}

export function blue(color: number | null): number {
  return color === null ? Number.NaN : (color >>> 8) & 0xff;
}

/** The transparency in whole percent: 256 steps of alpha tell all 101 of them apart. */
export function transparency(color: number | null): number {
  return color === null ? Number.NaN : Math.round(((OPAQUE - (color & 0xff)) * 100) / OPAQUE);
}

/**
 * The color between two colors at the place of the value between two values; beyond them, the nearer color. As seen on
 * TradingView: each color counts by how opaque it is, so that an invisible one adds nothing but its transparency, and so
 * does one that is na; parts are cut to whole numbers; bounds the wrong way round give the bottom color, and bounds that
 * are equal, or anything that is na among the numbers, give nothing to see.
 */
export function fromGradient(
  value: number,
  bottomValue: number,
  topValue: number,
  bottom: number | null,
  top: number | null,
): number | null {
  if (bottom === null && top === null) return null;
  const [bottomColor, topColor] = [bottom ?? INVISIBLE, top ?? INVISIBLE];
  if (Number.isNaN(value + bottomValue + topValue) || topValue === bottomValue) return INVISIBLE;
  if (topValue < bottomValue) return bottomColor;
  const share = Math.min(Math.max((value - bottomValue) / (topValue - bottomValue), 0), 1);
  if (share === 0 || share === 1) return share === 0 ? bottomColor : topColor;
  const [below, above] = [transparency(bottomColor), transparency(topColor)];
  const bottomWeight = below === 100 && above === 100 ? 1 - share : (1 - share) * (100 - below);
  const topWeight = below === 100 && above === 100 ? share : share * (100 - above);
  const between = (shift: number) => {
    const [from, to] = [(bottomColor >>> shift) & 0xff, (topColor >>> shift) & 0xff];
    return Math.trunc(from + ((to - from) * topWeight) / (bottomWeight + topWeight));
  };
  return pack(between(24), between(16), between(8), alphaOf(Math.round(below + (above - below) * share)));
}

/** A color literal of the source: #RRGGBB or #RRGGBBAA. */
export function parseColor(literal: string): number {
  const match = /^#([0-9a-f]{6})([0-9a-f]{2})?$/i.exec(literal);
  if (match === null) throw new PineRuntimeError(`"${literal}" is not a color; write it as #RRGGBB or #RRGGBBAA.`);
  return Number.parseInt(`${match[1]}${match[2] ?? 'ff'}`, 16);
}

/** #RRGGBB, with two more digits only when the color is not opaque. */
export function formatColor(color: number): string {
  const digits = (color >>> 0).toString(16).padStart(8, '0').toUpperCase();
  return `#${digits.endsWith('FF') ? digits.slice(0, 6) : digits}`;
}

function pack(r: number, g: number, b: number, alpha: number): number {
  return ((r << 24) | (g << 16) | (b << 8) | alpha) >>> 0;
}

const channel = (value: number) => (Number.isNaN(value) ? 0 : Math.round(Math.min(Math.max(value, 0), 255)));

/** A transparency counts in whole percent: 70.5 is 70. Worked out as TradingView does, whose 90 is 25 of 255, not 26. */
function alphaOf(percent: number): number {
  if (Number.isNaN(percent)) return 0;
  return Math.round(OPAQUE * (1 - Math.trunc(Math.min(Math.max(percent, 0), 100)) / 100));
}
