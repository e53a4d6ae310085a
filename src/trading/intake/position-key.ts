// Reads the name of a position as its owner writes it: over HTTP, on the command line and in the chat.

import { EXCHANGES } from '../../exchanges/exchange.ts';
import { MAIN_ACCOUNT } from '../accounts.ts';
import type { ShortName } from '../books/position.ts';
import { marketOf, SYMBOL_PATTERN } from './market-symbol.ts';

export const KEY_FORM =
  'exchange:symbol:LONG or exchange:symbol:SHORT; exchange:account:symbol:LONG where the account is not main';

const SIDES = ['LONG', 'SHORT'] as const;

/**
 * `binance:BTCUSDT:LONG` or `binance:scalp:BTCUSDT:LONG`, with the market in any spelling; undefined for what names no
 * position. A chart writes the venue before a market in capitals, `BINANCE:BTCUSDT.P`; an account has a name in small ones
 * that is never a venue's.
 */
export function readPositionKey(key: string): ShortName | undefined {
  const [, first = '', middle = '', last = ''] = /^([^:]+):(.+):([^:]+)$/.exec(key) ?? [];
  const [, prefix = '', behind = ''] = /^([a-z0-9_-]+):(.+)$/.exec(middle) ?? [];
  const isAccount = prefix !== '' && !EXCHANGES.some((name) => name === prefix);
  const [account, symbol] = isAccount ? [prefix, behind] : [MAIN_ACCOUNT, middle];
  const exchange = EXCHANGES.find((name) => name === first.toLowerCase());
  const side = SIDES.find((name) => name === last.toUpperCase());
  const market = SYMBOL_PATTERN.test(symbol) ? marketOf(symbol) : undefined;
  return exchange && side && market ? { exchange, account, market, side } : undefined;
}
