// The kill switch of a key, a strategy, an account and a symbol, thrown with everything it can do and cut off by kill -9 at several
// moments: after the restart it stands and goes on until it is done, or nothing of it has begun; and nothing is closed twice.

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { SubjectKind } from '../../src/trading/intake/restrictions.ts';
import type { Sent } from '../support/gateway.ts';
import { unitOf } from '../support/nothing-lost.ts';
import { disagreeing, openLives, rowsOf } from './lives.ts';

/** Each with the moments of its kills, and which of the markets are its own. */
const SWITCHES: readonly (readonly [SubjectKind, string, readonly number[], readonly string[]])[] = [
  ['key', 'mine', [30, 110], ['BTCUSDT', 'SOLUSDT']],
  ['strategy', 'ema', [50, 140], ['BTCUSDT', 'SOLUSDT']],
  ['account', 'binance:main', [15, 80], ['BTCUSDT', 'SOLUSDT']],
  ['symbol', 'SOLUSDT', [65, 170], ['SOLUSDT']],
];

test('a switch that was thrown stands, withdraws and closes what is its own, each once, whenever its process is killed', async () => {
  const lives = await openLives();
  const { dataDir, ask } = lives;
  const keyOf = async (label: string) => (await ask('POST', '/admin/webhook-keys', { label }))?.result.apiKey;
  const mine = { apiKey: await keyOf('mine'), strategy: 'ema' };
  const others = { apiKey: await keyOf('other'), strategy: 'macd', account: 'scalp' };
  const prices = (await ask('GET', '/markets'))?.result as { symbol: string; lastPrice: number }[];
  const entries = (whose: object, symbol: string): Promise<Sent['body'][]> => {
    const half = Math.round((prices.find((each) => each.symbol === symbol)?.lastPrice ?? 0) / 2);
    const quantity = 4 * unitOf(symbol);
    const signal = (more: object) =>
      ask('POST', '/webhook', { ...whose, exchange: 'binance', action: 'LONG', symbol, quantity, ...more });
    return Promise.all([{}, { price: half }].map((more) => signal({ ...more, idempotencyKey: randomUUID() })));
  };
  const list = async (of: string, name: string): Promise<string[]> =>
    (await ask('GET', of))?.result.map((row: Record<string, unknown>) => row[name]).sort();
  const state = async () => [await list('/positions', 'key'), await list('/orders', 'market')];
  const closes = (): number => rowsOf(dataDir, "SELECT 1 FROM trades WHERE source = 'owner'").length;

  for (const [kind, name, moments, own] of SWITCHES)
    for (const afterMs of moments) {
      for (const entry of [
        ...(await Promise.all(['BTCUSDT', 'SOLUSDT'].map((symbol) => entries(mine, symbol)))),
      ].flat())
        expect(entry.success).toBe(true);
      for (const entry of await entries(others, 'ETHUSDT')) expect(entry.success).toBe(true);
      const before = closes();
      const place = `/admin/restrictions/${kind}/${encodeURIComponent(name)}/kill-switch`;
      const answer = await lives.cutOff(afterMs, () => ask('PUT', place, { active: true, flatten: true }));
      const all = (await ask('GET', '/admin/restrictions'))?.result as Sent['body'][];
      const stands = all.some((row) => row.kind === kind && row.name === name && row.killSwitch?.active);
      if (answer?.success) expect(stands).toBe(true);
      const left = ['BTCUSDT', 'SOLUSDT'].filter((symbol) => !(stands && own.includes(symbol)));
      const expected = [
        [...left.map((symbol) => `binance:${symbol}:LONG`), 'binance:scalp:ETHUSDT:LONG'].sort(),
        [...left, 'ETHUSDT'].sort(),
      ];
      await expect.poll(state).toEqual(expected);
      expect(closes() - before).toBe(stands ? own.length : 0);
      await expect.poll(() => disagreeing(dataDir)).toEqual([]);
      await ask('PUT', place, { active: false });
      await ask('POST', '/orders/cancel', { all: true });
      await ask('POST', '/positions/close', { all: true });
      expect(await state()).toEqual([[], []]);
    }
  await lives.end();
});
