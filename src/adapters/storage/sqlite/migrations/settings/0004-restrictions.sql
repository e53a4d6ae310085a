-- What the owner allows to a key, a strategy, an account or a symbol (docs/decisions/0030): limits, pause and kill switch,
-- each as JSON.
CREATE TABLE restrictions (
  kind        TEXT NOT NULL CHECK (kind IN ('key', 'strategy', 'account', 'symbol')),
  name        TEXT NOT NULL,
  limits      TEXT NOT NULL,
  pause       TEXT,
  kill_switch TEXT,
  updated_at  INTEGER NOT NULL,
  PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

-- What a key may trade was two columns of its own until now. Of keys that had the same label, one after another, only the
-- last one can still be used.
INSERT OR REPLACE INTO restrictions (kind, name, limits, updated_at)
  SELECT 'key', label,
    json_patch(
      CASE WHEN exchanges IS NULL THEN '{}' ELSE json_object('venues', json(exchanges)) END,
      CASE WHEN symbols IS NULL THEN '{}' ELSE json_object('symbols', json(symbols)) END),
    created_at
  FROM webhook_keys WHERE revoked_at IS NULL AND (exchanges IS NOT NULL OR symbols IS NOT NULL);
ALTER TABLE webhook_keys DROP COLUMN exchanges;
ALTER TABLE webhook_keys DROP COLUMN symbols;
