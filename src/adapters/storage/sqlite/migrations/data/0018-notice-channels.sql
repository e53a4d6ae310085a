-- A message waits once for each way to the owner, so that a way that is shut holds up no other.
ALTER TABLE outbox ADD COLUMN channel TEXT NOT NULL DEFAULT 'chat';
CREATE INDEX outbox_by_channel ON outbox (channel, id);

-- The days whose report was put up; a day is here once, whatever happens to the process.
CREATE TABLE daily_reports (
  day TEXT PRIMARY KEY,
  at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
