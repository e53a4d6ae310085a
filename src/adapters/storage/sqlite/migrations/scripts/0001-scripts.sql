-- Every table begins with the user, because no statement may ever reach over to another one's rows.

-- Places count up and are never used again, so that the pages of a list neither repeat nor skip.
CREATE TABLE libraries (
  user_id    TEXT PRIMARY KEY,
  last_place INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE scripts (
  user_id    TEXT NOT NULL,
  id         TEXT NOT NULL,
  place      INTEGER NOT NULL,
  revision   INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX scripts_by_place ON scripts (user_id, place);

-- The text of a script stands here only, the current one too. The content is last: reading what is before it need not touch it.
CREATE TABLE versions (
  user_id       TEXT NOT NULL,
  id            TEXT NOT NULL,
  revision      INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL,
  content_bytes INTEGER NOT NULL,
  name          TEXT NOT NULL,
  description   TEXT,
  path          TEXT,
  content       TEXT NOT NULL,
  PRIMARY KEY (user_id, id, revision),
  FOREIGN KEY (user_id, id) REFERENCES scripts (user_id, id) ON DELETE CASCADE
) STRICT;

-- The last revision of ids that were deleted: when one is used again it goes on from there.
CREATE TABLE retired_ids (
  user_id  TEXT NOT NULL,
  id       TEXT NOT NULL,
  place    INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (user_id, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX retired_ids_by_place ON retired_ids (user_id, place);

CREATE TABLE drafts (
  user_id     TEXT PRIMARY KEY,
  revision    INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  name        TEXT,
  description TEXT,
  path        TEXT,
  content     TEXT NOT NULL
) STRICT;

CREATE TABLE usage (
  user_id       TEXT PRIMARY KEY,
  calls         INTEGER NOT NULL,
  first_used_at INTEGER NOT NULL,
  last_used_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
