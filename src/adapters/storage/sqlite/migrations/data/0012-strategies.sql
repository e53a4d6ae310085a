-- A signal may name its strategy, which has its own share of a position (docs/decisions/0025). Rows so far are nameless.
ALTER TABLE trades ADD COLUMN strategy TEXT NOT NULL DEFAULT '';
ALTER TABLE trades ADD COLUMN comment TEXT;
-- Whether the account netted both sides when the order was planned.
ALTER TABLE orders ADD COLUMN netted INTEGER NOT NULL DEFAULT 1;
-- How much of the order gave up what its strategy held the other way; of earlier orders, all of a flattening one.
ALTER TABLE orders ADD COLUMN given_up TEXT;

-- The shares of strategies in positions. A market in which no strategy with a name ever traded has no rows here: there
-- the position itself is the nameless share.
CREATE TABLE strategy_books (
  exchange     TEXT NOT NULL,
  mode         TEXT NOT NULL,
  account      TEXT NOT NULL,
  market       TEXT NOT NULL,
  side         TEXT NOT NULL,
  strategy     TEXT NOT NULL,
  quantity     TEXT NOT NULL,
  entry_price  TEXT NOT NULL,
  realized_pnl TEXT NOT NULL,
  fees         TEXT NOT NULL,
  updated_at   INTEGER NOT NULL,
  cost         TEXT NOT NULL,
  PRIMARY KEY (exchange, mode, account, market, side, strategy)
) STRICT, WITHOUT ROWID;

-- The fills with what strategies had of them, where a position is divided: {strategy, quantity, realizedPnl, fee} each.
DROP VIEW fills;
CREATE VIEW fills AS
  SELECT trade_seq, client_order_id, fill.value ->> 0 AS fill_id, fill.value ->> 1 AS quantity, fill.value ->> 2 AS price,
    fill.value ->> 3 AS fee, fill.value ->> 4 AS realized_pnl, fill.value ->> 5 AS at, fill.value ->> 6 AS shares
  FROM orders, json_each('[' || replace(rtrim(orders.fills, char(10)), char(10), ',') || ']') AS fill;
