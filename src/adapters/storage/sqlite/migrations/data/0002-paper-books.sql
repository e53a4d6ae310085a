-- The paper venue's own books, as an exchange keeps them: nothing of the gateway reads these tables directly.

CREATE TABLE paper_accounts (
  exchange          TEXT PRIMARY KEY,
  -- Counts the entries of this account: an entry made on books that did not become true is refused.
  version           INTEGER NOT NULL,
  balance           TEXT NOT NULL,
  next_order_number INTEGER NOT NULL,
  matched_until     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE paper_orders (
  client_order_id   TEXT NOT NULL,
  exchange          TEXT NOT NULL,
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
  PRIMARY KEY (client_order_id, exchange)
) STRICT, WITHOUT ROWID;
CREATE INDEX paper_orders_resting ON paper_orders (exchange, created_at)
  WHERE status IN ('submitted', 'partially_filled');

CREATE TABLE paper_positions (
  exchange    TEXT NOT NULL,
  market      TEXT NOT NULL,
  side        TEXT NOT NULL,
  quantity    TEXT NOT NULL,
  entry_price TEXT NOT NULL,
  PRIMARY KEY (exchange, market, side)
) STRICT, WITHOUT ROWID;

CREATE TABLE paper_leverages (
  exchange TEXT NOT NULL,
  market   TEXT NOT NULL,
  leverage INTEGER NOT NULL,
  PRIMARY KEY (exchange, market)
) STRICT, WITHOUT ROWID;
