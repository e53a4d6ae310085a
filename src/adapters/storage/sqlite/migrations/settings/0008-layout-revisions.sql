-- The last revision that a layout was given. None is given twice, also where one was removed and its name is used again:
-- who has read the old one would overwrite the new one unseen.
CREATE TABLE layout_revisions (
  last INTEGER NOT NULL
) STRICT;
INSERT INTO layout_revisions (last) SELECT coalesce(max(revision), 0) FROM layouts;
