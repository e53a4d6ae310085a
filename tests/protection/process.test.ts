// The real program with a very tight stop over the simulated market: killed again and again, it closes the position once.

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSimulatedMarket } from '../../src/adapters/market-data/simulated/simulated-market.ts';
import { freshDataDir, type RunningProcess, startGatewayProcess } from '../support/process.ts';

const KEY = { WEBHOOK_API_KEYS: 'a-static-key-of-this-test' };
const PROTECTED = {
  apiKey: KEY.WEBHOOK_API_KEYS,
  exchange: 'binance',
  action: 'LONG',
  symbol: 'BTCUSDT',
  quantity: 0.01,
  trailPercent: 0.01,
};
const SEEDS = 500;
/** The position is opened within this time, unless the machine is very slow; then the test only waits longer. */
const OPENED_WITHIN_S = 12;
const LOOK_AHEAD_S = 60;

const ask = async (program: RunningProcess, method: string, path: string, body?: unknown) => {
  const init: RequestInit = { method, ...(body !== undefined && { body: JSON.stringify(body) }) };
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field
  return (await (await fetch(program.url + path, init)).json()) as any;
};
const list = async (program: RunningProcess, path: string) => (await ask(program, 'GET', path)).result;
const closesOf = async (program: RunningProcess) =>
  (await list(program, '/trades?limit=100')).filter(({ source }: { source: string }) => source === 'trailing-stop');

/**
 * The simulated market is known beforehand: the seed with which it falls to such a stop soonest, whenever the position is
 * opened. So a test does not wait for the market's mood.
 */
async function seedOfAFallingMarket(): Promise<number> {
  const fromMs = Math.ceil(Date.now() / 1000) * 1000;
  const toMs = fromMs + LOOK_AHEAD_S * 1000;
  let best = { seed: 0, longestWaitS: Number.POSITIVE_INFINITY };
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const market = createSimulatedMarket({ seed, nowMs: () => toMs });
    const prices = (await market.bars('BTCUSDT', 1000, fromMs, toMs)).map(({ close }) => close);
    const waits = Array.from({ length: OPENED_WITHIN_S }, (_, startS) => waitOf(prices.slice(startS)));
    const longestWaitS = Math.max(...waits);
    if (longestWaitS < best.longestWaitS) best = { seed, longestWaitS };
  }
  return best.seed;
}

/** Seconds until a price is well below the highest one before it. */
function waitOf(prices: readonly number[]): number {
  let peak = 0;
  const at = prices.findIndex((price) => {
    peak = Math.max(peak, price);
    return price < peak * 0.99985;
  });
  return at < 0 ? Number.POSITIVE_INFINITY : at;
}

describe.concurrent('the program', () => {
  it.each([
    [0, 700, 1100],
    [300, 1000, 1500],
    [1200, 1400, 900],
  ])('killed after %d, %d and %d ms closes the position once, and has no stop left', async (...killAfterMs) => {
    const options = {
      dataDir: freshDataDir(),
      env: { ...KEY, MARKET_SEED: String(await seedOfAFallingMarket()) },
    };
    let program = await startGatewayProcess(options);
    expect((await ask(program, 'POST', '/webhook', PROTECTED)).success).toBe(true);
    const { activeTrailingStops } = await ask(program, 'GET', '/agent/status');
    // The market may have been looked at already, and then the position is closed.
    if (activeTrailingStops.length === 0) expect(await closesOf(program)).toHaveLength(1);
    else expect(activeTrailingStops).toEqual(['binance:BTCUSDT:LONG']);
    for (const afterMs of killAfterMs) {
      await sleep(afterMs);
      await program.kill();
      program = await startGatewayProcess(options);
    }
    for (let tries = 0; (await list(program, '/positions')).length > 0; tries++) {
      expect(tries).toBeLessThan(1200);
      await sleep(100);
    }
    expect(await closesOf(program)).toMatchObject([{ status: 'Filled', executedQty: 0.01 }]);
    expect(await list(program, '/agent/trailing-stops')).toEqual([]);
    expect(await program.stop()).toBe(0);
    expect(program.output()).not.toContain('"level":"error"');
  });
});
