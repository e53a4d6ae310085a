// Where the prices of a run come from, in words: nobody may take a result on made-up prices for one of a market.

import { cell } from './table.ts';

export const SIMULATED = 'simulated prices: made up by Signalbox, not those of a market';

/** Undefined for bars of a file, whose origin only their owner knows. */
export function priceSourceWords(priceSource: string | undefined): string | undefined {
  if (priceSource === undefined) return undefined;
  return priceSource === 'simulated' ? SIMULATED : `of ${cell(priceSource)}`;
}

/** The row of a table that says it; none for bars of a file. */
export function priceSourceRow(priceSource: string | undefined): readonly (readonly [string, string])[] {
  const words = priceSourceWords(priceSource);
  return words === undefined ? [] : [['prices', words]];
}
