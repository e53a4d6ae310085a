-- The accounts a webhook key trades on, as JSON [{account, multiplier}]; NULL where signals trade on the account they name.
ALTER TABLE webhook_keys ADD COLUMN routes TEXT;
