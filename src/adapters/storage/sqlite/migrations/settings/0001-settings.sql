-- Keys and settings live apart from the data, so that no SQL a user may send can reach them.

CREATE TABLE settings (
  name       TEXT PRIMARY KEY,
  value      TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
  seq     INTEGER PRIMARY KEY AUTOINCREMENT,
  at      INTEGER NOT NULL,
  actor   TEXT NOT NULL,
  setting TEXT NOT NULL,
  before  TEXT,
  after   TEXT
) STRICT;

CREATE TABLE webhook_keys (
  key_id               TEXT PRIMARY KEY,
  label                TEXT NOT NULL,
  exchanges            TEXT,
  symbols              TEXT,
  digest               TEXT NOT NULL UNIQUE,
  previous_digest      TEXT,
  previous_valid_until INTEGER,
  created_at           INTEGER NOT NULL,
  rotated_at           INTEGER,
  revoked_at           INTEGER
) STRICT, WITHOUT ROWID;
