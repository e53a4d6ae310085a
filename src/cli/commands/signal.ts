// `signalbox signal`: sends one signal through the same door as everybody else and says what became of it.

import { type Command, noWords, UsageFault } from '../command.ts';
import { type Paint, paintStatus } from '../paint.ts';
import { SIGNAL_FLAGS, SIGNAL_SWITCHES, signalOf } from '../signal-flags.ts';
import { cell, type Fields, fieldsOf, printable, rowsOf, shownMode } from '../table.ts';

export const signal: Command = {
  name: 'signal',
  summary: 'send one signal',
  usage: [
    '--exchange binance --action LONG --symbol BTCUSDT --quantity 0.01 [--price 68000] [--leverage 5] [--account scalp] [--strategy trend] [--comment …] [--alert-id …] [--quantity-type quote] [--stop-loss 2%] [--take-profit 75000] [--trail 50ticks] [--activation 70000] [--targets 2%:0.5,4%:0.5] [--break-even-after 1] [--max-hold 3600] [--time-in-force IOC] [--post-only] [--cancel-after 300]',
  ],
  flags: {
    ...SIGNAL_FLAGS,
    'alert-id': 'your name of this alert; under one key it never trades twice',
    key: 'webhook key (or SIGNALBOX_WEBHOOK_KEY)',
  },
  switches: SIGNAL_SWITCHES,
  plan(args) {
    const { words, flags, env } = args;
    noWords(words);
    const fields = signalOf(args);
    const apiKey = flags.key ?? env.SIGNALBOX_WEBHOOK_KEY;
    if (apiKey === undefined || apiKey === '')
      throw new UsageFault(
        'A webhook key is missing: give --key, or set SIGNALBOX_WEBHOOK_KEY. "signalbox keys create" makes one.',
      );
    const alertId = flags['alert-id'];
    return {
      method: 'POST',
      path: '/webhook',
      body: { apiKey, ...fields, ...(alertId === undefined ? {} : { alertId }) },
      show: showOutcome,
    };
  },
};

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
