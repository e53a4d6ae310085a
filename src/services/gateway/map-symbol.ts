// Applies the owner's symbol map to a signal before its market is read, and tells what was done.

import { EXCHANGES } from '../../exchanges/exchange.ts';
import { marketOf } from '../../trading/intake/market-symbol.ts';
import type { RefusedOrder } from '../../trading/intake/refusals.ts';
import type { MappedSymbol, SymbolMap } from '../../trading/intake/symbol-map.ts';
import type { SignalOrder } from '../../trading/signal.ts';

export type FindSymbol = Pick<SymbolMap, 'find'>;

/** The fields with the market in place of the chart's own name, and how that name was spelled. */
export interface MappedFields {
  readonly value: unknown;
  readonly sent?: string;
  readonly warnings: readonly string[];
}

export function mapSymbol(value: unknown, symbols: FindSymbol | undefined): MappedFields {
  const asItIs = { value, warnings: [] };
  if (symbols === undefined || typeof value !== 'object' || value === null || Array.isArray(value)) return asItIs;
  const { symbol, ticker } = value as { readonly symbol?: unknown; readonly ticker?: unknown };
  const sent = symbol ?? ticker;
  const entry = typeof sent === 'string' ? symbols.find(sent) : undefined;
  if (entry === undefined) return asItIs;
  const { market, exchange, account } = entry;
  const mapped = { ...value, symbol: market, ...(exchange && { exchange }), ...(account && { account }) };
  return { value: mapped, sent: sent as string, warnings: [inWords(entry)] };
}

/** The trade keeps the name that was sent. */
export const asSent = (order: SignalOrder, { sent }: MappedFields): SignalOrder =>
  sent === undefined ? order : { ...order, symbol: sent };

/**
 * Stand in for the entries that the map lacks, so that the rest of a signal can be read before they are there: for names
 * of no market, and for signals of no exchange.
 */
export const STAND_INS: Readonly<Record<NonNullable<RefusedOrder['unmapped']>, FindSymbol>> = {
  market: { find: (symbol) => (marketOf(symbol) === undefined ? { symbol, market: STAND_IN } : undefined) },
  place: { find: (symbol) => ({ symbol, market: marketOf(symbol) ?? STAND_IN, exchange: EXCHANGES[0] }) },
};
const STAND_IN = 'UNMAPPED';

/** A signal that was refused, as the map has it now; or what the map must say first. */
export function mapAgain(
  { order, unmapped }: Pick<RefusedOrder, 'order' | 'unmapped'>,
  symbols: FindSymbol | undefined,
): SignalOrder | { readonly fault: string } {
  const entry = symbols?.find(order.symbol);
  const add = `add one ("signalbox symbol-map set ${JSON.stringify(order.symbol)} BTCUSDT${unmapped === 'place' ? ' --exchange binance' : ''}") and send it again`;
  if (entry === undefined) {
    // What the map said when it was refused, and says no longer, is not traded.
    const isOwnName = unmapped === undefined && marketOf(order.symbol) === order.market;
    return isOwnName ? order : { fault: `the symbol map has no entry for ${JSON.stringify(order.symbol)}; ${add}` };
  }
  if (unmapped === 'place' && entry.exchange === undefined)
    return { fault: `neither the signal nor its entry in the symbol map names one of our exchanges; ${add}` };
  const { market, exchange = order.exchange, account = order.account } = entry;
  return { ...order, market, exchange, ...(account !== undefined && { account }) };
}

const inWords = ({ symbol, market, exchange, account }: MappedSymbol): string => {
  const where = exchange === undefined ? '' : ` on ${exchange}`;
  return `symbol: ${symbol} is traded as ${market}${where}${account === undefined ? '' : `, account ${account}`} (symbol map)`;
};
