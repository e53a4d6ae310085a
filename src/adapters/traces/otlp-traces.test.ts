// What a collector does not take is dropped and counted: the buffer has an end, a stop does not wait, and nothing goes elsewhere.

import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { backgroundTimers } from '../../timing/timers.ts';
import { createOtlpTraces } from './otlp-traces.ts';

const REQUEST_ID = '01a1dcfb-43dd-718a-8fef-6c14d5d4f14c';
const MOST = 8192;

const opened: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of opened.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listening(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  opened.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a collector that names another address gets what it was sent, and nobody gets it there: its headers hold a key', async () => {
  const elsewhere: IncomingHttpHeaders[] = [];
  const other = await listening(({ headers }, response) => {
    elsewhere.push(headers);
    response.end();
  });
  const endpoint = await listening((_, response) => response.writeHead(307, { location: other }).end());
  const told = Promise.withResolvers<string>();
  const traces = createOtlpTraces({
    ...{ endpoint, headers: { 'x-key': 'secret' }, serviceName: 'test', version: '1', timers: backgroundTimers },
    nowMs: () => Date.now(),
    clockMs: () => 0,
    onSent: () => told.resolve('sent'),
    onDropped: (_, why) => told.resolve(why),
  });
  traces.add(REQUEST_ID, 'signal', { tookMs: 1 });
  void traces.close();
  expect(await told.promise).toBe('it answered 307');
  expect(elsewhere).toEqual([]);
});

test('a silent collector fills the buffer and no more, and a stop leaves it', async () => {
  const endpoint = await listening(() => {});
  let dropped = 0;
  const traces = createOtlpTraces({
    ...{ endpoint, headers: {}, serviceName: 'test', version: '1', timers: backgroundTimers },
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
});
