// The setting LEAVE_POSITIONS: accounts whose open positions are to be left alone, each by its exchange, its name and its mode.

import { ACCOUNT_NAME, EXCHANGES } from '../exchanges/exchange.ts';
import { Fault, list, quoted } from './readers.ts';

const MODES = ['testnet', 'live'];

/** `binance:main:live,bybit:scalp:testnet` */
export function accountsToLeave(text: string): readonly string[] {
  return list(text).map((entry) => {
    const [exchange, account = '', mode = '', ...more] = entry.split(':');
    const isAccount = EXCHANGES.some((known) => known === exchange) && ACCOUNT_NAME.test(account);
    if (!isAccount || !MODES.includes(mode) || more.length > 0)
      throw new Fault(`${quoted(entry)} is no testnet or live account; write it like binance:main:live`);
    return entry;
  });
}
