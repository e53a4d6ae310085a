// `signalbox orders` and `signalbox cancel`: what rests at the venues, and taking it back.

import { type Command, noWords, oneOf, onlyWord, queryOf, UsageFault, wholeNumber } from '../command.ts';
import { type Paint, paintStatus } from '../paint.ts';
import {
  accountColumn,
  cell,
  column,
  type Fields,
  fieldsOf,
  modeColumn,
  rowsOf,
  table,
  timeColumn,
  wordsColumn,
} from '../table.ts';

const ORDER_COLUMNS = [
  timeColumn('received', 'receivedAt'),
  accountColumn,
  column('market', 'market'),
  column('side', 'side', { tint: paintStatus }),
  {
    title: 'to',
    of: ({ reduceOnly, positionSide }: Fields) => `${reduceOnly ? 'close' : 'open'} ${cell(positionSide)}`,
  },
  column('quantity', 'quantity', { right: true }),
  {
    title: 'price',
    of: ({ price }: Fields) => (price === null || price === undefined ? 'market' : cell(price)),
    right: true,
  },
  column('status', 'status', { tint: paintStatus }),
  column('filled', 'executedQty', { right: true }),
  modeColumn,
  column('strategy', 'strategy'),
  column('client order id', 'clientOrderId'),
];

export const orders: Command = {
  name: 'orders',
  summary: 'open orders at the venues, or those of another state',
  usage: ['[--state open] [--exchange …] [--account …] [--symbol …] [--strategy …] [--limit 100] [--before …]'],
  flags: {
    state: 'open, all, or one status like Filled',
    exchange: 'only this exchange',
    account: 'only accounts with this name',
    symbol: 'only this market',
    strategy: 'only signals of this strategy',
    limit: 'how many, newest first',
    before: 'older than this client order id, to page on',
  },
  plan({ words, flags }) {
    noWords(words);
    if (flags.limit !== undefined) wholeNumber(flags.limit, 'limit');
    return {
      method: 'GET',
      path: `/orders${queryOf(flags, ['state', 'exchange', 'account', 'symbol', 'strategy', 'limit', 'before'])}`,
      show({ result }, paint) {
        const rows = rowsOf(result);
        return rows.length > 0 ? table(ORDER_COLUMNS, rows, paint) : 'There are no such orders.';
      },
    };
  },
};

const CANCELED_COLUMNS = [
  column('client order id', 'clientOrderId'),
  column('market', 'market'),
  column('status', 'status', { tint: paintStatus }),
  column('filled', 'executedQty', { right: true }),
  column('outcome', 'outcome'),
  wordsColumn('why', 'error'),
];

/** What may be named instead of one order; each is a field of POST /orders/cancel. */
const NAMED = ['exchange', 'account', 'symbol', 'strategy'];

export const cancel: Command = {
  name: 'cancel',
  summary: 'cancel one open order, those that fit, or all',
  usage: [
    '<clientOrderId>',
    '--all',
    '[--exchange …] [--account …] [--symbol …] [--side BUY|SELL] [--position-side LONG|SHORT] [--key-label …] [--strategy …]',
  ],
  flags: {
    exchange: 'only orders at this exchange',
    account: 'only orders of accounts with this name',
    symbol: 'only orders in this market',
    side: 'BUY or SELL',
    'position-side': 'LONG or SHORT: the position that the order opens or reduces',
    'key-label': 'only orders of signals under the key with this label',
    strategy: 'only orders of this strategy',
  },
  switches: { all: 'every open order' },
  plan({ words, flags, switches }) {
    const body = selectionOf(flags);
    const isNamed = Object.keys(body).length > 0;
    const all = switches.has('all');
    if ([words.length > 0, isNamed, all].filter(Boolean).length !== 1)
      throw new UsageFault(
        'Name one order, or say which with --symbol, --exchange …, or write --all; one of the three.',
      );
    if (words.length > 0) {
      const id = onlyWord(words, 'the client order id');
      return { method: 'DELETE', path: `/orders/${encodeURIComponent(id)}`, show: showOne };
    }
    return { method: 'POST', path: '/orders/cancel', body: all ? { all } : body, show: showAll, isDone: isCanceled };
  },
};

function selectionOf(flags: Readonly<Record<string, string>>): Record<string, string> {
  const body: Record<string, string> = {};
  for (const name of NAMED) if (flags[name] !== undefined) body[name] = flags[name];
  if (flags.side !== undefined) body.side = oneOf(flags.side.toUpperCase(), ['BUY', 'SELL'], '--side');
  const positionSide = flags['position-side'];
  if (positionSide !== undefined)
    body.positionSide = oneOf(positionSide.toUpperCase(), ['LONG', 'SHORT'], '--position-side');
  if (flags['key-label'] !== undefined) body.key = flags['key-label'];
  return body;
}

function showOne({ result }: Fields, paint: Paint): string {
  const { status, clientOrderId, executedQty } = fieldsOf(result);
  const filled = executedQty === 0 ? 'nothing had filled' : `${cell(executedQty)} had filled before`;
  return `${paintStatus(paint, cell(status))}: ${cell(clientOrderId)}; ${filled}.`;
}

function showAll({ result }: Fields, paint: Paint): string {
  const rows = rowsOf(result);
  return rows.length > 0 ? table(CANCELED_COLUMNS, rows, paint) : 'No open order fits; there was nothing to cancel.';
}

/** An order that ended by itself is as gone as a canceled one. */
const isCanceled = ({ result }: Fields): boolean =>
  rowsOf(result).every(({ outcome }) => outcome === 'canceled' || outcome === 'ended');
