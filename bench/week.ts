// What sizing, limits and three accounts cost: orders per second of signals that use them all, beside plain signals on one
// account, both in direct mode, in turns. `npm run bench week [-- --quick]`.

import type { RunningProcess } from '../tests/support/process.ts';
import { measure, median, ROUNDS, show, startSignalbox, verdict } from './support/webhook-target.ts';

const ACCOUNTS = ['main', 'two', 'three'];
const TARGET = 0.7;

/** Each is asked at every entry, and none is reached. */
const LIMITS = {
  venues: ['binance'],
  largestOrder: 1_000_000,
  largestPosition: 100_000_000,
  openPositions: 1000,
  dailyLoss: 900_000_000,
  entriesPerDay: 1_000_000,
  tradingWindows: [{ from: '00:00', to: '00:00' }],
};

/** A key that trades on three accounts, all within limits. */
async function limitedKey({ url }: RunningProcess): Promise<string> {
  const routes = ACCOUNTS.map((account) => ({ account }));
  const { apiKey } = await ask<{ apiKey: string }>(url, 'POST', '/admin/webhook-keys', { label: 'bench', routes });
  for (const whose of ['key/bench', ...ACCOUNTS.map((account) => `account/binance:${account}`)])
    await ask(url, 'PUT', `/admin/restrictions/${whose}/limits`, LIMITS);
  return apiKey;
}

async function ask<T>(url: string, method: string, path: string, body: object): Promise<T> {
  const response = await fetch(url + path, { method, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()) as T;
}

const ratios: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const plain = await startSignalbox({ mode: 'direct' });
  const plainReport = await measure(plain, { status: 200 });
  await plain.end();
  show('plain, one account', plainReport);
  const env = {
    PAPER_ACCOUNTS: ACCOUNTS.slice(1)
      .map((name) => `binance:${name}=1000000000`)
      .join(','),
  };
  const routed = await startSignalbox({ mode: 'direct', env, prepare: limitedKey });
  const report = await measure(routed, { status: 200, sized: true });
  await routed.end();
  show(`sized, ${ACCOUNTS.length} limited accounts`, report);
  ratios.push((report.requestsPerSecond * ACCOUNTS.length) / plainReport.requestsPerSecond);
}
verdict('orders per second with sizing, limits and three accounts beside plain ones', median(ratios), TARGET);
