-- What a deployed strategy begins with, instead of what its script declares; null where nobody said.
ALTER TABLE deployments ADD COLUMN initial_capital REAL;
