-- How the owner enters from a browser (docs/decisions/0048): his password, the second factor, and the sessions.
CREATE TABLE owner_password (
  -- There is one owner.
  only_row         INTEGER PRIMARY KEY CHECK (only_row = 1),
  -- scrypt, with its parameters and its salt.
  hash             TEXT NOT NULL,
  -- The secret of the authenticator app in base32, the step of its last code, and SHA-256 of the recovery codes as JSON.
  totp_secret      TEXT,
  totp_last_step   INTEGER,
  recovery_digests TEXT
) STRICT;

CREATE TABLE sessions (
  session_id      TEXT PRIMARY KEY,
  -- Of a cookie only digests are kept.
  family_digest   TEXT NOT NULL UNIQUE,
  -- Makes the next secret out of the present one, which is not here.
  chain_key       TEXT NOT NULL,
  digest          TEXT NOT NULL,
  previous_digest TEXT,
  confirmed_at    INTEGER,
  created_at      INTEGER NOT NULL,
  last_used_at    INTEGER NOT NULL,
  address         TEXT NOT NULL,
  user_agent      TEXT NOT NULL
) STRICT, WITHOUT ROWID;
