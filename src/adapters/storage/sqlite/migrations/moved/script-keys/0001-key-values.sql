-- Small texts by name with a time to live: the keys of the script worker.

CREATE TABLE key_values (
  name       TEXT PRIMARY KEY,
  value      TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX key_values_by_expiry ON key_values (expires_at);
