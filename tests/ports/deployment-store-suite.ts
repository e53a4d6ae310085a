// What every store of deployments must do: be durable, in order and bounded, with each user's apart.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StorageError } from '../../src/errors/storage-error.ts';
import {
  type BarOutcome,
  type Deployment,
  type DeploymentEvent,
  type DeploymentStore,
  KEPT_EVENTS,
  KEPT_LOGS,
  KEPT_QUIET_RUNS,
  type LogEntry,
} from '../../src/library/deployments/index.ts';

export type DeploymentRows = 'deployments' | 'events' | 'deliveries' | 'logs';

export interface OpenDeployments {
  readonly store: DeploymentStore;
  /** Stores other targets. */
  setTargets(changes: readonly Pick<Deployment, 'id' | 'targets'>[]): Promise<void>;
  /** How many rows of a kind are stored: what is forgotten must be gone from the disk too. */
  count(rows: DeploymentRows): Promise<number>;
  reopen(): Promise<DeploymentStore>;
  close(): Promise<void>;
}

const ANN = 'a'.repeat(32);
const BOB = 'b'.repeat(32);
export const LOG: LogEntry = { atMs: 1, kind: 'created', message: 'made' };
export const DEPLOYMENT: Deployment = {
  id: 'd1',
  userId: ANN,
  scriptId: 's',
  revision: 3,
  name: 'Name',
  symbol: 'BTC/USDT',
  market: 'BTCUSDT',
  interval: '1m',
  timeframeMs: 60_000,
  inputs: { Length: 5, Ünï: [1, null, 'x'] },
  targets: [
    { type: 'webhook', url: 'https://example.com', secret: 'a-long-secret' },
    { type: 'telegram', chatId: '42' },
  ],
  state: 'running',
  createdAtMs: 5,
  anchorMs: -60_000,
  lastRunAtMs: null,
  lastBarTimeMs: 0,
  lastError: null,
  failures: 0,
  runs: 0,
  alerts: 0,
  scriptType: 'strategy',
  mode: 'dry-run',
  orderMessage: '{{strategy.order.action}}',
  initialCapital: 2500.5,
  position: null,
  toldPosition: null,
  drift: null,
  barsFrom: 'bybit testnet',
  digest: 'd'.repeat(64),
  imports: ['me/Tools/1'],
};

export const eventAt = (barTimeMs: number, ordinal = 0, deploymentId = 'd1'): DeploymentEvent => ({
  id: `${deploymentId} ${barTimeMs} ${ordinal}`,
  deploymentId,
  barTimeMs,
  ordinal,
  message: 'up',
  title: null,
  source: 'alert',
  order: null,
  createdAtMs: barTimeMs,
});

export const outcomeAt = (barTimeMs: number, more: Partial<BarOutcome> = {}): BarOutcome => ({
  barTimeMs,
  atMs: barTimeMs,
  hasRun: true,
  anchorMs: 0,
  error: null,
  state: 'running',
  events: [],
  logs: [],
  ...more,
});

export function describeDeployments(name: string, open: () => Promise<OpenDeployments>): void {
  describe(name, () => {
    let opened: OpenDeployments;
    let store: DeploymentStore;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());
    const make = (more: Partial<Deployment> = {}) => store.create({ ...DEPLOYMENT, ...more }, 'source', LOG);

    describe('a record', () => {
      test('comes back as it was stored, after a restart too, with the source apart', async () => {
        await make();
        store = await opened.reopen();
        expect(await store.read(ANN, 'd1')).toEqual(DEPLOYMENT);
        expect(await store.list(ANN)).toEqual([DEPLOYMENT]);
        expect(await store.running()).toEqual([DEPLOYMENT]);
        expect(await store.current('d1')).toEqual({ deployment: DEPLOYMENT, source: 'source', libraries: [] });
        expect(await store.logs(ANN, 'd1', 9)).toEqual([LOG]);
      });

      test('comes with the libraries it was made with', async () => {
        const libraries = [{ namespace: 'me', name: 'Tools', version: 1, source: '// Größe 🚂\r\n' }];
        await store.create(DEPLOYMENT, 'source', LOG, libraries);
        store = await opened.reopen();
        expect(await store.current('d1')).toStrictEqual({ deployment: DEPLOYMENT, source: 'source', libraries });
      });

      test('newest first, and nobody else’s', async () => {
        for (const id of ['d1', 'd2', 'd3']) await make({ id });
        await make({ id: 'd4', userId: 'b'.repeat(32) });
        expect((await store.list(ANN)).map(({ id }) => id)).toEqual(['d3', 'd2', 'd1']);
        expect(await store.remove(ANN, 'd4')).toBe(false);
        expect(await store.pause(ANN, 'd4', LOG)).toBeUndefined();
        expect(await store.resume(ANN, 'd4', 1, LOG)).toBeUndefined();
        expect(await store.logs(ANN, 'd4', 1)).toBeUndefined();
        expect(await store.logs('b'.repeat(32), 'd4', 9)).toHaveLength(1);
      });

      test('takes everything with it when it is removed', async () => {
        await make();
        await store.commitBar('d1', outcomeAt(60_000, { events: [eventAt(60_000)], logs: [LOG] }));
        const [delivery] = await store.due(60_000, 9);
        expect(await store.remove(ANN, 'd1')).toBe(true);
        for (const kind of ['deployments', 'events', 'deliveries', 'logs'] as const)
          expect(await opened.count(kind)).toBe(0);
        await store.settle(delivery!, LOG);
        await store.postpone(delivery!, 1, LOG);
        expect(await opened.count('logs')).toBe(0);
      });
    });

    test('what is due comes trades first, then owner by owner in turn', async () => {
      const hook = DEPLOYMENT.targets[0]!;
      const trade = { type: 'trade', keyId: 'k', keyLabel: 'mine' } as const;
      const made: readonly (readonly [id: string, userId: string, target: Deployment['targets'][number]])[] = [
        ['a1', ANN, hook],
        ['a2', ANN, hook],
        ['a3', ANN, hook],
        ['b1', BOB, hook],
        ['t1', BOB, trade],
      ];
      for (const [id, userId, target] of made) {
        await store.create({ ...DEPLOYMENT, id, userId, targets: [target] }, 'source', LOG);
        await store.commitBar(id, outcomeAt(60_000, { events: [eventAt(60_000, 0, id)] }));
      }
      const due = await store.due(60_000, 9);
      expect(due.map(({ deployment }) => deployment.id)).toEqual(['t1', 'a1', 'b1', 'a2', 'a3']);
    });

    test('deliveries that wait go to the targets that their deployment has now, and count as those', async () => {
      const hook = DEPLOYMENT.targets[0]!;
      const trade = { type: 'trade', keyId: 'k', keyLabel: 'mine' } as const;
      for (const [id, targets] of Object.entries({ a: [hook, hook], b: [trade], c: [hook, hook] })) {
        await make({ id, targets });
        await store.commitBar(id, outcomeAt(60_000, { events: [eventAt(60_000, 0, id)] }));
      }
      await opened.setTargets([
        { id: 'b', targets: [hook] },
        { id: 'c', targets: [trade] },
      ]);
      const due = async () => (await store.due(60_000, 9)).map(({ deployment, target }) => [deployment.id, target]);
      expect(await due()).toEqual([
        ['c', trade],
        ['a', hook],
        ['a', hook],
        ['b', hook],
      ]);
      await opened.setTargets([{ id: 'c', targets: [hook, trade] }]);
      expect((await due())[0]).toEqual(['c', trade]);
    });

    describe('a bar', () => {
      beforeEach(() => make());

      test('is dealt with once: a second time, or an earlier one, changes nothing', async () => {
        const outcome = outcomeAt(60_000, { events: [eventAt(60_000), eventAt(60_000, 1)], logs: [LOG] });
        expect(await store.commitBar('d1', outcome)).toBe(true);
        expect(await store.commitBar('d1', outcome)).toBe(false);
        expect(await store.commitBar('d1', outcomeAt(59_999, { events: [eventAt(59_999)] }))).toBe(false);
        expect(await opened.count('events')).toBe(2);
        expect(await opened.count('deliveries')).toBe(4);
        expect(await store.read(ANN, 'd1')).toMatchObject({
          lastBarTimeMs: 60_000,
          lastRunAtMs: 60_000,
          runs: 1,
          alerts: 2,
        });
      });

      test('of a deployment that does not run is not stored', async () => {
        await store.pause(ANN, 'd1', LOG);
        expect(await store.commitBar('d1', outcomeAt(60_000, { events: [eventAt(60_000)] }))).toBe(false);
        expect(await store.commitBar('none', outcomeAt(60_000))).toBe(false);
        expect(await opened.count('events')).toBe(0);
      });

      test('is stored whole or not at all', async () => {
        const events = [eventAt(60_000), { ...eventAt(60_000, 1), id: eventAt(60_000).id }];
        await expect(store.commitBar('d1', outcomeAt(60_000, { events }))).rejects.toThrow(StorageError);
        expect(await opened.count('events')).toBe(0);
        expect(await store.read(ANN, 'd1')).toEqual(DEPLOYMENT);
      });

      test('with an error counts failures, one without clears them, a missed one leaves them', async () => {
        await store.commitBar('d1', outcomeAt(1, { error: 'bad' }));
        await store.commitBar('d1', outcomeAt(2, { error: 'worse' }));
        expect(await store.read(ANN, 'd1')).toMatchObject({ failures: 2, lastError: 'worse', runs: 2 });
        await store.commitBar('d1', outcomeAt(3, { error: undefined, hasRun: false }));
        expect(await store.read(ANN, 'd1')).toMatchObject({ failures: 2, lastError: 'worse', runs: 2, lastRunAtMs: 2 });
        await store.commitBar('d1', outcomeAt(4));
        expect(await store.read(ANN, 'd1')).toMatchObject({ failures: 0, lastError: null, runs: 3 });
        await store.commitBar('d1', outcomeAt(5, { error: 'x', state: 'failed' }));
        expect(await store.running()).toEqual([]);
        expect(await store.resume(ANN, 'd1', 3, LOG)).toMatchObject({
          state: 'running',
          failures: 0,
          lastBarTimeMs: 5,
        });
      });
    });

    describe('deliveries', () => {
      beforeEach(() => make());

      test('of one deployment and target are due in order, one at a time', async () => {
        for (const bar of [1, 2]) await store.commitBar('d1', outcomeAt(bar, { events: [eventAt(bar)] }));
        const first = await store.due(9, 9);
        expect(first.map(({ event, target }) => [event.barTimeMs, target.type])).toEqual([
          [1, 'webhook'],
          [1, 'telegram'],
        ]);
        await store.postpone(first[0]!, 1000, LOG);
        await store.settle(first[1]!, LOG);
        // The webhook's second delivery waits behind its first, the chat's does not.
        expect((await store.due(9, 9)).map(({ event, target }) => [event.barTimeMs, target.type])).toEqual([
          [2, 'telegram'],
        ]);
        expect(await store.nextDueMs(9)).toBe(1000);
        const later = await store.due(1000, 9);
        expect(later.map(({ event, attempts }) => [event.barTimeMs, attempts])).toEqual([
          [1, 1],
          [2, 0],
        ]);
        expect(later[0]).toMatchObject({ deployment: { id: 'd1', symbol: 'BTC/USDT' }, event: eventAt(1) });
        expect(await store.nextDueMs(1000)).toBeUndefined();
      });

      test('that a clock postponed which was set back since are due', async () => {
        await store.commitBar('d1', outcomeAt(86_400_000, { events: [eventAt(86_400_000)] }));
        expect(await store.due(86_400_000 - 900_000, 9)).toEqual([]);
        expect(await store.due(86_400_000 - 900_001, 9)).toHaveLength(2);
      });
    });

    describe('what is kept', () => {
      beforeEach(() => make());

      test(`of the log is ${KEPT_LOGS} lines, and ${KEPT_QUIET_RUNS} of them quiet runs at most`, async () => {
        const run = (atMs: number): LogEntry => ({ atMs, kind: 'run', message: 'ran', barTimeMs: atMs, runMs: 1.5 });
        for (let bar = 1; bar <= 130; bar += 1) await store.commitBar('d1', outcomeAt(bar, { logs: [run(bar)] }));
        expect(await store.logs(ANN, 'd1', 500)).toHaveLength(KEPT_QUIET_RUNS + 1);
        expect((await store.logs(ANN, 'd1', 2))?.map(({ barTimeMs, runMs }) => [barTimeMs, runMs])).toEqual([
          [130, 1.5],
          [129, 1.5],
        ]);
        const alert: LogEntry = { atMs: 1, kind: 'alert', message: 'up', eventId: 'e' };
        for (let bar = 131; bar <= 450; bar += 1)
          await store.commitBar('d1', outcomeAt(bar, { logs: [run(bar), alert] }));
        const logs = await store.logs(ANN, 'd1', 1000);
        expect(logs).toHaveLength(KEPT_LOGS);
        expect(logs?.filter(({ kind }) => kind === 'alert')).toHaveLength(KEPT_LOGS / 2);
      });

      test(`of events is ${KEPT_EVENTS}, and those that still wait to be delivered`, async () => {
        for (let bar = 1; bar <= 60; bar += 1) {
          const events = Array.from({ length: 20 }, (_, ordinal) => eventAt(bar, ordinal));
          await store.commitBar('d1', outcomeAt(bar, { events }));
        }
        expect(await opened.count('events')).toBe(1200);
        for (let round = 0; round < 250; round += 1)
          for (const delivery of await store.due(1000, 9)) await store.settle(delivery, LOG);
        await store.commitBar('d1', outcomeAt(61, { events: [eventAt(61)] }));
        // Those at the front are delivered and gone; the others wait still.
        expect(await opened.count('events')).toBe(KEPT_EVENTS);
      });
    });
  });
}
