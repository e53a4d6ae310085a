-- Everything of the script process in one database: beside the library its keys, its deployments and the bars it keeps. Until
-- 0.2.0 these were script_keys.db, deployments.db and market.db; what the first two hold is copied at the first start.

-- Small texts by name with a time to live: the keys of the script worker.
CREATE TABLE key_values (
  name       TEXT PRIMARY KEY,
  value      TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX key_values_by_expiry ON key_values (expires_at);

-- The source is last: lists and bars read what is before it and need not touch its pages. It is a copy, because the
-- library forgets old revisions and deleted scripts, and a deployment goes on.
CREATE TABLE deployments (
  place         INTEGER PRIMARY KEY,
  id            TEXT NOT NULL UNIQUE,
  user_id       TEXT NOT NULL,
  script_id     TEXT NOT NULL,
  revision      INTEGER NOT NULL,
  name          TEXT NOT NULL,
  symbol        TEXT NOT NULL,
  market        TEXT NOT NULL,
  interval      TEXT NOT NULL,
  timeframe_ms  INTEGER NOT NULL,
  inputs        TEXT NOT NULL,
  targets       TEXT NOT NULL,
  state         TEXT NOT NULL CHECK (state IN ('running', 'paused', 'failed')),
  created_at    INTEGER NOT NULL,
  anchor        INTEGER NOT NULL,
  last_run_at   INTEGER,
  last_bar_time INTEGER NOT NULL,
  last_error    TEXT,
  failures      INTEGER NOT NULL,
  runs          INTEGER NOT NULL,
  alerts        INTEGER NOT NULL,
  source        TEXT NOT NULL
) STRICT;

CREATE INDEX deployments_by_user ON deployments (user_id, place);

-- One row per alert of a newest bar, for ever one: neither id nor place can be there twice.
CREATE TABLE deployment_events (
  place         INTEGER PRIMARY KEY,
  id            TEXT NOT NULL UNIQUE,
  deployment_id TEXT NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
  bar_time      INTEGER NOT NULL,
  ordinal       INTEGER NOT NULL,
  message       TEXT NOT NULL,
  title         TEXT,
  source        TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  UNIQUE (deployment_id, bar_time, ordinal)
) STRICT;

CREATE INDEX deployment_events_by_deployment ON deployment_events (deployment_id, place);

-- One row per event and target until it is delivered or given up.
CREATE TABLE deployment_outbox (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id        TEXT NOT NULL REFERENCES deployment_events (id) ON DELETE CASCADE,
  deployment_id   TEXT NOT NULL,
  target          INTEGER NOT NULL,
  attempts        INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL,
  UNIQUE (event_id, target)
) STRICT;

CREATE INDEX deployment_outbox_by_target ON deployment_outbox (deployment_id, target, id);
CREATE INDEX deployment_outbox_by_time ON deployment_outbox (next_attempt_at);

-- Quiet is a run that raised nothing: fewer of those are kept.
CREATE TABLE deployment_logs (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  deployment_id TEXT NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
  at            INTEGER NOT NULL,
  kind          TEXT NOT NULL,
  is_quiet      INTEGER NOT NULL,
  message       TEXT NOT NULL,
  bar_time      INTEGER,
  event_id      TEXT,
  run_ms        REAL
) STRICT;

CREATE INDEX deployment_logs_by_deployment ON deployment_logs (deployment_id, id);
CREATE INDEX deployment_logs_quiet ON deployment_logs (deployment_id, is_quiet, id);

-- Bars of the past as the venues told them: a cache, in packs of equally many slots of one timeframe.
CREATE TABLE bar_series (
  id           INTEGER PRIMARY KEY,
  source       TEXT NOT NULL,
  market       TEXT NOT NULL,
  timeframe_ms INTEGER NOT NULL,
  UNIQUE (source, market, timeframe_ms)
) STRICT;

-- A pack that is written again gets a new id, so the lowest ids are those not written for the longest time.
CREATE TABLE bar_packs (
  id        INTEGER PRIMARY KEY,
  series_id INTEGER NOT NULL REFERENCES bar_series (id),
  number    INTEGER NOT NULL,
  checksum  INTEGER NOT NULL,
  bars      BLOB NOT NULL,
  UNIQUE (series_id, number)
) STRICT;

CREATE TABLE heartbeat (
  id    INTEGER PRIMARY KEY CHECK (id = 1),
  beats INTEGER NOT NULL
) STRICT;

-- The databases of older versions whose rows are here now, written in the transaction that copied them.
CREATE TABLE moved_databases (
  name     TEXT PRIMARY KEY,
  moved_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
