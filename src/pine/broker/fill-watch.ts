// The fills of a live bar as plain data: what was bought or sold, and what was held before and after. In history nobody watches.

import { type CurrentBar, STAGE } from './current-bar.ts';
import type { ExitOrder, ExitReason } from './exit-order.ts';
import type { Ledger } from './ledger.ts';
import type { Lot } from './lot.ts';
import type { Order, OrderKind } from './order.ts';
import type { OrderBook } from './order-book.ts';
import type { Direction } from './settings.ts';

export interface OrderFill {
  /** As TradingView's alerts have it: of the call; of strategy.close() with words before it; a reason where the tester itself closes. */
  readonly id: string;
  readonly kind: OrderKind | 'exit' | 'forced';
  readonly comment: string;
  /** `alert_message` of the call; empty where it has none. */
  readonly alertMessage: string;
  /** Whether the call said disable_alert. */
  readonly isSilent: boolean;
  /** 1 bought, -1 sold. */
  readonly direction: Direction;
  readonly quantity: number;
  readonly price: number;
  /** When on the bar it happened. */
  readonly moment: 'open' | 'inside' | 'close';
  /** Position before and after it: positive long, negative short. */
  readonly before: number;
  readonly after: number;
  /** Of the one bracket that guards all of this entry; null where there is none. */
  readonly stop: number | null;
  readonly limit: number | null;
}

type Filled = Omit<OrderFill, 'quantity' | 'price' | 'moment' | 'before' | 'after' | 'stop' | 'limit'>;
const NO_BRACKET = { stop: null, limit: null };

export class FillWatch {
  /** Of the bar that is being run, in the order they happened. */
  fills: OrderFill[] = [];
  private readonly ledger: Ledger;
  private readonly book: OrderBook;
  private readonly bar: CurrentBar;

  constructor(ledger: Ledger, book: OrderBook, bar: CurrentBar) {
    this.ledger = ledger;
    this.book = book;
    this.bar = bar;
  }

  order(order: Order, quantity: number, price: number, before: number, lot?: Lot): void {
    const { kind, listedId: id, direction, words } = order;
    const { comment, alertMessage, isSilent } = words;
    const bracket = lot === undefined ? NO_BRACKET : bracketOf(this.book.exits.filter((exit) => exit.lot === lot));
    this.add({ id, kind, comment, alertMessage, isSilent, direction }, quantity, price, before, bracket);
  }

  exit({ direction, request }: ExitOrder, reason: ExitReason, quantity: number, price: number, before: number): void {
    const { id, isSilent, ...words } = request.words;
    const comment = { limit: words.commentProfit, stop: words.commentLoss, trail: words.commentTrailing }[reason];
    const message = { limit: words.alertProfit, stop: words.alertLoss, trail: words.alertTrailing }[reason];
    const said = { comment: comment || words.comment, alertMessage: message || words.alertMessage };
    this.add({ id, kind: 'exit', ...said, isSilent, direction }, quantity, price, before);
  }

  /** Closed by the tester itself: a margin call, a rule of risk. */
  forced(reason: string, quantity: number, price: number, before: number): void {
    const words = { id: reason, kind: 'forced', comment: reason, alertMessage: '', isSilent: false } as const;
    this.add({ ...words, direction: before > 0 ? -1 : 1 }, quantity, price, before);
  }

  private add(
    filled: Filled,
    quantity: number,
    price: number,
    before: number,
    bracket: Pick<OrderFill, 'stop' | 'limit'> = NO_BRACKET,
  ): void {
    const { stage, part } = this.bar;
    const moment = stage === STAGE.open && part === 0 ? 'open' : stage === STAGE.done ? 'close' : 'inside';
    this.fills.push({ ...filled, quantity, price, moment, before, after: this.ledger.size, ...bracket });
  }
}

const levelOf = (level: number): number | null => (Number.isNaN(level) ? null : level);

/** The levels of an entry's bracket; of several brackets, or one for a part, none can stand for the whole. */
function bracketOf(exits: readonly ExitOrder[]): Pick<OrderFill, 'stop' | 'limit'> {
  const [exit] = exits;
  if (exit === undefined || exits.length > 1 || exit.wanted < exit.lot.quantity) return NO_BRACKET;
  return { stop: levelOf(exit.stop), limit: levelOf(exit.limit) };
}
