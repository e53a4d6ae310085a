// The real program with a very tight stop over the simulated market: killed again and again, it closes the position once.

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { freshDataDir, type RunningProcess, startProcess } from '../support/process.ts';

const KEY = { WEBHOOK_API_KEYS: 'a-static-key-of-this-test' };
const PROTECTED = {
  apiKey: KEY.WEBHOOK_API_KEYS,
  exchange: 'binance',
  action: 'LONG',
  symbol: 'BTCUSDT',
  quantity: 0.01,
};

const POSITION = { exchange: 'binance', symbol: 'BTCUSDT', side: 'LONG' };

const ask = async (program: RunningProcess, method: string, path: string, body?: unknown) => {
  const init: RequestInit = { method, ...(body !== undefined && { body: JSON.stringify(body) }) };
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field
  return (await (await fetch(program.url + path, init)).json()) as any;
};
const list = async (program: RunningProcess, path: string) => (await ask(program, 'GET', path)).result;

describe('the program', () => {
  it.each([
    [0, 700, 1100],
    [300, 1000, 1500],
    [1200, 1400, 900],
  ])('killed after %d, %d and %d ms closes the position once, and has no stop left', async (...killAfterMs) => {
    const dataDir = freshDataDir();
    let program = await startProcess({ dataDir, env: KEY });
    expect((await ask(program, 'POST', '/webhook', { ...PROTECTED, trailPercent: 0.01 })).success).toBe(true);
    expect((await ask(program, 'GET', '/agent/status')).activeTrailingStops).toEqual(['binance:BTCUSDT:LONG']);
    for (const afterMs of killAfterMs) {
      await sleep(afterMs);
      await program.kill();
      program = await startProcess({ dataDir, env: KEY });
    }
    // Whoever is still waiting gets a stop of one tick: the simulated market goes down that far within seconds.
    await ask(program, 'POST', '/agent/trailing-stops', { ...POSITION, trailAmount: 0.1 });
    for (let tries = 0; (await list(program, '/positions')).length > 0; tries++) {
      expect(tries).toBeLessThan(600);
      await sleep(100);
    }
    const closes = (await list(program, '/trades?limit=100')).filter(
      ({ source }: { source: string }) => source === 'trailing-stop',
    );
    expect(closes).toMatchObject([{ status: 'Filled', executedQty: 0.01 }]);
    expect(await list(program, '/agent/trailing-stops')).toEqual([]);
    expect(await program.stop()).toBe(0);
    expect(program.output()).not.toContain('"level":"error"');
  });

  it('is ready only with its stops on disk', async () => {
    const program = await startProcess();
    expect((await ask(program, 'GET', '/ready')).checks.protection).toBeDefined();
    await program.stop();
  });
});
