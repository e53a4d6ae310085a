-- What each account was worth, every five minutes and after fills; older ones are thinned out.
CREATE TABLE equity_samples (
  exchange TEXT NOT NULL,
  mode     TEXT NOT NULL,
  account  TEXT NOT NULL,
  at       INTEGER NOT NULL,
  equity   TEXT NOT NULL,
  balance  TEXT NOT NULL,
  PRIMARY KEY (exchange, mode, account, at)
) STRICT, WITHOUT ROWID;
