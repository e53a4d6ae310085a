// What the log says of a collector that takes no traces, and of one that takes them again.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createMetrics } from '../http/metrics.ts';
import { createTeardown } from './teardown.ts';
import { openTraces } from './traces.ts';

test('a collector that takes nothing is told once, and again when it takes some', async () => {
  let status = 503;
  const collector = createServer((incoming, outgoing) =>
    incoming.resume().on('end', () => outgoing.writeHead(status).end()),
  );
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const lines: string[] = [];
  const write = (fields: object, words: string): void =>
    void lines.push(`${words.split(':')[0]} ${JSON.stringify(fields)}`);
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const config = { traces: { endpoint, headers: {}, serviceName: 'desk' } };
  const teardown = createTeardown();
  const metrics = createMetrics();
  const traces = openTraces({ config, metrics, log: { info: write, warn: write } }, teardown);
  const dropped = async (count: number): Promise<void> => {
    const line = new RegExp(`trace_spans_total\\{outcome="dropped"\\} ${count}\\b`);
    traces?.add('01a1f517-d6ef-71c4-8830-1974a4ff96ed', 'gates', { tookMs: 1 });
    await expect.poll(() => metrics.registry.metrics(), { timeout: 10_000 }).toMatch(line);
  };
  await dropped(1);
  await dropped(2);
  expect(lines).toEqual(['traces are lost {"reason":"it answered 503"}']);
  status = 200;
  traces?.add('01a1f517-d6ef-71c4-8830-1974a4ff96ed', 'gates', { tookMs: 1 });
  await expect.poll(() => lines.slice(1), { timeout: 10_000 }).toEqual(['the collector takes traces again {}']);
  await teardown.run();
  await new Promise((resolve) => collector.close(resolve));
});
