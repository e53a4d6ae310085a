-- What the told fills of a deployed strategy add up to, so that after an outage no more is closed late than was opened. It
-- is null until the first bar after this was added: until then everything that the script holds counts as told.
ALTER TABLE deployments ADD COLUMN told_position REAL;
