-- What the database worked out by itself is said by whoever writes, because not every engine has these triggers and JSON
-- functions: the sum of a library's bytes, and of what kind the target of a waiting delivery is. The kind is null where the
-- deployment has no such target, and of deliveries that come from a deployments.db, of which none trades.
DROP TRIGGER version_added;
DROP TRIGGER version_removed;
DROP TRIGGER publication_added;
DROP TRIGGER publication_removed;

ALTER TABLE deployment_outbox ADD COLUMN target_kind TEXT;

UPDATE deployment_outbox SET target_kind = (
  SELECT json_extract(targets, '$[' || target || '].type') FROM deployments WHERE id = deployment_outbox.deployment_id);
