-- What is needed to send a refused signal again: under which key, what it asked for (no key is in it), and the digest of a
-- body without a name; and as what it was sent again.
ALTER TABLE refusals ADD COLUMN key_id TEXT;
ALTER TABLE refusals ADD COLUMN source TEXT;
ALTER TABLE refusals ADD COLUMN signal_order TEXT;
ALTER TABLE refusals ADD COLUMN body_digest BLOB;
ALTER TABLE refusals ADD COLUMN resent_as TEXT;
