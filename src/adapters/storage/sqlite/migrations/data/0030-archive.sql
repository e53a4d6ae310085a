-- Trades on their way into archive files: from the moment a row is here, reports leave its fills out, so that trades which
-- belong together leave them together, however many steps it takes to delete their rows.
CREATE TABLE archiving_trades (
  seq INTEGER PRIMARY KEY
) STRICT;

-- Since when everything is still here: trades that ended before may be in archive files.
CREATE TABLE archive_mark (
  id            INTEGER PRIMARY KEY CHECK (id = 1),
  complete_from INTEGER NOT NULL
) STRICT;

-- The tags of a trade leave with it.
CREATE INDEX trade_tags_of_trade ON trade_tags (trade_seq);
