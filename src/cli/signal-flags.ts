// The flags that say what is to be traded, the same for a signal and for an order of the owner's own.

import { EXCHANGES_IN_WORDS } from '../exchanges/exchange.ts';
import { type Args, plainNumber, UsageFault, wholeNumber } from './command.ts';
import { PROTECTION_FLAGS, protectionOf } from './protection-flags.ts';

export const SIGNAL_FLAGS = {
  exchange: EXCHANGES_IN_WORDS,
  action: 'LONG, SHORT, CLOSE_LONG or CLOSE_SHORT',
  symbol: 'the market, like BTCUSDT',
  quantity: 'size, in base currency unless --quantity-type says otherwise',
  'quantity-type': 'base, quote, percent_equity, risk_percent (needs --stop-loss) or percent_position (to close)',
  ...PROTECTION_FLAGS,
  price: 'limit price; a market order if left out',
  'time-in-force':
    'of a limit order: GTC waits (default), IOC fills what it can at once, FOK whole at once or not at all',
  'cancel-after': 'of a limit order: seconds until it is canceled',
  leverage: 'leverage, 1 or more',
  account: 'the account to trade on; main if left out',
  strategy: 'whose share of the position is meant',
  comment: 'your own words, shown with the trade',
  'idempotency-key': 'a UUID; the same one never trades twice',
} as const;
export const SIGNAL_SWITCHES = { 'post-only': 'of a limit order: refuse it where it would trade at once' } as const;

const REQUIRED = ['exchange', 'action', 'symbol', 'quantity'];

/** As the gateway reads them. */
export function signalOf({ flags, switches }: Pick<Args, 'flags' | 'switches'>): object {
  const missing = REQUIRED.filter((name) => flags[name] === undefined);
  if (missing.length > 0) throw new UsageFault(`Missing: ${missing.map((name) => `--${name}`).join(', ')}.`);
  const { exchange, action, symbol, quantity = '', price, leverage, account, strategy, comment } = flags;
  const idempotencyKey = flags['idempotency-key'];
  return {
    exchange,
    action,
    symbol,
    quantity: plainNumber(quantity, 'quantity'),
    ...(price === undefined ? {} : { price: plainNumber(price, 'price') }),
    ...(leverage === undefined ? {} : { leverage: plainNumber(leverage, 'leverage') }),
    ...(flags['quantity-type'] === undefined ? {} : { quantityType: flags['quantity-type'] }),
    ...protectionOf(flags),
    ...limitTermsOf(flags, switches),
    ...(account === undefined ? {} : { account }),
    ...(strategy === undefined ? {} : { strategy }),
    ...(comment === undefined ? {} : { comment }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
}

function limitTermsOf(flags: Args['flags'], switches: Args['switches']): object {
  const timeInForce = flags['time-in-force'];
  const cancelAfter = flags['cancel-after'];
  return {
    ...(timeInForce === undefined ? {} : { timeInForce: timeInForce.toUpperCase() }),
    ...(switches.has('post-only') ? { postOnly: true } : {}),
    ...(cancelAfter === undefined ? {} : { cancelAfterSeconds: wholeNumber(cancelAfter, 'cancel-after') }),
  };
}
