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
CREATE TABLE events (
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

CREATE INDEX events_by_deployment ON events (deployment_id, place);

-- One row per event and target until it is delivered or given up.
CREATE TABLE outbox (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id        TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  deployment_id   TEXT NOT NULL,
  target          INTEGER NOT NULL,
  attempts        INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL,
  UNIQUE (event_id, target)
) STRICT;

CREATE INDEX outbox_by_lane ON outbox (deployment_id, target, id);
CREATE INDEX outbox_by_time ON outbox (next_attempt_at);

-- Quiet is a run that raised nothing: fewer of those are kept.
CREATE TABLE logs (
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

CREATE INDEX logs_by_deployment ON logs (deployment_id, id);
CREATE INDEX logs_quiet ON logs (deployment_id, is_quiet, id);

CREATE TABLE heartbeat (
  id    INTEGER PRIMARY KEY CHECK (id = 1),
  beats INTEGER NOT NULL
) STRICT;
