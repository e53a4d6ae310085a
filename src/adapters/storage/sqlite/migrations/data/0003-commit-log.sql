-- How far the commit log (see commit-log.ts) has come into this database, and which log belongs to it.
CREATE TABLE commit_log (
  id       INTEGER PRIMARY KEY CHECK (id = 1),
  identity TEXT NOT NULL,
  applied  INTEGER NOT NULL,
  -- The last accepted trade that is in trade_signals too: they are copied in bulk before a commit.
  recorded INTEGER NOT NULL
) STRICT;
INSERT INTO commit_log (id, identity, applied, recorded)
  SELECT 1, lower(hex(randomblob(16))), 0, coalesce(max(seq), 0) FROM trades;
