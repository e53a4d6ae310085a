// One idempotency key, however many send it at the same instant, trades once.

import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { describe, expect, it } from 'vitest';
import { startGatewayProcess } from '../support/process.ts';
import { post } from '../support/senders.ts';

describe('one idempotency key sent by 50 connections at the same instant', () => {
  it('trades once and answers 409 to the others', async () => {
    const running = await startGatewayProcess({ env: { WEBHOOK_RATE_PER_MINUTE: '0' } });
    const agent = new Agent({ keepAlive: true, maxSockets: 50 });
    for (let round = 0; round < 5; round++) {
      const idempotencyKey = randomUUID();
      const signal = {
        apiKey: running.apiKey,
        exchange: 'bybit',
        action: 'LONG',
        symbol: 'ETHUSDT',
        quantity: 0.1,
        idempotencyKey,
      };
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => post(running.url, agent, JSON.stringify(signal))),
      );
      const statuses = answers.map((answer) => answer?.status).sort();
      expect(statuses).toEqual([200, ...Array.from({ length: 49 }, () => 409)]);
      const first = answers.find((answer) => answer?.status === 200)?.body.requestId;
      for (const answer of answers) if (answer?.status === 409) expect(answer.body.originalRequestId).toBe(first);
    }
    const { result } = (await (await fetch(`${running.url}/positions`)).json()) as { result: { quantity: number }[] };
    expect(result[0]?.quantity).toBe(0.5);
    agent.destroy();
    await running.stop();
  });
});
