-- `events` tells everything that happened to a trade, in order: each acceptance, sending, fill and change of state.
-- What a trade's row and its orders' rows say already is not stored a second time, on the road of every signal; the view
-- puts it where it belongs: the acceptance first, each sending after the step it followed, an ordinary fill behind its sending.
ALTER TABLE events RENAME TO stored_events;
CREATE VIEW events AS
  SELECT trade_seq, row_number() OVER (PARTITION BY trade_seq ORDER BY after_step, place) AS step, at, kind, detail
  FROM (
    SELECT seq AS trade_seq, 0 AS after_step, -1 AS place, received_at AS at, 'accepted' AS kind, NULL AS detail FROM trades
    UNION ALL
    SELECT trade_seq, step, 0, at, kind, detail FROM stored_events
    UNION ALL
    SELECT trade_seq, sent_after_step, 1, created_at, 'sending', leg FROM orders
    UNION ALL
    SELECT seq, 0, 2, updated_at, 'filled', order_id || ', ' || executed_quantity || ' at ' || average_price FROM trades
    WHERE state = 'filled'
      AND NOT EXISTS (SELECT 1 FROM stored_events WHERE trade_seq = trades.seq AND stored_events.kind = 'filled')
  );
