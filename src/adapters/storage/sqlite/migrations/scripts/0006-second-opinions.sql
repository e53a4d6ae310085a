-- What TradingView's own alerts of a deployed script should be, and what came of each. One row for each name of an alert.
CREATE TABLE second_opinions (
  place         INTEGER PRIMARY KEY,
  deployment_id TEXT NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
  alert_id      TEXT NOT NULL,
  state         TEXT NOT NULL,
  bar_time      INTEGER,
  -- What our script has, and what came in at the gateway, as JSON.
  expected      TEXT,
  arrival       TEXT,
  request_id    TEXT,
  is_gone       INTEGER NOT NULL,
  sent          TEXT,
  words         TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL,
  UNIQUE (deployment_id, alert_id)
) STRICT;

CREATE INDEX second_opinions_by_deployment ON second_opinions (deployment_id, place);
-- Those that something is still to be said of: looked for every second.
CREATE INDEX second_opinions_open ON second_opinions (deployment_id, place)
  WHERE state IN ('expected', 'arrived') OR (is_gone = 1 AND state <> 'repainted') OR (state = 'missing' AND sent IS NULL);
CREATE INDEX second_opinions_by_request ON second_opinions (deployment_id, request_id);

-- How often each was said. Rows go, counts stay.
CREATE TABLE opinion_counts (
  deployment_id TEXT NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
  what          TEXT NOT NULL,
  count         INTEGER NOT NULL,
  PRIMARY KEY (deployment_id, what)
) STRICT, WITHOUT ROWID;
