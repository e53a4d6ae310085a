// Funding and liquidations of days in which nobody ran, booked by a start of the real process that kill -9 ends again and again in
// the middle of it: each is booked once, and balance = start + profits − fees + funding, to the last digit.

import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { decimal } from '../../src/trading/decimal.ts';
import { prepareDiskFaults } from '../support/disk-faults/index.ts';
import { compare } from '../support/nothing-lost.ts';
import { freshDataDir, type RunningProcess, spawnSignalbox, startGatewayProcess } from '../support/process.ts';

const API_KEY = `whk_${'k'.repeat(43)}`;
/** Long enough that a look at the files meets every step of the work between two syncs. */
const SYNC_DELAY_MS = 25;
const DAY_MS = 86_400_000;
const FUNDING_EVERY_MS = 8 * 3_600_000;
/** Of our journal, not of the venue. */
const FILLS = 'fills JOIN orders USING (trade_seq, client_order_id)';
const BALANCES = { main: '100000', long: '500', short: '500' };

const rowsOf = (dataDir: string, sql: string): Record<string, unknown>[] => {
  const db = new DatabaseSync(join(dataDir, 'signalbox.db'), { readOnly: true, timeout: 30_000 });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
};
const count = (dataDir: string, of: string): number => Number(rowsOf(dataDir, `SELECT count(*) AS n FROM ${of}`)[0]?.n);
const sum = (dataDir: string, sql: string): bigint =>
  rowsOf(dataDir, sql).reduce((total, { amount }) => total + decimal(amount as string), 0n);

/** Two positions that are safe, and on an account each a long and a short that a hundredth of the price ends. */
async function open({ url }: RunningProcess): Promise<void> {
  const get = async (path: string) => (await (await fetch(url + path)).json()) as { result: { lastPrice: number }[] };
  const [btc] = (await get('/markets?symbol=BTCUSDT')).result;
  const risky = Math.floor(45_000_000 / (btc?.lastPrice ?? 0)) / 1000;
  const entries = [
    { account: 'main', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.1 },
    { account: 'main', action: 'SHORT', symbol: 'ETHUSDT', quantity: 1 },
    { account: 'long', action: 'LONG', symbol: 'BTCUSDT', quantity: risky, leverage: 125 },
    { account: 'short', action: 'SHORT', symbol: 'BTCUSDT', quantity: risky, leverage: 125 },
  ];
  for (const entry of entries) {
    const body = JSON.stringify({ apiKey: API_KEY, exchange: 'binance', ...entry });
    const answer = await fetch(`${url}/webhook`, { method: 'POST', body });
    expect(await answer.json()).toMatchObject({ success: true, tradeResult: { status: 'Filled' } });
  }
}

test('what was due while nobody ran is booked once, however often the start is killed', async () => {
  const dataDir = freshDataDir();
  const disk = await prepareDiskFaults(dataDir);
  const env = {
    ...disk.env,
    QUEUE_MODE: 'direct',
    PAPER_ACCOUNTS: `binance:long=${BALANCES.long},binance:short=${BALANCES.short}`,
    PAPER_BALANCE: BALANCES.main,
    WEBHOOK_API_KEYS: API_KEY,
    LOG_LEVEL: 'error',
    SERVICES: 'gateway',
  };
  const first = await startGatewayProcess({ dataDir, env });
  await open(first);
  expect(await first.stop()).toBe(0);
  // As if the positions had been held for the last days, and nobody had looked at the market since.
  const sinceMs = Date.now() - 4 * DAY_MS;
  const db = new DatabaseSync(join(dataDir, 'signalbox.db'));
  db.prepare('UPDATE paper_accounts SET matched_until = ?').run(sinceMs);
  db.close();

  disk.delaySyncs(SYNC_DELAY_MS);
  const moments: readonly (() => boolean)[] = [
    () => count(dataDir, 'paper_funding') > 0,
    () => count(dataDir, 'paper_funding') > 8,
    () => count(dataDir, "paper_orders WHERE client_order_id LIKE 'liquidation-%'") > 0,
    () => count(dataDir, "trades WHERE source = 'liquidation'") > 0,
    () => count(dataDir, "trades WHERE source = 'liquidation' AND state = 'filled'") > 0,
  ];
  for (const hasCome of moments) {
    const child = spawnSignalbox(['start'], { DATA_DIR: dataDir, ...env });
    const gone = once(child, 'exit');
    await vi.waitFor(() => expect(hasCome()).toBe(true), { timeout: 60_000, interval: 2 });
    child.kill('SIGKILL');
    await gone;
  }
  disk.heal();
  const last = await startGatewayProcess({ dataDir, env });
  const settled = async () => count(dataDir, "trades WHERE state != 'filled'");
  await expect.poll(settled).toBe(0);
  const reports = (await (await fetch(`${last.url}/account?exchange=binance`)).json()) as {
    result: (Record<'balance' | 'realizedTotal' | 'feesTotal' | 'fundingTotal', number> & {
      account: keyof typeof BALANCES;
    })[];
  };
  expect(await last.stop()).toBe(0);
  disk.close();

  expect(compare(dataDir, [])).toEqual([]);
  const times = Math.floor(Date.now() / FUNDING_EVERY_MS) - Math.floor(sinceMs / FUNDING_EVERY_MS);
  expect(count(dataDir, "paper_funding WHERE account = 'main'")).toBe(2 * times);
  const forced = rowsOf(dataDir, `SELECT account, fee FROM ${FILLS} WHERE client_order_id LIKE 'liquidation-%'`);
  expect(forced.length).toBeGreaterThan(0);
  expect(new Set(forced.map(({ account }) => account)).size).toBe(forced.length);
  // Where a jump left nothing of an account, there is nothing to take a fee from.
  const left = (account: unknown) => rowsOf(dataDir, `SELECT balance FROM paper_accounts WHERE account = '${account}'`);
  for (const { account, fee } of forced)
    if (Number(fee) <= 0) expect([account, ...left(account)]).toEqual([account, { balance: '0' }]);
  for (const [account, start] of Object.entries(BALANCES)) {
    const of = `WHERE exchange = 'binance' AND account = '${account}'`;
    const booked =
      sum(dataDir, `SELECT realized_pnl AS amount FROM ${FILLS} ${of}`) -
      sum(dataDir, `SELECT fee AS amount FROM ${FILLS} ${of}`) +
      sum(dataDir, `SELECT amount FROM paper_funding ${of}`);
    expect(sum(dataDir, `SELECT balance AS amount FROM paper_accounts ${of}`)).toBe(decimal(start) + booked);
  }
  for (const { account, balance, realizedTotal, feesTotal, fundingTotal } of reports.result)
    expect(balance - Number(BALANCES[account])).toBeCloseTo(realizedTotal - feesTotal + fundingTotal, 6);
});
