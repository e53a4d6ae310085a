// The fills of the paper venues in the order in which they were made, and what follows from them alone: what is held, what it has cost
// and what was earned. Nothing here is what the product has booked, and none of its books is asked; only its reader of decimal text is
// used.

import type { DatabaseSync } from 'node:sqlite';
import { decimal } from '../../../src/trading/decimal.ts';
import { isOnPaper } from '../nothing-lost.ts';

export type Side = 'LONG' | 'SHORT';
export const SIDES: readonly Side[] = ['LONG', 'SHORT'];

/** Amounts are counts of 10^-12 units. */
export interface PaperFill {
  readonly tradeSeq: number;
  /** `binance main`, and with its market. */
  readonly account: string;
  readonly place: string;
  readonly strategy: string;
  readonly action: string;
  readonly isBuy: boolean;
  readonly quantity: bigint;
  readonly price: bigint;
  readonly fee: bigint;
}

/** An account matches one order after the other, and its orders are numbered: from the millionth on a number is longer. */
const ORDERS = `SELECT orders.exchange, orders.account, orders.market, orders.trade_seq, orders.side, orders.fills,
    trades.strategy, trades.action
  FROM orders JOIN trades ON trades.seq = orders.trade_seq
    JOIN paper_orders USING (client_order_id, exchange, account)
  WHERE orders.fills <> '' AND`;
const IN_ORDER = 'ORDER BY length(paper_orders.order_id), paper_orders.order_id';

export function paperFills(db: DatabaseSync, live: readonly string[]): PaperFill[] {
  const orders = db.prepare(`${ORDERS} ${isOnPaper(live, 'orders.exchange')} ${IN_ORDER}`).all();
  return orders.flatMap((order) => {
    const account = `${order.exchange} ${order.account}`;
    return fillLines(order.fills).map(([, quantity, price, fee]) => ({
      ...{ account, place: `${account} ${order.market}`, tradeSeq: Number(order.trade_seq) },
      ...{ strategy: String(order.strategy), action: String(order.action), isBuy: order.side === 'BUY' },
      ...{ quantity: decimal(quantity), price: decimal(price), fee: decimal(fee) },
    }));
  });
}

type FillLine = readonly [id: string, quantity: string, price: string, fee: string, realizedPnl: string, atMs: number];

/** As they stand in the column of an order, of ours and of the venue. */
export const fillLines = (column: unknown): FillLine[] =>
  String(column)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as FillLine);

/** A product of two amounts has 24 places; twelve more, so that what a reduction leaves of a cost is cut off where nobody looks. */
const MORE_PLACES = 10n ** 12n;
const toUnits = (exact: bigint): bigint => nearest(exact, MORE_PLACES * 10n ** 12n);

/** One side of what somebody holds. */
export class Held {
  quantity = 0n;
  /** Together with what others were closed with. */
  fees = 0n;
  fills = 0;
  #cost = 0n;
  #realized = 0n;

  /** The average price, zero where nothing is held. */
  get entryPrice(): bigint {
    return this.quantity === 0n ? 0n : nearest(this.#cost, this.quantity * MORE_PLACES);
  }

  get realizedPnl(): bigint {
    return toUnits(this.#realized);
  }

  add(quantity: bigint, price: bigint, fee: bigint): void {
    this.quantity += quantity;
    this.#cost += quantity * price * MORE_PLACES;
    this.#note(fee);
  }

  reduce(side: Side, quantity: bigint, price: bigint, fee: bigint): void {
    const cost = (this.#cost * quantity) / this.quantity;
    const worth = quantity * price * MORE_PLACES;
    this.#realized += side === 'LONG' ? worth - cost : cost - worth;
    this.quantity -= quantity;
    this.#cost -= cost;
    this.#note(fee);
  }

  #note(fee: bigint): void {
    this.fees += fee;
    this.fills++;
  }
}

/** Both sides, of which one at most is held at any time: the accounts of the harness are netted. */
export class NettedHolding {
  readonly LONG = new Held();
  readonly SHORT = new Held();

  /** What is held the other way goes first, with the whole fee. Returns how much of the fill was added on its own side. */
  take({ isBuy, quantity, price, fee }: PaperFill): bigint {
    const [grows, shrinks]: readonly [Side, Side] = isBuy ? ['LONG', 'SHORT'] : ['SHORT', 'LONG'];
    const held = this[shrinks].quantity;
    const taken = held < quantity ? held : quantity;
    const added = quantity - taken;
    if (taken > 0n) this[shrinks].reduce(shrinks, taken, price, fee);
    if (added > 0n) this[grows].add(added, price, taken > 0n ? 0n : fee);
    return added;
  }
}

/** What each holder comes to, and what of each fill was added to what it held. */
export function walkFills(
  fills: readonly PaperFill[],
  holderOf: (fill: PaperFill) => string,
  onFill: (fill: PaperFill, added: bigint) => void = () => {},
): ReadonlyMap<string, NettedHolding> {
  const holders = new Map<string, NettedHolding>();
  for (const fill of fills) {
    const holder = holders.get(holderOf(fill)) ?? new NettedHolding();
    holders.set(holderOf(fill), holder);
    onFill(fill, holder.take(fill));
  }
  return holders;
}

/** What a trade has executed of what its signal asked for, at which average price. */
export interface Execution {
  quantity: bigint;
  /** The sum of quantity times price. */
  cost: bigint;
}

/** An entry that gives up what its strategy held the other way has executed only what it added; of a close everything counts. */
export function executionsOf(fills: readonly PaperFill[]): ReadonlyMap<number, Execution> {
  const executions = new Map<number, Execution>();
  walkFills(fills, shareName, ({ tradeSeq, action, quantity, price }, added) => {
    const execution = executions.get(tradeSeq) ?? { quantity: 0n, cost: 0n };
    executions.set(tradeSeq, execution);
    const counted = action.startsWith('CLOSE_') ? quantity : added;
    execution.quantity += counted;
    execution.cost += counted * price;
  });
  return executions;
}

export const shareName = ({ place, strategy }: Pick<PaperFill, 'place' | 'strategy'>): string =>
  `${place} "${strategy}"`;

export const averageOf = ({ quantity, cost }: Execution): bigint => (quantity === 0n ? 0n : nearest(cost, quantity));

/** Halves away from zero. */
function nearest(dividend: bigint, divisor: bigint): bigint {
  const half = divisor / 2n;
  return dividend < 0n ? -((half - dividend) / divisor) : (dividend + half) / divisor;
}
