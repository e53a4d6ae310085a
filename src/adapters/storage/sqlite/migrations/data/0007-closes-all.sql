-- A close of everything that is held, whatever quantity its sender named: recovery after a crash must know it too.
ALTER TABLE trades ADD COLUMN closes_all INTEGER NOT NULL DEFAULT 0;
