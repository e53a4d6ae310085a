// The refusal store port in SQL, on either engine.

import { MAIN_ACCOUNT } from '../../../../trading/accounts.ts';
import type { RefusalStore, RefusedOrder, RefusedSignal } from '../../../../trading/intake/refusals.ts';
import type { SignalOrder, SignalSource } from '../../../../trading/signal.ts';
import { sameCase } from '../same-case.ts';
import type { Row, Searches } from '../sql.ts';
import { exactJson, fromExactJson } from './exact-json.ts';
import type { AskedColumns, RefusalRecord } from './refusal-mutations.ts';
import { isOneOf } from './row-filters.ts';
import type { Writer } from './writer.ts';

const PAGE = `SELECT * FROM refusals
  WHERE (?1 = '' OR seq < (SELECT seq FROM refusals WHERE id = ?1)) AND (?2 = '' OR code = ?2)
    AND (?3 = '' OR key_label = ?3) AND (?4 = '' OR door = ?4)
    AND received_at >= ?6 AND received_at < ?7 AND (?8 = '' OR ${isOneOf('?8', 'source')})
    AND (?9 = '' OR exchange = ?9) AND (?10 = '' OR account = ?10)
    AND (?11 = '' OR market = ?11 OR (signal_order IS NULL AND instr(market, ?11) > 0))
    AND (?12 = '' OR strategy = ?12) AND (?13 = '' OR action = ?13)
    AND (?14 = '' OR instr(lower(concat_ws('\n', id, key_label, code, error, faults, body, resent_as)), ?14) > 0)
    AND (?15 = '' OR (?15 = 'known') = (key_label IS NOT NULL))
  ORDER BY seq DESC LIMIT ?5`;

/** Read as searches are: a filter may look at every row. */
export function createRefusalStore({
  writer,
  searches,
}: {
  readonly writer: Pick<Writer, 'run'>;
  readonly searches: Searches;
}): RefusalStore {
  return {
    async add(refused, { maxOthers, maxOfKeys, keptAfterMs }) {
      await writer.run('keepRefusals', [refused.map(recordOf), maxOthers, maxOfKeys, keptAfterMs ?? null]);
    },
    async list({ limit, code = '', keyLabel = '', door = '', beforeId = '', ...more }) {
      if (beforeId !== '' && (await searches.all('SELECT 1 FROM refusals WHERE id = ?', beforeId)).length === 0)
        return undefined;
      const { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER, search } = more;
      const named = [more.source, more.exchange, more.account, more.market, more.strategy, more.action];
      const texts = [...named, search && sameCase(search), more.sender].map((value) => value ?? '');
      const rows = await searches.all(PAGE, beforeId, code, keyLabel, door, limit, fromMs, toMs, ...texts);
      return rows.map(refusedOf);
    },
    async find(id) {
      const [row] = await searches.all('SELECT * FROM refusals WHERE id = ?', id);
      return row && refusedOf(row);
    },
  };
}

const recordOf = (refused: RefusedSignal): RefusalRecord => ({
  id: refused.id,
  receivedAtMs: refused.receivedAtMs,
  door: refused.door,
  keyLabel: refused.keyLabel ?? null,
  address: refused.address ?? null,
  status: refused.status,
  code: refused.code,
  error: refused.error,
  faults: JSON.stringify(refused.faults),
  body: refused.body,
  keyId: refused.signal?.keyId ?? null,
  source: refused.signal?.source ?? null,
  signalOrder: refused.signal ? exactJson({ ...refused.signal.order, unmapped: refused.signal.unmapped }) : null,
  bodyDigestHex: refused.signal?.bodyDigest ? Buffer.from(refused.signal.bodyDigest).toString('hex') : null,
  asked: refused.signal ? askedBy(refused.signal.order) : askedIn(refused.body),
});

const askedBy = ({ exchange, account = MAIN_ACCOUNT, market, strategy, action }: SignalOrder): AskedColumns => ({
  ...{ exchange, account, market, strategy: strategy ?? null, action },
});

/** Of a signal that could not be read: what was kept of its fields, as its sender spelled them. */
function askedIn(body: string): AskedColumns {
  const { exchange, account, strategy, symbol, ticker } = fieldsIn(body);
  return {
    exchange: wordsOf(exchange)?.toLowerCase() ?? null,
    account: wordsOf(account) ?? MAIN_ACCOUNT,
    // `BINANCE:BTC/USDT.P` has `BTCUSDT` in it.
    market: (wordsOf(symbol) ?? wordsOf(ticker) ?? '').replaceAll(/[/_-]/g, '').toUpperCase(),
    strategy: wordsOf(strategy) ?? null,
    action: null,
  };
}

function fieldsIn(body: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(body));
  } catch {
    return {};
  }
}

const wordsOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

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
