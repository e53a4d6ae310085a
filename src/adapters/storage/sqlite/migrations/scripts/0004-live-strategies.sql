-- Deployed strategies: whether they trade, what their fills say, what they hold, and how far their books are from ours.
-- Deployments made before are indicators whose alerts trade.
ALTER TABLE deployments ADD COLUMN script_type TEXT NOT NULL DEFAULT 'indicator' CHECK (script_type IN ('indicator', 'strategy'));
ALTER TABLE deployments ADD COLUMN mode TEXT NOT NULL DEFAULT 'trade' CHECK (mode IN ('dry-run', 'trade'));
ALTER TABLE deployments ADD COLUMN order_message TEXT;
ALTER TABLE deployments ADD COLUMN position REAL;
ALTER TABLE deployments ADD COLUMN drift TEXT;

-- Of a fill: what a signal is made of, as JSON.
ALTER TABLE deployment_events ADD COLUMN filled_order TEXT;
