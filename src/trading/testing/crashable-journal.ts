// A journal in memory whose process can die: writes reach its disk in batches and in order, and what has not reached it
// at the death is lost, with all promises about it. Single writes can fail as well.

import {
  type Acceptance,
  type BookedFill,
  fillKey,
  isFinal,
  type Journal,
  type NewTrade,
  type OutcomeStep,
  type SendingStep,
  type Trade,
  type TradeOrder,
  type UnfinishedTrade,
} from '../books/journal.ts';
import { type Position, positionKey } from '../books/position.ts';
import type { StrategyBook } from '../books/strategy-book.ts';
import { type Decimal, ZERO } from '../decimal.ts';
import { turn } from './hurry.ts';

interface Row {
  trade: Trade;
  readonly orders: Map<string, TradeOrder>;
  readonly fills: Map<string, BookedFill>;
}

export interface CrashableJournal {
  /** What a process sees; after `die` it hears nothing any more and changes nothing. */
  connect(): Journal;
  die(): void;
  /** Everything on disk, in the order of acceptance. */
  rows(): readonly UnfinishedTrade[];
  positions(): readonly Position[];
  books(): readonly StrategyBook[];
  readonly adopted: readonly string[];
}

export interface DiskFate {
  /** How many turns of the event loop the next commit takes. */
  readonly commitTurns: () => number;
  /** Whether this write fails; the others of its batch do not. */
  readonly fails: (kind: string) => boolean;
}

export function createCrashableJournal(fate: DiskFate): CrashableJournal {
  const rows = new Map<number, Row>();
  const positions = new Map<string, Position>();
  const books = new Map<string, StrategyBook>();
  const bookKey = (book: StrategyBook): string => `${positionKey(book)} ${book.strategy}`;
  const adopted: string[] = [];
  let generation = 0;

  const stored = (row: Row): UnfinishedTrade => {
    const orders = [...row.orders.values()];
    const isSending = row.trade.state === 'accepted' && orders.some(({ state }) => state === 'sending');
    const trade: Trade = isSending ? { ...row.trade, state: 'sending' } : row.trade;
    return { trade, orders, fills: [...row.fills.values()] };
  };

  const accept = (trades: readonly NewTrade[]): Acceptance => {
    const seqs = trades.map((_, index) => rows.size + 1 + index);
    for (const trade of trades) {
      const seq = rows.size + 1;
      const row: Trade = { ...trade, seq, state: 'accepted', executedQuantity: ZERO };
      rows.set(seq, { trade: row, orders: new Map(), fills: new Map() });
    }
    return { accepted: true, seqs: seqs as [number, ...number[]] };
  };
  const sending = ({ seq, leg, request, netted, givenUp }: SendingStep): void => {
    const order: TradeOrder = { ...request, leg, netted, givenUp, state: 'sending', executedQuantity: ZERO as Decimal };
    (rows.get(seq) as Row).orders.set(leg, order);
  };
  const record = (step: OutcomeStep): { messageId?: number } => {
    const row = rows.get(step.seq) as Row;
    const { state, orderId, executedQuantity, averagePrice, error } = step;
    row.trade = { ...row.trade, state, orderId, executedQuantity, averagePrice, error };
    const order = [...row.orders.values()].find(({ clientOrderId }) => clientOrderId === step.order?.clientOrderId);
    if (order && step.order) row.orders.set(order.leg, { ...order, ...step.order });
    for (const fill of step.fills) row.fills.set(fillKey(fill), fill);
    for (const position of step.positions ?? []) positions.set(positionKey(position), position);
    for (const book of step.books ?? []) books.set(bookKey(book), book);
    return {};
  };

  const connect = (): Journal => {
    const mine = generation;
    let waiting: (() => void)[] = [];
    let committing = false;
    const commitAll = async (): Promise<void> => {
      committing = true;
      while (waiting.length > 0) {
        const batch = waiting;
        waiting = [];
        for (let turns = fate.commitTurns(); turns > 0; turns--) await turn();
        if (mine !== generation) return;
        for (const write of batch) write();
      }
      committing = false;
    };
    /** Handed over at once; on disk, and answered, with its batch. */
    const write = <T>(kind: string, change: () => T): Promise<T> =>
      new Promise((resolve, reject) => {
        waiting.push(() => (fate.fails(kind) ? reject(new Error('disk full')) : resolve(change())));
        if (!committing) void commitAll();
      });
    const unused = (): never => {
      throw new Error('this journal does not know that');
    };
    return {
      accept: (trade, _, further = []) => write('accept', () => accept([trade, ...further])),
      claimant: async () => undefined,
      duplicateOf: async () => undefined,
      sending: (step) => write('sending', () => sending(step)),
      record: (step) => write('record', () => record(step)),
      adopt: (adoption) =>
        write('adopt', () => {
          adopted.push(adoption.detail);
          for (const position of adoption.positions) positions.set(positionKey(position), position);
          for (const book of adoption.books) books.set(bookKey(book), book);
        }),
      guardResend: async () => undefined,
      guardUnanswered: async () => undefined,
      unfinished: async () => [...rows.values()].map(stored).filter(({ trade }) => !isFinal(trade.state)),
      positions: async () => [...positions.values()],
      strategyBooks: async () => [...books.values()],
      trade: async (requestId) => {
        const found = [...rows.values()].find(({ trade }) => trade.requestId === requestId);
        return found && { ...stored(found), ofSignal: [found.trade], events: [] };
      },
      trades: unused,
      fillsOf: unused,
      orders: unused,
      probe: unused,
    };
  };

  return {
    connect,
    die: () => void generation++,
    rows: () => [...rows.values()].map(stored),
    positions: () => [...positions.values()],
    books: () => [...books.values()],
    adopted,
  };
}
