-- How many bytes of scripts a user has stored, all versions together. Kept by the database itself, so that it is always true.
ALTER TABLE libraries ADD COLUMN stored_bytes INTEGER NOT NULL DEFAULT 0;

UPDATE libraries SET stored_bytes = coalesce(
  (SELECT sum(content_bytes) FROM versions WHERE versions.user_id = libraries.user_id), 0);

CREATE TRIGGER version_added AFTER INSERT ON versions BEGIN
  UPDATE libraries SET stored_bytes = stored_bytes + NEW.content_bytes WHERE user_id = NEW.user_id;
END;

-- Fires for each version that goes with its script, too.
CREATE TRIGGER version_removed AFTER DELETE ON versions BEGIN
  UPDATE libraries SET stored_bytes = stored_bytes - OLD.content_bytes WHERE user_id = OLD.user_id;
END;
