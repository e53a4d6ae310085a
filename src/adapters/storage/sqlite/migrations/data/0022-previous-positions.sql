-- What the strategy behind a signal held before its order, by its own account: compared with its share before the order is sent.
ALTER TABLE trades ADD COLUMN prev_market_position TEXT;
ALTER TABLE trades ADD COLUMN prev_market_position_size TEXT;
