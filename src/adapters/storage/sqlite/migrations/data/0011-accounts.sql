-- Accounts have names. What was called the account was its mode (paper, testnet, live); every row so far is of the account
-- that has the name main now. Large tables only get the column; small ones are made anew with it in their key.
ALTER TABLE trades RENAME COLUMN account TO mode;
ALTER TABLE trades ADD COLUMN account TEXT NOT NULL DEFAULT 'main';
ALTER TABLE orders RENAME COLUMN account TO mode;
ALTER TABLE orders ADD COLUMN account TEXT NOT NULL DEFAULT 'main';

CREATE TABLE positions_of_accounts (
  exchange     TEXT NOT NULL,
  mode         TEXT NOT NULL,
  account      TEXT NOT NULL,
  market       TEXT NOT NULL,
  side         TEXT NOT NULL,
  quantity     TEXT NOT NULL,
  entry_price  TEXT NOT NULL,
  realized_pnl TEXT NOT NULL,
  fees         TEXT NOT NULL,
  updated_at   INTEGER NOT NULL,
  cost         TEXT,
  PRIMARY KEY (exchange, mode, account, market, side)
) STRICT, WITHOUT ROWID;
INSERT INTO positions_of_accounts
  SELECT exchange, account, 'main', market, side, quantity, entry_price, realized_pnl, fees, updated_at, cost FROM positions;
DROP TABLE positions;
ALTER TABLE positions_of_accounts RENAME TO positions;

-- A stop of an older version that is copied here later (see moved-databases.ts) is of the account main too.
CREATE TABLE protections_of_accounts (
  exchange         TEXT NOT NULL,
  mode             TEXT NOT NULL,
  account          TEXT NOT NULL DEFAULT 'main',
  market           TEXT NOT NULL,
  side             TEXT NOT NULL CHECK (side IN ('LONG', 'SHORT')),
  created_at       INTEGER NOT NULL,
  -- Request id of the entry that asked for it.
  origin           TEXT,
  trail_percent    TEXT,
  trail_amount     TEXT,
  activation_price TEXT,
  stop_loss        TEXT,
  take_profit      TEXT,
  -- The best price since the trail began, and up to when the market was seen: the two belong together.
  peak             TEXT,
  seen_until       INTEGER NOT NULL,
  -- The request id of the trade that closes the position, decided before there is need for it.
  close_request_id TEXT NOT NULL,
  fired_by         TEXT,
  fired_level      TEXT,
  fired_at         INTEGER,
  PRIMARY KEY (exchange, mode, account, market, side),
  CHECK (trail_percent IS NULL OR trail_amount IS NULL)
) STRICT, WITHOUT ROWID;
INSERT INTO protections_of_accounts
  SELECT exchange, account, 'main', market, side, created_at, origin, trail_percent, trail_amount, activation_price,
    stop_loss, take_profit, peak, seen_until, close_request_id, fired_by, fired_level, fired_at FROM protections;
DROP TABLE protections;
ALTER TABLE protections_of_accounts RENAME TO protections;

-- The guard names an account with its exchange, as binance:main; every day so far is of a paper account.
CREATE TABLE drawdown_days_of_accounts (
  account         TEXT NOT NULL,
  mode            TEXT NOT NULL DEFAULT 'paper',
  day             TEXT NOT NULL,
  start_equity    TEXT NOT NULL,
  last_equity     TEXT NOT NULL,
  last_seen       INTEGER NOT NULL,
  tripped_percent TEXT,
  PRIMARY KEY (account, mode)
) STRICT, WITHOUT ROWID;
INSERT INTO drawdown_days_of_accounts
  SELECT account, 'paper', day, start_equity, last_equity, last_seen, tripped_percent FROM drawdown_days;
DROP TABLE drawdown_days;
ALTER TABLE drawdown_days_of_accounts RENAME TO drawdown_days;

-- The paper venue's own books. Each account is an exchange account by itself: the same client order id may be in two of them.
CREATE TABLE paper_accounts_by_name (
  exchange          TEXT NOT NULL,
  account           TEXT NOT NULL,
  -- Counts the entries of this account: an entry made on books that did not become true is refused.
  version           INTEGER NOT NULL,
  balance           TEXT NOT NULL,
  next_order_number INTEGER NOT NULL,
  matched_until     INTEGER NOT NULL,
  PRIMARY KEY (exchange, account)
) STRICT, WITHOUT ROWID;
INSERT INTO paper_accounts_by_name
  SELECT exchange, 'main', version, balance, next_order_number, matched_until FROM paper_accounts;
DROP TABLE paper_accounts;
ALTER TABLE paper_accounts_by_name RENAME TO paper_accounts;

CREATE TABLE paper_orders_of_accounts (
  client_order_id   TEXT NOT NULL,
  exchange          TEXT NOT NULL,
  account           TEXT NOT NULL,
  order_id          TEXT NOT NULL,
  market            TEXT NOT NULL,
  side              TEXT NOT NULL,
  position_side     TEXT NOT NULL,
  reduce_only       INTEGER NOT NULL,
  status            TEXT NOT NULL,
  quantity          TEXT NOT NULL,
  price             TEXT,
  executed_quantity TEXT NOT NULL,
  average_price     TEXT,
  reason            TEXT,
  -- One JSON array per line: [fill id, quantity, price, fee, realised P&L, at]. An order has one fill nearly always.
  fills             TEXT NOT NULL,
  created_at        INTEGER NOT NULL,
  updated_at        INTEGER NOT NULL,
  -- How often this id was submitted: more than one is a fault of the sender, and a test looks at it.
  submissions       INTEGER NOT NULL,
  PRIMARY KEY (client_order_id, exchange, account)
) STRICT, WITHOUT ROWID;
INSERT INTO paper_orders_of_accounts
  SELECT client_order_id, exchange, 'main', order_id, market, side, position_side, reduce_only, status, quantity, price,
    executed_quantity, average_price, reason, fills, created_at, updated_at, submissions FROM paper_orders;
DROP TABLE paper_orders;
ALTER TABLE paper_orders_of_accounts RENAME TO paper_orders;
CREATE INDEX paper_orders_resting ON paper_orders (exchange, account, created_at)
  WHERE status IN ('submitted', 'partially_filled');

CREATE TABLE paper_positions_of_accounts (
  exchange    TEXT NOT NULL,
  account     TEXT NOT NULL,
  market      TEXT NOT NULL,
  side        TEXT NOT NULL,
  quantity    TEXT NOT NULL,
  entry_price TEXT NOT NULL,
  cost        TEXT,
  PRIMARY KEY (exchange, account, market, side)
) STRICT, WITHOUT ROWID;
INSERT INTO paper_positions_of_accounts
  SELECT exchange, 'main', market, side, quantity, entry_price, cost FROM paper_positions;
DROP TABLE paper_positions;
ALTER TABLE paper_positions_of_accounts RENAME TO paper_positions;

CREATE TABLE paper_leverages_of_accounts (
  exchange TEXT NOT NULL,
  account  TEXT NOT NULL,
  market   TEXT NOT NULL,
  leverage INTEGER NOT NULL,
  PRIMARY KEY (exchange, account, market)
) STRICT, WITHOUT ROWID;
INSERT INTO paper_leverages_of_accounts SELECT exchange, 'main', market, leverage FROM paper_leverages;
DROP TABLE paper_leverages;
ALTER TABLE paper_leverages_of_accounts RENAME TO paper_leverages;
