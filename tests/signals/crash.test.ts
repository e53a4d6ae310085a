// Signals that were acknowledged are listed after kill -9, from whichever door they came, each once.

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type RunningProcess, startGatewayProcess } from '../support/process.ts';
import { eventually } from '../webhook/answers.ts';
import type { Listed } from './records.ts';

const ROUNDS = 3;
const SENDERS = 8;

/** Sends one signal after the other until the process is gone, and writes down the ids that were acknowledged. */
async function sendUntilGone(program: RunningProcess, apiKey: string, at: number, acknowledged: string[]) {
  const note = { symbol: 'BTCUSDT', signal_type: 'NOTE', source: `sender ${at}`, timestamp: at % 2 };
  const trade = { apiKey, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.001 };
  // With a key of its own each: after a crash, bodies without one are guarded against resends.
  const next = () => (at % 2 === 0 ? note : { ...trade, idempotencyKey: randomUUID() });
  const url = `${program.url}${at % 2 === 0 ? '/signals' : '/webhook'}`;
  for (;;) {
    try {
      const response = await fetch(url, { method: 'POST', body: JSON.stringify(next()) });
      if (response.ok) acknowledged.push(((await response.json()) as { requestId: string }).requestId);
    } catch {
      return;
    }
  }
}

async function everyId(url: string): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const before = ids.length === 0 ? '' : `&before=${ids.at(-1)}`;
    const { result } = (await (await fetch(`${url}/signals?limit=100${before}`)).json()) as { result: Listed[] };
    ids.push(...result.map(({ signal_id }) => signal_id));
    if (result.length < 100) return ids;
  }
}

describe('kill -9', () => {
  it('loses no acknowledged signal and doubles none', async () => {
    const env = { WEBHOOK_RATE_PER_MINUTE: '0', QUEUE_MODE: 'async', LOG_LEVEL: 'warn' };
    let program = await startGatewayProcess({ env });
    const { dataDir, apiKey } = program;
    const acknowledged: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const sent: string[][] = Array.from({ length: SENDERS }, () => []);
      const senders = sent.map((ids, at) => sendUntilGone(program, apiKey as string, at, ids));
      await eventually(
        () => sent.every((ids) => ids.length > 0),
        (everybody) => everybody,
      );
      await new Promise((resolve) => setTimeout(resolve, 50 + 70 * round));
      await program.kill();
      await Promise.all(senders);
      acknowledged.push(...sent.flat());
      program = await startGatewayProcess({ dataDir, env });
    }
    const listed = await everyId(program.url);
    await program.stop();
    expect(new Set(listed).size).toBe(listed.length);
    const known = new Set(listed);
    expect(acknowledged.filter((id) => !known.has(id))).toEqual([]);
    // What was on its way when the process died may be there too, but only that.
    expect(listed.length - acknowledged.length).toBeLessThanOrEqual(ROUNDS * SENDERS);
  });
});
