-- Everything that happens at the desk, in one order, for whoever follows it live or reads it later (docs/decisions/0049).
-- Rows are written in the transaction of what they tell, so neither is ever there without the other; the oldest are forgotten.
CREATE TABLE desk_events (
  seq       INTEGER PRIMARY KEY,
  at        INTEGER NOT NULL,
  kind      TEXT NOT NULL,
  -- 0 where it is about no trade.
  trade_seq INTEGER NOT NULL,
  -- JSON, by kind; NULL where the trade's own row says it all.
  facts     TEXT
) STRICT;

-- Which numbers are of which run of the process. A cursor names both, so that one of another database, or of rows that were
-- lost when a backup was put back, is known for what it is.
CREATE TABLE desk_event_epochs (
  first_seq INTEGER PRIMARY KEY,
  id        TEXT NOT NULL
) STRICT;
INSERT INTO desk_event_epochs (first_seq, id) VALUES (1, lower(hex(randomblob(5))));

-- How far another database was read whose rows become events here too.
CREATE TABLE desk_event_sources (
  name     TEXT PRIMARY KEY,
  position INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What the owner has written beside a trade.
CREATE TABLE trade_notes (
  trade_seq  INTEGER PRIMARY KEY,
  note       TEXT NOT NULL,
  -- JSON, in the order in which they were given.
  tags       TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE TABLE trade_tags (
  tag       TEXT NOT NULL,
  trade_seq INTEGER NOT NULL,
  PRIMARY KEY (tag, trade_seq)
) STRICT, WITHOUT ROWID;
