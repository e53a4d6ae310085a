// A start whose settings have lost the mode or the credentials of an account that still holds something: it is refused, so that a
// position of real money is never left unguarded while its signals trade on paper.

import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import type { EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';
import { WEBHOOK_KEY } from '../support/live-gateway.ts';
import { freshDataDir, runSignalbox, startGatewayProcess } from '../support/process.ts';

let dataDir: string;
let emulated: EmulatedVenue;
let live: Record<string, string>;
beforeEach(async () => {
  dataDir = freshDataDir();
  emulated = await startBinance();
  emulated.market.setPrice('BTCUSDT', '50000');
  const { apiKey, secret } = emulated.credentials;
  live = {
    ...{
      WEBHOOK_API_KEYS: WEBHOOK_KEY,
      BINANCE_MODE: 'live',
      CONFIRM_FIRST_LIVE_ORDER: 'no',
      BINANCE_BASE_URL: emulated.baseUrl,
    },
    ...{ BINANCE_API_KEY: apiKey, BINANCE_API_SECRET: secret },
  };
});
afterEach(async () => {
  await emulated.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Leaves a data folder as a process does that traded live and was killed. */
async function tradeAndDie(...signals: readonly object[]): Promise<void> {
  const { url, kill } = await startGatewayProcess({ dataDir, env: live });
  for (const fields of signals) {
    const signal = {
      apiKey: WEBHOOK_KEY,
      exchange: 'binance',
      action: 'LONG',
      symbol: 'BTCUSDT',
      quantity: 0.01,
      ...fields,
    };
    const response = await fetch(`${url}/webhook`, { method: 'POST', body: JSON.stringify(signal) });
    expect(response.status).toBe(200);
  }
  await kill();
}

const startWith = (env: Record<string, string>) => runSignalbox(['start'], { DATA_DIR: dataDir, ...env });

it('is refused while a position is open, and names it with the remedies; commands that look are not refused', async () => {
  await tradeAndDie({});
  const { code, stderr } = await startWith({});
  expect(code).toBe(1);
  expect(stderr).toContain('binance:main (LIVE) has open positions in BTCUSDT');
  expect(stderr).toContain('set BINANCE_MODE=live and its credentials again');
  expect(stderr).toContain('LEAVE_POSITIONS=binance:main:live');
  // An exchange that is off guards nothing either.
  const off = await startWith({ TRADING_MODE: 'live' });
  expect([off.code, off.stderr]).toEqual([1, expect.stringContaining('binance:main (LIVE) has open positions')]);
  const positions = await runSignalbox(['positions'], { DATA_DIR: dataDir });
  expect([positions.code, positions.stdout]).toEqual([0, expect.stringContaining('BTCUSDT')]);
});

it('is refused while an order rests at the venue', async () => {
  await tradeAndDie({ price: 40_000 });
  const { code, stderr } = await startWith({});
  expect([code, stderr]).toEqual([1, expect.stringContaining('binance:main (LIVE) has one unfinished trade')]);
});

it('succeeds where LEAVE_POSITIONS names that account, and the greeting and /ready say what is not guarded', async () => {
  await tradeAndDie({});
  const other = await startWith({ LEAVE_POSITIONS: 'binance:main:testnet,binance:scalp:live,bybit:main:live' });
  expect(other.code).toBe(1);
  const left = await startGatewayProcess({ dataDir, env: { LEAVE_POSITIONS: 'binance:main:live' } });
  const words =
    'binance:main (LIVE) has open positions in BTCUSDT, and is not open: nothing there is traded, guarded or closed';
  expect(left.output()).toContain(`Warning:      ${words}`);
  const ready = (await (await fetch(`${left.url}/ready`)).json()) as { warnings: readonly string[] };
  expect(ready.warnings).toEqual(expect.arrayContaining([expect.stringContaining(words)]));
  await left.stop();
});

it('succeeds with the mode as it was, and with nothing open', async () => {
  await tradeAndDie({});
  await tradeAndDie({ action: 'CLOSE_LONG' });
  const paper = await startGatewayProcess({ dataDir });
  expect(paper.output()).not.toContain('Warning:');
  await paper.stop();
});
