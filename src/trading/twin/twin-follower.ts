// Lets a paper twin do what the accounts of one mode are told to do, and marks where the market stood meanwhile.
//
//   live trade on disk ──► best prices ──► written down as twinned ──► accepted in the twin's own journal ──► the twin's own lane
//   live order about to be sent ──► best prices
//
// Whatever fails here is told in the log and to nobody else: the live trade goes its way, and the gap shows what is missing. Signals
// and the owner's closes are followed, a kill switch that flattens among them. Stops are not: the twin guards what it holds by itself.

import type { Exchange } from '../../exchanges/exchange.ts';
import { SerialQueue } from '../../timing/serial-queue.ts';
import type { Timers } from '../../timing/timers.ts';
import { WorkUnderWay } from '../../timing/work-under-way.ts';
import type { Accepted, NewTrade, SendingStep } from '../books/journal.ts';
import type { CancelRequest, OrderCanceler } from '../execution/cancel-orders.ts';
import type { Dispatcher } from '../execution/dispatch.ts';
import type { GateKeepers } from '../intake/accept-signal.ts';
import { acceptedSignals } from '../intake/accepted-signal.ts';
import { isDirectClose, OWNER } from '../signal.ts';
import type { Quote, Venue, VenueMode } from '../venue.ts';
import type { MarkedMoment, TwinMarks } from './twin-marks.ts';

/** What a twin trades with; a trading desk has all of it. */
export interface TwinDesk {
  readonly keepers: Pick<GateKeepers, 'journal'>;
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>;
  readonly canceler: Pick<OrderCanceler, 'cancelOrder'>;
}

export interface TwinFollowerParts {
  readonly mode: Exclude<VenueMode, 'paper'>;
  /** The live accounts that have a twin. */
  readonly accounts: readonly Pick<Venue, 'exchange' | 'account' | 'quote'>[];
  readonly desk: TwinDesk;
  readonly marks: Pick<TwinMarks, 'begin' | 'mark'>;
  /** Whether one more request may be spent on the best prices: live orders come first within the limits of a venue. */
  readonly mayAsk: (exchange: Exchange) => boolean;
  /** The twin trades at these prices. */
  readonly noteQuote: (exchange: Exchange, market: string, quote: Quote) => void;
  readonly timers: Pick<Timers, 'after'>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** So long the machine and its disk are the live trade's alone. The twin loses nothing by it: its price is that of the signal. */
const LIVE_FIRST_MS = 500;
/** Trades that are remembered until they are sent. */
const MAX_UNSENT = 10_000;
const UNMARKED = 'the best prices could not be had, so a part of the gap is unmarked';
const BY_TWIN: CancelRequest = { by: 'twin', why: 'the live order has ended' };

export class TwinFollower {
  readonly #parts: TwinFollowerParts;
  /** In the order of their acceptance. */
  readonly #queue = new SerialQueue();
  readonly #underWay = new WorkUnderWay();
  /** The trade ids of live trades that are not sent yet, by their number in the live journal. */
  readonly #unsent = new Map<number, string>();

  constructor(parts: TwinFollowerParts) {
    this.#parts = parts;
  }

  accepted(trades: readonly NewTrade[], { seqs }: Accepted, windowMs: number): void {
    const followed = trades.filter((trade, index) => {
      if (!this.#isFollowed(trade)) return false;
      this.#remember(seqs[index] as number, trade.requestId);
      return true;
    });
    const [first, ...further] = followed.map((trade) => ({
      trade: twinOf(trade),
      quoted: this.#quoteOf(placeOf(trade)),
    }));
    if (first !== undefined) this.#inOrder('a twin did not trade', () => this.#trade([first, ...further], windowMs));
  }

  sending({ seq, exchange, account, request }: SendingStep): void {
    const tradeId = this.#unsent.get(seq);
    if (tradeId === undefined) return;
    this.#unsent.delete(seq);
    const quoted = this.#quoteOf({ exchange, account, market: request.market });
    this.#inOrder(UNMARKED, () => this.#mark(tradeId, 'sent', quoted));
  }

  /** An order was withdrawn or has run out: that of the twin does not rest on by itself. */
  ended(clientOrderId: string): void {
    this.#inOrder('an order of a twin was not canceled', () =>
      this.#parts.desk.canceler.cancelOrder(clientOrderId, BY_TWIN),
    );
  }

  /** Resolves when everything that was told is with the twin. */
  idle(): Promise<void> {
    return this.#underWay.idle();
  }

  /** A trade that is refused is never sent: the oldest make room. */
  #remember(seq: number, tradeId: string): void {
    const [oldest] = this.#unsent.keys();
    if (this.#unsent.size >= MAX_UNSENT && oldest !== undefined) this.#unsent.delete(oldest);
    this.#unsent.set(seq, tradeId);
  }

  #isFollowed(trade: NewTrade): boolean {
    if (trade.mode !== this.#parts.mode || (isDirectClose(trade) && trade.source !== OWNER)) return false;
    return this.#accountOf(trade.order.exchange, trade.account) !== undefined;
  }

  #accountOf(exchange: Exchange, name: string) {
    return this.#parts.accounts.find((each) => each.exchange === exchange && each.account === name);
  }

  #inOrder(what: string, work: () => Promise<unknown>): void {
    const { timers, onTrouble } = this.#parts;
    const liveIsAhead = new Promise<void>((resolve) => void timers.after(LIVE_FIRST_MS, resolve));
    this.#underWay.track(liveIsAhead.then(() => this.#queue.run(work))).catch((error) => onTrouble(what, error));
  }

  async #trade(followed: readonly [FollowedTrade, ...FollowedTrade[]], windowMs: number): Promise<void> {
    const { desk, marks, noteQuote } = this.#parts;
    const trades = followed.map(({ trade }) => trade);
    const [first, ...further] = trades as [NewTrade, ...NewTrade[]];
    await marks.begin(
      trades.map((trade) => ({ tradeId: trade.requestId, ...placeOf(trade), acceptedAtMs: trade.receivedAtMs })),
    );
    for (const { trade, quoted } of followed) {
      const quote = await this.#mark(trade.requestId, 'accepted', quoted);
      if (quote) noteQuote(trade.order.exchange, trade.order.market, quote);
    }
    const acceptance = await desk.keepers.journal.accept(first, windowMs, further);
    // The twin has traded it before: the live trade was refused, and its sender has sent it again.
    if (!acceptance.accepted) return;
    for (const trade of acceptedSignals(trades, acceptance)) await desk.dispatcher.dispatch(trade, 'async');
  }

  /** Asked for at once. Without it the twin trades all the same, at the last price of its feed. */
  async #quoteOf({ exchange, account, market }: Place): Promise<Quote | undefined> {
    try {
      return this.#parts.mayAsk(exchange)
        ? await this.#accountOf(exchange, account)?.quote?.(market, 'aside')
        : undefined;
    } catch (error) {
      this.#parts.onTrouble(UNMARKED, error);
      return undefined;
    }
  }

  async #mark(tradeId: string, moment: MarkedMoment, quoted: Promise<Quote | undefined>): Promise<Quote | undefined> {
    const quote = await quoted;
    if (quote) await this.#parts.marks.mark(tradeId, moment, quote);
    return quote;
  }
}

interface FollowedTrade {
  readonly trade: NewTrade;
  readonly quoted: Promise<Quote | undefined>;
}

interface Place {
  readonly exchange: Exchange;
  readonly account: string;
  readonly market: string;
}

const placeOf = ({ account, order: { exchange, market } }: NewTrade): Place => ({ exchange, account, market });

/** Tells nobody, and goes by the same claims as the live trade: what its sender sends again is not traded twice. */
function twinOf({ resendOf: _, order: { notify: __, ...order }, ...trade }: NewTrade): NewTrade {
  return { ...trade, order, mode: 'paper' };
}
