// Fills that Binance's stream has told, so that they need not be read: that weighs so much that it alone would hold orders to a third
// of the rate that Binance allows.
//
// They are used under one rule: those of an order are taken when they add up to what the order's own answer says was executed, and
// not otherwise. Every fill has a number and is positive, so a part of them can never add up to the whole. A message that was lost or
// is late makes the sum too small, one that came twice has a number that is known already, and one that is ahead of the answer makes
// the sum too large: then the fills are read, as if nobody had told anything.

import type { Timers } from '../../../timing/timers.ts';
import { type Decimal, plus, ZERO } from '../../../trading/decimal.ts';
import { CLIENT_ORDER_PREFIX, type Fill } from '../../../trading/venue.ts';
import { type Fields, fieldsOf } from '../../read-json.ts';
import { AnswerReader } from '../read-answer.ts';
import { DOLLARS, TITLE } from './dialect.ts';

const read = new AnswerReader(TITLE);
/** The stream tells a fill within milliseconds of the answer, before it or after it. */
const AWAITED_FOR_MS = 100;
/** Most are taken within a second; what nobody asks for is forgotten, the oldest first. */
const MAX_ORDERS = 2_000;

const isOurs = (clientOrderId: string): boolean => clientOrderId.startsWith(CLIENT_ORDER_PREFIX);

interface Awaiting {
  readonly quantity: Decimal;
  readonly found: (fills: readonly Fill[]) => void;
}

export class ToldFills {
  readonly #timers: Pick<Timers, 'after'>;
  /** By client order id, then by the number of the fill. */
  readonly #fills = new Map<string, Map<string, Fill>>();
  readonly #awaiting = new Map<string, Set<Awaiting>>();

  constructor(timers: Pick<Timers, 'after'>) {
    this.#timers = timers;
  }

  /** A message of the stream; what is no fill of an order of ours, or lacks something, is left to be read. */
  hear(message: unknown): void {
    const { e: type, o: order } = fieldsOf(message);
    const { c: clientOrderId, x: change } = fieldsOf(order);
    if (type !== 'ORDER_TRADE_UPDATE' || change !== 'TRADE') return;
    if (typeof clientOrderId !== 'string' || !isOurs(clientOrderId)) return;
    const fill = fillOf(fieldsOf(order));
    if (fill !== undefined) this.#tell(clientOrderId, fill);
  }

  #tell(clientOrderId: string, fill: Fill): void {
    const fills = this.#fills.get(clientOrderId) ?? new Map<string, Fill>();
    fills.set(fill.fillId, fill);
    this.#fills.set(clientOrderId, fills);
    const [oldest] = this.#fills.keys();
    if (this.#fills.size > MAX_ORDERS && oldest !== undefined) this.#fills.delete(oldest);
    for (const { quantity, found } of this.#awaiting.get(clientOrderId) ?? []) {
      const whole = this.#whole(clientOrderId, quantity);
      if (whole !== undefined) found(whole);
    }
  }

  /** The fills of an order that add up to this quantity; undefined where they do not, also after a moment. */
  async of(clientOrderId: string, quantity: Decimal): Promise<readonly Fill[] | undefined> {
    // What the venue itself orders is not told here: its names are not unique.
    if (!isOurs(clientOrderId)) return undefined;
    return this.#whole(clientOrderId, quantity) ?? (await this.#await(clientOrderId, quantity));
  }

  #whole(clientOrderId: string, quantity: Decimal): readonly Fill[] | undefined {
    const fills = [...(this.#fills.get(clientOrderId)?.values() ?? [])];
    return fills.map((fill) => fill.quantity).reduce(plus, ZERO) === quantity ? fills : undefined;
  }

  #await(clientOrderId: string, quantity: Decimal): Promise<readonly Fill[] | undefined> {
    const awaiting = this.#awaiting.get(clientOrderId) ?? new Set<Awaiting>();
    this.#awaiting.set(clientOrderId, awaiting);
    return new Promise((resolve) => {
      const end = (fills?: readonly Fill[]): void => {
        cancel();
        awaiting.delete(mine);
        if (awaiting.size === 0) this.#awaiting.delete(clientOrderId);
        resolve(fills);
      };
      const mine: Awaiting = { quantity, found: end };
      awaiting.add(mine);
      const cancel = this.#timers.after(AWAITED_FOR_MS, () => end());
    });
  }
}

function fillOf(order: Fields): Fill | undefined {
  const { t: number, l: quantity, L: price, n: fee, N: feeAsset, rp: realizedPnl, T: atMs } = order;
  // A number that JavaScript cannot hold exactly would name another fill than the same one that is read.
  if (!Number.isSafeInteger(number) || typeof atMs !== 'number') return undefined;
  // A fee in another coin is worth what that coin costs.
  if (typeof feeAsset !== 'string' || !DOLLARS.has(feeAsset)) return undefined;
  try {
    const amounts = { quantity: read.decimal(quantity), price: read.decimal(price), fee: read.decimal(fee) };
    if (amounts.quantity <= ZERO || amounts.price <= ZERO) return undefined;
    return { fillId: String(number), ...amounts, realizedPnl: read.decimal(realizedPnl), atMs };
  } catch {
    return undefined;
  }
}
