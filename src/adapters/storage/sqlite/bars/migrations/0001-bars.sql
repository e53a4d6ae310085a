-- Bars of the past as the venues told them: a cache, in packs of equally many slots of one timeframe.

CREATE TABLE series (
  id           INTEGER PRIMARY KEY,
  source       TEXT NOT NULL,
  market       TEXT NOT NULL,
  timeframe_ms INTEGER NOT NULL,
  UNIQUE (source, market, timeframe_ms)
) STRICT;

-- A pack that is written again gets a new id, so the lowest ids are those not written for the longest time.
CREATE TABLE packs (
  id        INTEGER PRIMARY KEY,
  series_id INTEGER NOT NULL REFERENCES series (id),
  number    INTEGER NOT NULL,
  checksum  INTEGER NOT NULL,
  bars      BLOB NOT NULL,
  UNIQUE (series_id, number)
) STRICT;
