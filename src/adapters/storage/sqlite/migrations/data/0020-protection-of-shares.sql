-- A protection guards the share of one strategy, may have targets, a stop at the entry price and a time stop, and its levels
-- may be measured from the fill. Stops so far are prices. They guarded whole positions: where a position is divided, each of
-- its shares gets them, under a request id of its own for its close.
CREATE TABLE protections_of_shares (
  exchange         TEXT NOT NULL,
  mode             TEXT NOT NULL,
  account          TEXT NOT NULL DEFAULT 'main',
  market           TEXT NOT NULL,
  side             TEXT NOT NULL CHECK (side IN ('LONG', 'SHORT')),
  strategy         TEXT NOT NULL DEFAULT '',
  created_at       INTEGER NOT NULL,
  -- Request id of the entry that asked for it.
  origin           TEXT,
  trail_percent    TEXT,
  trail_amount     TEXT,
  activation_price TEXT,
  stop_loss        TEXT,
  take_profit      TEXT,
  -- Prices and shares of targets, the nearest first: [["51000","0.5"], …].
  targets          TEXT,
  break_even_after INTEGER,
  max_hold_seconds INTEGER,
  -- How levels were asked for that are measured from the fill: {"stopLoss":"2%","trail":"50ticks","targets":["2%"]}.
  asked            TEXT,
  -- The fills they are measured from: average price, how much that was, what was held then, the tick, and since when.
  basis_price      TEXT,
  basis_filled     TEXT,
  basis_quantity   TEXT,
  basis_tick       TEXT,
  basis_since      INTEGER,
  -- How many targets were hit, and how much they closed.
  targets_hit      INTEGER NOT NULL DEFAULT 0,
  targets_closed   TEXT NOT NULL DEFAULT '0',
  -- The best price since the trail began, and up to when the market was seen: the two belong together.
  peak             TEXT,
  seen_until       INTEGER NOT NULL,
  -- The request id of the next trade that closes something, decided before there is need for it.
  close_request_id TEXT NOT NULL,
  fired_by         TEXT,
  fired_level      TEXT,
  fired_target     INTEGER,
  fired_at         INTEGER,
  PRIMARY KEY (exchange, mode, account, market, side, strategy),
  CHECK (trail_percent IS NULL OR trail_amount IS NULL)
) STRICT, WITHOUT ROWID;

INSERT INTO protections_of_shares (exchange, mode, account, market, side, strategy, created_at, origin, trail_percent,
    trail_amount, activation_price, stop_loss, take_profit, peak, seen_until, close_request_id, fired_by, fired_level, fired_at)
  SELECT p.exchange, p.mode, p.account, p.market, p.side, coalesce(b.strategy, ''), p.created_at, p.origin, p.trail_percent,
    p.trail_amount, p.activation_price, p.stop_loss, p.take_profit, p.peak, p.seen_until,
    iif(row_number() OVER (PARTITION BY p.exchange, p.mode, p.account, p.market, p.side ORDER BY b.strategy) = 1,
      p.close_request_id,
      lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-a' ||
        substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))),
    p.fired_by, p.fired_level, p.fired_at
  FROM protections AS p LEFT JOIN strategy_books AS b
    ON b.exchange = p.exchange AND b.mode = p.mode AND b.account = p.account AND b.market = p.market AND b.side = p.side
    AND b.quantity <> '0';
DROP TABLE protections;
ALTER TABLE protections_of_shares RENAME TO protections;

-- Levels as they were asked for: 60000, 2% or 50ticks; targets as in protections. A trail of older rows is in trail_percent.
ALTER TABLE pending_stops ADD COLUMN trail TEXT;
ALTER TABLE pending_stops ADD COLUMN targets TEXT;
ALTER TABLE pending_stops ADD COLUMN break_even_after INTEGER;
ALTER TABLE pending_stops ADD COLUMN max_hold_seconds INTEGER;
