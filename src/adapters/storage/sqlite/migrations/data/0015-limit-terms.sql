-- The terms of a limit order: how long it may wait, whether it may trade at once, and when it is canceled.
ALTER TABLE trades ADD COLUMN time_in_force TEXT;
ALTER TABLE trades ADD COLUMN post_only INTEGER NOT NULL DEFAULT 0;
ALTER TABLE trades ADD COLUMN cancel_after_seconds INTEGER;
