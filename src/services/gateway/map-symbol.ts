// Applies the owner's symbol map to a signal before its market is read, and tells what was done.

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

/** A signal that was read before, as the map has it now. */
export function mapOrder(order: SignalOrder, symbols: FindSymbol | undefined): SignalOrder {
  const entry = symbols?.find(order.symbol);
  if (entry === undefined) return order;
  const { market, exchange = order.exchange, account = order.account } = entry;
  return { ...order, market, exchange, ...(account !== undefined && { account }) };
}

const inWords = ({ symbol, market, exchange, account }: MappedSymbol): string => {
  const where = exchange === undefined ? '' : ` on ${exchange}`;
  return `symbol: ${symbol} is traded as ${market}${where}${account === undefined ? '' : `, account ${account}`} (symbol map)`;
};
