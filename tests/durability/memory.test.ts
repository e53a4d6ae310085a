// A process that has traded for long holds no more than one that has just begun.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ASKABLE, liveHeapBytes } from '../support/inspector.ts';
import { type RunningProcess, startGatewayProcess } from '../support/process.ts';
import { sendAll } from '../support/senders.ts';

const SIGNALS = 2500;
/** Far less than a trade, an answer or a log line takes; what is compiled meanwhile has room in it. */
const MAX_BYTES_PER_SIGNAL = 500;
const EXCHANGES = ['binance', 'bybit', 'mexc'];

let server: RunningProcess;

beforeAll(async () => {
  server = await startGatewayProcess({
    env: { ...ASKABLE, WEBHOOK_RATE_PER_MINUTE: '0', LOG_LEVEL: 'warn' },
  });
});
afterAll(() => server.kill());

async function trade(total: number): Promise<void> {
  const sent = await sendAll({
    url: async () => server.url,
    total,
    connections: 20,
    onSent: () => {},
    next(index) {
      const idempotencyKey = randomUUID();
      const exchange = EXCHANGES[index % EXCHANGES.length];
      const action = index % 2 === 0 ? 'LONG' : 'CLOSE_LONG';
      const order = { exchange, action, symbol: 'BTCUSDT', quantity: 0.01, idempotencyKey };
      return { body: JSON.stringify({ apiKey: server.apiKey, ...order }), idempotencyKey };
    },
  });
  // A close may come before its opening and find nothing; everything else is executed.
  for (const { answer } of sent) expect([200, 422]).toContain(answer?.status);
}

it('holds nothing of the signals it has executed', async () => {
  await trade(SIGNALS);
  const before = await liveHeapBytes(server);
  await trade(SIGNALS);
  const perSignal = ((await liveHeapBytes(server)) - before) / SIGNALS;
  expect(perSignal).toBeLessThan(MAX_BYTES_PER_SIGNAL);
});
