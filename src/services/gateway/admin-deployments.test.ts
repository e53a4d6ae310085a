// GET /admin/deployments, one of them and its log, over a strategy that really trades: position, since when, mode, last bar.

import { afterEach, describe, expect, test } from 'vitest';
import { checkAnswersOf } from '../../../tests/support/checked-app.ts';
import { mountEndpoints } from '../../http/mount-endpoints.ts';
import { createFixture } from '../../http/testing/app-fixture.ts';
import {
  createDeploymentOperator,
  type DeploymentOperator,
  type KeyAccounts,
} from '../../library/deployments/index.ts';
import { ANN } from '../../library/deployments/testing/open-test-setup.ts';
import { deployOrders, HOUR_MS, type OrderingStrategy } from '../../library/deployments/testing/ordering-strategy.ts';
import { deploymentAdminEndpoints } from './admin-deployments.ts';
import { GATEWAY_ERRORS, gatewayShape } from './errors.ts';

let strategy: OrderingStrategy;
afterEach(() => strategy.setup.close());

function open(orders: readonly number[], keys?: KeyAccounts) {
  const sent = async (path: string) => {
    const { setup } = strategy;
    const operator: DeploymentOperator = createDeploymentOperator({
      ...{ store: setup.store, live: setup.deployments, opinions: {} as never, keys, nowMs: setup.clock.nowMs },
    });
    const { app } = createFixture({
      ...{ service: 'gateway', errors: GATEWAY_ERRORS, shape: gatewayShape, defaultBodyLimitBytes: 1024 },
    });
    checkAnswersOf(app);
    mountEndpoints(app, deploymentAdminEndpoints({ operator, audit: () => {} }), { internal: () => {} });
    const answer = await app.request(`/admin/deployments${path}`, {}, { peer: '198.51.100.1' });
    return { status: answer.status, body: (await answer.json()) as { code?: string; result: never } };
  };
  return deployOrders(orders, { held: () => 0 }).then((deployed) => {
    strategy = deployed;
    return sent;
  });
}

describe('the operator', () => {
  test('sees what a strategy holds and since when, alike in the list and of one', async () => {
    const get = await open([2, 1, -5, 2]);
    const { setup, id, firstMs } = strategy;
    const seen = async () => {
      const one = (await get(`/${id}`)).body.result;
      expect((await get('')).body.result).toEqual([one]);
      // Its owner sees the same.
      const found = await setup.deployments.read(ANN, id);
      if (found.kind === 'found')
        expect(one).toMatchObject({ positionSince: await setup.deployments.positionSinceMs(found.deployment) });
      return one as Record<string, unknown>;
    };
    expect(await seen()).toMatchObject({ mode: 'trade', position: null, positionSince: null });
    await strategy.live();
    const opened = await seen();
    expect(opened).toMatchObject({ position: 2, scriptType: 'strategy', lastBarTime: firstMs, inputs: {} });
    expect(opened.positionSince).toBeGreaterThanOrEqual(firstMs + HOUR_MS);
    // Adding to it changes nothing about when it began; a reversal begins a new one.
    await strategy.live();
    expect(await seen()).toMatchObject({ position: 3, positionSince: opened.positionSince });
    await strategy.live();
    expect(await seen()).toMatchObject({ position: -2, positionSince: (opened.positionSince as number) + 2 * HOUR_MS });
    await strategy.live();
    expect(await seen()).toMatchObject({ position: 0, positionSince: null });
  });

  test('sees whose money it moves, and that nobody can tell where the gateway is away', async () => {
    const accounts = [{ exchange: 'binance', account: 'main', mode: 'live' }];
    const asked: object[] = [];
    let isAway = false;
    const get = await open([2], {
      async accountsOf(of) {
        asked.push(of);
        if (isAway) throw new Error('away');
        return [...accounts, ...accounts] as never;
      },
    });
    expect((await get(`/${strategy.id}`)).body.result).toMatchObject({ tradesOn: accounts });
    expect(asked).toEqual([{ keyId: 'k', exchange: 'binance' }]);
    isAway = true;
    expect((await get(`/${strategy.id}`)).body.result).toMatchObject({ tradesOn: null });
  });

  test('is told no beginning of a position whose entry was missed', async () => {
    const get = await open([2, 0, 0]);
    await strategy.away(2);
    expect((await get(`/${strategy.id}`)).body.result).toMatchObject({ position: 2, positionSince: null });
  });

  test('reads the newest lines of its log, and as many as are wanted', async () => {
    const get = await open([2]);
    await strategy.live();
    const lines = (await get(`/${strategy.id}/logs`)).body.result as { kind: string; at: number }[];
    expect(lines.at(-1)).toMatchObject({ kind: 'created' });
    expect(lines.map(({ kind }) => kind)).toContain('order');
    expect((await get(`/${strategy.id}/logs?limit=1`)).body.result).toEqual([lines[0]]);
    for (const limit of ['0', '501', 'x'])
      expect(await get(`/${strategy.id}/logs?limit=${limit}`)).toMatchObject({
        ...{ status: 400, body: { code: 'INVALID_QUERY' } },
      });
  });

  test.each(['/nobody', '/nobody/logs'])('is told that %s is not there', async (path) => {
    const get = await open([]);
    expect(await get(path)).toMatchObject({ status: 404, body: { code: 'DEPLOYMENT_NOT_FOUND' } });
  });
});
