// The tests of events-suite.ts on SQLite, and how its view is read.

import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { ON_SQLITE } from './asking.ts';
import { describeEvents } from './events-suite.ts';

describeEvents(ON_SQLITE);

it('looks at the rows of one trade only when one trade is asked for', async () => {
  const gateway = await ON_SQLITE.open();
  const db = new DatabaseSync(`${gateway.dataDir}/signalbox.db`, { readOnly: true });
  const plan = db.prepare('EXPLAIN QUERY PLAN SELECT * FROM events WHERE trade_seq = ? ORDER BY step').all(1);
  db.close();
  expect(
    plan.map(({ detail }) => String(detail)).filter((line) => /^SCAN (trades|orders|stored_events)/.test(line)),
  ).toEqual([]);
});
