// GET /api/deployments/{id}/compare and its twin for the operator: who is asked for what, and every way it is refused.

import { describe, expect, test } from 'vitest';
import { checkAnswersOf } from '../../../tests/support/checked-app.ts';
import type { KitContext } from '../../http/context.ts';
import { mountEndpoints } from '../../http/mount-endpoints.ts';
import { statusShape } from '../../http/status-shape.ts';
import { createFixture } from '../../http/testing/app-fixture.ts';
import type { LiveComparison } from '../../library/live-comparison/compared-fill.ts';
import type { LiveComparisons, Uncompared } from '../../library/live-comparison/live-comparisons.ts';
import { comparisonAdminEndpoint } from '../gateway/admin-live-comparison.ts';
import { GATEWAY_ERRORS, gatewayShape } from '../gateway/errors.ts';
import { SCRIPTS_ERRORS } from './errors.ts';
import { comparisonEndpoint } from './live-comparison.ts';
import { createAuthenticate } from './require-key.ts';
import { createStorageGuard } from './storage-refusal.ts';

const KEY = `pn_${'1'.repeat(48)}`;
const COMPARISON: LiveComparison = {
  ...{ deploymentId: 'd1', name: 'S', symbol: 'BTCUSDT', interval: '1h', mode: 'trade', fromMs: 1, toMs: 2 },
  fills: [
    {
      ...{ verdict: 'filled', reason: null, barTimeMs: 1, orderId: 'L', keyLabel: 'mine', delayMs: 40, slippage: 0.5 },
      expected: { side: 'buy', quantity: 2, price: 100 },
      told: { side: 'buy', quantity: 2, price: 100, atMs: 3 },
      trade: { requestId: 'r1', status: 'Filled', account: 'binance:main' },
      live: { side: 'buy', quantity: 2, price: 100.5, atMs: 4, fee: 0.1 },
      slippageMoney: 1,
    },
  ],
  totals: { verdicts: { filled: 1 }, slippageMoney: 1, fees: 0.1, meanDelayMs: 40, backtestProfit: 4, liveProfit: 3 },
};
const REFUSALS: readonly (readonly [outcome: Uncompared, status: number, code: string])[] = [
  [{ kind: 'missing' }, 404, 'NOT_FOUND'],
  [{ kind: 'no-strategy', reason: 'it is an indicator' }, 400, 'INVALID_FIELD'],
  [{ kind: 'too-early', reason: 'no bar has closed' }, 409, 'CONFLICT'],
  [{ kind: 'unavailable', reason: 'the venue is away' }, 503, 'UNAVAILABLE'],
  [{ kind: 'run-failed', outcome: { kind: 'timeout', reason: 'too slow' } }, 408, 'TIMEOUT'],
  [{ kind: 'run-failed', outcome: { kind: 'busy', reason: 'others wait' } }, 429, 'BUSY'],
];

function open(outcome: Awaited<ReturnType<LiveComparisons['compare']>> | undefined) {
  const asked: (string | undefined)[][] = [];
  const comparisons: LiveComparisons | undefined = outcome && {
    async compare(id, userId) {
      asked.push([id, userId]);
      return outcome;
    },
  };
  const users = createFixture({
    service: 'scripts',
    errors: SCRIPTS_ERRORS,
    shape: statusShape,
    defaultBodyLimitBytes: 1024,
  });
  const admin = createFixture({
    service: 'gateway',
    errors: GATEWAY_ERRORS,
    shape: gatewayShape,
    defaultBodyLimitBytes: 1024,
  });
  checkAnswersOf(users.app);
  checkAnswersOf(admin.app);
  const stored = createStorageGuard(() => {});
  const lookup = async (key: string) => (key === KEY ? ({ key, tier: 'hobby', createdAtMs: 1 } as never) : undefined);
  const byKey = createAuthenticate({ durableDatabase: true, lookup, allowOpenKeys: false }, stored);
  const authenticate = async (c: KitContext) => ({ ...(await byKey(c)), userId: 'ann' });
  const endpoint = comparisonEndpoint({ authenticate, comparisons, stored, monotonicMs: () => 0 });
  mountEndpoints(users.app, [endpoint], { internal: () => {}, scriptKey: async (c) => void (await authenticate(c)) });
  mountEndpoints(admin.app, [comparisonAdminEndpoint({ comparisons })], { internal: () => {} });
  const send = async (app: typeof users.app, path: string, headers: Record<string, string>) => {
    const answer = await app.request(path, { headers }, { peer: '198.51.100.1' });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  };
  return {
    asked,
    user: (key = KEY) => send(users.app, '/api/deployments/d1/compare', { authorization: `Bearer ${key}` }),
    operator: () => send(admin.app, '/admin/deployments/d1/compare', {}),
  };
}

describe('a comparison over HTTP', () => {
  test('is asked for in the name of the key, and by the operator in nobody’s', async () => {
    const { user, operator, asked } = open({ kind: 'compared', comparison: COMPARISON });
    expect(await user()).toEqual({ status: 200, body: { status: 'success', comparison: COMPARISON } });
    expect((await operator()).body.result).toEqual(COMPARISON);
    expect(asked).toEqual([
      ['d1', 'ann'],
      ['d1', undefined],
    ]);
  });

  test.each(REFUSALS)('%j is refused with %d %s', async (outcome, status, code) => {
    const { user, operator } = open(outcome);
    const sent = await user();
    expect([sent.status, sent.body.code]).toEqual([status, code]);
    const told = (await operator()).body.code;
    expect(told).toBe(outcome.kind === 'missing' ? 'DEPLOYMENT_NOT_FOUND' : 'DEPLOYMENT_NOT_COMPARABLE');
  });

  test('needs a key, a database, and for the operator an instance that runs', async () => {
    const { user, operator } = open(undefined);
    expect((await user()).body.code).toBe('UNAVAILABLE');
    expect((await user('nonsense')).body.code).toBe('INVALID_KEY');
    expect((await operator()).body).toMatchObject({
      code: 'DEPLOYMENT_NOT_COMPARABLE',
      error: expect.stringContaining('signalbox start'),
    });
  });

  test('is limited to ten a minute', async () => {
    const { user } = open({ kind: 'compared', comparison: COMPARISON });
    for (let call = 0; call < 10; call += 1) await user();
    expect((await user()).body.code).toBe('RATE_LIMIT');
  });
});
