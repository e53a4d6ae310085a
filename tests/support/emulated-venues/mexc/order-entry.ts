// MEXC's order entry. A yes carries the id alone: how far the order has filled must be asked for, or heard from the stream.

import { cancelAtOnce } from '../cancelled-at-once.ts';
import { type FuturesOrder, isOpen, type NewOrder, Refusal, type RefusalReason } from '../futures-order.ts';
import type { MatchingMarket } from '../matching-market.ts';
import type { Contracts } from './contracts.ts';
import { ERROR_MESSAGES, type ErrorCode, MexcRefusal } from './error-codes.ts';
import type { OrderRequest, OrderRequests } from './order-request.ts';
import { closes, idOf, type OrderNote, type OrderNotes } from './order-row.ts';
import type { Parameters } from './parameters.ts';

const MAX_CANCELS = 50;

/** Why the market refuses, in MEXC's codes. */
const CODES: Readonly<Record<RefusalReason, ErrorCode>> = {
  'insufficient-margin': 2005,
  'nothing-to-reduce': 2009,
  'reduced-by-others': 2008,
  'over-leverage-bracket': 2031,
  'no-price': 1002,
  'would-take': 2007,
  'would-trigger': 3004,
};

export class OrderEntry {
  readonly #market: MatchingMarket;
  readonly #contracts: Contracts;
  readonly #requests: OrderRequests;
  /** Of the order that is being placed: those who listen to the market are told of it before `place` returns. */
  #next: OrderNote | undefined;

  /** Must be made before anybody else listens to the market. */
  constructor(market: MatchingMarket, contracts: Contracts, requests: OrderRequests, notes: OrderNotes) {
    this.#market = market;
    this.#contracts = contracts;
    this.#requests = requests;
    market.listen((event) => {
      if (this.#next === undefined || event.type !== 'order') return;
      notes.set(event.order.orderId, this.#next);
      this.#next = undefined;
    });
  }

  create(parameters: Parameters): { readonly orderId: string; readonly ts: number } {
    const order = inMexcCodes(() => this.#create(parameters));
    return { orderId: idOf(order.orderId), ts: order.createdMs };
  }

  #create(parameters: Parameters): FuturesOrder {
    const request = this.#requests.read(parameters, 'type');
    const { order, note } = request;
    if (order.clientOrderId !== '' && this.#byExternalId(order.clientOrderId) !== undefined) throw new MexcRefusal(603);
    if (this.#market.reduces(order)) this.#requests.checkClosable(request, parameters.integer('positionId'));
    else this.#requests.checkAgainstHeld(request);
    if (this.#market.openOrders(order.symbol).length >= this.#market.spec(order.symbol).maxOpenOrders)
      throw new MexcRefusal(2036);
    const named = { ...order, clientOrderId: order.clientOrderId || `_m_${this.#market.orders.length + 1}` };
    return this.#place(named, note, request);
  }

  #place(order: NewOrder, note: OrderNote, request: OrderRequest): FuturesOrder {
    const settings = { ...this.#market.account.settings(order.symbol) };
    if (!closes(note.side)) this.#requests.applySettings(request);
    this.#next = note;
    try {
      return this.#market.place(order);
    } catch (error) {
      if (error instanceof Refusal && error.reason === 'would-take') return cancelAtOnce(this.#market, order);
      Object.assign(this.#market.account.settings(order.symbol), settings);
      throw error;
    } finally {
      this.#next = undefined;
    }
  }

  #byExternalId(externalOid: string): FuturesOrder | undefined {
    return this.#market.orders.find(({ clientOrderId }) => clientOrderId === externalOid);
  }

  /** A list of ids; every one gets a word of its own. */
  cancel(parameters: Parameters): object[] {
    if (parameters.list.length === 0) throw new MexcRefusal(600);
    if (parameters.list.length > MAX_CANCELS) throw new MexcRefusal(2013);
    return parameters.list.map((entry) => {
      const orderId = String(entry);
      const code = this.#cancelOne(this.#market.orders.find((order) => idOf(order.orderId) === orderId));
      return { orderId, errorCode: code, errorMsg: code === 0 ? 'success' : ERROR_MESSAGES[code] };
    });
  }

  cancelWithExternal(parameters: Parameters): null {
    const { symbol } = this.#contracts.find(parameters.text('symbol'));
    const externalOid = parameters.text('externalOid');
    const found = this.#market.orders.find((order) => order.symbol === symbol && order.clientOrderId === externalOid);
    const code = this.#cancelOne(found);
    if (code !== 0) throw new MexcRefusal(code);
    return null;
  }

  /** Of one contract, or of all. */
  cancelAll(parameters: Parameters): null {
    const name = parameters.text('symbol');
    const symbol = name === undefined ? undefined : this.#contracts.find(name).symbol;
    for (const order of this.#market.openOrders(symbol)) this.#market.cancel(order);
    return null;
  }

  #cancelOne(order: FuturesOrder | undefined): 0 | 2040 | 2041 {
    if (order === undefined) return 2040;
    if (!isOpen(order)) return 2041;
    this.#market.cancel(order);
    return 0;
  }
}

export function inMexcCodes<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) throw new MexcRefusal(CODES[error.reason]);
    throw error;
  }
}
