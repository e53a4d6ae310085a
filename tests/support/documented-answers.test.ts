// The check of every answer is itself checked: it must notice each way in which an answer can differ from its description.

import { afterEach, describe, expect, it } from 'vitest';
import { nodeListener } from '../../src/http/node-listener.ts';
import { listen } from '../../src/http/server.ts';
import { createFixture } from '../../src/http/testing/app-fixture.ts';
import { apiDocument } from './api-document.ts';
import { takeAnswerFaults } from './check-answers.ts';
import { checkAnswersOf } from './checked-app.ts';
import { createAnswerChecker, NOT_IN_THE_TABLE, type SeenAnswer } from './documented-answers.ts';

const check = createAnswerChecker(await apiDocument());

const HEALTH = {
  ...{ success: true, requestId: 'r', status: 'healthy', version: '1', release: '2', environment: 'test' },
  ...{
    mode: 'paper',
    venues: { binance: 'paper', bybit: 'paper', mexc: 'paper' },
    prices: 'simulated',
    websocket: true,
  },
};
const REFUSED = { success: false, requestId: 'r', error: 'no', code: 'INVALID_PAYLOAD' };

const seen = (body: unknown, more: Partial<SeenAnswer> = {}): SeenAnswer => ({
  method: 'GET',
  path: '/health',
  status: 200,
  contentType: 'application/json',
  text: typeof body === 'string' ? body : JSON.stringify(body),
  ...more,
});

describe('an answer is as documented', () => {
  it.each<[string, SeenAnswer]>([
    ['with exactly its fields', seen(HEALTH)],
    ['under a path with a letter as percent sign and number', seen(HEALTH, { path: '/h%65alth' })],
    ['with a charset', seen(HEALTH, { contentType: 'application/json; charset=utf-8' })],
    ['to a HEAD, which has no body', seen('', { method: 'HEAD' })],
    [
      'with the faults of a body',
      seen({ ...REFUSED, faults: ['x'] }, { method: 'POST', path: '/webhook', status: 400 }),
    ],
    ['below a parameter', seen({ ...REFUSED, code: 'TRADE_NOT_FOUND' }, { path: '/trades/some-id', status: 404 })],
    ['that is no JSON', seen('<html>', { path: '/docs', contentType: 'text/html' })],
    ['that nobody gets', seen({}, { status: 499 })],
    ...NOT_IN_THE_TABLE.map(({ what, status, code }): [string, SeenAnswer] => [
      what,
      seen({ ...REFUSED, code }, { path: '/no/such/path', status }),
    ]),
  ])('%s', (_, answer) => {
    expect(check(answer)).toBeUndefined();
  });
});

describe('an answer is reported', () => {
  const { version: _, ...incomplete } = HEALTH;
  it.each<[string, SeenAnswer, string]>([
    ['with a field too many', seen({ ...HEALTH, secret: 1 }), 'must NOT have additional properties: "secret"'],
    ['with a field too few', seen(incomplete), "must have required property 'version'"],
    ['with a field of another type', seen({ ...HEALTH, websocket: 'yes' }), '/websocket must be boolean'],
    ['with a value it cannot have', seen({ ...HEALTH, status: 'ill' }), '/status must be equal to constant'],
    ['that is null where a text must be', seen({ ...HEALTH, version: null }), '/version must be string'],
    ['with a status that is not described', seen(HEALTH, { status: 418 }), 'describes only 200, 500 for GET /health'],
    [
      'with an error code that its description does not name',
      seen({ ...REFUSED, code: 'TRADE_UNKNOWN' }, { path: '/trades/some-id', status: 404 }),
      'its 404 names no code TRADE_UNKNOWN',
    ],
    ['that only says that it is JSON', seen('{'), 'the body is no JSON'],
    ['of a path that is not in the table', seen(HEALTH, { path: '/helth' }), 'no endpoint of openapi.json'],
    ['with a 404 of an endpoint that has none', seen({ ...REFUSED, code: 'NOT_FOUND' }, { status: 404 }), 'only 200'],
    [
      'of a path that nobody serves in another shape',
      seen({ code: 'NOT_FOUND' }, { path: '/no/such/path', status: 404 }),
      "required property 'error'",
    ],
  ])('%s', (_, answer, words) => {
    expect(check(answer)).toContain(words);
    expect(check(answer)).toMatch(/^GET \S+ answered \d+, but /);
  });
});

describe('the answers of a test', () => {
  afterEach(() => {
    // What this file provokes must not fail it.
    takeAnswerFaults();
  });

  const lying = () => {
    const { app } = createFixture();
    app.get('/health', (c) => c.json({ status: 'fine' }));
    return app;
  };

  it('are compared where an app is asked without a socket', async () => {
    const app = checkAnswersOf(lying());
    expect(await (await app.request('/health')).json()).toEqual({ status: 'fine' });
    expect(takeAnswerFaults()).toEqual([expect.stringMatching(/^GET \/health answered 200, but/)]);
    expect(takeAnswerFaults()).toEqual([]);
  });

  it('are compared where a program is asked over a socket', async () => {
    const server = await listen({ listener: nodeListener(lying()), host: '127.0.0.1', port: 0 });
    expect(await (await fetch(`${server.url}/health?really`)).json()).toEqual({ status: 'fine' });
    expect(takeAnswerFaults()).toEqual([expect.stringMatching(/^GET \/health answered 200, but/)]);
    await server.stop(1000);
  });
});
