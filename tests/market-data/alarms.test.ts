// A venue that dies under the real program, without Telegram: the log and /ready tell of it, and of its end.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { commandLineHere } from '../cli/command-line.ts';
import { type RunningProcess, startGatewayProcess } from '../support/process.ts';
import { VENUES } from '../support/venue-servers/open-feed.ts';
import type { VenueServer } from '../support/venue-servers/venue-server.ts';

const PATIENCE = { timeout: 60_000, interval: 100 };

let venue: VenueServer;
let running: RunningProcess;
beforeAll(async () => {
  venue = await VENUES.binance.start(Date.now);
  const addresses = { MARKET_DATA_REST_URL: venue.restUrl, MARKET_DATA_WS_URL: venue.wsUrl };
  running = await startGatewayProcess({ env: { MARKET_DATA: 'binance', SIGNAL_MAX_AGE_S: '3600', ...addresses } });
});
afterAll(async () => {
  await running.stop();
  await venue.close();
});

async function send(action: string) {
  const body = { apiKey: running.apiKey, exchange: 'bybit', action, symbol: 'BTCUSDT', quantity: 0.01 };
  const response = await fetch(`${running.url}/webhook`, { method: 'POST', body: JSON.stringify(body) });
  return (await response.json()) as { tradeResult: { status: string } };
}
async function ready() {
  const response = await fetch(`${running.url}/ready`);
  const { warnings } = (await response.json()) as { warnings: readonly string[] };
  return { status: response.status, warnings };
}

/** Lines of the log are written in pieces, once a second. */
const logged = (text: string) => vi.waitFor(() => expect(running.output()).toContain(text), PATIENCE);

describe('a venue and its market data', () => {
  it('raise no alarm while they answer', async () => {
    expect((await send('LONG')).tradeResult.status).toBe('Filled');
    expect(await ready()).toEqual({ status: 200, warnings: [] });
  });

  it('that die are in the log and among the warnings of /ready, since when, and of the doctor', async () => {
    venue.outage = 'reset';
    venue.socketFault = 'refuse';
    venue.cut();
    await vi.waitFor(async () => expect((await send('SHORT')).tradeResult.status).toBe('Enqueued'), PATIENCE);
    await vi.waitFor(async () => expect((await ready()).warnings).toHaveLength(3), PATIENCE);
    const { status, warnings } = await ready();
    expect(status).toBe(200);
    const words = [
      'bybit cannot be reached',
      'The market data of binance does not answer',
      'The live stream of BTCUSDT',
    ];
    for (const text of words) {
      expect(warnings).toContainEqual(expect.stringContaining(text));
      await logged(text);
    }
    for (const warning of warnings) expect(warning).toMatch(/ \(since \d{4}-\d\d-\d\dT[\d:.]+Z\)$/);
    expect(await commandLineHere({ DATA_DIR: running.dataDir }).done('doctor')).toContain('bybit cannot be reached');
  });

  it('that answer again are warned about no longer', async () => {
    venue.outage = undefined;
    venue.socketFault = undefined;
    await vi.waitFor(async () => expect((await ready()).warnings).toEqual([]), PATIENCE);
    await logged('over: bybit cannot be reached');
  });
});
