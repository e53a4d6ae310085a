// A folder from before writers said what triggers and JSON functions worked out: what waits is known by its kind, and bytes
// are counted once.

import { expect, test } from 'vitest';
import { DEPLOYMENT, LOG } from '../../../../../tests/ports/deployment-store-suite.ts';
import { openMigrated } from '../database.ts';
import { STRANGERS } from '../database-files.ts';
import { earlierMigrations } from '../testing/earlier-migrations.ts';
import { testFolder } from '../testing/open-test-storage.ts';
import { openDeploymentStorage, openScriptStorage } from './testing/open-storage.ts';

const WITH_TRIGGERS = 10;
const ANN = 'a'.repeat(32);

test('deliveries that wait get the kind of their target, and one more version counts once', async () => {
  const { dataDir, remove } = testFolder();
  const migrations = earlierMigrations(dataDir, WITH_TRIGGERS, STRANGERS);
  const older = openMigrated(`${dataDir}/${STRANGERS.name}`, migrations);
  const targets = JSON.stringify([{ type: 'signals' }, { type: 'trade', keyId: 'k', keyLabel: 'mine' }]);
  older.exec(`INSERT INTO libraries (user_id, last_place) VALUES ('${ANN}', 1);
    INSERT INTO scripts VALUES ('${ANN}', 'x', 1, 1, 1);
    INSERT INTO versions VALUES ('${ANN}', 'x', 1, 1, 3, 'x', NULL, NULL, 'abc');
    INSERT INTO deployments (id, user_id, script_id, revision, name, symbol, market, interval, timeframe_ms, inputs, targets,
        state, created_at, anchor, last_bar_time, failures, runs, alerts, source)
      VALUES ('d', '${ANN}', 's', 1, 'n', 'X', 'X', '1m', 60000, '{}', '${targets}', 'running', 1, 0, 0, 0, 0, 0, '');
    INSERT INTO deployment_events (id, deployment_id, bar_time, ordinal, message, source, created_at)
      VALUES ('e', 'd', 1, 0, 'up', 'alert', 1);
    INSERT INTO deployment_outbox (event_id, deployment_id, target, attempts, next_attempt_at)
      VALUES ('e', 'd', 0, 0, 1), ('e', 'd', 1, 0, 1), ('e', 'd', 2, 0, 1);`);
  older.close();

  const { scripts, db, close } = openScriptStorage({ dataDir });
  const kinds = await db.reads.all('SELECT target, target_kind AS kind FROM deployment_outbox ORDER BY target');
  expect(kinds.map(({ kind }) => kind)).toEqual(['signals', 'trade', null]);
  await scripts.write(ANN, { id: 'x', text: { name: 'x', content: '1234' }, atMs: 1, precondition: 'none' });
  expect(await db.reads.get('SELECT stored_bytes AS bytes FROM libraries')).toEqual({ bytes: 7 });
  await close();

  const { deployments, ...storage } = openDeploymentStorage({ dataDir });
  await deployments.create({ ...DEPLOYMENT, id: 'other' }, 'source', LOG);
  expect((await deployments.due(1, 9)).map(({ target }) => target.type)).toEqual(['trade', 'signals']);
  await storage.close();
  remove();
});
