-- The wallet's ledger and the stops; until 0.2.0 they were wallet.db and protection.db, whose rows are copied at the first start.
-- No query of a user reads them.

-- One row per operation that asks for a signature. Amounts are decimal digits in text: wei do not fit into 64 bits.
CREATE TABLE wallet_entries (
  seq             INTEGER PRIMARY KEY,
  id              TEXT NOT NULL UNIQUE,
  request_id      TEXT NOT NULL,
  idempotency_key TEXT,
  chain           TEXT NOT NULL,
  sender          TEXT NOT NULL,
  operation       TEXT NOT NULL,
  call_to         TEXT NOT NULL,
  value_wei       TEXT NOT NULL,
  data            TEXT NOT NULL,
  gas_limit       TEXT NOT NULL,
  nonce           INTEGER NOT NULL,
  state           TEXT NOT NULL,
  details         TEXT NOT NULL,
  mined           TEXT,
  error           TEXT,
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL
) STRICT;

-- Never two live operations with one nonce: the last wall behind the lane.
CREATE UNIQUE INDEX one_live_wallet_entry_per_nonce ON wallet_entries (chain, sender, nonce)
  WHERE state IN ('reserved', 'signed', 'sent', 'mined');

CREATE INDEX wallet_entries_by_chain ON wallet_entries (chain, seq);

-- Every signed form there ever was, on disk before it was sent. What was refused and is asked for again may be signed
-- to the very same bytes: a hash can stand here twice, and the later row is the one that counts.
CREATE TABLE wallet_attempts (
  number           INTEGER PRIMARY KEY,
  entry_id         TEXT NOT NULL REFERENCES wallet_entries (id),
  hash             TEXT NOT NULL,
  raw              TEXT NOT NULL,
  nonce            INTEGER NOT NULL,
  max_fee          TEXT NOT NULL,
  max_priority_fee TEXT NOT NULL,
  signed_at        INTEGER NOT NULL
) STRICT;

CREATE INDEX wallet_attempts_of_entry ON wallet_attempts (entry_id);
CREATE INDEX wallet_attempts_by_hash ON wallet_attempts (hash);

CREATE TABLE wallet_claims (
  idempotency_key TEXT PRIMARY KEY,
  entry_id        TEXT NOT NULL REFERENCES wallet_entries (id)
) STRICT, WITHOUT ROWID;

-- Native value that left, per UTC day.
CREATE TABLE wallet_spending (
  chain  TEXT NOT NULL,
  sender TEXT NOT NULL,
  day    INTEGER NOT NULL,
  wei    TEXT NOT NULL,
  PRIMARY KEY (chain, sender, day)
) STRICT, WITHOUT ROWID;

-- Stops of open positions. Prices are decimal text; times are ms since 1970 UTC.
CREATE TABLE protections (
  exchange         TEXT NOT NULL,
  account          TEXT NOT NULL,
  market           TEXT NOT NULL,
  side             TEXT NOT NULL CHECK (side IN ('LONG', 'SHORT')),
  created_at       INTEGER NOT NULL,
  -- Request id of the entry that asked for it.
  origin           TEXT,
  trail_percent    TEXT,
  trail_amount     TEXT,
  activation_price TEXT,
  stop_loss        TEXT,
  take_profit      TEXT,
  -- The best price since the trail began, and up to when the market was seen: the two belong together.
  peak             TEXT,
  seen_until       INTEGER NOT NULL,
  -- The request id of the trade that closes the position, decided before there is need for it.
  close_request_id TEXT NOT NULL,
  fired_by         TEXT,
  fired_level      TEXT,
  fired_at         INTEGER,
  PRIMARY KEY (exchange, account, market, side),
  CHECK (trail_percent IS NULL OR trail_amount IS NULL)
) STRICT, WITHOUT ROWID;

-- What entries asked for that have not filled yet, written in the transaction that accepts the entry.
CREATE TABLE pending_stops (
  request_id    TEXT PRIMARY KEY,
  created_at    INTEGER NOT NULL,
  trail_percent TEXT,
  stop_loss     TEXT,
  take_profit   TEXT
) STRICT, WITHOUT ROWID;

-- The day of the drawdown guard, for every account by itself.
CREATE TABLE drawdown_days (
  account         TEXT PRIMARY KEY,
  day             TEXT NOT NULL,
  start_equity    TEXT NOT NULL,
  last_equity     TEXT NOT NULL,
  last_seen       INTEGER NOT NULL,
  tripped_percent TEXT
) STRICT, WITHOUT ROWID;

-- The databases of older versions whose rows are here now, written in the transaction that copied them.
CREATE TABLE moved_databases (
  name     TEXT PRIMARY KEY,
  moved_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
