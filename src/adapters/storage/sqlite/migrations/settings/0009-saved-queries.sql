-- Queries are saved under names as layouts and templates of charts are. SQLite cannot change a check, so the table is made anew.
CREATE TABLE layouts_of_three_kinds (
  kind       TEXT NOT NULL CHECK (kind IN ('layout', 'template', 'query')),
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
INSERT INTO layouts_of_three_kinds (kind, name, revision, about, content, updated_at)
  SELECT kind, name, revision, about, content, updated_at FROM layouts;
DROP TABLE layouts;
ALTER TABLE layouts_of_three_kinds RENAME TO layouts;
