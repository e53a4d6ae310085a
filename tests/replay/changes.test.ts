// What a replay with other sizes comes to, worked out by hand; what lies before the stretch stays as it was; the folder too.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSimulatedMarket } from '../../src/adapters/market-data/simulated/simulated-market.ts';
import { commandLineHere } from '../cli/command-line.ts';
import { openGateway } from '../support/gateway.ts';
import { startGatewayProcess } from '../support/process.ts';
import { lookAround, MINUTE_MS, SEED } from './busy-hour.ts';

/** Of a paper account at binance. */
const TAKER_FEE = 0.0005;

const replayed = (signal: { replayed: string }) => {
  const [, quantity, price] = /^filled (\S+) at (\S+)$/.exec(signal.replayed) ?? [];
  return { quantity: Number(quantity), price: Number(price) };
};

/** In and out of two markets, once before the stretch that is looked at and once in it. */
async function twoTrades() {
  const gateway = await openGateway();
  const roundTrip = async (symbol: string, quantity: number) => {
    await gateway.send({ symbol, quantity });
    gateway.clock.offsetMs += 10 * MINUTE_MS;
    await gateway.send({ symbol, action: 'CLOSE_LONG', quantity });
    gateway.clock.offsetMs += MINUTE_MS;
  };
  const startMs = Date.now();
  await roundTrip('ETHUSDT', 2);
  const middleMs = Date.now() + gateway.clock.offsetMs;
  gateway.clock.offsetMs += 1000;
  await roundTrip('BTCUSDT', 0.2);
  await lookAround(gateway);
  const endMs = Date.now() + gateway.clock.offsetMs + 1000;
  await gateway.close();
  return { gateway, startMs, middleMs, endMs, cli: commandLineHere({ DATA_DIR: gateway.dataDir, MARKET_SEED: SEED }) };
}

describe('half the size', () => {
  test('is half of what is traded in the stretch, at the prices of the same moments, and nothing before it', async () => {
    const { cli, middleMs, endMs } = await twoTrades();
    const { body } = await cli.json('replay', '--from', String(middleMs), '--to', String(endMs), '--size', '0.5');
    expect(body.same).toBe(false);
    expect(body.signals).toHaveLength(2);
    const [entry, exit] = body.signals.map(replayed);
    expect(entry.quantity).toBe(0.1);
    expect(exit.quantity).toBe(0.1);
    const { pnl, fees, net } = body.total.replayed;
    expect(Number(pnl)).toBeCloseTo(0.1 * (exit.price - entry.price), 9);
    expect(Number(fees)).toBeCloseTo(0.1 * (exit.price + entry.price) * TAKER_FEE, 9);
    expect(Number(net)).toBeCloseTo(Number(pnl) - Number(fees), 9);
    expect(Number(body.total.difference.net)).toBeCloseTo(Number(net) - Number(body.total.past.net), 9);
    expect(body.groups.map(({ group }: { group: string }) => group)).toEqual(['binance', '', 'BTCUSDT']);
    // What was earned before the stretch is in the balance as it was: the difference is that of the stretch alone.
    const [{ name, past, replayed: now }] = body.holdings;
    expect(name).toBe('binance');
    expect(Number(now) - Number(past)).toBeCloseTo(Number(body.total.difference.net), 6);
  });

  test('of the whole past changes both', async () => {
    const { cli, startMs, endMs } = await twoTrades();
    const { body } = await cli.json('replay', '--from', String(startMs), '--to', String(endMs), '--size', '0.5');
    expect(body.signals.map(replayed).map(({ quantity }: { quantity: number }) => quantity)).toEqual([1, 1, 0.1, 0.1]);
  });
});

test('a part that the owner closed is the same part of a position of another size', async () => {
  const gateway = await openGateway();
  const startMs = Date.now();
  await gateway.send({ symbol: 'AVAXUSDT', quantity: 128 });
  gateway.clock.offsetMs += MINUTE_MS;
  for (const share of [0.25, 0.5]) {
    await gateway.request('POST', '/positions/close', { positions: ['binance:AVAXUSDT:LONG'], share });
    gateway.clock.offsetMs += MINUTE_MS;
  }
  const endMs = Date.now() + gateway.clock.offsetMs;
  await gateway.close();
  const cli = commandLineHere({ DATA_DIR: gateway.dataDir, MARKET_SEED: SEED });
  const quantities = async (...changes: string[]) => {
    const { body } = await cli.json('replay', '--from', String(startMs), '--to', String(endMs), ...changes);
    return body.signals.map(replayed).map(({ quantity }: { quantity: number }) => quantity);
  };
  expect(await quantities()).toEqual([128, 32, 48]);
  expect(await quantities('--size', '0.5')).toEqual([64, 16, 24]);
  expect(await quantities('--quantity', '32', '--quantity-type', 'base')).toEqual([32, 8, 12]);
});

test('entries of one size take closes with them', async () => {
  const { cli, startMs, endMs } = await twoTrades();
  const size = ['--quantity', '1000', '--quantity-type', 'quote'];
  const { body } = await cli.json('replay', '--from', String(startMs), '--to', String(endMs), ...size);
  const [ethIn, ethOut, btcIn, btcOut] = body.signals.map(replayed);
  expect(ethIn.quantity * ethIn.price).toBeGreaterThan(980);
  expect(ethIn.quantity * ethIn.price).toBeLessThanOrEqual(1001);
  expect(ethOut.quantity).toBe(ethIn.quantity);
  expect(btcOut.quantity).toBe(btcIn.quantity);
});

test('a signal that was refused is traded where its cause is gone, unless it is left out', async () => {
  const gateway = await openGateway();
  const startMs = Date.now();
  const { body: answer } = await gateway.send({ account: 'fund', quantity: 0.02 });
  expect(answer.code).toBe('UNKNOWN_ACCOUNT');
  // It is written down when its answer has left.
  await expect.poll(async () => (await gateway.request('GET', '/refusals')).body.result).toHaveLength(1);
  await gateway.close();
  const env = { DATA_DIR: gateway.dataDir, MARKET_SEED: SEED, PAPER_ACCOUNTS: 'binance:fund=5000' };
  const { body } = await commandLineHere(env).json('replay', '--from', String(startMs));
  expect(body.signals).toMatchObject([
    { past: 'refused: UNKNOWN_ACCOUNT', replayed: expect.stringMatching(/^filled 0\.02 at/), same: false },
  ]);
  const left = await commandLineHere(env).json('replay', '--from', String(startMs), '--no-refused', '--check');
  expect(left.body).toMatchObject({ same: true, signals: [{ replayed: 'refused: UNKNOWN_ACCOUNT' }] });
});

describe('other limits', () => {
  test('refuse what the past traded, from the beginning of the stretch on', async () => {
    const { cli, startMs, middleMs, endMs } = await twoTrades();
    const limit = ['--set', 'account:binance:main.entriesPerDay=1'];
    const { body } = await cli.json('replay', '--from', String(startMs), '--to', String(endMs), ...limit);
    const ends = body.signals.map(({ replayed }: { replayed: string }) => replayed.replace(/ at .*|: .*/, ''));
    expect(ends).toEqual(['filled 2', 'filled 2', 'rejected', 'rejected']);
    expect(body.signals[2].replayed).toContain('entriesPerDay');
    // The entry before it counts too, though nothing before it is changed.
    const late = await cli.json('replay', '--from', String(middleMs), '--to', String(endMs), ...limit);
    expect(late.body.signals).toMatchObject([{ same: false }, { same: false }]);
  });

  test('let pass what the past refused', async () => {
    const gateway = await openGateway();
    const startMs = Date.now();
    await gateway.request('PUT', '/admin/restrictions/strategy/ema/limits', { largestOrder: 100 });
    await gateway.send({ quantity: 0.02, strategy: 'ema' });
    await gateway.close();
    const cli = commandLineHere({ DATA_DIR: gateway.dataDir, MARKET_SEED: SEED });
    const same = await cli.json('replay', '--from', String(startMs), '--check');
    expect(same.body).toMatchObject({ same: true, signals: [{ past: expect.stringContaining('largestOrder') }] });
    const { body } = await cli.json('replay', '--from', String(startMs), '--set', 'strategy:ema.largestOrder=none');
    expect(body.signals).toMatchObject([{ replayed: expect.stringMatching(/^filled 0\.02 at/) }]);
  });

  test('are refused by name before anything is replayed', async () => {
    const { gateway } = await twoTrades();
    const cli = commandLineHere({ DATA_DIR: gateway.dataDir, MARKET_SEED: SEED });
    const wrong = ['--set', 'nobody.entriesPerDay=1', '--set', 'key:a.perDay=1', '--set', 'key:a.largestOrder=much'];
    const said = await cli.refused(1, 'replay', '--from', '2026-11-09', ...wrong);
    expect(said).toContain('write it like strategy:ema.entriesPerDay=3');
    expect(said).toContain('there is no limit perDay; there are venues, symbols');
    expect(said).toContain('--set key:a.largestOrder=much');
  });
});

test('other stops close at the first second in which the market is there', async () => {
  const { cli, startMs, endMs } = await twoTrades();
  const stops = ['--stop-loss', '0.02%', '--take-profit', '0.02%'];
  const { body } = await cli.json('replay', '--from', String(startMs), '--to', String(endMs), ...stops);
  const [first] = body.signals;
  const { price } = replayed(first);
  const market = createSimulatedMarket({ seed: Number(SEED), nowMs: () => endMs });
  // By hand: second after second, from the first full one on.
  const isThere = async (second: number): Promise<boolean> => {
    const range = await market.range('ETHUSDT', second * 1000, second * 1000 + 1);
    return Number(range?.low) <= price * 0.9998 || Number(range?.high) >= price * 1.0002;
  };
  let second = Math.ceil(first.time / 1000);
  while (second < endMs / 1000 && !(await isThere(second))) second++;
  const stop = body.signals.find(({ what }: { what: string }) =>
    /^(stop-loss|take-profit): CLOSE_LONG 2 ETH/.test(what),
  );
  expect(stop).toMatchObject({ past: null, replayed: expect.stringMatching(/^filled 2 at/) });
  expect(Math.floor(stop.time / 1000)).toBe(second + 1);
  // The close of the past finds nothing left.
  expect(body.signals.find(({ what }: { what: string }) => what.startsWith('CLOSE_LONG 2 ETH'))).toMatchObject({
    replayed: expect.stringContaining('there is no long position'),
  });
});

test('a stretch without a signal is empty and the same', async () => {
  const { cli, endMs } = await twoTrades();
  const { body, code } = await cli.json('replay', '--from', String(endMs), '--to', String(endMs + 1000), '--check');
  expect(body).toMatchObject({ same: true, signals: [], total: { past: { trades: 0 } } });
  expect(code).toBe(0);
});

test('the data folder is only read', async () => {
  const { gateway, cli, startMs } = await twoTrades();
  const before = filesOf(gateway.dataDir);
  await cli.done('replay', '--from', String(startMs));
  expect(filesOf(gateway.dataDir)).toEqual(before);
});

const filesOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder).map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ]),
  );

test('an instance that runs goes on, and its past is the same until now', async () => {
  const startMs = Date.now();
  const running = await startGatewayProcess();
  const signal = { apiKey: running.apiKey, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
  const send = () => fetch(`${running.url}/webhook`, { method: 'POST', body: JSON.stringify(signal) });
  expect((await send()).status).toBe(200);
  const cli = commandLineHere({ DATA_DIR: running.dataDir });
  const { body } = await cli.json('replay', '--from', String(startMs), '--check');
  expect(body).toMatchObject({ same: true, signals: [{ same: true }] });
  expect((await send()).status).toBe(200);
  expect(await running.stop()).toBe(0);
});

test('a folder without an instance is refused by name', async () => {
  const cli = commandLineHere({ DATA_DIR: '/nowhere/at/all' });
  expect(await cli.refused(1, 'replay', '--from', '2026-11-09')).toContain('There is no Signalbox instance');
});

test('prices that are not known for every second are refused before anything is replayed', async () => {
  const { gateway } = await twoTrades();
  const cli = commandLineHere({ DATA_DIR: gateway.dataDir, MARKET_DATA: 'binance' });
  expect(await cli.refused(1, 'replay', '--from', '2026-11-09')).toContain('MARKET_DATA is binance');
});
