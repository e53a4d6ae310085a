// Bars of other symbols and timeframes that a caller hands in beside those of the chart.

import type { BarColumns } from '../bars.ts';
import type { SymbolInfo } from '../market-symbol.ts';

export interface SymbolBars {
  /** "ETHUSDT" or, with its exchange, "BINANCE:ETHUSDT"; empty for the chart's own symbol. */
  readonly symbol: string;
  /** As Pine writes it ("60", "1D") or as exchanges do ("1h", "1d"). */
  readonly timeframe: string;
  readonly bars: BarColumns;
  /** What differs from the chart's symbol. */
  readonly info?: SymbolInfo;
}

/** Of one run; no script can ask for nearly as many. */
export const MAX_SYMBOL_BARS = 100;

const tickerOf = (name: string): string => name.slice(name.indexOf(':') + 1).toUpperCase();
const prefixOf = (name: string): string => (name.includes(':') ? name.slice(0, name.indexOf(':')).toUpperCase() : '');

/** A name without its exchange stands for that symbol of any. */
export function isSameSymbol(one: string, other: string): boolean {
  if (tickerOf(one) !== tickerOf(other)) return false;
  const [first, second] = [prefixOf(one), prefixOf(other)];
  return first === second || first === '' || second === '';
}
