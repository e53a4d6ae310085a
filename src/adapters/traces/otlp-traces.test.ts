// The buffer of traces has an end: what comes while a collector is silent is dropped and counted, and a stop does not wait for it.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { backgroundTimers } from '../../timing/timers.ts';
import { createOtlpTraces } from './otlp-traces.ts';

const REQUEST_ID = '01a1dcfb-43dd-718a-8fef-6c14d5d4f14c';
const MOST = 8192;

test('a silent collector fills the buffer and no more, and a stop leaves it', async () => {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let dropped = 0;
  const traces = createOtlpTraces({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ headers: {}, serviceName: 'test', version: '1', timers: backgroundTimers },
    nowMs: () => Date.now(),
    clockMs: () => 0,
    onSent: () => expect.unreachable(),
    onDropped: (count) => {
      dropped += count;
    },
  });
  for (let i = 0; i < MOST; i += 1) traces.add(REQUEST_ID, 'signal', { tookMs: 1 });
  expect(dropped).toBe(0);
  traces.add(REQUEST_ID, 'signal', { tookMs: 1 });
  expect(dropped).toBe(1);
  // It comes to its end although nothing was answered.
  await traces.close();
  expect(dropped).toBe(1);
  server.closeAllConnections();
  server.close();
});
