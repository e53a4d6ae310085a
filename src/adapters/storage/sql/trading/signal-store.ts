// The signal store port in SQL, on either engine.

import type { SignalFilter, SignalRecord, SignalStore } from '../../../../trading/books/signal-store.ts';
import { marketOf } from '../../../../trading/intake/market-symbol.ts';
import { sameCase } from '../same-case.ts';
import type { Row, Searches, SqlReads } from '../sql.ts';
import type { Writer } from './writer.ts';

/** Where a page begins: after this record in the order of the list. */
interface Place {
  readonly timestampMs: number;
  readonly seq: number;
}

/** Before the newest record there can be. */
const TOP: Place = { timestampMs: Number.MAX_SAFE_INTEGER, seq: 0 };
/** The most candidates looked at in one step: so many rows cross from thread to thread without anybody noticing. */
const MAX_STEP = 4096;

const FILTERS = `(?4 = '' OR source = ?4) AND (?5 = '' OR lower(symbol) LIKE lower(?5)) AND (?6 = '' OR alert_id = ?6)
  AND (?7 = '' OR decision = ?7) AND (?8 = '' OR signal_type = ?8) AND timestamp >= ?9 AND timestamp < ?10
  AND (?11 = '' OR instr(lower(concat_ws('\n', signal_id, symbol, signal_type, source, decision, alert_id)), ?11) > 0)`;
/** In two halves, because SQLite looks through every record of one instant for the plain form, a pair less than a pair. */
const PAGE = `
  SELECT * FROM (SELECT * FROM trade_signals WHERE timestamp = ?1 AND seq < ?2 AND ${FILTERS}
    ORDER BY seq DESC LIMIT ?3)
  UNION ALL
  SELECT * FROM (SELECT * FROM trade_signals WHERE timestamp < ?1 AND ${FILTERS}
    ORDER BY timestamp DESC, seq DESC LIMIT ?3)
  ORDER BY timestamp DESC, seq DESC LIMIT ?3`;

export function createSignalStore(options: {
  writer: Writer;
  reads: SqlReads;
  /** For what may look at every row. */
  searches: Searches;
}): SignalStore {
  const { writer, reads, searches } = options;
  const { all } = reads;

  const placeOf = async (signalId: string): Promise<Place | undefined> => {
    const [row] = await all('SELECT timestamp, seq FROM trade_signals WHERE signal_id = ?', signalId);
    return row && { timestampMs: Number(row.timestamp), seq: Number(row.seq) };
  };

  return {
    async add(signal) {
      await writer.run('addSignal', signal);
    },
    async list(filter) {
      const { limit, source = '', symbol = '', alertId = '', beforeSignalId } = filter;
      const start = beforeSignalId === undefined ? TOP : await placeOf(beforeSignalId);
      if (start === undefined) return undefined;
      const { decision = '', signalType = '', search = '', fromMs = 0, toMs = Number.MAX_SAFE_INTEGER } = filter;
      const isSearch = [source, symbol, alertId, decision, signalType, search].some((each) => each !== '');
      const isAnyTime = fromMs === 0 && toMs === Number.MAX_SAFE_INTEGER;
      const read = isSearch || !isAnyTime ? searches.all : all;
      const more = [alertId, decision, signalType, fromMs, toMs, sameCase(search)] as const;
      const page = ({ timestampMs, seq }: Place, count: number) =>
        read(PAGE, timestampMs, seq, count, source, likeEverySpelling(symbol), ...more);
      return collect(page, start, filter, limit);
    },
  };
}

type ReadPage = (from: Place, count: number) => Promise<Row[]>;

/** What SQL finds are candidates only; which of them name the market is decided by the one rule there is for that. */
async function collect(read: ReadPage, start: Place, { symbol }: SignalFilter, limit: number): Promise<SignalRecord[]> {
  const found: SignalRecord[] = [];
  const named = symbol === undefined ? undefined : spellingsOf(symbol);
  let from = start;
  let step = limit;
  for (;;) {
    const rows = await read(from, step);
    for (const row of rows) {
      if (found.length < limit && (named?.(row.symbol as string) ?? true)) found.push(recordOf(row));
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < step || found.length === limit) return found;
    from = { timestampMs: Number(last.timestamp), seq: Number(last.seq) };
    step = Math.min(step * 4, MAX_STEP);
  }
}

/** The letters of the market in their order, whatever stands between and around them; a sieve, not yet an answer. */
function likeEverySpelling(symbol: string): string {
  if (symbol === '') return '';
  return `%${[...(marketOf(symbol) ?? symbol)].join('%')}%`;
}

function spellingsOf(symbol: string): (stored: string) => boolean {
  const market = marketOf(symbol);
  return (stored) => stored === symbol || (market !== undefined && marketOf(stored) === market);
}

const recordOf = (row: Row): SignalRecord => ({
  signalId: row.signal_id as string,
  timestampMs: Number(row.timestamp),
  symbol: row.symbol as string,
  signalType: row.signal_type as string,
  source: row.source as string,
  decision: row.decision as string,
  alertId: (row.alert_id as string) || undefined,
});
