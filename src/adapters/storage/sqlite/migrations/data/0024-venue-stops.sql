-- Stops that may be at a venue: written before the venue is asked for one, gone when it is certain what became of it.
CREATE TABLE venue_stops (
  client_stop_id TEXT PRIMARY KEY,
  exchange TEXT NOT NULL,
  mode TEXT NOT NULL,
  account TEXT NOT NULL,
  market TEXT NOT NULL,
  side TEXT NOT NULL,
  strategy TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- Which level of the share it is: stop-loss, break-even, trailing-stop or take-profit.
  source TEXT NOT NULL,
  quantity TEXT NOT NULL,
  trigger_price TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
