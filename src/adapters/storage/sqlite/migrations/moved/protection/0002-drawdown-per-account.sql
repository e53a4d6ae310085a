-- The drawdown guard watches every account by itself; a day of all accounts together says nothing about one of them.
DROP TABLE drawdown;
CREATE TABLE drawdown (
  account         TEXT PRIMARY KEY,
  day             TEXT NOT NULL,
  start_equity    TEXT NOT NULL,
  last_equity     TEXT NOT NULL,
  last_seen       INTEGER NOT NULL,
  tripped_percent TEXT
) STRICT, WITHOUT ROWID;
