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

-- What entries asked for that have not filled yet.
CREATE TABLE wishes (
  request_id    TEXT PRIMARY KEY,
  created_at    INTEGER NOT NULL,
  trail_percent TEXT,
  stop_loss     TEXT,
  take_profit   TEXT
) STRICT, WITHOUT ROWID;

-- The day of the drawdown guard.
CREATE TABLE drawdown (
  id              INTEGER PRIMARY KEY CHECK (id = 1),
  day             TEXT NOT NULL,
  start_equity    TEXT NOT NULL,
  last_equity     TEXT NOT NULL,
  last_seen       INTEGER NOT NULL,
  tripped_percent TEXT
) STRICT;

CREATE TABLE heartbeat (
  id    INTEGER PRIMARY KEY CHECK (id = 1),
  beats INTEGER NOT NULL
) STRICT;
