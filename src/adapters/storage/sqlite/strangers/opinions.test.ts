// The second opinions on SQLite keep the promises of their port, and are found without a walk.

import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { describeOpinions } from '../../../../../tests/ports/opinion-store-suite.ts';
import { openTestDeployments } from './testing/open-test-deployments.ts';

describeOpinions('second opinions on SQLite', async () => {
  const opened = openTestDeployments();
  return { ...opened.storage, reopen: () => opened.reopen(), close: () => opened.close() };
});

test('what is asked every second walks over no table', async () => {
  const { storage, close } = openTestDeployments();
  const db = new DatabaseSync(storage.path);
  const plan = (sql: string): string =>
    db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => detail)
      .join('; ');
  const open = `SELECT * FROM second_opinions WHERE deployment_id = 'd' AND (state IN ('expected', 'arrived')
    OR (is_gone = 1 AND state <> 'repainted') OR (state = 'missing' AND sent IS NULL)) ORDER BY place`;
  expect(plan(open)).toMatch(/second_opinions_open/);
  for (const sql of [open, "SELECT 1 FROM second_opinions WHERE deployment_id = 'd' AND request_id = 'r'"])
    expect(plan(sql)).not.toMatch(/SCAN|TEMP/);
  db.close();
  await close();
});
