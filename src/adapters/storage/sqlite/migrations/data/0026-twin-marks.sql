-- Live trades that have a paper twin, with the best prices of their market when the signal was accepted and when the order was sent.
-- Rows are in the database of the twin only.
CREATE TABLE twin_marks (
  trade_id     TEXT PRIMARY KEY,
  exchange     TEXT NOT NULL,
  account      TEXT NOT NULL,
  accepted_at  INTEGER NOT NULL,
  accepted_bid TEXT,
  accepted_ask TEXT,
  sent_bid     TEXT,
  sent_ask     TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX twin_marks_of_account ON twin_marks (exchange, account, accepted_at);
