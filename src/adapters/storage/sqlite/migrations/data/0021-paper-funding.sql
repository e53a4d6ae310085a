-- What holding positions on paper cost and earned, at each funding time.
CREATE TABLE paper_funding (
  exchange TEXT NOT NULL,
  account TEXT NOT NULL,
  at INTEGER NOT NULL,
  market TEXT NOT NULL,
  side TEXT NOT NULL,
  quantity TEXT NOT NULL,
  price TEXT NOT NULL,
  rate TEXT NOT NULL,
  amount TEXT NOT NULL,
  PRIMARY KEY (exchange, account, at, market, side)
) STRICT, WITHOUT ROWID;

-- Funding and liquidation begin now: a position that was opened before them owes nothing for the time until here.
UPDATE paper_accounts SET matched_until = max(matched_until, unixepoch() * 1000);
