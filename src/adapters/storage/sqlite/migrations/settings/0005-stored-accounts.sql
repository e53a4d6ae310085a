-- Testnet and live accounts, whose credentials are sealed with the owner's master key (src/keys/sealed-text.ts).
CREATE TABLE stored_accounts (
  exchange           TEXT NOT NULL,
  account            TEXT NOT NULL,
  mode               TEXT NOT NULL CHECK (mode IN ('testnet', 'live')),
  -- The position mode it is to have at its venue; NULL leaves it as it is there.
  position_mode      TEXT CHECK (position_mode IN ('one-way', 'hedge')),
  -- The first characters of the API key, so that a person can tell which one it is.
  key_start          TEXT NOT NULL,
  sealed_credentials TEXT NOT NULL,
  created_at         INTEGER NOT NULL,
  PRIMARY KEY (exchange, account)
) STRICT, WITHOUT ROWID;
