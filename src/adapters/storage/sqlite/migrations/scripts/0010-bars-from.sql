-- Where the bars of a deployment come from, so that a start with other settings is noticed; null of one that was made before
-- this was added: that ran on MARKET_DATA.
ALTER TABLE deployments ADD COLUMN bars_from TEXT;
