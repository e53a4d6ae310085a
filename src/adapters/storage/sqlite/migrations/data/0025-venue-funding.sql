-- What holding positions cost and earned at real venues, each payment once, by the venue's own id.
CREATE TABLE venue_funding (
  exchange   TEXT NOT NULL,
  mode       TEXT NOT NULL,
  account    TEXT NOT NULL,
  funding_id TEXT NOT NULL,
  market     TEXT NOT NULL,
  at         INTEGER NOT NULL,
  amount     TEXT NOT NULL,
  PRIMARY KEY (exchange, mode, account, funding_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX venue_funding_by_time ON venue_funding (exchange, mode, account, at);

-- Up to when each account's payments were read, and their sum.
CREATE TABLE venue_funding_read (
  exchange TEXT NOT NULL,
  mode     TEXT NOT NULL,
  account  TEXT NOT NULL,
  read_to  INTEGER NOT NULL,
  total    TEXT NOT NULL,
  PRIMARY KEY (exchange, mode, account)
) STRICT, WITHOUT ROWID;
