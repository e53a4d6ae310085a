// Each trade beside the body that its sender has sent: what was to be done, where, for whom, how much, and with which stop.

import type { DatabaseSync } from 'node:sqlite';
import { decimal } from '../../../src/trading/decimal.ts';
import { type Finding, finding } from '../nothing-lost.ts';
import type { SentSignal } from '../senders.ts';

type Row = Readonly<Record<string, unknown>>;

/** What signals of the harness have: see random-signals.ts. Whatever they leave out has a value of its own in the journal. */
interface Body {
  readonly action: string;
  readonly exchange: string;
  readonly symbol: string;
  readonly account?: string;
  readonly strategy?: string;
  readonly quantity: number;
  readonly stopLoss?: { readonly percent: number };
}

const TRADES = `SELECT trades.*, (SELECT group_concat(detail) FROM stored_events
    WHERE trade_seq = seq AND kind = 'stops-asked') AS stops_asked
  FROM trades WHERE idempotency_key IS NOT NULL`;
const ORDERS = `SELECT orders.client_order_id AS id, orders.side, orders.exchange, orders.account, orders.market, orders.quantity,
    trades.request_id, trades.action, trades.exchange AS trade_exchange, trades.account AS trade_account,
    trades.market AS trade_market, paper_orders.side AS paper_side, paper_orders.market AS paper_market,
    paper_orders.quantity AS paper_quantity
  FROM orders JOIN trades ON trades.seq = trade_seq
    LEFT JOIN paper_orders ON paper_orders.client_order_id = orders.client_order_id
      AND paper_orders.exchange = orders.exchange AND paper_orders.account = orders.account`;

export function checkAsked(db: DatabaseSync, sent: readonly SentSignal[]): Finding[] {
  const bodies = new Map(sent.map(({ idempotencyKey, body }) => [idempotencyKey, JSON.parse(body) as Body]));
  const trades = db.prepare(TRADES).all();
  const orders = db.prepare(ORDERS).all();
  const faults = [
    ...trades.flatMap((trade) => {
      const body = bodies.get(String(trade.idempotency_key));
      return body === undefined ? [] : tradeFaults(trade, body);
    }),
    ...orders.flatMap(orderFaults),
  ];
  return faults.map((words) => finding('other', words));
}

function tradeFaults(trade: Row, body: Body): string[] {
  const { account = 'main', strategy = '', quantity, symbol, stopLoss } = body;
  const name = `${trade.idempotency_key} was sent`;
  const differs = (what: string, asked: unknown, found: unknown): string[] =>
    asked === found ? [] : [`${name} with the ${what} ${asked}, and traded with ${found}`];
  return [
    ...differs('action', body.action, trade.action),
    ...differs('exchange', body.exchange, trade.exchange),
    ...differs('market', symbol, trade.market),
    ...differs('account', account, trade.account),
    ...differs('strategy', strategy, trade.strategy),
    ...(decimal(quantity) === decimal(String(trade.quantity)) ? [] : differs('quantity', quantity, trade.quantity)),
    ...differs('stop', stopLoss ? `${stopLoss.percent} %` : 'none', stopInWords(trade.stops_asked)),
  ];
}

/** As the history of the trade tells it, which has it once: two of them are no JSON. */
function stopInWords(detail: unknown): string {
  if (detail === null) return 'none';
  const { stopLoss } = JSON.parse(String(detail));
  return `${Number(stopLoss?.value?.decimal)} ${stopLoss?.unit === 'percent' ? '%' : stopLoss?.unit}`;
}

/** Its orders buy or sell as its action says, where it says; and the paper venue has them as we do. */
function orderFaults(order: Row): string[] {
  const { id, request_id, action, side, market } = order;
  const wanted = action === 'LONG' || action === 'CLOSE_SHORT' ? 'BUY' : 'SELL';
  const place = `${order.exchange} ${order.account} ${market}`;
  const asked = `${order.trade_exchange} ${order.trade_account} ${order.trade_market}`;
  const ours = `${side} ${order.quantity} ${market}`;
  const theirs = `${order.paper_side} ${order.paper_quantity} ${order.paper_market}`;
  return [
    ...(side === wanted ? [] : [`the order ${id} of the ${action} ${request_id} is a ${side}`]),
    ...(place === asked ? [] : [`the order ${id} of ${request_id} for ${asked} went to ${place}`]),
    ...(order.paper_side === null || ours === theirs ? [] : [`the order ${id} is ${ours}, and at the venue ${theirs}`]),
  ];
}
