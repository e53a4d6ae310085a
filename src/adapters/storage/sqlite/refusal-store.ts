// The refusal store port on SQLite.

import { MAIN_ACCOUNT } from '../../../trading/accounts.ts';
import type { RefusalStore, RefusedOrder, RefusedSignal } from '../../../trading/intake/refusals.ts';
import type { SignalOrder, SignalSource } from '../../../trading/signal.ts';
import type { Row } from './database.ts';
import { exactJson, fromExactJson } from './exact-json.ts';
import type { Reader } from './reader.ts';
import type { RefusalRow } from './refusal-mutations.ts';
import { isOneOf } from './row-filters.ts';
import type { Writer } from './writer.ts';

/** What a signal asked for; where it could not be read, what was kept of its fields. */
const ASKED = "(CASE WHEN signal_order IS NOT NULL THEN signal_order WHEN json_valid(body) THEN body ELSE '{}' END)";
/** A symbol that nobody has read yet, without what stands between its parts: `BINANCE:BTC/USDT.P` has `BTCUSDT` in it. */
const UNREAD_SYMBOL = `upper(replace(replace(replace(
  coalesce(${ASKED} ->> '$.symbol', ${ASKED} ->> '$.ticker', ''), '/', ''), '_', ''), '-', ''))`;

const PAGE = `SELECT * FROM refusals
  WHERE (?1 = '' OR seq < (SELECT seq FROM refusals WHERE id = ?1)) AND (?2 = '' OR code = ?2)
    AND (?3 = '' OR key_label = ?3) AND (?4 = '' OR door = ?4)
    AND received_at >= ?6 AND received_at < ?7 AND (?8 = '' OR ${isOneOf('?8', 'source')})
    AND (?9 = '' OR lower(${ASKED} ->> '$.exchange') = ?9)
    AND (?10 = '' OR coalesce(${ASKED} ->> '$.account', '${MAIN_ACCOUNT}') = ?10)
    AND (?11 = '' OR signal_order ->> '$.market' = ?11 OR (signal_order IS NULL AND instr(${UNREAD_SYMBOL}, ?11) > 0))
    AND (?12 = '' OR ${ASKED} ->> '$.strategy' = ?12)
    AND (?13 = '' OR signal_order ->> '$.action' = ?13)
    AND (?14 = '' OR instr(lower(concat_ws(char(10), id, key_label, code, error, faults, body, resent_as)), ?14) > 0)
  ORDER BY seq DESC LIMIT ?5`;

/** Reads go to the thread for searches: a filter may look at every row. */
export function createRefusalStore({ writer, searches }: { writer: Writer; searches: Reader }): RefusalStore {
  return {
    async add(refused, { maxOthers, maxOfKeys, keptAfterMs }) {
      await writer.run('keepRefusals', [refused.map(rowOf), maxOthers, maxOfKeys, keptAfterMs ?? null]);
    },
    async list({ limit, code = '', keyLabel = '', door = '', beforeId = '', ...more }) {
      if (beforeId !== '' && (await searches.all('SELECT 1 FROM refusals WHERE id = ?', beforeId)).length === 0)
        return undefined;
      const { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER, search } = more;
      const named = [more.source, more.exchange, more.account, more.market, more.strategy, more.action];
      const texts = [...named, search?.toLowerCase()].map((value) => value ?? '');
      const rows = await searches.all(PAGE, beforeId, code, keyLabel, door, limit, fromMs, toMs, ...texts);
      return rows.map(refusedOf);
    },
    async find(id) {
      const [row] = await searches.all('SELECT * FROM refusals WHERE id = ?', id);
      return row && refusedOf(row);
    },
  };
}

const rowOf = (refused: RefusedSignal): RefusalRow => [
  refused.id,
  refused.receivedAtMs,
  refused.door,
  refused.keyLabel ?? null,
  refused.address ?? null,
  refused.status,
  refused.code,
  refused.error,
  JSON.stringify(refused.faults),
  refused.body,
  refused.signal?.keyId ?? null,
  refused.signal?.source ?? null,
  refused.signal ? exactJson({ ...refused.signal.order, unmapped: refused.signal.unmapped }) : null,
  refused.signal?.bodyDigest ? Buffer.from(refused.signal.bodyDigest).toString('hex') : null,
];

function signalOf(row: Row): RefusedOrder | undefined {
  if (row.signal_order === null) return undefined;
  const { unmapped, ...order } = fromExactJson(row.signal_order as string) as StoredOrder;
  return {
    keyId: row.key_id as string,
    source: row.source as SignalSource,
    order,
    ...(unmapped && { unmapped }),
    bodyDigest: (row.body_digest as Uint8Array | null) ?? undefined,
  };
}

type StoredOrder = SignalOrder & Pick<RefusedOrder, 'unmapped'>;

export const refusedOf = (row: Row): RefusedSignal => ({
  id: row.id as string,
  receivedAtMs: Number(row.received_at),
  door: row.door as string,
  keyLabel: (row.key_label as string | null) ?? undefined,
  address: (row.address as string | null) ?? undefined,
  status: Number(row.status),
  code: row.code as string,
  error: row.error as string,
  faults: JSON.parse(row.faults as string) as string[],
  body: row.body as string,
  signal: signalOf(row),
  resentAs: (row.resent_as as string | null) ?? undefined,
});
