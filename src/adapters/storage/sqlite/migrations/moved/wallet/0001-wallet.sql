-- One row per operation that asks for a signature. Amounts are decimal digits in text: wei do not fit into 64 bits.
CREATE TABLE entries (
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
CREATE UNIQUE INDEX one_live_entry_per_nonce ON entries (chain, sender, nonce)
  WHERE state IN ('reserved', 'signed', 'sent', 'mined');

CREATE INDEX entries_by_chain ON entries (chain, seq);

-- Every signed form there ever was, on disk before it was sent. What was refused and is asked for again may be signed
-- to the very same bytes: a hash can stand here twice, and the later row is the one that counts.
CREATE TABLE attempts (
  number           INTEGER PRIMARY KEY,
  entry_id         TEXT NOT NULL REFERENCES entries (id),
  hash             TEXT NOT NULL,
  raw              TEXT NOT NULL,
  nonce            INTEGER NOT NULL,
  max_fee          TEXT NOT NULL,
  max_priority_fee TEXT NOT NULL,
  signed_at        INTEGER NOT NULL
) STRICT;

CREATE INDEX attempts_of_entry ON attempts (entry_id);
CREATE INDEX attempts_by_hash ON attempts (hash);

CREATE TABLE claims (
  idempotency_key TEXT PRIMARY KEY,
  entry_id        TEXT NOT NULL REFERENCES entries (id)
) STRICT, WITHOUT ROWID;

-- Native value that left, per UTC day.
CREATE TABLE spending (
  chain  TEXT NOT NULL,
  sender TEXT NOT NULL,
  day    INTEGER NOT NULL,
  wei    TEXT NOT NULL,
  PRIMARY KEY (chain, sender, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE heartbeat (
  id    INTEGER PRIMARY KEY CHECK (id = 1),
  beats INTEGER NOT NULL
) STRICT;
