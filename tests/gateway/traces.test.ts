// The life of a signal as a collector of OpenTelemetry sees it: one trace for each, by its request id, from the door to the fill; and
// trading that goes on whether or not anybody takes the traces.

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { closeAtEnd } from '../support/close-at-end.ts';
import { START_VENUE } from '../support/emulated-venues/start-venue.ts';
import { LIVE_KEY, openLiveGateway } from '../support/live-accounts-gateway.ts';
import { openCollector, type Span } from '../support/trace-collector.ts';

async function openTraded(endpoint: string, more: Record<string, string> = {}) {
  const emulated = await START_VENUE.binance();
  emulated.market.setPrice('BTCUSDT', '50000');
  closeAtEnd(() => emulated.close());
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...more };
  const gateway = await openLiveGateway({ venues: { binance: emulated }, env });
  closeAtEnd(() => gateway.close());
  const send = async (fields: object = {}, headers: Record<string, string> = {}) =>
    (await gateway.signal({ exchange: 'binance', idempotencyKey: randomUUID(), ...fields }, headers)) as unknown as {
      readonly status: number;
      readonly requestId: string;
    };
  return { ...gateway, send };
}

const SENDER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const TRACE_PARENT = `00-${SENDER.traceId}-${SENDER.spanId}-01`;
const namesOf = (spans: readonly Span[]): readonly string[] => spans.map(({ name }) => name).sort();
const factOf = ({ attributes }: Span, name: string): unknown =>
  attributes.find(({ key }) => key === `signalbox.${name}`)?.value;

test('a signal is one trace with every step of its life, linked to that of its sender', async () => {
  const collector = await openCollector();
  const headers = { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc', OTEL_SERVICE_NAME: 'desk' };
  const gateway = await openTraded(`${collector.url}/`, headers);
  const { status, requestId } = await gateway.send(
    { strategy: 'ema', notify: { chatId: '1', message: 'done' } },
    { traceparent: TRACE_PARENT },
  );
  expect(status).toBe(200);
  const steps = ['commit', 'execute', 'gates', 'notify', 'outcome', 'place order', 'queue', 'signal'];
  await expect.poll(() => namesOf(collector.of(requestId)), { timeout: 10_000 }).toEqual(steps);
  const spans = collector.of(requestId);
  const root = spans.find(({ name }) => name === 'signal') as Span;
  expect(root).toMatchObject({ kind: 2, links: [SENDER] });
  expect(root.parentSpanId).toBeUndefined();
  expect([factOf(root, 'market'), factOf(root, 'status')]).toEqual([{ stringValue: 'BTCUSDT' }, { intValue: '200' }]);
  for (const span of spans.filter((each) => each !== root)) {
    expect([span.name, span.parentSpanId]).toEqual([span.name, root.spanId]);
    expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
  }
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  const outcome = spans.find(({ name }) => name === 'outcome') as Span;
  expect(factOf(outcome, 'state')).toEqual({ stringValue: 'filled' });
  expect(spans.find(({ name }) => name === 'place order')).toMatchObject({ kind: 3 });
  expect(collector.heads[0]).toMatchObject({ authorization: 'Bearer abc', path: '/v1/traces' });
  expect(collector.text()).toContain('"service.name","value":{"stringValue":"desk"}');
  // Names and numbers alone leave the machine.
  expect(collector.text()).not.toContain(LIVE_KEY);
});

test('a refused signal is a trace too, and a header that is none makes no link', async () => {
  const collector = await openCollector();
  const gateway = await openTraded(collector.url);
  await gateway.put('/admin/kill-switch', { active: true });
  for (const traceparent of [
    'nonsense',
    `00-${'0'.repeat(32)}-${SENDER.spanId}-01`,
    `ff-${SENDER.traceId}-${SENDER.spanId}-01`,
  ]) {
    const { status, requestId } = await gateway.send({}, { traceparent });
    expect(status).toBe(503);
    await expect.poll(() => namesOf(collector.of(requestId)), { timeout: 10_000 }).toEqual(['gates', 'signal']);
    const [gates, signal] = ['gates', 'signal'].map((name) =>
      collector.of(requestId).find((span) => span.name === name),
    );
    expect(factOf(gates as Span, 'decision')).toEqual({ stringValue: 'KILL_SWITCH_ACTIVE' });
    expect(signal).toMatchObject({ status: { code: 2 } });
    expect(signal?.links).toBeUndefined();
  }
});

test.each([
  ['refuses', async () => (await openCollector({ status: 503 })).url],
  ['is away', async () => 'http://127.0.0.1:9'],
])('a collector that %s costs no signal anything: what it does not take is dropped and counted', async (_, open) => {
  const gateway = await openTraded(await open());
  const { status } = await gateway.send();
  expect(status).toBe(200);
  await expect.poll(() => gateway.metrics(), { timeout: 15_000 }).toMatch(/trace_spans_total\{outcome="dropped"\} 7/);
  expect(await gateway.metrics()).toContain('trace_spans_total{outcome="sent"} 0');
  expect(gateway.alarms()).toEqual([]);
  expect((await gateway.send()).status).toBe(200);
});

test('without an endpoint nothing is counted and nothing is told', async () => {
  const gateway = await openTraded('');
  expect((await gateway.send()).status).toBe(200);
  expect(await gateway.metrics()).not.toContain('trace_spans_total');
});
