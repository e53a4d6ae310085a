-- The journal and what it feeds. Prices and quantities are decimal text; times are ms since 1970 UTC.
-- Keys grow with time (UUIDv7, row numbers), so a new row lands at the end of its tree however many rows there are.

CREATE TABLE trade_signals (
  seq         INTEGER PRIMARY KEY,
  signal_id   TEXT NOT NULL UNIQUE,
  timestamp   INTEGER NOT NULL,
  symbol      TEXT NOT NULL,
  signal_type TEXT NOT NULL,
  source      TEXT NOT NULL,
  decision    TEXT NOT NULL
) STRICT;
CREATE INDEX trade_signals_by_time ON trade_signals (timestamp, seq);

-- One row per accepted signal: this row is the queue.
CREATE TABLE trades (
  seq               INTEGER PRIMARY KEY,
  request_id        TEXT NOT NULL UNIQUE,
  received_at       INTEGER NOT NULL,
  updated_at        INTEGER NOT NULL,
  source            TEXT NOT NULL,
  key_label         TEXT NOT NULL,
  exchange          TEXT NOT NULL,
  account           TEXT NOT NULL,
  action            TEXT NOT NULL,
  symbol            TEXT NOT NULL,
  market            TEXT NOT NULL,
  quantity          TEXT NOT NULL,
  price             TEXT,
  leverage          INTEGER,
  idempotency_key   TEXT,
  -- The key's 16 bytes while they are claimed; a claim that is given back or has run out is NULL.
  claim             BLOB,
  body_digest       BLOB,
  notify            TEXT,
  state             TEXT NOT NULL,
  order_id          TEXT,
  executed_quantity TEXT NOT NULL,
  average_price     TEXT,
  error             TEXT
) STRICT;
-- The unique insert that claims an idempotency key: it is the insert of the trade itself.
CREATE UNIQUE INDEX trades_by_claim ON trades (claim) WHERE claim IS NOT NULL;

-- Where recovery begins: every trade before this row has an outcome or stands in open_trades. Moved on now and then,
-- so that an ordinary trade, which ends in an instant, costs no bookkeeping of its own.
CREATE TABLE recovery_mark (
  id  INTEGER PRIMARY KEY CHECK (id = 1),
  seq INTEGER NOT NULL
) STRICT;
INSERT INTO recovery_mark (id, seq) VALUES (1, 0);

-- Trades that go on after their first outcome: resting at a venue, or with an unknown fate.
CREATE TABLE open_trades (
  seq INTEGER PRIMARY KEY
) STRICT;

-- Bodies that were answered 5xx: a charting platform will send them again.
CREATE TABLE resend_guards (
  body_digest BLOB PRIMARY KEY,
  request_id  TEXT NOT NULL,
  until       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One row per order sent to a venue.
CREATE TABLE orders (
  trade_seq         INTEGER NOT NULL,
  leg               TEXT NOT NULL,
  client_order_id   TEXT NOT NULL,
  exchange          TEXT NOT NULL,
  account           TEXT NOT NULL,
  market            TEXT NOT NULL,
  side              TEXT NOT NULL,
  position_side     TEXT NOT NULL,
  reduce_only       INTEGER NOT NULL,
  quantity          TEXT NOT NULL,
  price             TEXT,
  state             TEXT NOT NULL,
  order_id          TEXT,
  executed_quantity TEXT NOT NULL,
  average_price     TEXT,
  reason            TEXT,
  -- One JSON array per line: [fill id, quantity, price, fee, realised P&L, at]. An order has one fill nearly always.
  fills             TEXT NOT NULL,
  -- When it was first sent, and after which step of the trade's events.
  created_at        INTEGER NOT NULL,
  sent_after_step   INTEGER NOT NULL,
  updated_at        INTEGER NOT NULL,
  PRIMARY KEY (trade_seq, leg)
) STRICT, WITHOUT ROWID;

-- A trade as it stands. While an order is being sent only the order's row says so: the trade's own row is written
-- when it is accepted and when there is an outcome, not in between.
CREATE VIEW current_trades AS
  SELECT trades.*, iif(state = 'accepted' AND EXISTS
    (SELECT 1 FROM orders WHERE trade_seq = trades.seq AND orders.state = 'sending'), 'sending', state) AS current_state
  FROM trades;

-- Every fill by itself, as a reader expects it.
CREATE VIEW fills AS
  SELECT trade_seq, client_order_id, fill.value ->> 0 AS fill_id, fill.value ->> 1 AS quantity, fill.value ->> 2 AS price,
    fill.value ->> 3 AS fee, fill.value ->> 4 AS realized_pnl, fill.value ->> 5 AS at
  FROM orders, json_each('[' || replace(rtrim(orders.fills, char(10)), char(10), ',') || ']') AS fill;

CREATE TABLE positions (
  exchange     TEXT NOT NULL,
  account      TEXT NOT NULL,
  market       TEXT NOT NULL,
  side         TEXT NOT NULL,
  quantity     TEXT NOT NULL,
  entry_price  TEXT NOT NULL,
  realized_pnl TEXT NOT NULL,
  fees         TEXT NOT NULL,
  updated_at   INTEGER NOT NULL,
  PRIMARY KEY (exchange, account, market, side)
) STRICT, WITHOUT ROWID;

-- What happened to a trade, in order, as far as its row and its orders' rows do not say it already.
CREATE TABLE events (
  trade_seq INTEGER NOT NULL,
  step      INTEGER NOT NULL,
  at        INTEGER NOT NULL,
  kind      TEXT NOT NULL,
  detail    TEXT,
  PRIMARY KEY (trade_seq, step)
) STRICT, WITHOUT ROWID;

-- Messages that must leave after their commit; a delivered one is deleted.
CREATE TABLE outbox (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  trade_seq       INTEGER NOT NULL,
  kind            TEXT NOT NULL,
  payload         TEXT NOT NULL,
  attempts        INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL,
  created_at      INTEGER NOT NULL
) STRICT;

-- Written by the readiness check: only a write proves that the journal can be written.
CREATE TABLE heartbeat (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  at INTEGER NOT NULL
) STRICT;
