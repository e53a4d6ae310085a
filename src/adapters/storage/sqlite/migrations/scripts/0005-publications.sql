-- Libraries that users have published: numbered versions that never change, kept apart from the scripts they were made of. The
-- source is last: lists and the search for versions read what is before it and need not touch its pages.
CREATE TABLE publications (
  user_id       TEXT NOT NULL,
  publisher     TEXT NOT NULL,
  name          TEXT NOT NULL,
  version       INTEGER NOT NULL,
  place         INTEGER NOT NULL,
  digest        TEXT NOT NULL,
  published_at  INTEGER NOT NULL,
  script_id     TEXT,
  revision      INTEGER,
  imports       TEXT NOT NULL,
  content_bytes INTEGER NOT NULL,
  source        TEXT NOT NULL,
  PRIMARY KEY (user_id, publisher, name, version)
) STRICT;

CREATE UNIQUE INDEX publications_by_place ON publications (user_id, place);

-- Which code withdrawn versions were: their numbers are given to no other code.
CREATE TABLE withdrawn_publications (
  user_id   TEXT NOT NULL,
  publisher TEXT NOT NULL,
  name      TEXT NOT NULL,
  version   INTEGER NOT NULL,
  place     INTEGER NOT NULL,
  digest    TEXT NOT NULL,
  PRIMARY KEY (user_id, publisher, name, version)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX withdrawn_publications_by_place ON withdrawn_publications (user_id, place);

-- They count to what a user has stored, with scripts and their versions.
CREATE TRIGGER publication_added AFTER INSERT ON publications BEGIN
  UPDATE libraries SET stored_bytes = stored_bytes + NEW.content_bytes WHERE user_id = NEW.user_id;
END;

CREATE TRIGGER publication_removed AFTER DELETE ON publications BEGIN
  UPDATE libraries SET stored_bytes = stored_bytes - OLD.content_bytes WHERE user_id = OLD.user_id;
END;

-- What a deployment was made of, besides its own source: the libraries it imports, as they were. Deployments made before have
-- no digest, and none of them imports anything.
ALTER TABLE deployments ADD COLUMN digest TEXT;
ALTER TABLE deployments ADD COLUMN imports TEXT NOT NULL DEFAULT '[]';
ALTER TABLE deployments ADD COLUMN libraries TEXT NOT NULL DEFAULT '[]';
