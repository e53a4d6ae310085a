-- When the owner last named a part of a protection himself: {"stopLoss":1763330400000}. Entries that were sent before that and
-- fill later leave it as he put it.
ALTER TABLE protections ADD COLUMN named TEXT;
-- The price at which the trail of an entry begins.
ALTER TABLE pending_stops ADD COLUMN activation_price TEXT;
