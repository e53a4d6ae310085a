// The port of the journal that gives up old rows: looked through as searches are, deleted by the writer.

import { isFinal, type TradeState } from '../../../../../trading/books/journal.ts';
import type {
  ArchivableJournal,
  ArchiveBatch,
  ArchivedKind,
  ArchivedTable,
} from '../../../../../trading/books/journal-archive.ts';
import type { OldTrade } from '../../../../../trading/books/settled-trades.ts';
import { ZERO } from '../../../../../trading/decimal.ts';
import type { Row, Searches } from '../../sql.ts';
import { historicFills } from '../fill-history.ts';
import { positionOf } from '../journal-rows.ts';
import type { Writer } from '../writer.ts';
import { readCompleteFromMs } from './mark.ts';
import { digestOf, readRows } from './rows.ts';

const PAGE_TRADES = 500;
/** A trade has six rows or so. */
const BATCH_TRADES = 150;
const BATCH_ROWS = 1000;

const TRADES = `SELECT seq, request_id, received_at, updated_at, exchange, mode, account, market, state
  FROM trades WHERE seq > ?1 ORDER BY seq LIMIT ${PAGE_TRADES}`;
const ORDERS = `SELECT orders.*, trades.key_label, trades.request_id, trades.strategy
  FROM orders JOIN trades ON trades.seq = orders.trade_seq
  WHERE orders.trade_seq > ?1 AND orders.trade_seq <= ?2 ORDER BY orders.trade_seq, orders.leg`;

/** The newest row of a table stays: the number of the next one is counted from it. */
const butNewest = (table: string): string => `seq < (SELECT max(seq) FROM ${table})`;

/** Events from here on stay, in a value `?2` before which they are old: the newest one does in any case. */
const FIRST_EVENT_KEPT = `coalesce((SELECT min(seq) FROM desk_events WHERE at >= ?2), (SELECT max(seq) FROM desk_events))`;

/** Numbers and times of what leaves next, behind a number. */
const NEXT: Readonly<Record<ArchivedKind, string>> = {
  refusals: `SELECT seq, received_at AS at FROM refusals WHERE seq > ?1 AND received_at < ?2 AND ${butNewest('refusals')}
    ORDER BY seq LIMIT ${BATCH_ROWS}`,
  trades: `SELECT seq, received_at AS at FROM trades WHERE seq > ?1 AND CAST(?2 AS BIGINT) > 0
    AND seq IN (SELECT seq FROM archiving_trades) ORDER BY seq LIMIT ${BATCH_TRADES}`,
  // From the front only: a gap in the middle would look as if something was missed.
  desk_events: `SELECT seq, at FROM desk_events WHERE seq > ?1 AND seq < ${FIRST_EVENT_KEPT}
    ORDER BY seq LIMIT ${BATCH_ROWS}`,
  trade_signals: `SELECT seq, timestamp AS at FROM trade_signals WHERE seq > ?1 AND timestamp < ?2
    AND ${butNewest('trade_signals')} AND NOT EXISTS (SELECT 1 FROM trades WHERE request_id = signal_id)
    ORDER BY seq LIMIT ${BATCH_ROWS}`,
};

interface ArchivableJournalOptions {
  readonly writer: Pick<Writer, 'run'>;
  readonly searches: Searches;
}

export const createArchivableJournal = ({ writer, searches }: ArchivableJournalOptions): ArchivableJournal => ({
  oldTrades: (beforeMs) => oldTrades(searches, beforeMs),
  closedMarkets: (beforeMs) => closedMarkets(searches, beforeMs),
  completeFromMs: () => readCompleteFromMs(searches),
  beginLeaving: (groups, beforeMs) => writer.run('beginLeaving', { groups, beforeMs }),
  async nextBatch(of, beforeMs, afterSeq) {
    const found = await searches.all(NEXT[of], afterSeq, beforeMs);
    const [first] = found;
    if (first === undefined) return undefined;
    const month = monthOf(first);
    const next = found.findIndex((row) => monthOf(row) !== month);
    const seqs = (next < 0 ? found : found.slice(0, next)).map(({ seq }) => Number(seq));
    return { of, month, ...(await fewRows(searches, of, seqs)) };
  },
  remove: ({ of, seqs, digest }, beforeMs) => writer.run('removeArchived', { of, seqs, digest, beforeMs }),
});

const monthOf = ({ at }: Row): string => new Date(Number(at)).toISOString().slice(0, 7);

/** As many of them as have no more rows than a step may delete, and one at least. */
async function fewRows(
  searches: Searches,
  of: ArchivedKind,
  wanted: readonly number[],
): Promise<Pick<ArchiveBatch, 'seqs' | 'tables' | 'digest'>> {
  let seqs = wanted;
  for (;;) {
    const tables = await readRows(searches, of, seqs);
    const rows = countOf(tables);
    if (rows <= BATCH_ROWS || seqs.length === 1) return { seqs, tables, digest: digestOf(tables) };
    seqs = seqs.slice(0, Math.max(1, Math.floor((seqs.length * BATCH_ROWS) / rows) - 1));
  }
}

const countOf = (tables: readonly ArchivedTable[]): number => tables.reduce((sum, { rows }) => sum + rows.length, 0);

const marketOf = ({ exchange, mode, account, market }: Row): string => `${exchange}:${mode}:${account}:${market}`;

async function* oldTrades(searches: Searches, beforeMs: number): AsyncIterable<readonly OldTrade[]> {
  const pins = await readPins(searches, beforeMs);
  for (let last = 0; ; ) {
    const trades = await searches.all(TRADES, last);
    const newest = trades.at(-1);
    // A clock that was set back may have put an old one behind a new one, but not behind so many.
    if (newest === undefined || trades.every((trade) => Number(trade.received_at) >= beforeMs)) return;
    const orders = Map.groupBy(await searches.all(ORDERS, last, Number(newest.seq)), (order) =>
      Number(order.trade_seq),
    );
    yield trades.map((trade) => oldTradeOf(trade, orders.get(Number(trade.seq)) ?? [], { pins, beforeMs }));
    last = Number(newest.seq);
  }
}

/** What is looked at once for all trades; whatever can change meanwhile is looked at again when they leave. */
interface Pins {
  readonly newestSeq: number;
  readonly seqs: ReadonlySet<number>;
  readonly requestIds: ReadonlySet<string>;
  /** Signals of which a trade has no end yet: of the others it is asked what became of them. */
  readonly signals: ReadonlySet<string>;
  readonly restingOrders: ReadonlySet<string>;
}

async function readPins({ all }: Searches, beforeMs: number): Promise<Pins> {
  const numbers = async (text: string, ...values: number[]): Promise<number[]> =>
    (await all(text, ...values)).map(({ seq }) => Number(seq));
  const names = async (text: string): Promise<string[]> => (await all(text)).map(({ name }) => name as string);
  const [newestSeq = 0] = await numbers('SELECT coalesce(max(seq), 0) AS seq FROM trades');
  return {
    newestSeq,
    seqs: new Set([
      ...(await numbers('SELECT seq FROM open_trades UNION SELECT trade_seq AS seq FROM outbox')),
      ...(await numbers(
        `SELECT trade_seq AS seq FROM desk_events WHERE seq > CAST(?1 AS BIGINT) AND seq >= ${FIRST_EVENT_KEPT}`,
        0,
        beforeMs,
      )),
    ]),
    requestIds: new Set(
      await names(`SELECT request_id AS name FROM pending_stops UNION SELECT close_request_id FROM protections
        UNION SELECT origin FROM protections WHERE origin IS NOT NULL UNION SELECT client_stop_id FROM venue_stops
        UNION SELECT id FROM refusals UNION SELECT resent_as FROM refusals WHERE resent_as IS NOT NULL`),
    ),
    signals: new Set(
      (await names('SELECT request_id AS name FROM trades WHERE seq IN (SELECT seq FROM open_trades)')).map(signalOf),
    ),
    restingOrders: new Set(
      await names(`SELECT client_order_id AS name FROM paper_orders WHERE status IN ('submitted', 'partially_filled')`),
    ),
  };
}

const signalOf = (tradeId: string): string => tradeId.split('.')[0] as string;

interface Looking {
  readonly pins: Pins;
  readonly beforeMs: number;
}

function oldTradeOf(trade: Row, orders: readonly Row[], { pins, beforeMs }: Looking): OldTrade {
  const [seq, requestId] = [Number(trade.seq), trade.request_id as string];
  const isPinned =
    seq === pins.newestSeq ||
    pins.seqs.has(seq) ||
    pins.requestIds.has(requestId) ||
    pins.signals.has(signalOf(requestId)) ||
    orders.some((order) => pins.restingOrders.has(order.client_order_id as string));
  return {
    seq,
    receivedAtMs: Number(trade.received_at),
    market: marketOf(trade),
    mayLeave: !isPinned && isFinal(trade.state as TradeState) && Number(trade.updated_at) < beforeMs,
    fills: orders.flatMap(historicFills),
  };
}

async function closedMarkets({ all }: Searches, beforeMs: number): Promise<ReadonlySet<string>> {
  const closed = new Set<string>();
  const open = new Set<string>();
  for (const table of ['positions', 'strategy_books'])
    for (const row of await all(`SELECT * FROM ${table}`)) {
      const isClosed = positionOf(row).quantity === ZERO && Number(row.updated_at) < beforeMs;
      (isClosed ? closed : open).add(marketOf(row));
    }
  return new Set([...closed].filter((market) => !open.has(market)));
}
