// Trades, steps and fills in few words, for the suites that every storage adapter must pass.

import type {
  BookedFill,
  Journal,
  Leg,
  NewTrade,
  OutcomeStep,
  SendingStep,
  TradeState,
} from '../../src/trading/books/journal.ts';
import type { Position } from '../../src/trading/books/position.ts';
import { decimal, productFrom, ZERO } from '../../src/trading/decimal.ts';
import { clientOrderId } from '../../src/trading/execution/client-order-id.ts';
import type { SignalOrder } from '../../src/trading/signal.ts';
import type { OrderRequest } from '../../src/trading/venue.ts';

export const START_MS = 1_750_000_000_000;
export const DAY_MS = 86_400_000;

let ids = 0;
/** Ids that grow, as request ids do. */
export const nextRequestId = (): string => `01900000-0000-7000-8000-${(++ids).toString(16).padStart(12, '0')}`;

export const orderOf = (changes: Partial<SignalOrder> = {}): SignalOrder => ({
  exchange: 'binance',
  action: 'LONG',
  symbol: 'BTCUSDT',
  market: 'BTCUSDT',
  quantity: decimal('0.5'),
  ...changes,
});

export type TradeChanges = Partial<Omit<NewTrade, 'order'>> & { readonly order?: Partial<SignalOrder> };

export const newTrade = ({ order, ...changes }: TradeChanges = {}): NewTrade => ({
  requestId: nextRequestId(),
  receivedAtMs: START_MS,
  source: 'webhook',
  keyLabel: 'default',
  mode: 'paper',
  account: 'main',
  order: orderOf(order),
  ...changes,
});

/** Accepts a trade that must be accepted. */
export async function accepted(
  journal: Journal,
  changes: TradeChanges = {},
  windowMs = DAY_MS,
): Promise<NewTrade & { readonly seq: number }> {
  const trade = newTrade(changes);
  const acceptance = await journal.accept(trade, windowMs);
  if (!acceptance.accepted) throw new Error(`${trade.requestId} is a duplicate of ${acceptance.originalRequestId}`);
  return { ...trade, seq: acceptance.seqs[0] };
}

export function sendingStep(
  trade: NewTrade & { readonly seq: number },
  changes: Partial<Omit<SendingStep, 'request'>> & { readonly request?: Partial<OrderRequest> } = {},
): SendingStep {
  const leg: Leg = changes.leg ?? 'open';
  const request: OrderRequest = {
    clientOrderId: clientOrderId(trade.requestId, leg),
    market: trade.order.market,
    side: 'BUY',
    positionSide: 'LONG',
    reduceOnly: false,
    quantity: trade.order.quantity,
    ...changes.request,
  };
  return {
    seq: trade.seq,
    atMs: START_MS + 1,
    leg,
    exchange: trade.order.exchange,
    mode: trade.mode,
    account: trade.account,
    netted: true,
    givenUp: ZERO,
    notes: [],
    ...changes,
    request,
  };
}

/** Fills come with the order they belong to. */
export function outcomeStep(seq: number, state: TradeState, changes: Partial<OutcomeStep> = {}): OutcomeStep {
  const [fill] = changes.fills ?? [];
  const order = fill && {
    clientOrderId: fill.clientOrderId,
    state: state === 'sending' ? 'filled' : state,
    executedQuantity: ZERO,
  };
  return {
    seq,
    atMs: START_MS + 2,
    state,
    event: { kind: state },
    executedQuantity: ZERO,
    fills: [],
    ...(order && { order }),
    ...changes,
  };
}

export const fillOf = (trade: NewTrade, changes: Partial<BookedFill> = {}): BookedFill => ({
  clientOrderId: clientOrderId(trade.requestId, 'open'),
  fillId: 'fill-1',
  quantity: decimal('0.5'),
  price: decimal('68000.1'),
  fee: decimal('0.0123'),
  realizedPnl: ZERO,
  atMs: START_MS + 2,
  ...changes,
});

export const positionOf = (changes: Partial<Position> = {}): Position => ({
  exchange: 'binance',
  mode: 'paper',
  account: 'main',
  market: 'BTCUSDT',
  side: 'LONG',
  quantity: decimal('0.5'),
  entryPrice: decimal('68000.1'),
  cost: productFrom('34000.05'),
  realizedPnl: decimal('-3.25'),
  fees: decimal('0.0123'),
  updatedAtMs: START_MS + 2,
  ...changes,
});
