-- Backtests that users keep. Places count up, so that the oldest is known; what a run is made of stands in one text, because
-- it is written once and only ever read whole.
CREATE TABLE kept_runs (
  place   INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL,
  id      TEXT NOT NULL,
  note    TEXT NOT NULL,
  -- Everything but the note and the trades; lists read no more than this.
  summary TEXT NOT NULL,
  trades  TEXT NOT NULL,
  UNIQUE (user_id, id)
) STRICT;

CREATE INDEX kept_runs_by_user ON kept_runs (user_id, place);
