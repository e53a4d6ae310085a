// Testnet and live by the settings alone, through the real program: what starts, what is refused, and what a command asks of a venue.

import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import type { EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';
import { freshDataDir, runSignalbox, startGatewayProcess } from '../support/process.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = freshDataDir();
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const signal = (url: string, apiKey: string | undefined, fields: object) =>
  fetch(`${url}/webhook`, {
    method: 'POST',
    body: JSON.stringify({ apiKey, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01, ...fields }),
  }).then(async (response) => ({ status: response.status, body: await response.json() }));

describe('signalbox start without credentials', () => {
  it.each(['testnet', 'live'])('under TRADING_MODE=%s every exchange is off, none is on paper', async (mode) => {
    const { url, apiKey, stop } = await startGatewayProcess({ dataDir, env: { TRADING_MODE: mode } });
    for (const exchange of ['binance', 'bybit', 'mexc'])
      expect(await signal(url, apiKey, { exchange })).toMatchObject({
        status: 422,
        body: { code: 'VENUE_NOT_CONFIGURED', success: false },
      });
    expect(await (await fetch(`${url}/accounts`)).json()).toMatchObject({ result: [] });
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({
      ...{ mode, venues: { binance: 'off', bybit: 'off', mexc: 'off' } },
    });
    await stop();
  });

  it.each([
    ['BINANCE_MODE', 'live', 'BINANCE_MODE: Binance is set to live and has no credentials; set BINANCE_API_KEY and'],
    ['BYBIT_MODE', 'testnet', 'BYBIT_MODE: Bybit is set to testnet and has no credentials'],
    ['MEXC_MODE', 'testnet', 'MEXC_MODE: MEXC has no testnet; set MEXC_MODE to paper or live'],
  ])('%s=%s refuses to start and says what to set', async (name, mode, words) => {
    const { code, stderr } = await runSignalbox(['start'], { DATA_DIR: dataDir, [name]: mode });
    expect([code, stderr]).toEqual([1, expect.stringContaining(words)]);
  });
});

describe('with an emulated venue', () => {
  let emulated: EmulatedVenue;
  let env: Record<string, string>;
  beforeEach(async () => {
    emulated = await startBinance();
    emulated.market.setPrice('BTCUSDT', '50000');
    const { apiKey, secret } = emulated.credentials;
    env = {
      BINANCE_MODE: 'live',
      CONFIRM_FIRST_LIVE_ORDER: 'no',
      BINANCE_BASE_URL: emulated.baseUrl,
      BINANCE_API_KEY: apiKey,
      BINANCE_API_SECRET: secret,
    };
  });
  afterEach(() => emulated.close());

  it('/health and /ready tell the accounts that are open, not what the settings would allow', async () => {
    const { BINANCE_API_KEY = '', BINANCE_API_SECRET = '', ...rest } = env;
    const stored = { DATA_DIR: dataDir, ...rest };
    const credentials = `${BINANCE_API_KEY}\n${BINANCE_API_SECRET}\n`;
    const added = await runSignalbox(
      ['accounts', 'add', 'binance:main', '--mode', 'testnet'],
      ...([stored, undefined, credentials] as const),
    );
    expect([added.code, added.stderr]).toEqual([0, expect.any(String)]);
    const { url, stop } = await startGatewayProcess({ dataDir, env: rest });
    const venues = { binance: 'testnet', bybit: 'paper', mexc: 'paper' };
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ mode: 'testnet', venues });
    expect(await (await fetch(`${url}/ready`)).json()).toMatchObject({ mode: 'testnet' });
    await stop();
  });

  it('a signal becomes an order there; a command on the stopped data folder shows the books and uses no key', async () => {
    const started = await startGatewayProcess({ dataDir, env });
    expect(started.output()).toContain(`LIVE MONEY on binance:main (key ${env.BINANCE_API_KEY?.slice(0, 4)}…,`);
    expect(started.output()).not.toContain(env.BINANCE_API_SECRET);
    expect(started.output()).toMatch(/Warning: .*simulated prices.* binance:main \(LIVE\) .*set MARKET_DATA=binance/);
    expect(await (await fetch(`${started.url}/health`)).json()).toMatchObject({
      ...{ mode: 'live', venues: { binance: 'live', bybit: 'paper', mexc: 'paper' }, prices: 'binance, simulated' },
    });
    expect(await (await fetch(`${started.url}/ready`)).json()).toMatchObject({ mode: 'live' });
    expect(await signal(started.url, started.apiKey, {})).toMatchObject({
      status: 200,
      body: { tradeResult: { mode: 'live', status: 'Filled' } },
    });
    await started.stop();
    const asked = emulated.requests.length;
    const here = { DATA_DIR: dataDir, ...env };
    const accounts = await runSignalbox(['accounts'], here);
    expect([accounts.code, accounts.stdout]).toEqual([0, expect.stringMatching(/binance +main +LIVE +- +-/)]);
    const positions = await runSignalbox(['positions'], here);
    expect([positions.code, positions.stdout]).toEqual([0, expect.stringContaining('BTCUSDT')]);
    expect((await runSignalbox(['account'], here)).code).toBe(0);
    // Prices are anybody's to ask for.
    expect(emulated.requests.slice(asked).filter(({ headers }) => headers['x-mbx-apikey'] !== undefined)).toEqual([]);
  });
});
