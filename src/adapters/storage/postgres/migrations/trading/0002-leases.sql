-- Who does what only one process may do, such as to own the desk (docs/decisions/0057). `token` is one more with every holder:
-- whoever writes as the holder asks for its own, and an older one finds no row.
CREATE TABLE leases (
  name     text COLLATE "C" PRIMARY KEY,
  -- Where its holder is reached by other processes.
  address  text COLLATE "C" NOT NULL,
  token    bigint NOT NULL,
  until    timestamptz NOT NULL,
  released boolean NOT NULL,
  -- Makes the token a part of a key: a holder's writes lock the row FOR KEY SHARE, which keeps another token out, but not
  -- the renewal, which changes no key.
  UNIQUE (name, token)
);
