-- The agent's usage ledger; until 0.2.0 it was agent.db, whose rows are copied at the first start.

-- One row per call of a model provider, written when the call is over. What was asked and answered is not here.
CREATE TABLE model_calls (
  number      INTEGER PRIMARY KEY,
  at          INTEGER NOT NULL,
  request_id  TEXT NOT NULL,
  door        TEXT NOT NULL,
  provider    TEXT NOT NULL,
  model       TEXT NOT NULL,
  outcome     TEXT NOT NULL,
  tokens_in   INTEGER NOT NULL CHECK (tokens_in >= 0),
  tokens_out  INTEGER NOT NULL CHECK (tokens_out >= 0),
  -- In billionths of a dollar, so that sums are exact; unknown where no price is known.
  cost_nano   INTEGER CHECK (cost_nano >= 0),
  estimated   INTEGER NOT NULL CHECK (estimated IN (0, 1)),
  ms          INTEGER NOT NULL
) STRICT;

CREATE INDEX model_calls_by_time ON model_calls (at);

CREATE TABLE heartbeat (
  id    INTEGER PRIMARY KEY CHECK (id = 1),
  beats INTEGER NOT NULL
) STRICT;

-- The databases of older versions whose rows are here now, written in the transaction that copied them.
CREATE TABLE moved_databases (
  name     TEXT PRIMARY KEY,
  moved_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
