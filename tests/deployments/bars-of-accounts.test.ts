// Deployments on live accounts of two emulated venues and on paper, in the real program: each runs on the bars of its own exchange,
// whatever MARKET_DATA says, also after a restart, and waits where those bars are away. The three prices are far from each other,
// and the script names its orders by the price it saw.

import { rmSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { toText } from '../../src/trading/decimal.ts';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import { startBybitVenue } from '../support/emulated-venues/bybit/bybit-venue.ts';
import type { EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';
import { freshDataDir, type RunningProcess, startProcess } from '../support/process.ts';

const ADMIN_TOKEN = 'an-admin-token-of-32-characters!';
const MARKET = 'BTCUSDT';
/** Nowhere near each other, nor near the simulated price, which wanders around 100,000. */
const PRICES = { bybit: 500_000, binance: 20_000 };
/** It enters at once, and leaves when the price has fallen. */
const SCRIPT = `//@version=6
strategy("In and out", process_orders_on_close = true, margin_long = 0)
if strategy.position_size == 0
    strategy.entry("saw " + str.tostring(close), strategy.long, 0.01)
else if close < strategy.position_avg_price * 0.99
    strategy.close_all()
`;
/** A bar of a minute, and a busy machine. */
const A_BAR = { timeout: 150_000, interval: 500 };
const PATIENCE = { timeout: 60_000, interval: 250 };
const BARS_OF_BYBIT = { path: '/v5/market/kline' };

/** It trades all the time, so that there are bars to tell of. */
function moving(venue: EmulatedVenue, price: number) {
  let [turn, level] = [0, price];
  const move = (): void => venue.market.setPrice(MARKET, String(level + (turn++ % 2)));
  move();
  const timer = setInterval(move, 500);
  const fall = (): void => {
    level = price * 0.98;
  };
  return { fall, stop: () => clearInterval(timer) };
}

const liveAt = (prefix: string, { baseUrl, credentials }: EmulatedVenue) => ({
  ...{ [`${prefix}_MODE`]: 'live', [`${prefix}_BASE_URL`]: baseUrl },
  ...{ [`${prefix}_API_KEY`]: credentials.apiKey, [`${prefix}_API_SECRET`]: credentials.secret },
});

const ordersOf = ({ market }: EmulatedVenue) =>
  market.orders.map(({ side, status, executed }) => `${side} ${toText(executed)} ${status}`);
const ENTERED = ['BUY 0.01 FILLED'];
const LEFT = [...ENTERED, 'SELL 0.01 FILLED'];

interface Row {
  readonly id: string;
  readonly runs: number;
  readonly barsFrom: string;
  readonly state: string;
}

test('bars of a live account come from its own exchange', { timeout: 900_000 }, async () => {
  const [bybit, binance] = [await startBybitVenue(), await startBinance()];
  const prices = [moving(bybit, PRICES.bybit), moving(binance, PRICES.binance)];
  const dataDir = freshDataDir();
  const env = { ADMIN_TOKEN, CONFIRM_FIRST_LIVE_ORDER: 'no', ...liveAt('BYBIT', bybit), ...liveAt('BINANCE', binance) };
  let running: RunningProcess = await startProcess({ dataDir, env });
  const webhookKey = running.apiKey;
  const headers: Record<string, string> = { 'x-admin-token': ADMIN_TOKEN };
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field
  const call = async (path: string, body?: object): Promise<any> => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    return (await fetch(running.url + path, { ...init, headers })).json();
  };
  const read = async (id: string): Promise<Row> => (await call(`/api/deployments/${id}`)).deployment;
  const ordered = async (id: string): Promise<string[]> => {
    const { logs } = await call(`/api/deployments/${id}/logs`);
    return logs
      .filter(({ kind }: { kind: string }) => kind === 'order')
      .map(({ message }: { message: string }) => message);
  };
  const warnings = async (): Promise<string[]> => (await call('/ready')).warnings;

  try {
    const made = async (path: string, body: object) => {
      const answer = await call(path, body);
      expect(answer).toMatchObject({ status: 'success' });
      return answer;
    };
    // The process of the scripts may take longer to start than the one that trades.
    const { api_key: key } = await vi.waitFor(() => made('/api/keys?action=create', {}), PATIENCE);
    headers.authorization = `Bearer ${key}`;
    const { script } = await made('/api/scripts', { name: 'In and out', content: SCRIPT });
    const deploy = async (exchange: string): Promise<Row> => {
      const targets = [{ type: 'trade', apiKey: webhookKey, exchange }];
      const plan = { scriptId: script.id, symbol: MARKET, interval: '1m', mode: 'trade', targets };
      return (await made('/api/deployments', plan)).deployment;
    };
    const [atBybit, atBinance, onPaper] = [await deploy('bybit'), await deploy('binance'), await deploy('mexc')];
    expect([atBybit, atBinance, onPaper].map(({ barsFrom }) => barsFrom)).toEqual(['bybit', 'binance', 'simulated']);

    await vi.waitFor(async () => {
      expect([ordersOf(bybit), ordersOf(binance)]).toEqual([ENTERED, ENTERED]);
      expect(await ordered(onPaper.id)).not.toEqual([]);
    }, A_BAR);
    expect(await ordered(atBybit.id)).toEqual([expect.stringMatching(/saw 50000[01]\b/)]);
    expect(await ordered(atBinance.id)).toEqual([expect.stringMatching(/saw 2000[01]\b/)]);
    expect((await ordered(onPaper.id))[0]).not.toMatch(/saw (50000|2000)[01]\b/);
    await running.stop();

    // MARKET_DATA is an exchange now, and the bars of the other one are away.
    bybit.faults.refusedStreams = '/v5/public';
    bybit.faults.plan(BARS_OF_BYBIT, { type: 'drop', when: 'before' }, 100_000);
    const addresses = {
      MARKET_DATA_REST_URL: binance.baseUrl,
      MARKET_DATA_WS_URL: `${binance.baseUrl.replace('http', 'ws')}/market/ws`,
    };
    running = await startProcess({ dataDir, env: { ...env, MARKET_DATA: 'binance', ...addresses } });
    for (const { fall } of prices) fall();
    const before = await read(atBybit.id);
    expect(before).toMatchObject({ state: 'running', barsFrom: 'bybit' });
    expect(await read(onPaper.id)).toMatchObject({ state: 'running', barsFrom: 'binance' });
    await vi.waitFor(async () => expect(ordersOf(binance).length).toBeGreaterThan(1), A_BAR);
    expect((await warnings()).join('\n')).toContain('bybit for its live accounts');
    expect(await read(atBybit.id)).toMatchObject({ state: 'running', runs: before.runs });
    expect(ordersOf(bybit)).toEqual(ENTERED);

    bybit.faults.refusedStreams = undefined;
    bybit.faults.clear();
    await vi.waitFor(() => expect(ordersOf(bybit).slice(0, 2)).toEqual(LEFT), A_BAR);
    for (const line of await ordered(atBybit.id)) expect(line).not.toMatch(/saw (2000[01]\b|1\d{5})/);
    await vi.waitFor(
      async () => expect((await warnings()).filter((text) => /bars of|stream/.test(text))).toEqual([]),
      PATIENCE,
    );
  } finally {
    for (const { stop } of prices) stop();
    await running.stop();
    await Promise.all([bybit.close(), binance.close()]);
    rmSync(dataDir, { recursive: true, force: true });
  }
});
