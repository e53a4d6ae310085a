// The journal's writes as they run inside the writer's transaction. Arguments are flat tuples: they cross a thread.

import { addEvent, hasNoEvents, lastStep, noEventsYet, plainFill, type Sql } from './event-log.ts';

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
  const [requestId, at, source, , , , action, symbol] = args;
  const [idempotencyKey, bodyDigest] = [args[12], args[13]];
  const resent = idempotencyKey !== null || bodyDigest === null ? undefined : findGuard(sql, bodyDigest, at);
  const seq = resent === undefined ? (insertTrade(sql, args) ?? insertAfterWindow(sql, args)) : resent;
  const accepted = typeof seq === 'number';
  addSignal(sql, [requestId, at, symbol, action, source, accepted ? 'accepted' : 'DUPLICATE_SIGNAL']);
  if (accepted) noEventsYet(sql, seq);
  return seq;
}

/** Undefined when the idempotency key is claimed already. */
function insertTrade(sql: Sql, args: AcceptArgs): number | undefined {
  const [requestId, at, source, keyLabel, exchange, account, action, symbol, market, quantity, price, leverage] = args;
  const [idempotencyKey, bodyDigest, notify] = [args[12], args[13], args[14]];
  const { changes, lastInsertRowid } = sql(`INSERT INTO trades (request_id, received_at, updated_at, source, key_label,
      exchange, account, action, symbol, market, quantity, price, leverage, idempotency_key, claim, body_digest, notify,
      state, executed_quantity)
    VALUES (?1, ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, 'accepted', '0')
    ON CONFLICT (claim) WHERE claim IS NOT NULL DO NOTHING`).run(
    requestId,
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
    idempotencyKey === null ? null : claimBytes(idempotencyKey),
    bodyDigest,
    notify,
  );
  return changes === 1 ? Number(lastInsertRowid) : undefined;
}

/** A claim older than the window is given up for the new signal; a younger one is a duplicate. */
function insertAfterWindow(sql: Sql, args: AcceptArgs): AcceptResult {
  const [at, windowMs] = [args[1], args[15]];
  const bytes = claimBytes(args[12] as string);
  const first = sql('SELECT seq, request_id, received_at FROM trades WHERE claim = ?').get(bytes);
  if ((first?.received_at as number) > at - windowMs) return ['idempotency-key', first?.request_id as string];
  sql('UPDATE trades SET claim = NULL WHERE seq = ?').run(first?.seq as number);
  return insertTrade(sql, args) as number;
}

function findGuard(sql: Sql, bodyDigest: Uint8Array, at: number): Exclude<AcceptResult, number> | undefined {
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
  for (let i = 0; i < notes.length; i += 2) addEvent(sql, seq, at, notes[i] as string, notes[i + 1] ?? null);
  const { changes } = sql(`INSERT INTO orders (trade_seq, leg, client_order_id, exchange, account, market, side,
      position_side, reduce_only, quantity, price, state, executed_quantity, fills, created_at, updated_at,
      sent_after_step)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 'sending', '0', '', ?12, ?12, ?13)
    ON CONFLICT (trade_seq, leg) DO NOTHING`).run(
    seq,
    leg,
    clientOrderId,
    exchange,
    account,
    market,
    side,
    positionSide,
    reduceOnly,
    quantity,
    price,
    at,
    lastStep(sql, seq),
  );
  if (changes === 1) return;
  // The same order is prepared again, after the venue proved that it never saw it.
  sql(
    `UPDATE orders SET state = 'sending', quantity = ?, price = ?, updated_at = ? WHERE trade_seq = ? AND leg = ?`,
  ).run(quantity, price, at, seq, leg);
  addEvent(sql, seq, at, 'sending', leg);
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

/** States a trade can be in for days. */
const GOES_ON = new Set(['submitted', 'partially_filled', 'unknown']);
/** Whoever settles the trade delivers its message first; the background sweep only takes what is still there after this. */
const FIRST_DELIVERY_MS = 2000;

/** Returns the outbox number of the message, or 0. */
export function record(sql: Sql, args: RecordArgs): number {
  const [seq, at, state, eventKind, eventDetail, orderId, executed, average, error, order, fills, position] = args;
  const [message, releaseClaim] = [args[12], args[13]];
  sql(`UPDATE trades SET state = ?, updated_at = ?, order_id = ?, executed_quantity = ?, average_price = ?, error = ?
    WHERE seq = ?`).run(state, at, orderId, executed, average, error, seq);
  const isFirst = hasNoEvents(sql, seq);
  if (GOES_ON.has(state)) sql('INSERT INTO open_trades (seq) VALUES (?) ON CONFLICT DO NOTHING').run(seq);
  else if (!isFirst) sql('DELETE FROM open_trades WHERE seq = ?').run(seq);
  // An ordinary fill is told by the rows themselves, see plainFill.
  const isPlain = isFirst && state === 'filled' && eventKind === 'filled';
  if (!isPlain || eventDetail !== plainFill(orderId, executed, average)) addEvent(sql, seq, at, eventKind, eventDetail);
  if (order !== null) writeReport(sql, seq, at, order, fills);
  if (position !== null) {
    sql(`INSERT INTO positions (exchange, account, market, side, quantity, entry_price, realized_pnl, fees, updated_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET quantity = excluded.quantity, entry_price = excluded.entry_price,
        realized_pnl = excluded.realized_pnl, fees = excluded.fees, updated_at = excluded.updated_at`).run(...position);
  }
  if (releaseClaim !== null) {
    sql('UPDATE trades SET claim = NULL WHERE seq = ? AND claim = ?').run(seq, claimBytes(releaseClaim));
  }
  if (message === null) return 0;
  const { lastInsertRowid } = sql(`INSERT INTO outbox (trade_seq, kind, payload, attempts, next_attempt_at, created_at)
    VALUES (?, ?, ?, 0, ?, ?)`).run(seq, message[0], message[1], at + FIRST_DELIVERY_MS, at);
  return Number(lastInsertRowid);
}

/** A fill that is stored already stays as it is: its id stands in the column. */
function writeReport(
  sql: Sql,
  seq: number,
  at: number,
  order: NonNullable<RecordArgs[9]>,
  fills: RecordArgs[10],
): void {
  const [clientOrderId, state, orderId, executed, average, reason] = order;
  const [first = undefined, ...more] = fills;
  const fillId = first === undefined ? null : `[${JSON.stringify(first[1])},`;
  sql(`UPDATE orders SET state = ?1, order_id = ?2, executed_quantity = ?3, average_price = ?4, reason = ?5, updated_at = ?6,
      fills = iif(?7 IS NULL OR instr(fills, ?7) > 0, fills, fills || ?8)
    WHERE trade_seq = ?9 AND client_order_id = ?10`).run(
    state,
    orderId,
    executed,
    average,
    reason,
    at,
    fillId,
    first === undefined ? null : `${JSON.stringify(first.slice(1))}\n`,
    seq,
    clientOrderId,
  );
  if (more.length > 0) writeReport(sql, seq, at, order, more);
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
