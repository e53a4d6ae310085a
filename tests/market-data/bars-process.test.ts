// The real program and its archive of bars: the script process serves and keeps them, strangers never make it ask the venue,
// and commands fill the archive of a folder that nobody uses.

import { expect, it } from 'vitest';
import { commandLineHere } from '../cli/command-line.ts';
import { startGatewayProcess, startProcess } from '../support/process.ts';
import { VENUES } from '../support/venue-servers/open-feed.ts';

const SCRIPT = '//@version=6\nindicator("x")\nplot(close, "Close")';
const HOUR_MS = 3_600_000;

async function ask(url: string, body?: object) {
  const response = await fetch(url, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

it('bars of a venue are kept by the script process, and filled by a command while nothing runs', async () => {
  const venue = await VENUES.binance.start(Date.now);
  const addresses = { MARKET_DATA_REST_URL: venue.restUrl, MARKET_DATA_WS_URL: venue.wsUrl };
  const env = { MARKET_DATA: 'binance', ...addresses };
  const running = await startProcess({ env });
  const run = { script: SCRIPT, symbol: 'BTCUSDT', timeframe: '1h', bars: 20 };
  expect(await ask(`${running.url}/run`, run)).toMatchObject({ status: 422, body: { code: 'BARS_NOT_ARCHIVED' } });
  expect(venue.countOf('/klines')).toBe(0);

  expect(await ask(`${running.url}/bars?symbol=BTCUSDT&timeframe=1h&limit=30`)).toMatchObject({
    status: 200,
    body: { result: { source: 'binance', bars: { length: 30 } } },
  });
  expect(await ask(`${running.url}/bars?symbol=BTCUSD&timeframe=1h`)).toMatchObject({
    status: 422,
    body: { nearest: ['BTCUSDT'] },
  });
  const asked = venue.countOf('/klines');
  expect(await ask(`${running.url}/run`, run)).toMatchObject({ status: 200, body: { count: 20 } });
  expect(venue.countOf('/klines')).toBe(asked);
  expect(await ask(`${running.url}/markets?symbol=ETHUSDT&exchange=bybit`)).toMatchObject({
    body: { result: [{ symbol: 'ETHUSDT', maxLeverage: 100, lastPrice: null, source: 'binance' }] },
  });
  expect(await running.stop()).toBe(0);

  const cli = commandLineHere({ DATA_DIR: running.dataDir, ...env });
  expect(await cli.done('bars', 'list')).toMatch(/BTCUSDT +1h/);
  const from = new Date(Math.floor(Date.now() / HOUR_MS - 2500) * HOUR_MS).toISOString();
  const words = ['--symbol', 'BTCUSDT', '--timeframe', '1h', '--from', from];
  expect(await cli.done('bars', 'download', ...words)).toMatch(/2,50\d bars are kept, 2,4\d\d of them new\./);
  venue.outage = { status: 503 };
  expect(await cli.done('bars', 'gaps', ...words)).toMatch(/2,50\d bars are kept\. There are no gaps\./);

  const again = await startProcess({ dataDir: running.dataDir, env });
  const kept = await ask(`${again.url}/run`, { ...run, bars: 2490 });
  expect(kept).toMatchObject({ status: 200, body: { count: 2490, bars: { source: 'binance' } } });
  expect(await again.stop()).toBe(0);
  await venue.close();
});

it('where no scripts run there are bars, but no archive', async () => {
  const running = await startGatewayProcess();
  expect(await ask(`${running.url}/bars?symbol=BTCUSDT&timeframe=1h&limit=3`)).toMatchObject({
    status: 200,
    body: { result: { source: 'simulated', bars: { length: 3 } } },
  });
  expect(await ask(`${running.url}/bars/archive`)).toMatchObject({ body: { result: [] } });
  expect(await ask(`${running.url}/markets?symbol=BTCUSDT`)).toMatchObject({ body: { result: { length: 3 } } });
  expect(await running.stop()).toBe(0);
});
