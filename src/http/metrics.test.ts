// Metrics: what they count, and who may see them.
import { describe, expect, test } from 'vitest';
import { createInternalGate, internalGates } from './internal-auth.ts';
import { createMetrics, metricsPage } from './metrics.ts';
import { mountEndpoints } from './mount-endpoints.ts';
import { createFixture } from './testing/app-fixture.ts';

async function linesOf(metrics: ReturnType<typeof createMetrics>, start: string): Promise<string[]> {
  return (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(start));
}

describe('the HTTP metrics', () => {
  test('count requests by service, route, method and status', async () => {
    const metrics = createMetrics();
    const meter = metrics.httpMeter('gateway', '/webhook', 'POST');
    meter.observe(200, 0.001);
    meter.observe(200, 0.002);
    meter.observe(429, 0.001);
    expect(metrics.httpMeter('gateway', '/webhook', 'POST')).toBe(meter);
    expect(await linesOf(metrics, 'http_requests_total{')).toEqual([
      'http_requests_total{service="gateway",route="/webhook",method="POST",status="200"} 2',
      'http_requests_total{service="gateway",route="/webhook",method="POST",status="429"} 1',
    ]);
  });

  test('put each duration in its bucket, bounds included, and keep sum and count', async () => {
    const metrics = createMetrics();
    for (const method of ['GET', 'POST']) {
      const meter = metrics.httpMeter('gateway', '/x', method);
      for (const seconds of [0, 0.0001, 0.00011, 10, 11]) meter.observe(200, seconds);
    }
    const lines = await linesOf(metrics, 'http_request_seconds');
    const value = (le: string) => lines.find((line) => line.includes(`le="${le}"`))?.split(' ')[1];
    expect(value('0.0001')).toBe('4');
    expect(value('0.00025')).toBe('6');
    expect(value('2.5')).toBe('6');
    expect(value('10')).toBe('8');
    expect(value('+Inf')).toBe('10');
    expect(lines.at(-1)).toBe('http_request_seconds_count{service="gateway",route="/x"} 10');
    expect(lines.at(-2)).toMatch(/^http_request_seconds_sum\{service="gateway",route="\/x"\} 42\.00042/);
  });

  test('stay bounded however many routes are asked for', async () => {
    const metrics = createMetrics();
    for (let i = 0; i < 5000; i += 1) metrics.httpMeter('gateway', `/${i}`, 'GET').observe(200, 1);
    expect(await linesOf(metrics, 'http_requests_total{')).toHaveLength(4096);
  });
});

test('further counters, gauges and histograms land in the same registry', async () => {
  const metrics = createMetrics();
  metrics.counter({ name: 'signals_total', help: 'Signals.', labels: ['venue'] }).inc({ venue: 'binance' });
  metrics.gauge({ name: 'lanes', help: 'Lanes.', collect: () => 7 });
  metrics.histogram({ name: 'fill_seconds', help: 'Fills.', buckets: [1, 2] }).observe(1.5);
  expect(await linesOf(metrics, 'signals_total{')).toEqual(['signals_total{venue="binance"} 1']);
  expect(await linesOf(metrics, 'lanes ')).toEqual(['lanes 7']);
  expect(await linesOf(metrics, 'fill_seconds_bucket{le="2"}')).toEqual(['fill_seconds_bucket{le="2"} 1']);
  expect(await linesOf(metrics, 'process_cpu_seconds_total')).toHaveLength(1);
});

describe('GET /metrics', () => {
  const { app, metrics } = createFixture();
  const about = { method: 'get', path: '/metrics', door: 'loopback', summary: 'x', tags: [], responses: {} } as const;
  const gates = internalGates(createInternalGate({ token: 'abc' }));
  mountEndpoints(app, [{ ...about, handler: metricsPage(metrics) }], gates);

  test.each([
    ['127.0.0.1', { host: 'localhost' }, 200],
    ['203.0.113.7', { 'x-internal-auth-key': 'abc' }, 200],
    ['203.0.113.7', { host: 'localhost' }, 401],
    ['203.0.113.7', { 'x-internal-auth-key': 'abd' }, 401],
    ['127.0.0.1', { host: 'evil.example' }, 401],
  ])('asked by %s with %o answers %i', async (peer, headers, status) => {
    const answer = await app.request('/metrics', { headers: headers as Record<string, string> }, { peer });
    expect(answer.status).toBe(status);
    if (status === 200) {
      expect(answer.headers.get('content-type')).toContain('text/plain');
      expect(await answer.text()).toContain('# TYPE http_requests_total counter');
    }
  });
});
