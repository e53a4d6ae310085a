// `signalbox order`: an order of the owner's own, shown first and sent after a yes.

import { type Args, type Command, type LocalIo, noWords, type RouteCalls } from '../command.ts';
import { isConfirmed } from '../confirm.ts';
import type { Answer, Connection } from '../host.ts';
import type { Paint } from '../paint.ts';
import { refusalText, succeeded } from '../refusal-text.ts';
import { SIGNAL_FLAGS, SIGNAL_SWITCHES, signalOf } from '../signal-flags.ts';
import { cell, type Fields, fieldsOf, printable, rowsOf } from '../table.ts';
import { showOutcome } from './signal.ts';

const DONE = 0;
const FAILED = 1;

export const order: Command = {
  name: 'order',
  summary: 'send an order of your own; it is shown first',
  usage: [
    '--exchange binance --action LONG --symbol BTCUSDT --quantity 0.01 [--price 68000] [--leverage 5] [--account scalp] [--strategy trend] [--comment …] [--quantity-type quote] [--stop-loss 2%] [--take-profit 75000] [--trail 50ticks] [--activation 70000] [--targets 2%:0.5,4%:0.5] [--break-even-after 1] [--max-hold 3600] [--time-in-force IOC] [--post-only] [--cancel-after 300] [--dry-run] [--yes]',
  ],
  flags: SIGNAL_FLAGS,
  switches: { ...SIGNAL_SWITCHES, 'dry-run': 'only say what would happen', yes: 'send it at once, and ask nothing' },
  plan(args): RouteCalls {
    noWords(args.words);
    const body = signalOf(args);
    return { callAll: (connection, io, isJson) => send(body, args.switches, connection, io, isJson) };
  },
};

async function send(
  body: object,
  switches: Args['switches'],
  connection: Connection,
  io: LocalIo,
  isJson: boolean,
): Promise<number> {
  const isDryRun = switches.has('dry-run');
  if (isDryRun || !switches.has('yes')) {
    const answer = await connection.call('POST', '/orders', { ...body, dryRun: true });
    const foreseen = fieldsOf(fieldsOf(answer.body).result);
    const wouldTrade = succeeded(answer) && foreseen.outcome === 'would_trade';
    if (isDryRun && isJson) io.out(JSON.stringify(answer.body ?? null, null, 2));
    else if (!succeeded(answer)) return refusedBy(answer, io, isJson);
    else (isDryRun && wouldTrade ? io.out : io.err)(foreseenText(foreseen, isDryRun ? io.paint : io.errPaint));
    if (isDryRun || !wouldTrade) return wouldTrade ? DONE : FAILED;
    if (!(await isConfirmed('Send it?', io))) return FAILED;
  }
  const answer = await connection.call('POST', '/orders', body);
  if (!succeeded(answer)) return refusedBy(answer, io, isJson);
  io.out(isJson ? JSON.stringify(answer.body ?? null, null, 2) : showOutcome(fieldsOf(answer.body), io.paint));
  return DONE;
}

function refusedBy(answer: Answer, io: LocalIo, isJson: boolean): number {
  if (isJson) io.out(JSON.stringify(answer.body ?? null, null, 2));
  else io.err(refusalText(answer, io.errPaint));
  return FAILED;
}

/** `LIVE binance:scalp BUY 0.01 BTCUSDT …`: whose money it is stands first. */
function foreseenText({ outcome, code, error, accounts, warnings }: Fields, paint: Paint): string {
  const lines = rowsOf(accounts).flatMap((account) => accountLines(account, paint));
  for (const warning of textsOf(warnings)) lines.push(`${paint('yellow', 'Warning:')} ${warning}`);
  if (outcome === 'would_trade') return lines.join('\n');
  const why = outcome === 'would_wait' ? 'It would wait:' : `It would be refused (${cell(code)}):`;
  return [`${paint('red', why)} ${printable(String(error))}`, 'Nothing was sent.'].join('\n');
}

function accountLines(account: Fields, paint: Paint): string[] {
  const { mode, exchange, account: name, price, notional, leverage } = account;
  const money = paint(mode === 'live' ? 'red' : 'dim', String(mode).toUpperCase());
  const lines = rowsOf(account.orders).map((each) => {
    const first = each.leg === 'flatten' ? ` first, which closes the ${cell(each.positionSide)} that is held` : '';
    const about = typeof price === 'number' ? `, about ${cell(price)}` : '';
    const at = each.price === null ? `at market${about}` : `at ${cell(each.price)}`;
    return `${money} ${cell(exchange)}:${cell(name)} ${cell(each.side)} ${cell(each.quantity)} ${cell(account.market)} ${at}${first}`;
  });
  if (typeof notional === 'number') lines.push(`Worth about ${cell(notional)} USDT.`);
  if (typeof leverage === 'number') lines.push(`Leverage ${cell(leverage)}.`);
  lines.push(...costLines(account), ...protectionLines(fieldsOf(account.protection)), ...riskLines(account));
  const canceled = textsOf(account.cancels);
  if (canceled.length > 0) lines.push(`Canceled first: ${canceled.join(', ')}.`);
  for (const warning of textsOf(account.warnings)) lines.push(`${paint('yellow', 'Warning:')} ${warning}`);
  for (const caution of textsOf(account.cautions)) lines.push(`${paint('yellow', 'Caution:')} ${caution}`);
  return lines;
}

function costLines({ margin, leverageInForce, fee }: Fields): string[] {
  return [
    ...(typeof margin === 'number' ? [`Binds about ${cents(margin)} USDT at ${cell(leverageInForce)}x.`] : []),
    ...(typeof fee === 'number' ? [`Fee about ${cents(fee)} USDT.`] : []),
  ];
}

function riskLines({ risk }: Fields): string[] {
  const { loss, percentOfEquity } = fieldsOf(risk);
  if (typeof loss !== 'number') return [];
  const part = typeof percentOfEquity === 'number' ? `, ${cents(percentOfEquity)} % of the account` : '';
  return [`Loses about ${cents(loss)} USDT at its stop${part}.`];
}

const cents = (amount: number): string => String(Math.round(amount * 100) / 100);

function protectionLines({ stopLoss, takeProfit, targets, trailPercent, trailAmount }: Fields): string[] {
  return [
    ...(typeof stopLoss === 'number' ? [`Stop loss at ${stopLoss}.`] : []),
    ...(typeof takeProfit === 'number' ? [`Take profit at ${takeProfit}.`] : []),
    ...rowsOf(targets).map(({ price, share }) => `Target at ${cell(price)}, of ${cell(share)}.`),
    ...(typeof trailPercent === 'number' ? [`Trailing stop ${trailPercent}% behind the best price.`] : []),
    ...(typeof trailAmount === 'number' ? [`Trailing stop ${trailAmount} behind the best price.`] : []),
  ];
}

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.map((each) => printable(String(each))) : [];
