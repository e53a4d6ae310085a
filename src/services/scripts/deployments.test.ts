// /api/deployments through the front door: every route, every refusal with its code and status, and each user's own.

import { Validator } from '@seriousme/openapi-schema-validator';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StorageError } from '../../errors/storage-error.ts';
import { buildOpenApi } from '../../http/openapi.ts';
import { statusErrorSchema } from '../../http/status-shape.ts';
import type { Fixture } from '../../http/testing/app-fixture.ts';
import { MINUTE_MS } from '../../library/deployments/testing/hand-market.ts';
import { resultOf } from '../../library/deployments/testing/hand-runner.ts';
import { ANN, openTestSetup, type TestSetup } from '../../library/deployments/testing/open-test-setup.ts';
import { DEPLOYMENT_DOCS } from './deployment-schemas.ts';
import { BOBS_KEY, openDeployments, type Send, WANTED, WEBHOOK_KEY } from './testing/open-deployments.ts';

let setup: TestSetup;
let fixture: Fixture;
let faults: readonly unknown[];
let send: Send;

function open(isBound = true): void {
  ({ fixture, faults, send } = openDeployments(setup, isBound));
}

beforeEach(() => {
  setup = openTestSetup(1100);
  open();
});
afterEach(() => setup.close());

const deploy = (more: object = {}) => send('POST', '/api/deployments', { ...WANTED, ...more });

test('bars that are not those of its account are 409 with the remedy, at the deploy and when it is resumed', async () => {
  const targets = [{ type: 'trade', apiKey: WEBHOOK_KEY, exchange: 'binance' }];
  await setup.close();
  const own = new Map<string, string>();
  setup = openTestSetup(1100, { origin: { marketData: 'bybit', own } });
  open();
  const path = `/api/deployments/${(await deploy({ targets })).body.deployment.id}`;
  await send('POST', `${path}/pause`);
  own.set('binance', 'Binance has no testnet.');
  for (const refused of [await deploy({ targets }), await send('POST', `${path}/resume`)])
    expect(refused).toMatchObject({
      ...{ status: 409, body: { code: 'CONFLICT', message: expect.stringContaining('Binance has no testnet.') } },
    });
});

test('sent again under one idempotencyKey there is one, also at the same moment and in the place of a dry run', async () => {
  const idempotencyKey = '3f0c2a52-7d5e-4c39-9d3b-0a4c7d1f9e11';
  const dry = (await deploy({ targets: [{ type: 'trade', apiKey: WEBHOOK_KEY }], mode: 'dry-run' })).body.deployment.id;
  const wanted = { idempotencyKey, replaces: dry };
  const sent = await Promise.all([deploy(wanted), deploy({ ...wanted, idempotencyKey: idempotencyKey.toUpperCase() })]);
  expect(sent.map(({ status }) => status).sort()).toEqual([201, 409]);
  const made = sent.find(({ status }) => status === 201)!.body.deployment.id;
  const twice = { status: 409, body: { code: 'DUPLICATE_DEPLOYMENT', deploymentId: made } };
  expect(sent.find(({ status }) => status === 409)).toMatchObject(twice);
  // The key alone counts, and the dry run that it names is gone by now.
  expect(await deploy({ ...wanted, name: 'Another' })).toMatchObject(twice);
  expect((await send('GET', '/api/deployments')).body.deployments.map(({ id }) => id)).toEqual([made]);
  // Another's key is another one: the script that he has not is looked for.
  expect((await send('POST', '/api/deployments', { ...WANTED, idempotencyKey }, BOBS_KEY)).status).toBe(404);
  expect((await deploy({ idempotencyKey: 'twice' })).body.code).toBe('INVALID_FIELD');
  await send('DELETE', `/api/deployments/${made}`);
  expect((await deploy({ idempotencyKey })).status).toBe(201);
});

describe('POST /api/deployments', () => {
  test('answers 201 with the whole record, and never with the secret', async () => {
    const { status, body, text } = await deploy({ name: 'Mine', inputs: { Length: 5 } });
    expect(status).toBe(201);
    expect(body).toEqual({
      status: 'success',
      deployment: {
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        imports: [],
        id: 'deployment-1',
        scriptId: 'cross',
        revision: 7,
        name: 'Mine',
        symbol: 'BINANCE:BTCUSDT.P',
        interval: '1m',
        inputs: { Length: 5 },
        targets: [{ type: 'webhook', url: 'https://example.com/hook', signed: true }],
        state: 'running',
        createdAt: setup.clock.nowMs(),
        lastRunAt: null,
        lastBarTime: setup.market.formingMs - MINUTE_MS,
        lastError: null,
        runs: 0,
        scriptType: 'indicator',
        mode: 'trade',
        orderMessage: null,
        initialCapital: null,
        position: null,
        positionSince: null,
        drift: null,
        barsFrom: 'simulated',
        alerts: 0,
      },
      warnings: [],
    });
    expect(text).not.toContain('a-long-secret');
    expect(fixture.text()).not.toContain('a-long-secret');
  });

  test('keeps where orders go, in which mode, and what a fill says; refuses what none of them can be', async () => {
    const trade = { type: 'trade', apiKey: WEBHOOK_KEY, exchange: 'bybit', strategy: 'My cross' };
    const { body } = await deploy({
      targets: [trade],
      mode: 'dry-run',
      orderMessage: '{{strategy.order.action}}',
      initialCapital: 0.01,
    });
    expect(body.deployment).toMatchObject({
      targets: [{ type: 'trade', exchange: 'bybit', strategy: 'My cross' }],
      mode: 'dry-run',
      orderMessage: '{{strategy.order.action}}',
      initialCapital: 0.01,
    });
    for (const wrong of [
      { mode: 'paper' },
      { orderMessage: '' },
      { initialCapital: 0 },
      { initialCapital: -1 },
      { initialCapital: '1000' },
      { orderMessage: 'x'.repeat(2001) },
      { targets: [{ ...trade, exchange: 'kraken' }] },
      { targets: [{ ...trade, strategy: 'two  blanks' }] },
      { targets: [{ ...trade, strategy: 'x'.repeat(65) }] },
    ])
      expect((await deploy(wrong)).status).toBe(400);
    expect(
      (await deploy({ orderMessage: 'x'.repeat(2000), targets: [{ ...trade, strategy: 'x'.repeat(64) }] })).status,
    ).toBe(201);
  });

  test('keeps of a key that trades its id and label alone', async () => {
    const trade = { type: 'trade', apiKey: WEBHOOK_KEY };
    const { status, body, text } = await deploy({ targets: [trade] });
    expect(status).toBe(201);
    expect(body.deployment.targets).toEqual([{ type: 'trade', keyId: '0123456789ab', keyLabel: 'tv' }]);
    expect(text + fixture.text()).not.toContain(WEBHOOK_KEY);
    expect(JSON.stringify(await setup.deployments.all())).not.toContain(WEBHOOK_KEY);
    const wrong = await deploy({ targets: [{ ...trade, apiKey: 'whk_wrong' }] });
    expect([wrong.status, wrong.body.code]).toEqual([400, 'INVALID_FIELD']);
    expect(wrong.body.message).toContain('no webhook key that is known');
    const elsewhere = await deploy({ targets: [trade, { ...trade, exchange: 'bybit' }] });
    expect([elsewhere.status, elsewhere.body.message]).toEqual([
      400,
      expect.stringContaining('two of them are the same'),
    ]);
    const twice = await deploy({ targets: [trade, trade] });
    expect(twice.body.message).toContain('two of them are the same');
  });

  test.each([
    [{ scriptId: undefined }, 'MISSING_FIELD', 'scriptId'],
    [{ symbol: undefined }, 'MISSING_FIELD', 'symbol'],
    [{ interval: undefined }, 'MISSING_FIELD', 'interval'],
    [{ targets: undefined }, 'MISSING_FIELD', 'targets'],
    [{ extra: 1 }, 'UNKNOWN_FIELDS', 'extra'],
    [{ symbol: 'BTC USDT' }, 'INVALID_FIELD', 'symbol'],
    [{ symbol: 'x'.repeat(21) }, 'INVALID_FIELD', 'symbol'],
    [{ symbol: '::' }, 'INVALID_FIELD', 'symbol'],
    [{ symbol: 'NONE' }, 'INVALID_FIELD', 'there is no market NONE'],
    [{ interval: '1s' }, 'INVALID_FIELD', 'use a number and m, h, d or w'],
    [{ interval: '0m' }, 'INVALID_FIELD', 'interval'],
    [{ revision: 0 }, 'INVALID_FIELD', 'revision'],
    [{ revision: '7' }, 'INVALID_FIELD', 'revision'],
    [{ name: ' ' }, 'INVALID_FIELD', 'name'],
    [{ name: 'x'.repeat(201) }, 'INVALID_FIELD', 'name'],
    [{ inputs: [] }, 'INVALID_FIELD', 'inputs'],
    [{ inputs: { x: 'y'.repeat(17_000) } }, 'INVALID_FIELD', 'inputs'],
    [{ targets: [] }, 'INVALID_FIELD', 'targets'],
    [{ targets: Array(6).fill({ type: 'telegram' }) }, 'INVALID_FIELD', 'targets'],
    [{ targets: [{ type: 'telegram' }, { type: 'telegram' }] }, 'INVALID_FIELD', 'two of them are the same'],
    [{ targets: [{ type: 'pigeon' }] }, 'INVALID_FIELD', 'targets'],
    [{ targets: [{ type: 'telegram', chatId: 'x y' }] }, 'INVALID_FIELD', 'no chat'],
    [{ targets: [{ type: 'webhook', url: 'http://private/' }] }, 'INVALID_FIELD', 'It is private.'],
    [{ targets: [{ type: 'webhook', url: 'https://x.org', secret: 'short' }] }, 'INVALID_FIELD', 'no secret'],
    [{ targets: [{ type: 'signals', signalType: 'a b' }] }, 'INVALID_FIELD', 'letters, digits and _'],
  ])('refuses %j with 400 %s', async (more, code, words) => {
    const { status, body } = await deploy(more);
    expect([status, body.code]).toEqual([400, code]);
    expect(body.message).toContain(words);
    expect(await setup.deployments.list(ANN)).toEqual([]);
  });

  test('refuses what is no JSON object', async () => {
    for (const text of ['', '[]', '{', 'null'])
      expect((await send('POST', '/api/deployments', text)).body.code).toBe('INVALID_BODY');
  });

  test('refuses a script that does not compile with its diagnostics', async () => {
    const diagnostics = [{ line: 2, column: 1, endLine: 2, endColumn: 4, severity: 'error', code: 'X', message: 'no' }];
    setup.runner.answer = () => ({ kind: 'compile-failed', diagnostics }) as never;
    const { status, body } = await deploy();
    expect([status, body.code, body.diagnostics]).toEqual([400, 'SCRIPT_ERROR', diagnostics]);
  });

  test.each([
    [{ kind: 'runtime-error', message: 'no', barIndex: 1, line: 2, column: 3 }, 422, 'RUNTIME_ERROR'],
    [{ kind: 'input-fault', reason: '"Length" is wrong' }, 400, 'INVALID_FIELD'],
    [{ kind: 'timeout', reason: 'slow' }, 408, 'TIMEOUT'],
    [{ kind: 'too-large', reason: 'large' }, 422, 'MEMORY_LIMIT'],
    [{ kind: 'busy', reason: 'wait' }, 429, 'BUSY'],
    [{ kind: 'canceled', reason: 'stop' }, 503, 'STOPPING'],
    [{ kind: 'failed', reason: 'ours' }, 500, 'INTERNAL'],
  ] as const)('a trial run that ends with %j is %d %s', async (outcome, status, code) => {
    setup.runner.answer = () => outcome;
    const answer = await deploy();
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  test('a script or revision that is not there is 404, bars that cannot be read are 503', async () => {
    for (const more of [{ scriptId: 'none' }, { revision: 6 }]) {
      const { status, body } = await deploy(more);
      expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
    }
    setup.market.fault = new Error('down');
    const { status, body, headers } = await deploy();
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '1']);
  });

  test('the 21st of a key is 409 DEPLOYMENTS_FULL', async () => {
    for (let count = 0; count < 20; count += 1) expect((await deploy()).status).toBe(201);
    const { status, body } = await deploy();
    expect([status, body.code]).toEqual([409, 'DEPLOYMENTS_FULL']);
    expect(body.message).toContain('remove one first');
  });

  test('more than 30 a minute are 429 RATE_LIMIT, for this key only', async () => {
    for (let count = 0; count < 30; count += 1) expect((await deploy({ scriptId: 'none' })).status).toBe(404);
    const { status, body, headers } = await deploy();
    expect([status, body.code]).toEqual([429, 'RATE_LIMIT']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await send('POST', '/api/deployments', WANTED, BOBS_KEY)).status).toBe(404);
  });
});

describe('one deployment', () => {
  test('is listed, read, paused, resumed and removed', async () => {
    const { id } = (await deploy()).body.deployment;
    const path = `/api/deployments/${id}`;
    expect((await send('GET', '/api/deployments')).body.deployments.map((one) => one.id)).toEqual([id]);
    expect((await send('GET', path)).body.deployment).toMatchObject({ id, state: 'running' });
    for (let turn = 0; turn < 2; turn += 1)
      expect((await send('POST', `${path}/pause`)).body.deployment).toMatchObject({ state: 'paused' });
    for (let turn = 0; turn < 2; turn += 1)
      expect((await send('POST', `${path}/resume`)).body.deployment).toMatchObject({ state: 'running' });
    expect((await send('DELETE', path)).body).toEqual({ status: 'success', held: [], note: null });
    expect((await send('DELETE', path)).status).toBe(404);
  });

  test('that holds a position says so when it is paused, and is removed only with keep=true', async () => {
    const { id } = (await deploy()).body.deployment;
    const path = `/api/deployments/${id}`;
    const held = { shares: [{ strategy: 's', account: 'binance:main', quantity: 2 }], note: 'It still holds long 2.' };
    const { pause } = setup.deployments;
    setup.deployments.pause = async (...call) => ({ ...(await pause.apply(setup.deployments, call)), held }) as never;
    setup.deployments.remove = async (_, __, isKept) =>
      isKept ? { kind: 'removed', held } : { kind: 'holds', reason: held.note };
    const left = { held: held.shares, note: held.note };
    expect((await send('POST', `${path}/pause`)).body).toMatchObject({ deployment: { state: 'paused' }, ...left });
    for (const query of ['', '?keep=false']) {
      const refused = await send('DELETE', `${path}${query}`);
      expect([refused.status, refused.body.code, refused.body.message]).toEqual([409, 'CONFLICT', held.note]);
    }
    expect((await send('DELETE', `${path}?keep=yes`)).body.code).toBe('INVALID_FIELD');
    expect((await send('DELETE', `${path}?keep=true`)).body).toEqual({ status: 'success', ...left });
  });

  test('shows its last run, its alerts and its log', async () => {
    setup.runner.answer = (request) => resultOf(request, () => 1);
    const { id } = (await deploy()).body.deployment;
    await setup.closeBar();
    expect((await send('GET', `/api/deployments/${id}`)).body.deployment).toMatchObject({
      runs: 1,
      alerts: 1,
      lastRunAt: setup.clock.nowMs() - 1000,
      lastBarTime: setup.market.formingMs - MINUTE_MS,
    });
    const { logs } = (await send('GET', `/api/deployments/${id}/logs`)).body;
    expect(logs.map(({ kind }) => kind)).toEqual(['delivered', 'alert', 'run', 'created']);
    expect(logs[2]).toMatchObject({ barTime: setup.market.formingMs - MINUTE_MS, runMs: 3 });
    expect(logs[1]).toMatchObject({ eventId: expect.any(String) });
    expect((await send('GET', `/api/deployments/${id}/logs?limit=1`)).body.logs).toHaveLength(1);
    for (const limit of ['0', '501', '-1', '1.5', 'x', ''])
      expect((await send('GET', `/api/deployments/${id}/logs?limit=${limit}`)).body.code).toBe('INVALID_FIELD');
  });

  test('of another user is not there, in the very same words', async () => {
    const { id } = (await deploy()).body.deployment;
    const calls = [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['GET', '/logs'],
    ] as const;
    for (const [method, rest] of calls) {
      const others = await send(method, `/api/deployments/${id}${rest}`, undefined, BOBS_KEY);
      const none = await send(method, `/api/deployments/none${rest}`, undefined, BOBS_KEY);
      expect(others.status).toBe(404);
      expect(others.text).toBe(none.text);
    }
    expect((await send('GET', '/api/deployments', undefined, BOBS_KEY)).body.deployments).toEqual([]);
    expect((await send('GET', `/api/deployments/${id}`)).body.deployment).toMatchObject({ state: 'running' });
  });
});

describe('every route', () => {
  const routes = Object.values(DEPLOYMENT_DOCS).map(
    ({ method, path }) => [method.toUpperCase(), path.replace('{id}', 'x')] as const,
  );

  test.each(routes)('%s %s needs a key', async (method, path) => {
    expect((await send(method, path, undefined, '')).body.code).toBe('NO_KEY');
    expect((await send(method, path, undefined, `pn_${'3'.repeat(48)}`)).body.code).toBe('INVALID_KEY');
  });

  test.each(routes)('%s %s is 503 where no database is bound', async (method, path) => {
    open(false);
    const { status, body } = await send(method, path);
    expect([status, body.code]).toEqual([503, 'UNAVAILABLE']);
  });

  test.each(routes)('%s %s tells of a failing storage as a pause', async (method, path) => {
    setup.onStore = () => {
      throw new StorageError('the disk that holds /secret/deployments.db is full');
    };
    const { status, body, text } = await send(method, path, method === 'POST' ? WANTED : undefined);
    expect([status, body.code]).toEqual([503, 'UNAVAILABLE']);
    expect(text).not.toContain('/secret');
    expect(faults).toHaveLength(1);
  });

  test('is described for OpenAPI, with what it accepts', async () => {
    const document = buildOpenApi({
      title: 't',
      version: '1',
      description: 'd',
      endpoints: Object.values(DEPLOYMENT_DOCS),
      errorShapeSchema: statusErrorSchema,
    });
    const checked = await new Validator().validate(document as never);
    expect(checked.errors ?? []).toEqual([]);
    expect(JSON.stringify(document)).toContain('One of TELEGRAM_ALLOWED_CHATS');
  });
});
