-- Keys of the analysis API, as hashes only, each with the calls it has used. Times are unix seconds.

CREATE TABLE analysis_keys (
  key_hash   TEXT PRIMARY KEY,
  key_id     TEXT NOT NULL UNIQUE,
  tier       TEXT NOT NULL,
  calls_used INTEGER NOT NULL CHECK (calls_used >= 0),
  created_at INTEGER NOT NULL,
  last_used  INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE heartbeat (
  id    INTEGER PRIMARY KEY CHECK (id = 1),
  beats INTEGER NOT NULL
) STRICT;
