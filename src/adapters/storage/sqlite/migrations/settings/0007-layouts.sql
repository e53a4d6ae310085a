-- What the owner saves of his charts under names, for all his browsers: layouts, and templates of indicators.
CREATE TABLE layouts (
  kind       TEXT NOT NULL CHECK (kind IN ('layout', 'template')),
  name       TEXT NOT NULL,
  -- Counts the saves, so that two browsers do not overwrite each other unseen.
  revision   INTEGER NOT NULL,
  -- One line for lists.
  about      TEXT NOT NULL,
  -- JSON, as the dashboard reads it.
  content    TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;
