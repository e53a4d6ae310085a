// The second opinions on SQLite: one row for each name, bounded, gone with their deployment, and found without a walk.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Deployment, KEPT_OPINIONS, type Opinion } from '../../../../library/deployments/index.ts';
import { type DeploymentStorage, openDeploymentStorage } from './deployments.ts';

const ANN = 'a'.repeat(32);
const DEPLOYMENT: Deployment = {
  ...{ id: 'd1', userId: ANN, scriptId: 's', revision: 3, name: 'Name', symbol: 'BTCUSDT', market: 'BTCUSDT' },
  ...{ interval: '1m', timeframeMs: 60_000, inputs: {}, targets: [], state: 'running', createdAtMs: 5, anchorMs: 0 },
  ...{ lastRunAtMs: null, lastBarTimeMs: 0, lastError: null, failures: 0, runs: 0, alerts: 0, scriptType: 'strategy' },
  ...{
    mode: 'dry-run',
    orderMessage: null,
    initialCapital: null,
    position: null,
    toldPosition: null,
    drift: null,
    barsFrom: null,
  },
  ...{ digest: '', imports: [] },
};
const OPINION: Opinion = {
  ...{ deploymentId: 'd1', alertId: 'a', state: 'expected', barTimeMs: 60_000, arrival: null, isGone: false },
  ...{ sent: null, words: '', createdAtMs: 1, updatedAtMs: 2 },
  expected: { eventId: 'e', atMs: 1, action: 'LONG', quantity: 0.1, price: 1.5, before: -2, message: '{}' },
};
const ARRIVAL: NonNullable<Opinion['arrival']> = {
  ...{ requestId: 'r', alertId: 'a', receivedAtMs: 9, decision: 'accepted', market: 'BTCUSDT', action: 'LONG' },
  ...{ quantity: 0.1, before: { position: 'flat', size: null }, comment: null },
};

let dataDir: string;
let storage: DeploymentStorage;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'signalbox-opinions-'));
  storage = openDeploymentStorage({ dataDir });
  await storage.deployments.create(DEPLOYMENT, 'source', { atMs: 7, kind: 'created', message: 'made' });
});
afterEach(() => {
  storage.close();
  rmSync(dataDir, { recursive: true, force: true });
});
const store = () => storage.opinions;

test('an opinion comes back as it was stored, in place of the last under its name, after a restart too', async () => {
  await store().put(OPINION, { counted: 'expected' });
  const met = { ...OPINION, state: 'late', arrival: ARRIVAL, sent: 'sent by us', words: 'late' } as const;
  await store().put(met, { counted: 'late', log: { atMs: 3, kind: 'opinion', message: 'late' } });
  storage.close();
  storage = openDeploymentStorage({ dataDir });
  expect(await store().find('d1', 'a')).toEqual(met);
  expect(await store().list('d1', 9)).toEqual([met]);
  expect(await store().counts('d1')).toEqual({ expected: 1, late: 1 });
  expect([await store().hasArrival('d1', 'r'), await store().hasArrival('d1', 'x')]).toEqual([true, false]);
  expect((await storage.deployments.logs(ANN, 'd1', 1))?.[0]).toMatchObject({ kind: 'opinion', message: 'late' });
  expect(await store().find('d2', 'a')).toBeUndefined();
});

test('those that something is still to be said of are open, and no others', async () => {
  const open: Partial<Opinion>[] = [
    { state: 'expected' },
    { state: 'arrived', expected: null, arrival: ARRIVAL },
    { state: 'missing' },
    { state: 'confirmed', isGone: true },
  ];
  const closed: Partial<Opinion>[] = [
    { state: 'missing', sent: 'not sent' },
    { state: 'repainted', isGone: true },
    ...(['confirmed', 'late', 'different', 'extra', 'no-opinion'] as const).map((state) => ({ state })),
  ];
  for (const [place, more] of [...open, ...closed].entries())
    await store().put({ ...OPINION, ...more, alertId: `a${place}` });
  expect((await store().open('d1')).map(({ alertId }) => alertId)).toEqual(['a0', 'a1', 'a2', 'a3']);
});

test('the close of a bar marks what it does not have, and nothing that only TradingView has', async () => {
  for (const alertId of ['kept', 'gone']) await store().put({ ...OPINION, alertId });
  await store().put({ ...OPINION, alertId: 'theirs', expected: null, arrival: ARRIVAL });
  await store().put({ ...OPINION, alertId: 'other bar', barTimeMs: 120_000 });
  const outcome = { barTimeMs: 60_000, atMs: 1, hasRun: true, anchorMs: 0, error: null, events: [], logs: [] };
  await storage.deployments.commitBar('d1', { ...outcome, state: 'running', keptAlertIds: ['kept'] });
  const gone = (await store().list('d1', 9)).filter(({ isGone }) => isGone);
  expect(gone.map(({ alertId }) => alertId)).toEqual(['gone']);
  // Whoever read the row before writes it back without knowing.
  await store().put({ ...OPINION, alertId: 'gone', isGone: false });
  expect(await store().find('d1', 'gone')).toMatchObject({ isGone: true });
});

test(`the newest ${KEPT_OPINIONS} are kept, counts go on, and everything goes with the deployment`, async () => {
  for (let place = 0; place <= KEPT_OPINIONS; place += 1)
    await store().put({ ...OPINION, state: 'confirmed', alertId: `a${place}` }, { counted: 'confirmed' });
  const listed = await store().list('d1', 2000);
  expect([listed.length, listed[0]?.alertId, listed.at(-1)?.alertId]).toEqual([KEPT_OPINIONS, 'a1000', 'a1']);
  expect(await store().counts('d1')).toEqual({ confirmed: KEPT_OPINIONS + 1 });
  await storage.deployments.remove(ANN, 'd1');
  expect([await store().list('d1', 9), await store().counts('d1')]).toEqual([[], {}]);
  await store().put(OPINION, { counted: 'late', log: { atMs: 3, kind: 'opinion', message: 'late' } });
  expect(await store().list('d1', 9)).toEqual([]);
});

test('sight begins with the last start of the deployment, and knows the newest bar that it did not see', async () => {
  expect(await store().sight('d1')).toEqual({ sinceMs: 7, blindBarMs: undefined });
  const log = { atMs: 20, kind: 'missed', message: 'x', barTimeMs: 60_000 } as const;
  await store().put(OPINION, { log });
  await store().put(OPINION, { log: { ...log, kind: 'error', barTimeMs: 120_000 } });
  await store().put(OPINION, { log: { ...log, kind: 'alert', barTimeMs: 180_000 } });
  await storage.deployments.resume(ANN, 'd1', 1, { atMs: 30, kind: 'resumed', message: 'x' });
  expect(await store().sight('d1')).toEqual({ sinceMs: 30, blindBarMs: 120_000 });
});

test('what is asked every second walks over no table', () => {
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
});
