// The writes of stops and of the drawdown guard as they run inside the writer's transaction.

import type { Sql } from '../../sql.ts';
import { addDeskEvent, type Batch } from '../desk-event-mutations.ts';

/** A row as it is stored: the names are those of the columns. */
export type Columns = Readonly<Record<string, string | number | null>>;

/** Of a row that is there already under this key, every column is written anew. */
async function replace(sql: Sql, table: string, key: readonly string[], columns: Columns): Promise<void> {
  const names = Object.keys(columns);
  const changed = names.filter((name) => !key.includes(name)).map((name) => `${name} = excluded.${name}`);
  await sql.run(
    `INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})
    ON CONFLICT (${key.join()}) DO UPDATE SET ${changed.join()}`,
    ...Object.values(columns),
  );
}

/** Which row of `protections`. */
export interface StoredName {
  readonly exchange: string;
  readonly mode: string;
  readonly account: string;
  readonly market: string;
  readonly side: string;
  readonly strategy: string;
}

export interface ProtectionWrite {
  readonly save: readonly Columns[];
  readonly remove: readonly StoredName[];
  /** What entries that have not filled ask for now. */
  readonly pending: readonly { readonly requestId: string; readonly stops: Columns }[];
  /** Request ids of entries whose stops are no longer pending. */
  readonly settled: readonly string[];
  readonly atMs: number;
}

export async function writeProtections(
  sql: Sql,
  [write]: readonly [write: ProtectionWrite],
  batch: Batch,
): Promise<void> {
  const { save, remove, pending, settled, atMs } = write;
  for (const name of remove) {
    const changes = await sql.run(`DELETE FROM protections WHERE ${OF_SHARE}`, ...shareOf(name));
    if (changes === 1) addDeskEvent(batch, { atMs, kind: 'protection', facts: { ...nameOf(name), isGone: true } });
  }
  for (const columns of save) {
    const before = await sql.get(`SELECT ${TOLD.join()} FROM protections WHERE ${OF_SHARE}`, ...shareOf(columns));
    await replace(sql, 'protections', SHARE, columns);
    if (before === undefined || TOLD.some((name) => before[name] !== columns[name]))
      addDeskEvent(batch, { atMs, kind: 'protection', facts: { row: columns } });
  }
  for (const { requestId, stops } of pending) await changePendingStops(sql, requestId, stops);
  for (const requestId of settled) await sql.run('DELETE FROM pending_stops WHERE request_id = ?', requestId);
}

const SHARE = ['exchange', 'mode', 'account', 'market', 'side', 'strategy'];
const OF_SHARE = SHARE.map((name) => `${name} = ?`).join(' AND ');
const nameOf = ({ exchange, mode, account, market, side, strategy }: StoredName | Columns) => ({
  ...{ exchange, mode, account, market, side, strategy },
});
const shareOf = (name: StoredName | Columns) => Object.values(nameOf(name)) as string[];

/** What is news when it changes; the best price and how far the market was seen move all the time. */
const TOLD = [
  ...['trail_percent', 'trail_amount', 'activation_price', 'stop_loss', 'take_profit', 'targets'],
  ...['break_even_after', 'max_hold_seconds', 'targets_hit', 'fired_by'],
];

/** An entry that was sent without stops has no row yet. One that is not in the journal gets none: it would wait for nothing. */
async function changePendingStops(sql: Sql, requestId: string, stops: Columns): Promise<void> {
  const names = Object.keys(stops);
  await sql.run(
    `INSERT INTO pending_stops (request_id, created_at, ${names.join()})
    SELECT request_id, received_at, ${names.map(() => '?').join()} FROM trades WHERE request_id = ?
    ON CONFLICT (request_id) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join()}`,
    ...[...Object.values(stops), requestId],
  );
}

/** There once: an id is never used again, so a second row under it would hide a fault. */
export async function addVenueStop(sql: Sql, [columns]: readonly [columns: Columns]): Promise<void> {
  const names = Object.keys(columns);
  await sql.run(
    `INSERT INTO venue_stops (${names.join()}) VALUES (${names.map(() => '?').join()})`,
    ...Object.values(columns),
  );
}

export async function removeVenueStop(sql: Sql, [id]: readonly [id: string]): Promise<void> {
  await sql.run('DELETE FROM venue_stops WHERE client_stop_id = ?', id);
}

export const writeDrawdownDay = (sql: Sql, [columns]: readonly [columns: Columns]): Promise<void> =>
  replace(sql, 'drawdown_days', ['account', 'mode'], columns);

/** In the transaction that accepts the entry, so that neither is ever there without the other. */
export const addPendingStops = (sql: Sql, requestId: string, atMs: number, stops: Columns): Promise<void> =>
  replace(sql, 'pending_stops', ['request_id'], { request_id: requestId, created_at: atMs, ...stops });
