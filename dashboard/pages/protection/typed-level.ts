// A level as it is typed: a price, percent or ticks; and what closing there would come to.

import type { Position, Protection } from '../../server/answers.ts';

export const UNITS = ['price', 'percent', 'ticks'] as const;
export type Unit = (typeof UNITS)[number];

/** Empty is none. */
export interface TypedLevel {
  readonly value: string;
  readonly unit: Unit;
}

/** What it guards. */
export interface GuardedShare {
  readonly side: Position['side'];
  readonly quantity: number;
  readonly entryPrice: number;
}

type Asked = Protection['targets'][number]['asked'];

export function typedLevel(asked: Asked | undefined, unitOfNone: Unit): TypedLevel {
  const unit = UNITS.find((each) => asked?.[each] !== undefined) ?? unitOfNone;
  return { value: String(asked?.[unit] ?? ''), unit };
}

/** What is wrong with a text that is no amount: most often it has the comma of another country, which may mean thousands or a fraction. */
export const amountFault = (text: string): string =>
  Number.isNaN(Number(text)) && /^\d[\d.,’' ]*$/.test(text.trim())
    ? 'is not clear: write digits with a point for the fraction and nothing between thousands, such as 1000.5'
    : 'is no number above 0';

/** Null where nothing is typed; undefined where that is no number above 0. */
export function numberOf(text: string): number | null | undefined {
  if (text.trim() === '') return null;
  const value = Number(text);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

export const levelText = ({ value, unit }: TypedLevel): string =>
  `${value.trim()}${{ price: '', percent: ' %', ticks: ' ticks' }[unit]}`;

/** What closing all of the share there would come to; undefined where that cannot be told: ticks are known to the venue alone. */
export function resultAt(
  { value, unit }: TypedLevel,
  { entryPrice, quantity, side }: GuardedShare,
  isLoss: boolean,
): number | undefined {
  const given = numberOf(value);
  if (given === null || given === undefined || unit === 'ticks') return undefined;
  const isLong = side === 'LONG';
  const price = unit === 'price' ? given : entryPrice * (1 + ((isLong === isLoss ? -1 : 1) * given) / 100);
  return (price - entryPrice) * quantity * (isLong ? 1 : -1);
}
