// Canceling orders from the owner's chat: which ones are meant, the question before it, and what became of them.

import type { Journal, SentOrder } from '../books/journal.ts';
import type { CanceledOrder, OrderCanceler } from '../execution/cancel-orders.ts';
import { tradeIdOfOrder } from '../execution/client-order-id.ts';
import { marketOf } from '../intake/market-symbol.ts';
import { escapeHtml } from '../notifications/escape.ts';
import { list, orderLine } from './render.ts';

export interface CancelParts {
  readonly journal: Pick<Journal, 'orders'>;
  readonly canceler: Pick<OrderCanceler, 'cancelOrder' | 'cancelOrders'>;
}

/** One order, those of a market, or all. */
export type RequestedCancel = { readonly setting: 'orders' } & (
  | { readonly clientOrderId: string }
  | { readonly market: string }
  | { readonly all: true }
);

const USAGE = 'Use /cancel ID (of /orders), /cancel BTCUSDT or /cancel all';
/** As many as are looked at to say how many there are. */
const MAX_COUNTED = 500;

const wantedOf = (word: string): RequestedCancel | undefined => {
  if (word === 'all') return { setting: 'orders', all: true };
  if (tradeIdOfOrder(word) !== undefined) return { setting: 'orders', clientOrderId: word };
  const market = marketOf(word);
  return market === undefined ? undefined : { setting: 'orders', market };
};

const isMeant = ({ trade, order }: SentOrder, wanted: RequestedCancel): boolean =>
  'all' in wanted ||
  ('market' in wanted ? trade.order.market === wanted.market : order.clientOrderId === wanted.clientOrderId);

/** A question with the change it asks about, or the words why there is none. */
export async function askToCancel(
  [word, ...more]: readonly string[],
  { journal }: CancelParts,
): Promise<{ readonly text: string } | { readonly text: string; readonly change: RequestedCancel }> {
  const wanted = word === undefined || more.length > 0 ? undefined : wantedOf(word);
  if (wanted === undefined) return { text: `${USAGE}. Nothing was changed.` };
  const open = await journal.orders({ limit: MAX_COUNTED, states: 'open' });
  const meant = open.filter((order) => isMeant(order, wanted));
  if (meant.length === 0) return { text: 'No open order fits. /orders lists them.' };
  const count = meant.length === 1 ? 'this order' : `these ${meant.length} orders`;
  return { text: list(`Really cancel ${count}?`, meant.map(orderLine), ''), change: wanted };
}

export async function cancelNow(wanted: RequestedCancel, by: string, { canceler }: CancelParts): Promise<string> {
  if ('clientOrderId' in wanted) {
    const canceled = await canceler.cancelOrder(wanted.clientOrderId, { by });
    return list('Orders', canceled ? [lineOf(canceled)] : [], 'There is no such order.');
  }
  const selection = 'market' in wanted ? { market: wanted.market } : {};
  const canceled = await canceler.cancelOrders(selection, { by });
  return list('Orders', canceled.map(lineOf), 'None was open any more.');
}

function lineOf({ clientOrderId, outcome, error }: CanceledOrder): string {
  const word = outcome === 'canceled' || outcome === 'ended' ? outcome : 'NOT canceled';
  const said = outcome === 'unclear' ? 'not known' : word;
  return `<code>${clientOrderId}</code>: <b>${said}</b>${error === undefined ? '' : `, ${escapeHtml(error)}`}`;
}
