// Second opinions through the front door: how they are asked for, what is refused, and what is answered.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkAnswersOf } from '../../../tests/support/checked-app.ts';
import type { KitContext } from '../../http/context.ts';
import { mountEndpoints } from '../../http/mount-endpoints.ts';
import { statusShape } from '../../http/status-shape.ts';
import { createFixture, type Fixture } from '../../http/testing/app-fixture.ts';
import { createEngineRunner } from '../../library/deployments/testing/engine-runner.ts';
import { ANN, BOB, openTestSetup, type TestSetup } from '../../library/deployments/testing/open-test-setup.ts';
import { deploymentEndpoints } from './deployments.ts';
import { SCRIPTS_ERRORS } from './errors.ts';
import { createStorageGuard } from './storage-refusal.ts';

const WEBHOOK_KEY = `whk_${'k'.repeat(43)}`;
const OTHER_KEY = `whk_${'o'.repeat(43)}`;
const OPINION = { type: 'second-opinion', apiKey: WEBHOOK_KEY, exchange: 'binance' };
const STRATEGY = `//@version=6
strategy("S", margin_long = 0, margin_short = 0)
if strategy.position_size == 0
    strategy.entry("L", strategy.long, 2)
`;

let setup: TestSetup;
let fixture: Fixture;
let visitor = ANN;
beforeEach(() => {
  visitor = ANN;
  const gateway = { arrived: async () => [], trade: async () => ({ status: 200, requestId: 'r' }) };
  setup = openTestSetup(1100, { content: STRATEGY, newRunner: createEngineRunner, isUnowned: true, gateway });
  fixture = createFixture({
    ...{ service: 'scripts', errors: SCRIPTS_ERRORS, shape: statusShape, defaultBodyLimitBytes: 1024 * 1024 },
  });
  checkAnswersOf(fixture.app);
  const authenticate = async (_: KitContext) => ({ userId: visitor, key: 'pn_', tier: 'hobby' }) as never;
  const deps = {
    ...{ authenticate, deployments: setup.deployments, stored: createStorageGuard(() => {}) },
    identifyKey: async (apiKey: string) => {
      if (apiKey === OTHER_KEY) return { keyId: 'ba9876543210', label: 'other' };
      return apiKey === WEBHOOK_KEY ? { keyId: '0123456789ab', label: 'tv' } : undefined;
    },
    monotonicMs: setup.clock.nowMs,
  };
  mountEndpoints(fixture.app, deploymentEndpoints(deps), { internal: () => {}, scriptKey: () => {} });
});
afterEach(() => setup.close());

async function send(method: string, path: string, body?: unknown) {
  const init = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const answer = await fixture.app.request(path, init, { peer: '198.51.100.1' });
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field
  return { status: answer.status, body: (await answer.json()) as any };
}
const deploy = (...targets: object[]) =>
  send('POST', '/api/deployments', { scriptId: 'cross', symbol: 'BINANCE:BTCUSDT', interval: '1m', targets });

describe('a second opinion', () => {
  test('is kept with its settings, the key by its id and label alone, and trades nothing by itself', async () => {
    const { status, body } = await deploy(OPINION);
    expect(status).toBe(201);
    expect(body.deployment).toMatchObject({ mode: 'dry-run', scriptType: 'strategy' });
    expect(body.deployment.targets).toEqual([
      {
        ...{ type: 'second-opinion', keyId: '0123456789ab', keyLabel: 'tv', exchange: 'binance', sendMissing: false },
        ...{ lateAfterSeconds: 15, sendAfterSeconds: 25, quantityTolerancePercent: 1, priceTolerancePercent: 0.5 },
      },
    ]);
  });

  test('is never sent before it is missing', async () => {
    const { body } = await deploy({ ...OPINION, lateAfterSeconds: 40, sendAfterSeconds: 5 });
    expect(body.deployment.targets[0]).toMatchObject({ lateAfterSeconds: 40, sendAfterSeconds: 40 });
  });

  test('has a name of its own under its key: a second one of that name is refused', async () => {
    const named = { ...OPINION, alertName: 'trend' };
    const first = await deploy(named);
    expect(first.status).toBe(201);
    const { id, name } = first.body.deployment;
    await send('POST', `/api/deployments/${id}/pause`);
    const second = await deploy(named);
    expect([second.status, second.body.code]).toEqual([400, 'INVALID_FIELD']);
    expect(second.body.message).toContain(`"trend" is the name of another second opinion`);
    expect(second.body.message).toContain(`the deployment "${name}" (${id}); choose another name`);
    expect((await send('GET', '/api/deployments')).body.deployments).toHaveLength(1);
    // The name that another one has by default is taken too; other names and other keys are free.
    expect((await deploy({ ...OPINION, alertName: 'other' })).status).toBe(201);
    const plain = await deploy(OPINION);
    expect(plain.status).toBe(201);
    const usual = String(plain.body.deployment.id).slice(-12);
    expect((await deploy({ ...OPINION, alertName: usual })).status).toBe(400);
    expect((await deploy({ ...named, apiKey: OTHER_KEY })).status).toBe(201);
    await send('DELETE', `/api/deployments/${id}`);
    expect((await deploy(named)).status).toBe(201);
  });

  test.each([
    ['a key that is not known', [{ ...OPINION, apiKey: 'x' }], /apiKey is no webhook key/],
    ['two of them', [OPINION, { ...OPINION, alertName: 'b' }], /two second opinions/],
    ['a trade target beside it', [OPINION, { type: 'trade', apiKey: WEBHOOK_KEY }], /remove the trade target/],
    ['a name with a slash', [{ ...OPINION, alertName: 'a/b' }], /is no name/],
    ['a wait of 0 s', [{ ...OPINION, lateAfterSeconds: 0 }], /lateAfterSeconds/],
    ['a wait of more than 55 s', [{ ...OPINION, sendAfterSeconds: 55.1 }], /sendAfterSeconds/],
    ['a field that tells orders apart', [{ ...OPINION, fields: { action: 'buy' } }], /cannot be added/],
    ['a tolerance below 0', [{ ...OPINION, priceTolerancePercent: -1 }], /priceTolerancePercent/],
    ['a tolerance above 100', [{ ...OPINION, quantityTolerancePercent: 101 }], /quantityTolerancePercent/],
  ])('with %s is refused', async (_, targets, message) => {
    const { status, body } = await deploy(...targets);
    expect([status, body.message]).toEqual([400, expect.stringMatching(message)]);
  });

  test('of a strategy must know where its orders go', async () => {
    const { exchange: _, ...nowhere } = OPINION;
    const plan = { scriptId: 'cross', symbol: 'BTCUSDT', interval: '1m', targets: [nowhere] };
    expect((await send('POST', '/api/deployments', plan)).body.message).toContain('Say where the orders');
  });
});

describe('GET /api/deployments/{id}/opinions', () => {
  const path = (id: string, query = '') => `/api/deployments/${id}/opinions${query}`;

  test('has the text to paste, with the names that our script expects', async () => {
    const { id } = (await deploy({ ...OPINION, strategy: 'my book', fields: { leverage: 3 } })).body.deployment;
    const { alert } = (await send('GET', path(id))).body;
    expect(alert.path).toBe('/webhook/tradingview');
    expect(JSON.parse(alert.message)).toEqual({
      apiKey: 'whk_PUT-YOUR-KEY-HERE',
      exchange: 'binance',
      symbol: 'BINANCE:BTCUSDT',
      action: '{{strategy.order.action}}',
      quantity: '{{strategy.order.contracts}}',
      marketPosition: '{{strategy.market_position}}',
      marketPositionSize: '{{strategy.market_position_size}}',
      prevMarketPosition: '{{strategy.prev_market_position}}',
      prevMarketPositionSize: '{{strategy.prev_market_position_size}}',
      strategy: 'my book',
      leverage: 3,
      comment: '{{strategy.order.id}} @ {{strategy.order.price}}',
      alertId: 'deployment-1/{{strategy.order.id}}/{{strategy.order.action}}/{{strategy.market_position}}/{{time}}',
    });
  });

  test('binds a size of your own at reversals too', async () => {
    const { id } = (await deploy({ ...OPINION, fields: { quantity: 0.5 } })).body.deployment;
    const { alert } = (await send('GET', path(id))).body;
    expect(JSON.parse(alert.message)).toMatchObject({ quantity: 0.5, ownQuantity: true });
  });

  test('has every opinion with its times, newest first, and counts', async () => {
    const { id } = (await deploy(OPINION)).body.deployment;
    await setup.deployments.start();
    await setup.closeBar();
    setup.market.tick();
    await setup.clock.advance(20_000);
    const { body } = await send('GET', path(id, '?limit=1'));
    expect(body.counts).toEqual({ missing: 1 });
    expect(body.opinions).toEqual([
      {
        ...{ alertId: expect.stringMatching(/^deployment-1\/L\/buy\/long\/20.*Z$/), state: 'missing', arrivedAt: null },
        ...{ barTime: setup.market.formingMs, expectedAt: expect.any(Number), updatedAt: expect.any(Number) },
        ...{ words: 'It did not come within 15.0 s.', requestId: null, sent: 'not sent: sendMissing is off' },
      },
    ]);
  });

  test('is empty, without a text, of a deployment that asked for none', async () => {
    const { id } = (await deploy({ type: 'signals' })).body.deployment ?? {};
    expect((await send('GET', path(id))).body).toEqual({ status: 'success', alert: null, counts: {}, opinions: [] });
  });

  test('is there for its owner alone, in the words of a deployment that is not there', async () => {
    const { id } = (await deploy(OPINION)).body.deployment;
    visitor = BOB;
    const foreign = await send('GET', path(id));
    expect(foreign.status).toBe(404);
    expect(foreign.body).toEqual((await send('GET', path('none'))).body);
  });

  test.each(['0', '1001', 'x', '-1'])('with a limit of %s is refused', async (limit) => {
    const { id } = (await deploy(OPINION)).body.deployment;
    const { status, body } = await send('GET', path(id, `?limit=${limit}`));
    expect([status, body.code]).toEqual([400, 'INVALID_FIELD']);
  });
});
