-- What whoever has a lease works by (docs/decisions/0057), as it told with its token: whoever stands by for it, or comes after a
-- crash, compares its own. A table beside that of the leases, so that an owner that makes it holds up no renewal.
CREATE TABLE desk_terms (
  name  text COLLATE "C" PRIMARY KEY,
  token bigint NOT NULL,
  terms text COLLATE "C" NOT NULL
);
