-- The sender's own name of an alert. The claim stands for the name under one key, and is empty once it is given back.
ALTER TABLE trades ADD COLUMN alert_id TEXT;
ALTER TABLE trades ADD COLUMN alert_claim BLOB;
CREATE UNIQUE INDEX trades_alert_claim ON trades (alert_claim) WHERE alert_claim IS NOT NULL;
ALTER TABLE trade_signals ADD COLUMN alert_id TEXT NOT NULL DEFAULT '';
