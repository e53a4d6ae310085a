// A level of a protection as somebody asks for it: a price, or a distance from the fill in percent or in ticks.

import { type Decimal, decimal, minus, over, plus, times, toText, ZERO } from './decimal.ts';

export const LEVEL_UNITS = ['price', 'percent', 'ticks'] as const;
export type LevelUnit = (typeof LEVEL_UNITS)[number];

export interface Level {
  readonly unit: LevelUnit;
  readonly value: Decimal;
}

/** Which way from the fill: where the position gains, or where it loses. */
export type Towards = 'gain' | 'loss';

const HUNDRED = decimal('100');

export const priceLevel = (value: Decimal): Level => ({ unit: 'price', value });

/** How far that is from `base`, as a price difference; of a price, the price itself. */
export function distanceOf({ unit, value }: Level, base: Decimal, tick: Decimal): Decimal {
  if (unit === 'percent') return over(times(base, value), HUNDRED);
  return unit === 'ticks' ? times(value, tick) : value;
}

/** The price of a level, measured from `base`. */
export function levelPrice(
  level: Level,
  towards: Towards,
  side: 'LONG' | 'SHORT',
  base: Decimal,
  tick: Decimal,
): Decimal {
  if (level.unit === 'price') return level.value;
  const distance = distanceOf(level, base, tick);
  return (towards === 'gain') === (side === 'LONG') ? plus(base, distance) : minus(base, distance);
}

/** `60000`, `2%` or `50ticks`: how a level is written in rows, on the command line and in the chat. */
export const levelText = ({ unit, value }: Level): string => `${toText(value)}${SUFFIX[unit]}`;

const SUFFIX = { price: '', percent: '%', ticks: 'ticks' } as const;
const WRITTEN = /^(\d{1,16}(?:\.\d{1,12})?) ?(%|ticks?)?$/;

/** Undefined for what is no level, and for nothing. */
export function readLevel(text: string): Level | undefined {
  const [, number = '0', suffix] = WRITTEN.exec(text) ?? [];
  const value = decimal(number);
  const unit = suffix === undefined ? 'price' : suffix === '%' ? 'percent' : 'ticks';
  return value > ZERO ? { unit, value } : undefined;
}
