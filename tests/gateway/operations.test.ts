// Health, readiness, metrics and the API description, with the callers and the probes in the test's hands.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInternalGate } from '../../src/http/internal-auth.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { mountOperations } from '../../src/services/operations/index.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { expectEnvelope, expectRefusal } from '../webhook/answers.ts';

const TOKEN = 'a-token-of-the-owner';
const probes: Record<string, () => Promise<void>> = { journal: async () => {}, settings: async () => {} };

let askedMs = 0;
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openGateway({ internalToken: TOKEN });
  mountOperations(gateway.app, {
    version: '1.2.3',
    release: '4.5.6',
    environment: 'staging',
    mode: 'paper',
    venues: { binance: 'paper' },
    prices: 'simulated',
    websocket: true,
    metrics: createMetrics(),
    gate: createInternalGate({ token: TOKEN }),
    openApi: () => ({ openapi: '3.1.0' }),
    probes: () => probes,
    warnings: () => ['a warning'],
    settings: () => [{ name: 'QUEUE_MODE', value: 'async', source: 'stored' }],
    // Every look at this clock is a second later, so that each question is probed anew.
    monotonicMs: () => {
      askedMs += 1000;
      return askedMs;
    },
  });
});
afterAll(() => gateway.close());

const FROM_AFAR = { peer: '198.51.100.1' };

describe('GET /health', () => {
  it('answers anybody, with version, environment and mode', async () => {
    const sent = await gateway.request('GET', '/health', undefined, FROM_AFAR);
    expect(sent.status).toBe(200);
    expectEnvelope(sent);
    expect(sent.body).toEqual({
      success: true,
      requestId: expect.any(String),
      status: 'healthy',
      version: '1.2.3',
      release: '4.5.6',
      environment: 'staging',
      mode: 'paper',
      venues: { binance: 'paper' },
      prices: 'simulated',
      websocket: true,
    });
  });

  it('does not look at storage', async () => {
    probes.journal = () => Promise.reject(new Error('the disk is full'));
    expect((await gateway.request('GET', '/health')).status).toBe(200);
    probes.journal = async () => {};
  });
});

describe('GET /ready', () => {
  it('is 200 while every probe passes, and repeats the warnings', async () => {
    const { status, body } = await gateway.request('GET', '/ready');
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      requestId: expect.any(String),
      status: 'ready',
      mode: 'paper',
      checks: { journal: 'ok', settings: 'ok' },
      warnings: ['a warning'],
      settings: [{ name: 'QUEUE_MODE', value: 'async', source: 'stored' }],
    });
  });

  it('is 503 when a probe fails, and says which and why', async () => {
    probes.journal = () => Promise.reject(new Error('the disk is full'));
    const { status, body } = await gateway.request('GET', '/ready');
    expect(status).toBe(503);
    expect(body).toMatchObject({
      success: false,
      status: 'not ready',
      checks: { journal: 'the disk is full', settings: 'ok' },
    });
    probes.journal = async () => {};
  });
});

describe('GET /metrics', () => {
  const scrape = (headers: Record<string, string>, peer = '127.0.0.1') =>
    gateway.app.request('/metrics', { headers: { host: 'localhost', ...headers } }, { peer });

  it('answers this machine without a token, and anybody with it', async () => {
    for (const response of [
      await scrape({}),
      await scrape({ 'x-internal-auth-key': TOKEN, host: 'signals.example.com' }, FROM_AFAR.peer),
    ]) {
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toContain('text/plain');
      expect(await response.text()).toContain('process_cpu_seconds_total');
    }
  });

  it.each([
    ['from afar', {}, FROM_AFAR.peer],
    ['with a wrong token', { 'x-internal-auth-key': 'wrong' }, FROM_AFAR.peer],
    ['through a proxy', { 'x-forwarded-for': '127.0.0.1' }, '127.0.0.1'],
    ['under another name', { host: 'signals.example.com' }, '127.0.0.1'],
  ])('is 401 %s', async (_, headers: Record<string, string>, peer) => {
    expectRefusal(await gateway.request('GET', '/metrics', undefined, { peer, headers }), 'UNAUTHORIZED');
  });
});

describe('the other operations', () => {
  it('GET /docs is a page that may run nothing but itself', async () => {
    const response = await gateway.app.request('/docs', {}, FROM_AFAR);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(response.headers.get('x-request-id')).toBeTruthy();
  });

  it.each(['/health', '/ready', '/metrics', '/openapi.json', '/docs'])('POST %s is 405', async (path) => {
    const sent = await gateway.request('POST', path);
    expectRefusal(sent, 'METHOD_NOT_ALLOWED');
    expect(sent.headers.get('allow')).toBe('GET, HEAD');
  });
});
