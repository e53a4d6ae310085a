-- A signal written down by hand names only what it is about: that nobody decided on it goes without saying.
CREATE TABLE signals_with_default (
  seq         INTEGER PRIMARY KEY,
  signal_id   TEXT NOT NULL UNIQUE,
  timestamp   INTEGER NOT NULL,
  symbol      TEXT NOT NULL,
  signal_type TEXT NOT NULL,
  source      TEXT NOT NULL,
  decision    TEXT NOT NULL DEFAULT 'stored'
) STRICT;
INSERT INTO signals_with_default SELECT seq, signal_id, timestamp, symbol, signal_type, source, decision FROM trade_signals;
DROP TABLE trade_signals;
ALTER TABLE signals_with_default RENAME TO trade_signals;
CREATE INDEX trade_signals_by_time ON trade_signals (timestamp, seq);
