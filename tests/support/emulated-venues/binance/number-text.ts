// Numbers as Binance writes them: plain decimals, padded with zeros to the places of the market.

import { type Decimal, toText } from '../../../../src/trading/decimal.ts';

/** At least so many decimals; more where the number needs them. */
export function padded(value: Decimal, places: number): string {
  const [whole = '0', fraction = ''] = toText(value).split('.');
  return places === 0 && fraction === '' ? whole : `${whole}.${fraction.padEnd(places, '0')}`;
}

/** Money has eight places; what is smaller is cut. */
export function money(value: Decimal): string {
  const [whole = '0', fraction = ''] = toText(value).split('.');
  return `${whole}.${fraction.slice(0, 8).padEnd(8, '0')}`;
}

/** The decimals of a step such as 0.001. */
export const placesOf = (step: Decimal): number => toText(step).split('.')[1]?.length ?? 0;
