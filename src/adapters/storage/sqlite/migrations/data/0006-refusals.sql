-- Why an alert was refused: under a known key for a month, of all others the last thousand. Bodies hold no secret.
CREATE TABLE refusals (
  seq         INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  received_at INTEGER NOT NULL,
  door        TEXT NOT NULL,
  key_label   TEXT,
  address     TEXT,
  status      INTEGER NOT NULL,
  code        TEXT NOT NULL,
  error       TEXT NOT NULL,
  faults      TEXT NOT NULL,
  body        TEXT NOT NULL
) STRICT;
CREATE INDEX refusals_of_keys ON refusals (received_at) WHERE key_label IS NOT NULL;
CREATE INDEX refusals_of_others ON refusals (seq) WHERE key_label IS NULL;
