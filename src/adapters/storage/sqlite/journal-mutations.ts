// The journal's writes as they run inside the writer's transaction. Arguments are flat tuples: they cross a thread.

import type { StatementSync } from 'node:sqlite';

type Sql = (text: string) => StatementSync;
type Text = string | null;

export type SignalArgs = readonly [
  signalId: string,
  timestampMs: number,
  symbol: string,
  signalType: string,
  source: string,
  decision: string,
];

export function addSignal(sql: Sql, args: SignalArgs): void {
  sql(`INSERT INTO trade_signals (signal_id, timestamp, symbol, signal_type, source, decision)
    VALUES (?, ?, ?, ?, ?, ?)`).run(...args);
}

export type AcceptArgs = readonly [
  requestId: string,
  receivedAtMs: number,
  source: string,
  keyLabel: string,
  exchange: string,
  account: string,
  action: string,
  symbol: string,
  market: string,
  quantity: string,
  price: Text,
  leverage: number | null,
  idempotencyKey: Text,
  bodyDigest: Uint8Array | null,
  notify: Text,
  windowMs: number,
];
/** The new row's number, or who was first. */
export type AcceptResult = number | readonly ['idempotency-key' | 'resend', originalRequestId: string];

export function accept(sql: Sql, args: AcceptArgs): AcceptResult {
  const [requestId, at, source, keyLabel, exchange, account, action, symbol, market, quantity, price, leverage] = args;
  const [idempotencyKey, bodyDigest, notify, windowMs] = [args[12], args[13], args[14], args[15]];
  const refused = claim(sql, requestId, at, idempotencyKey, bodyDigest, windowMs);
  addSignal(sql, [requestId, at, symbol, action, source, refused ? 'DUPLICATE_SIGNAL' : 'accepted']);
  if (refused) return refused;
  const { lastInsertRowid } = sql(`INSERT INTO trades (request_id, received_at, updated_at, source, key_label, exchange,
      account, action, symbol, market, quantity, price, leverage, idempotency_key, body_digest, notify, state, executed_quantity)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'accepted', '0')`).run(
    requestId,
    at,
    at,
    source,
    keyLabel,
    exchange,
    account,
    action,
    symbol,
    market,
    quantity,
    price,
    leverage,
    idempotencyKey,
    bodyDigest,
    notify,
  );
  const seq = Number(lastInsertRowid);
  sql('INSERT INTO unfinished_trades (seq) VALUES (?)').run(seq);
  rememberStep(sql, seq, 0);
  return seq;
}

function claim(
  sql: Sql,
  requestId: string,
  at: number,
  idempotencyKey: Text,
  bodyDigest: Uint8Array | null,
  windowMs: number,
): Exclude<AcceptResult, number> | undefined {
  if (idempotencyKey !== null) {
    const bytes = claimBytes(idempotencyKey);
    const { changes } = sql(`INSERT INTO idempotency_claims (claim, request_id, claimed_at) VALUES (?, ?, ?)
      ON CONFLICT (claim) DO UPDATE SET request_id = excluded.request_id, claimed_at = excluded.claimed_at
      WHERE claimed_at <= excluded.claimed_at - ?`).run(bytes, requestId, at, windowMs);
    if (changes === 1) return undefined;
    const first = sql('SELECT request_id FROM idempotency_claims WHERE claim = ?').get(bytes);
    return ['idempotency-key', first?.request_id as string];
  }
  if (bodyDigest === null) return undefined;
  const guard = sql('SELECT request_id FROM resend_guards WHERE body_digest = ? AND until > ?').get(bodyDigest, at);
  return guard ? ['resend', guard.request_id as string] : undefined;
}

/** A UUID is 16 bytes however it is spelled. */
const claimBytes = (uuid: string): Uint8Array => Buffer.from(uuid.replaceAll('-', ''), 'hex');

export type SendingArgs = readonly [
  seq: number,
  atMs: number,
  clientOrderId: string,
  leg: string,
  exchange: string,
  account: string,
  market: string,
  side: string,
  positionSide: string,
  reduceOnly: number,
  quantity: string,
  price: Text,
  /** kind, detail, kind, detail… */
  notes: readonly Text[],
];

export function sending(sql: Sql, args: SendingArgs): void {
  const [
    seq,
    at,
    clientOrderId,
    leg,
    exchange,
    account,
    market,
    side,
    positionSide,
    reduceOnly,
    quantity,
    price,
    notes,
  ] = args;
  // The same order may be prepared again after the venue proved that it never saw it.
  sql(`INSERT INTO orders (client_order_id, trade_seq, leg, exchange, account, market, side, position_side, reduce_only,
      quantity, price, state, executed_quantity, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'sending', '0', ?, ?)
    ON CONFLICT (trade_seq, leg) DO UPDATE SET state = 'sending', quantity = excluded.quantity, price = excluded.price,
      updated_at = excluded.updated_at`).run(
    clientOrderId,
    seq,
    leg,
    exchange,
    account,
    market,
    side,
    positionSide,
    reduceOnly,
    quantity,
    price,
    at,
    at,
  );
  for (let i = 0; i < notes.length; i += 2) addEvent(sql, seq, at, notes[i] as string, notes[i + 1] ?? null);
  addEvent(sql, seq, at, 'sending', leg);
}

/** The last step of trades touched lately, so that numbering an event needs no look into the table. */
const lastSteps = new WeakMap<Sql, Map<number, number>>();
const MAX_REMEMBERED_TRADES = 50_000;

function rememberStep(sql: Sql, seq: number, step: number): void {
  let steps = lastSteps.get(sql);
  if (!steps || steps.size >= MAX_REMEMBERED_TRADES) {
    steps = new Map();
    lastSteps.set(sql, steps);
  }
  steps.set(seq, step);
}

export function addEvent(sql: Sql, seq: number, at: number, kind: string, detail: Text): void {
  const last =
    lastSteps.get(sql)?.get(seq) ??
    (sql('SELECT coalesce(max(step), 0) AS step FROM events WHERE trade_seq = ?').get(seq)?.step as number);
  sql('INSERT INTO events (trade_seq, step, at, kind, detail) VALUES (?, ?, ?, ?, ?)').run(
    seq,
    last + 1,
    at,
    kind,
    detail,
  );
  rememberStep(sql, seq, last + 1);
}

export type FillArgs = readonly [
  clientOrderId: string,
  fillId: string,
  quantity: string,
  price: string,
  fee: string,
  realizedPnl: string,
  atMs: number,
];

export type RecordArgs = readonly [
  seq: number,
  atMs: number,
  state: string,
  eventKind: string,
  eventDetail: Text,
  orderId: Text,
  executedQuantity: string,
  averagePrice: Text,
  error: Text,
  order: readonly [id: string, state: string, orderId: Text, executed: string, average: Text, reason: Text] | null,
  fills: readonly FillArgs[],
  position:
    | readonly [
        string,
        string,
        string,
        string,
        quantity: string,
        entry: string,
        pnl: string,
        fees: string,
        atMs: number,
      ]
    | null,
  message: readonly [kind: string, payload: string] | null,
  releaseClaim: Text,
];

const FINAL_STATES = new Set(['filled', 'rejected', 'canceled', 'expired']);
/** Whoever settles the trade delivers its message first; the background sweep only takes what is still there after this. */
const FIRST_DELIVERY_MS = 2000;

/** Returns the outbox number of the message, or 0. */
export function record(sql: Sql, args: RecordArgs): number {
  const [seq, at, state, eventKind, eventDetail, orderId, executed, average, error, order, fills, position] = args;
  const [message, releaseClaim] = [args[12], args[13]];
  sql(`UPDATE trades SET state = ?, updated_at = ?, order_id = ?, executed_quantity = ?, average_price = ?, error = ?
    WHERE seq = ?`).run(state, at, orderId, executed, average, error, seq);
  addEvent(sql, seq, at, eventKind, eventDetail);
  if (FINAL_STATES.has(state)) sql('DELETE FROM unfinished_trades WHERE seq = ?').run(seq);
  if (order !== null) {
    sql(`UPDATE orders SET state = ?, order_id = ?, executed_quantity = ?, average_price = ?, reason = ?, updated_at = ?
      WHERE trade_seq = ? AND client_order_id = ?`).run(
      order[1],
      order[2],
      order[3],
      order[4],
      order[5],
      at,
      seq,
      order[0],
    );
  }
  for (const fill of fills) {
    sql(`INSERT INTO fills (trade_seq, client_order_id, fill_id, quantity, price, fee, realized_pnl, at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`).run(seq, ...fill);
  }
  if (position !== null) {
    sql(`INSERT INTO positions (exchange, account, market, side, quantity, entry_price, realized_pnl, fees, updated_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET quantity = excluded.quantity, entry_price = excluded.entry_price,
        realized_pnl = excluded.realized_pnl, fees = excluded.fees, updated_at = excluded.updated_at`).run(...position);
  }
  if (releaseClaim !== null) {
    sql(`DELETE FROM idempotency_claims WHERE claim = ?
      AND request_id = (SELECT request_id FROM trades WHERE seq = ?)`).run(claimBytes(releaseClaim), seq);
  }
  if (message === null) return 0;
  const { lastInsertRowid } = sql(`INSERT INTO outbox (trade_seq, kind, payload, attempts, next_attempt_at, created_at)
    VALUES (?, ?, ?, 0, ?, ?)`).run(seq, message[0], message[1], at + FIRST_DELIVERY_MS, at);
  return Number(lastInsertRowid);
}

export type GuardArgs = readonly [bodyDigest: Uint8Array, requestId: string, untilMs: number];

export function guardResend(sql: Sql, args: GuardArgs): void {
  sql(`INSERT INTO resend_guards (body_digest, request_id, until) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET request_id = excluded.request_id, until = max(until, excluded.until)`).run(...args);
}

export type GuardUnansweredArgs = readonly [receivedSinceMs: number, untilMs: number];

/** Also where guards that have run out are swept away: it happens at every start. */
export function guardUnanswered(sql: Sql, [sinceMs, untilMs]: GuardUnansweredArgs): void {
  sql('DELETE FROM resend_guards WHERE until < ?').run(sinceMs);
  sql(`INSERT INTO resend_guards (body_digest, request_id, until)
    SELECT body_digest, request_id, ? FROM (SELECT * FROM trades ORDER BY seq DESC LIMIT 20000)
    WHERE received_at >= ? AND body_digest IS NOT NULL
    ON CONFLICT DO UPDATE SET until = max(until, excluded.until)`).run(untilMs, sinceMs);
}

export type SettleMessageArgs = readonly [id: number, seq: number, atMs: number, kind: string, detail: string];

export function settleMessage(sql: Sql, [id, seq, at, kind, detail]: SettleMessageArgs): void {
  if (sql('DELETE FROM outbox WHERE id = ?').run(id).changes === 1) addEvent(sql, seq, at, kind, detail);
}

export type PostponeArgs = readonly [nextAttemptAtMs: number, id: number];

export function postponeMessage(sql: Sql, args: PostponeArgs): void {
  sql('UPDATE outbox SET attempts = attempts + 1, next_attempt_at = ? WHERE id = ?').run(...args);
}

export function probe(sql: Sql, [nowMs]: readonly [nowMs: number]): void {
  sql('INSERT INTO heartbeat (id, at) VALUES (1, ?) ON CONFLICT DO UPDATE SET at = excluded.at').run(nowMs);
}
