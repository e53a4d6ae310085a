-- What a refused signal asked for, as it is looked for: by columns, which every database compares alike, instead of by the JSON in which
-- it is kept. Where the signal could not be read, they hold what its sender wrote: `market` is then the symbol without what stands
-- between its parts, in capitals, and `action` is empty, because an action is one only where it was read.
ALTER TABLE refusals ADD COLUMN exchange TEXT;
ALTER TABLE refusals ADD COLUMN account TEXT;
ALTER TABLE refusals ADD COLUMN market TEXT;
ALTER TABLE refusals ADD COLUMN strategy TEXT;
ALTER TABLE refusals ADD COLUMN action TEXT;
UPDATE refusals SET
    exchange = lower(asked.json ->> '$.exchange'),
    account = coalesce(CAST(asked.json ->> '$.account' AS TEXT), 'main'),
    market = coalesce(signal_order ->> '$.market', upper(replace(replace(replace(
      coalesce(asked.json ->> '$.symbol', asked.json ->> '$.ticker', ''), '/', ''), '_', ''), '-', ''))),
    strategy = CAST(asked.json ->> '$.strategy' AS TEXT),
    action = signal_order ->> '$.action'
  FROM (SELECT seq AS asked_by, CASE WHEN signal_order IS NOT NULL THEN signal_order WHEN json_valid(body) THEN body
    ELSE '{}' END AS json FROM refusals) AS asked
  WHERE asked.asked_by = refusals.seq;
