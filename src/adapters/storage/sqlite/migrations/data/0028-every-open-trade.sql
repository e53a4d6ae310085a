-- Every trade without an end is in open_trades from its acceptance on: recovery looks at those alone, and nobody has to walk
-- over the others to learn where it may begin. Until now those that had no outcome yet were found behind recovery_mark.
INSERT INTO open_trades (seq)
  SELECT seq FROM trades WHERE seq >= (SELECT seq FROM recovery_mark) AND state IN ('accepted', 'sending')
  ON CONFLICT DO NOTHING;
DROP TABLE recovery_mark;
