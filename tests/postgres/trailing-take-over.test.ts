// The owner of the desk dies, or stands still and wakes later, while trailing stops follow the market: whoever takes over goes on from the
// stored peak, and each fires once.

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { toText, ZERO } from '../../src/trading/decimal.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import type { EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { startGatewayProcess } from '../support/process.ts';
import { INTERNAL_TOKEN, listAt, post, STANDBY_KEY, startStandby } from '../support/standby.ts';

const POLL = { timeout: 120_000, interval: 100 };
/** Longer than anything that is done again and again: whoever would fire once more has done it. */
const SECOND_SHOT_MS = 7000;
const BETWEEN_TRADES_MS = 200;

let server: PostgresServer;
let databaseUrl: string;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startPostgres();
});

beforeEach(async () => {
  databaseUrl = await server.newDatabase();
  env = {
    ...{ DATABASE_URL: databaseUrl, WEBHOOK_API_KEYS: STANDBY_KEY, INTERNAL_TOKEN, LOG_LEVEL: 'error' },
    WEBHOOK_RATE_PER_MINUTE: '0',
  };
});

/** As they are on disk, by market. */
async function storedPeaks(): Promise<Map<string, number>> {
  const rows = await server.query('SELECT market, peak FROM trading.protections WHERE peak IS NOT NULL', databaseUrl);
  return new Map(rows.map(({ market, peak }) => [String(market), Number(peak)]));
}

/** The closes that stops have made at an address, as `BTCUSDT Filled`. */
async function closesAt(url: string): Promise<string[]> {
  const trades = (await listAt(url, '/trades?limit=100')) ?? [];
  return trades
    .filter(({ keyLabel }) => keyLabel === 'protection')
    .map(({ market, status }) => `${market} ${status}`)
    .sort();
}

test('on paper: three trail at once', async () => {
  const owner = await startGatewayProcess({ env });
  const standby = await startStandby(env);
  const symbols = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];
  const first = new Map<string, number>();
  const entries: string[] = [];
  const enter = async (symbol: string): Promise<void> => {
    first.delete(symbol);
    entries.push(`${symbol} Filled`);
    expect(await post(standby.url, `entry ${entries.length}`, { symbol, quantity: 1, trailPercent: 0.02 })).toBe(200);
  };
  for (const symbol of symbols) await enter(symbol);
  // The simulated market goes where it will: a stop that has fired before the others trail is begun anew.
  for (let trailing = 0; trailing < symbols.length; ) {
    await sleep(100);
    const peaks = await storedPeaks();
    for (const [symbol, peak] of peaks) if (!first.has(symbol)) first.set(symbol, peak);
    const listed = await listAt(standby.url, '/positions');
    if (listed === undefined) continue;
    const open = new Set(listed.map(({ market }) => String(market)));
    for (const symbol of symbols) if (!open.has(symbol)) await enter(symbol);
    trailing = symbols.filter((symbol) => open.has(symbol) && peaks.get(symbol) !== first.get(symbol)).length;
  }
  await owner.kill();
  await expect.poll(() => listAt(standby.url, '/positions'), POLL).toEqual([]);
  expect(await closesAt(standby.url)).toEqual(entries.sort());
  await standby.stop();
});

/** An account of real money at a venue of the tests. */
const accountAt = ({ baseUrl, credentials }: EmulatedVenue): Record<string, string> => ({
  BINANCE_MODE: 'live',
  BINANCE_BASE_URL: baseUrl,
  BINANCE_API_KEY: credentials.apiKey,
  BINANCE_API_SECRET: credentials.secret,
  CONFIRM_FIRST_LIVE_ORDER: 'no',
});

/** It trades all the time, as markets do: whoever follows it hears of nothing else. */
function trading({ market }: EmulatedVenue, symbol: string, first: string): (price: string) => void {
  let price = first;
  const trade = (): void => market.setPrice(symbol, price);
  trade();
  const timer = setInterval(trade, BETWEEN_TRADES_MS);
  closeAtEnd(async () => clearInterval(timer));
  return (next) => {
    price = next;
    trade();
  };
}

test.each([
  ['no', 'Signalbox alone guards', 'killed'],
  ['yes', 'the exchange keeps the stop too', 'killed'],
  ['no', 'Signalbox alone guards', 'stopped, and woken when the stop has fired'],
])('at an exchange, PROTECTION_AT_VENUE=%s: %s; its owner is %s, and it sees one close', async (atVenue, _, how) => {
  const venue = await startBinance();
  closeAtEnd(() => venue.close());
  const { market } = venue;
  const moveTo = trading(venue, 'BTCUSDT', '50000');
  Object.assign(env, accountAt(venue), { PROTECTION_AT_VENUE: atVenue });
  const owner = await startGatewayProcess({ env });
  const standby = await startStandby(env);
  const entry = { symbol: 'BTCUSDT', quantity: 0.01, trailPercent: 1 };
  expect(await post(standby.url, 'entry', entry)).toBe(200);
  moveTo('51000');
  await expect.poll(async () => (await storedPeaks()).get('BTCUSDT'), POLL).toBe(51_000);
  if (atVenue === 'yes')
    await expect
      .poll(() => market.stops.waiting('BTCUSDT').map(({ triggerPrice }) => toText(triggerPrice)), POLL)
      .toEqual(['50490']);
  if (how === 'killed') await owner.kill();
  else owner.child.kill('SIGSTOP');
  // Below 51,000 by more than a percent, above 50,000 by less: only whoever knows the peak closes here.
  moveTo('50400');
  const traded = () => market.orders.filter(({ executed }) => executed > ZERO);
  const inWords = () => traded().map(({ side, executed }) => `${side} ${toText(executed)}`);
  await expect.poll(inWords, POLL).toEqual(['BUY 0.01', 'SELL 0.01']);
  await expect.poll(() => listAt(standby.url, '/positions'), POLL).toEqual([]);
  if (how !== 'killed') {
    // It believes that the position is there, and the price is beyond its stop.
    const gone = once(owner.child, 'exit');
    owner.child.kill('SIGCONT');
    await gone;
    expect(owner.child.exitCode).toBe(1);
  }
  await sleep(SECOND_SHOT_MS);
  expect(inWords()).toEqual(['BUY 0.01', 'SELL 0.01']);
  expect(market.account.heldPositions('BTCUSDT')).toEqual([]);
  const trades = (await listAt(standby.url, '/trades?limit=100')) ?? [];
  expect(trades.filter(({ source }) => source === 'trailing-stop')).toMatchObject([{ status: 'Filled' }]);
  await standby.stop();
});
