// `signalbox signal`: sends one signal through the same door as everybody else and says what became of it.

import { type Command, noWords, plainNumber, UsageFault, wholeNumber } from '../command.ts';
import { type Paint, paintStatus } from '../paint.ts';
import { PROTECTION_FLAGS, protectionOf } from '../protection-flags.ts';
import { cell, type Fields, fieldsOf, printable, rowsOf, shownMode } from '../table.ts';

const REQUIRED = ['exchange', 'action', 'symbol', 'quantity'];

export const signal: Command = {
  name: 'signal',
  summary: 'send one signal',
  usage: [
    '--exchange binance --action LONG --symbol BTCUSDT --quantity 0.01 [--price 68000] [--leverage 5] [--account scalp] [--strategy trend] [--comment …] [--alert-id …] [--quantity-type quote] [--stop-loss 2%] [--take-profit 75000] [--trail 50ticks] [--activation 70000] [--targets 2%:0.5,4%:0.5] [--break-even-after 1] [--max-hold 3600] [--time-in-force IOC] [--post-only] [--cancel-after 300]',
  ],
  flags: {
    exchange: 'binance, bybit or mexc',
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
    'alert-id': 'your name of this alert; under one key it never trades twice',
    key: 'webhook key (or SIGNALBOX_WEBHOOK_KEY)',
  },
  switches: { 'post-only': 'of a limit order: refuse it where it would trade at once' },
  plan({ words, flags, switches, env }) {
    noWords(words);
    const missing = REQUIRED.filter((name) => flags[name] === undefined);
    if (missing.length > 0) throw new UsageFault(`Missing: ${missing.map((name) => `--${name}`).join(', ')}.`);
    const apiKey = flags.key ?? env.SIGNALBOX_WEBHOOK_KEY;
    if (apiKey === undefined || apiKey === '')
      throw new UsageFault(
        'A webhook key is missing: give --key, or set SIGNALBOX_WEBHOOK_KEY. "signalbox keys create" makes one.',
      );
    const { exchange, action, symbol, quantity = '', price, leverage, account, strategy, comment } = flags;
    const idempotencyKey = flags['idempotency-key'];
    return {
      method: 'POST',
      path: '/webhook',
      body: {
        apiKey,
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
        ...(flags['alert-id'] === undefined ? {} : { alertId: flags['alert-id'] }),
      },
      show: showOutcome,
    };
  },
};

function limitTermsOf(flags: Readonly<Record<string, string>>, switches: ReadonlySet<string>): object {
  const timeInForce = flags['time-in-force'];
  const cancelAfter = flags['cancel-after'];
  return {
    ...(timeInForce === undefined ? {} : { timeInForce: timeInForce.toUpperCase() }),
    ...(switches.has('post-only') ? { postOnly: true } : {}),
    ...(cancelAfter === undefined ? {} : { cancelAfterSeconds: wholeNumber(cancelAfter, 'cancel-after') }),
  };
}

export function showOutcome(body: Fields, paint: Paint): string {
  const trade = fieldsOf(body.tradeResult);
  const status = cell(trade.status ?? body.status);
  const lines = [`${paintStatus(paint, status)}: ${inWords(status, trade, body)}`];
  lines.push(...rowsOf(body.tradeResults).map((account) => accountLine(account, paint)));
  for (const warning of Array.isArray(body.warnings) ? body.warnings : [])
    lines.push(`${paint('yellow', 'Warning:')} ${printable(String(warning))}`);
  lines.push(...canceledLines(body));
  if (trade.orderId !== undefined && trade.orderId !== null)
    lines.push(`Order ${cell(trade.orderId)}${modeOf(trade)}.`);
  lines.push(`Its story: signalbox trades ${cell(body.requestId)}`);
  return lines.join('\n');
}

/** Resting orders that had to go because of it, on whichever account. */
function canceledLines({ tradeResult, tradeResults }: Fields): string[] {
  const accounts = Array.isArray(tradeResults) ? rowsOf(tradeResults) : [fieldsOf(tradeResult)];
  const canceled = accounts.flatMap((account) => (Array.isArray(account.canceled) ? account.canceled : []));
  if (canceled.length === 0) return [];
  const what = canceled.length === 1 ? 'a resting order' : `${canceled.length} resting orders`;
  return [`Canceled ${what} because of it: ${printable(canceled.join(', '))}.`];
}

/** One of several accounts: `  binance:scalp Rejected: there is no long position …`. */
function accountLine(result: Fields, paint: Paint): string {
  const status = cell(result.status);
  const filled = `${cell(result.executedQty)} at ${cell(result.price)}`;
  const why = result.error === null || result.error === undefined ? filled : printable(String(result.error));
  return `  ${cell(result.exchange)}:${cell(result.account)} ${paintStatus(paint, status)}: ${why}`;
}

/** Its mode, and its account where that is not main. */
function modeOf({ mode, account }: Fields): string {
  const where = typeof account === 'string' && account !== 'main' ? `, account ${cell(account)}` : '';
  return typeof mode === 'string' ? `, ${shownMode(mode)}${where}` : where;
}

function inWords(status: string, trade: Fields, body: Fields): string {
  const leverage = typeof trade.leverage === 'number' ? `, leverage ${trade.leverage}` : '';
  const filled = `${cell(trade.executedQty)} at ${cell(trade.price)}${leverage}`;
  switch (status) {
    case 'Filled':
      return `${filled}.`;
    case 'PartiallyFilled':
      return `${filled} so far; the rest is still open.`;
    case 'Submitted':
      return 'the venue has the order; nothing is filled yet.';
    case 'Enqueued':
      return typeof body.message === 'string'
        ? printable(body.message)
        : 'its venue cannot be reached; the signal is safe in the queue and tried again until it expires: after SIGNAL_MAX_AGE_S, what closes on a testnet or live account after a day. An alarm tells you then.';
    case 'Canceled':
      return `the order was canceled; filled ${filled}.`;
    case 'Expired':
      return 'it was too old to trade; no order was placed.';
    case 'Unknown':
      return 'the venue has not confirmed the order. Do not send it again; the gateway keeps asking.';
    default:
      return 'see the story of the trade.';
  }
}
