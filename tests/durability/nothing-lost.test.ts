// Nothing lost, nothing twice, nothing out of order: the promise Signalbox stands on, tested on the real process with kill -9.

import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { describe, expect, it } from 'vitest';
import { killAgainAndAgain } from '../support/nothing-lost.ts';
import { startGatewayProcess } from '../support/process.ts';
import { post } from '../support/senders.ts';

/**
 * Every kill cuts up to 50 signals off in the middle, so about a third of these get no answer; half of the rest close
 * nothing. `npm run soak` and `npm run soak order` do the same with thousands of signals and as many kills as wished.
 */
const SIGNALS = 600;
const CONNECTIONS = 50;
const KILLS = 4;
/** Every second life has a slow disk: that gives a signal the time to overtake another, and a kill to come in between. */
const syncDelayMs = (kills: number): number => (kills % 2 === 0 ? 15 : 0);

describe('a process killed with SIGKILL at random moments under load', () => {
  for (const mode of ['direct', 'async', 'failover'] as const) {
    it(`gives every acknowledged signal exactly one outcome, in order and never twice, in ${mode} mode`, async () => {
      const run = { mode, signals: SIGNALS, connections: CONNECTIONS, kills: KILLS, syncDelayMs };
      const report = await killAgainAndAgain(run);
      expect(report.faults).toEqual([]);
      expect(report.kills).toBeGreaterThanOrEqual(KILLS);
      expect(report.sent.length).toBeGreaterThanOrEqual(SIGNALS);
      // The run must have been a real one: many were answered, and some were cut off in the middle.
      expect(report.acknowledged).toBeGreaterThan(SIGNALS / 6);
      expect(report.unanswered).toBeGreaterThan(0);
    });
  }
});

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
