// The emulated venue that anybody can start: Signalbox trades there by the lines that both print, is killed, and its books agree with the venue.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hmacSha256Hex } from '../support/emulated-venues/emulated-venue.ts';
import { curlEnvironment } from '../support/find-curl.ts';
import { freshDataDir, type RunningProcess, runSignalbox, startGatewayProcess } from '../support/process.ts';

const DEMO = fileURLToPath(new URL('../support/emulated-venues/demo.ts', import.meta.url));

let demo: ChildProcess;
let dataDir: string;
let running: RunningProcess | undefined;
beforeEach(() => {
  dataDir = freshDataDir();
});
afterEach(async () => {
  await running?.kill();
  running = undefined;
  const gone = once(demo, 'exit');
  demo.kill('SIGTERM');
  await gone;
  rmSync(dataDir, { recursive: true, force: true });
});

/** The settings of the line that it prints. */
async function startDemo(exchange: string): Promise<Record<string, string>> {
  demo = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', DEMO, exchange], { stdio: 'pipe' });
  let printed = '';
  demo.stdout?.on('data', (chunk: Buffer) => (printed += chunk));
  await expect.poll(() => printed, { timeout: 60_000 }).toContain('Ctrl-C ends it.');
  const line = /^ {2}(TRADING_MODE=live .*) npm start$/m.exec(printed)?.[1] as string;
  const settings = line.split(' ').map((setting) => setting.split(/=(.*)/s).slice(0, 2) as [string, string]);
  return { ...Object.fromEntries(settings), DATA_DIR: dataDir };
}

test('of Binance is traded on by the printed lines, and after a kill -9 the books agree with it', {
  timeout: 300_000,
}, async () => {
  const env = await startDemo('binance');
  running = await startGatewayProcess({ dataDir, env });
  const greeting = running.output();
  const curl = /^ {2}(curl -s .*)$/m.exec(greeting)?.[1] as string;
  expect(greeting).toContain('The next line BUYS WITH REAL MONEY on binance:main:');
  const confirm = /npx signalbox (accounts confirm binance:main)/.exec(greeting)?.[1] as string;
  const copied = async (line: string) =>
    JSON.parse((await promisify(execFile)('sh', ['-c', line], { env: await curlEnvironment() })).stdout);
  expect(await copied(curl)).toMatchObject({ code: 'LIVE_NOT_CONFIRMED' });
  expect((await runSignalbox([...confirm.split(' '), '--yes'], env)).code).toBe(0);
  for (let count = 0; count < 3; count++)
    expect(await copied(curl)).toMatchObject({ tradeResult: { status: 'Filled', mode: 'live' } });
  const { url } = running;
  // Nobody waits for these: the process dies somewhere in the middle of them.
  const body = /-d '(.*)'$/.exec(curl)?.[1] as string;
  const underWay = Array.from({ length: 5 }, () => fetch(`${url}/webhook`, { method: 'POST', body }).catch(() => {}));
  await underWay[0];
  await running.kill();
  await Promise.all(underWay);
  running = await startGatewayProcess({ dataDir, env });
  await expect.poll(() => unfinished(running?.url as string), { timeout: 150_000, interval: 1000 }).toEqual([]);
  const [here] = (await resultOf(`${running.url}/positions`)) as { quantity: number; side: string }[];
  expect([here?.side, here?.quantity]).toEqual(['LONG', await heldAtVenue(env)]);
  expect(here?.quantity).toBeGreaterThanOrEqual(0.04);
});

const resultOf = async (url: string) => ((await (await fetch(url)).json()) as { result: unknown }).result;

async function unfinished(url: string): Promise<readonly unknown[]> {
  const trades = (await resultOf(`${url}/trades?limit=100`)) as { status: string }[];
  return trades.map(({ status }) => status).filter((status) => !['Filled', 'Rejected', 'Expired'].includes(status));
}

/** Asked in the venue's own words, with nothing of the product in between. */
async function heldAtVenue(env: Record<string, string>): Promise<number> {
  const query = `symbol=BTCUSDT&timestamp=${Date.now()}`;
  const signature = hmacSha256Hex(env.BINANCE_API_SECRET as string, query);
  const response = await fetch(`${env.BINANCE_BASE_URL}/fapi/v3/positionRisk?${query}&signature=${signature}`, {
    headers: { 'X-MBX-APIKEY': env.BINANCE_API_KEY as string },
  });
  const rows = (await response.json()) as { positionAmt: string }[];
  return Number(rows[0]?.positionAmt);
}

test.each(['bybit', 'mexc'])('of %s is found well by the doctor, by the printed settings', async (exchange) => {
  const env = await startDemo(exchange);
  const { code, stdout } = await runSignalbox(['doctor', '--live'], env);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining(`${exchange}:main (LIVE): the stream of the account opens`),
  ]);
});
