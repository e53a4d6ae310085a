// What every store of second opinions must do: one for each name, bounded, gone with their deployment.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Deployment,
  type DeploymentStore,
  KEPT_OPINIONS,
  type Opinion,
  type OpinionStore,
} from '../../src/library/deployments/index.ts';

interface OpinionStores {
  readonly opinions: OpinionStore;
  readonly deployments: DeploymentStore;
}

export interface OpenOpinions extends OpinionStores {
  reopen(): Promise<OpinionStores>;
  close(): Promise<void>;
}

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

export function describeOpinions(name: string, open: () => Promise<OpenOpinions>): void {
  describe(name, () => {
    let opened: OpenOpinions;
    let stores: OpinionStores;
    beforeEach(async () => {
      opened = await open();
      stores = opened;
      await stores.deployments.create(DEPLOYMENT, 'source', { atMs: 7, kind: 'created', message: 'made' });
    });
    afterEach(() => opened.close());

    test('an opinion comes back as it was stored, in place of the last under its name, after a restart too', async () => {
      await stores.opinions.put(OPINION, { counted: 'expected' });
      const met = { ...OPINION, state: 'late', arrival: ARRIVAL, sent: 'sent by us', words: 'late' } as const;
      await stores.opinions.put(met, { counted: 'late', log: { atMs: 3, kind: 'opinion', message: 'late' } });
      stores = await opened.reopen();
      expect(await stores.opinions.find('d1', 'a')).toEqual(met);
      expect(await stores.opinions.list('d1', 9)).toEqual([met]);
      expect(await stores.opinions.counts('d1')).toEqual({ expected: 1, late: 1 });
      expect([await stores.opinions.hasArrival('d1', 'r'), await stores.opinions.hasArrival('d1', 'x')]).toEqual([
        true,
        false,
      ]);
      expect((await stores.deployments.logs(ANN, 'd1', 1))?.[0]).toMatchObject({ kind: 'opinion', message: 'late' });
      expect(await stores.opinions.find('d2', 'a')).toBeUndefined();
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
        await stores.opinions.put({ ...OPINION, ...more, alertId: `a${place}` });
      expect((await stores.opinions.open('d1')).map(({ alertId }) => alertId)).toEqual(['a0', 'a1', 'a2', 'a3']);
    });

    test('the close of a bar marks what it does not have, and nothing that only TradingView has', async () => {
      const kept = ['kept', 'with a \0 in it', 'with \\u0000 spelled out', 'a "quoted\\" one', 'half \ud83d of a pair'];
      for (const alertId of [...kept, 'gone']) await stores.opinions.put({ ...OPINION, alertId });
      await stores.opinions.put({ ...OPINION, alertId: 'theirs', expected: null, arrival: ARRIVAL });
      await stores.opinions.put({ ...OPINION, alertId: 'other bar', barTimeMs: 120_000 });
      const outcome = { barTimeMs: 60_000, atMs: 1, hasRun: true, anchorMs: 0, error: null, events: [], logs: [] };
      await stores.deployments.commitBar('d1', { ...outcome, state: 'running', keptAlertIds: kept });
      const gone = (await stores.opinions.list('d1', 9)).filter(({ isGone }) => isGone);
      expect(gone.map(({ alertId }) => alertId)).toEqual(['gone']);
      // Whoever read the row before writes it back without knowing.
      await stores.opinions.put({ ...OPINION, alertId: 'gone', isGone: false });
      expect(await stores.opinions.find('d1', 'gone')).toMatchObject({ isGone: true });
    });

    test(`the newest ${KEPT_OPINIONS} are kept, counts go on, and everything goes with the deployment`, async () => {
      for (let place = 0; place <= KEPT_OPINIONS; place += 1)
        await stores.opinions.put({ ...OPINION, state: 'confirmed', alertId: `a${place}` }, { counted: 'confirmed' });
      const listed = await stores.opinions.list('d1', 2000);
      expect([listed.length, listed[0]?.alertId, listed.at(-1)?.alertId]).toEqual([KEPT_OPINIONS, 'a1000', 'a1']);
      expect(await stores.opinions.counts('d1')).toEqual({ confirmed: KEPT_OPINIONS + 1 });
      await stores.deployments.remove(ANN, 'd1');
      expect([await stores.opinions.list('d1', 9), await stores.opinions.counts('d1')]).toEqual([[], {}]);
      await stores.opinions.put(OPINION, { counted: 'late', log: { atMs: 3, kind: 'opinion', message: 'late' } });
      expect(await stores.opinions.list('d1', 9)).toEqual([]);
    });

    test('sight begins with the last start of the deployment, and knows the newest bar that it did not see', async () => {
      expect(await stores.opinions.sight('d1')).toEqual({ sinceMs: 7, blindBarMs: undefined });
      const log = { atMs: 20, kind: 'missed', message: 'x', barTimeMs: 60_000 } as const;
      await stores.opinions.put(OPINION, { log });
      await stores.opinions.put(OPINION, { log: { ...log, kind: 'error', barTimeMs: 120_000 } });
      await stores.opinions.put(OPINION, { log: { ...log, kind: 'alert', barTimeMs: 180_000 } });
      await stores.deployments.resume(ANN, 'd1', 1, { atMs: 30, kind: 'resumed', message: 'x' });
      expect(await stores.opinions.sight('d1')).toEqual({ sinceMs: 30, blindBarMs: 120_000 });
    });
  });
}
