// Stops that the owner set, moved and took away by hand are set, moved and taken away again in a replay, at the same moments.

import { expect, test } from 'vitest';
import { commandLineHere } from '../cli/command-line.ts';
import { openGateway } from '../support/gateway.ts';
import { lookAround, SEED } from './busy-hour.ts';

const KEYS = ['binance:BTCUSDT:LONG', 'binance:ETHUSDT:LONG', 'binance:SOLUSDT:LONG'] as const;
/** The simulated market comes to every limit and stop of these tests within hours from here; from other moments it takes days. */
const MOVING = Date.UTC(2026, 9, 5);

test('a day of stops by hand, replayed, is the same day', async () => {
  const gateway = await openGateway({ startAtMs: MOVING });
  const startMs = MOVING;
  const put = async (key: string, body: object): Promise<void> => {
    gateway.clock.offsetMs += 1000;
    const answer = await gateway.request('PUT', `/positions/${key}/protection`, body);
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  };
  for (const [symbol, quantity] of [
    ['BTCUSDT', 0.05],
    ['ETHUSDT', 1],
    ['SOLUSDT', 30],
  ] as const) {
    await gateway.send({ symbol, quantity, stopLoss: { percent: 0.1 } });
    gateway.clock.offsetMs += 7;
  }
  await put(KEYS[0], { stopLoss: { percent: 30 } });
  await put(KEYS[0], { takeProfit: { percent: 0.05 }, trail: { percent: 0.05 } });
  await put(KEYS[1], { stopLoss: { percent: 20 }, maxHoldSeconds: 3600 });
  await gateway.request('DELETE', `/positions/${KEYS[2]}/protection`);
  for (let step = 0; step < 10; step++) {
    gateway.clock.offsetMs += 600_000;
    await lookAround(gateway);
  }
  const audit = await gateway.request('GET', '/admin/audit');
  expect(audit.body.result.map(({ setting }: { setting: string }) => setting)).toEqual(Array(4).fill('stops'));
  const endMs = Date.now() + gateway.clock.offsetMs + 1000;
  await gateway.close();
  const cli = commandLineHere({ DATA_DIR: gateway.dataDir, MARKET_SEED: SEED });
  const stretch = ['replay', '--from', String(startMs), '--to', String(endMs)];
  const { body } = await cli.json(...stretch, '--check');
  expect(body.signals.filter(({ same }: { same: boolean }) => !same)).toEqual([]);
  expect(body).toMatchObject({ same: true, holdings: [], troubles: [], stopsLeftOut: 0 });
  const whats = body.signals.map(({ what }: { what: string }) => what);
  expect(whats.filter((what: string) => /^(take-profit|trailing-stop): .* BTCUSDT/.test(what))).toHaveLength(1);
  expect(whats.filter((what: string) => /^time-stop: .* ETHUSDT/.test(what))).toHaveLength(1);
  expect(whats.filter((what: string) => /SOLUSDT/.test(what))).toHaveLength(1);
  // Where the replay never opens a position there is nothing to guard, and that is said.
  const shut = ['--set', 'symbol:BTCUSDT.entriesPerDay=0', '--set', 'symbol:SOLUSDT.entriesPerDay=0'];
  expect((await cli.json(...stretch, ...shut)).body).toMatchObject({ same: false, stopsLeftOut: 3 });
  expect(await cli.done(...stretch, ...shut)).toContain('3 changes of stops by hand left out');
});

test('stops that were changed while their entries waited, and entries that a pause withdrew, are the same in a replay', async () => {
  const gateway = await openGateway({ startAtMs: MOVING });
  const startMs = MOVING;
  const ask = async (method: string, path: string, body?: object) => {
    gateway.clock.offsetMs += 1000;
    const answer = await gateway.request(method, path, body);
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
    return answer.body;
  };
  const wait = async (
    symbol: string,
    quantity: number,
    share: number,
    stops: object = { stopLoss: { percent: 0.1 } },
  ) => {
    const { lastPrice, tickSize } = (await ask('GET', `/markets?exchange=binance&symbol=${symbol}`)).result[0];
    const price = Number((Math.round((lastPrice * share) / tickSize) * tickSize).toFixed(6));
    const { body } = await gateway.send({ symbol, quantity, price, ...stops });
    expect(body.tradeResult.status).toBe('Submitted');
    return body.requestId;
  };
  const entries = [
    await wait('BTCUSDT', 0.05, 0.9999),
    await wait('ETHUSDT', 1, 0.9999),
    await wait('SOLUSDT', 30, 0.5),
    await wait('XRPUSDT', 300, 0.9999, {}),
  ];
  expect(await ask('PUT', `/positions/${KEYS[0]}/protection`, { stopLoss: { percent: 40 } })).toMatchObject({
    waitingEntries: 1,
  });
  await ask('DELETE', `/positions/${KEYS[1]}/protection`);
  await ask('PUT', '/positions/binance:XRPUSDT:LONG/protection', { stopLoss: { percent: 0.2 } });
  const pause = { paused: true, cancelEntries: true };
  expect(await ask('PUT', '/admin/restrictions/symbol/SOLUSDT/pause', pause)).toMatchObject({
    canceled: [{ outcome: 'canceled' }],
  });
  const trades = () => Promise.all(entries.map((id) => gateway.trade(id)));
  const isWaiting = async () => (await trades()).some(({ status }) => status === 'Submitted');
  for (let step = 0; step < 50 && (await isWaiting()); step++) {
    gateway.clock.offsetMs += 600_000;
    await lookAround(gateway);
  }
  const [btc, eth, sol, xrp] = await trades();
  expect([btc.status, eth.status, sol.status, xrp.status]).toEqual(['Filled', 'Filled', 'Canceled', 'Filled']);
  expect([btc.protection?.stopLoss.asked, eth.protection]).toEqual([{ percent: 40 }, null]);
  const isXrpHeld = async () => JSON.stringify((await gateway.request('GET', '/positions')).body).includes('XRPUSDT');
  for (let step = 0; step < 50 && (await isXrpHeld()); step++) {
    gateway.clock.offsetMs += 600_000;
    await lookAround(gateway);
  }
  const endMs = Date.now() + gateway.clock.offsetMs + 1000;
  await gateway.close();
  const cli = commandLineHere({ DATA_DIR: gateway.dataDir, MARKET_SEED: SEED });
  const { body } = await cli.json('replay', '--from', String(startMs), '--to', String(endMs), '--check');
  expect(body.signals.filter(({ same }: { same: boolean }) => !same)).toEqual([]);
  expect(body).toMatchObject({ same: true, holdings: [], troubles: [], stopsLeftOut: 0 });
  const whats = body.signals.map(({ what }: { what: string }) => what);
  expect(whats.filter((what: string) => /^stop-loss: .* XRPUSDT/.test(what))).toHaveLength(1);
});
