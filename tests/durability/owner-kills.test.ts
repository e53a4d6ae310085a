// Cancels, closes of everything, and signals on several accounts, each cut off by kill -9 at several moments of a real process:
// nothing is done twice, nothing forgotten, and our books are the venue's.

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Sent } from '../support/gateway.ts';
import { unitOf } from '../support/nothing-lost.ts';
import { disagreeing, MOMENTS_MS, openLives, rowsOf } from './lives.ts';

const MARKETS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];

/** With a key that trades on two accounts, on the second one twice as much. */
async function openFund() {
  const lives = await openLives();
  const created = await lives.ask('POST', '/admin/webhook-keys', {
    label: 'fund',
    routes: [{ account: 'main' }, { account: 'scalp', multiplier: 2 }],
  });
  const signed = { apiKey: created?.result.apiKey as string, exchange: 'binance', action: 'LONG' };
  return {
    ...lives,
    /** A signal of that key; each is one of its kind. */
    signal: (fields: object) => lives.ask('POST', '/webhook', { ...signed, idempotencyKey: randomUUID(), ...fields }),
  };
}

const heldBy = (positions: Sent['body'] | undefined): Record<string, number> =>
  Object.fromEntries(positions?.result.map(({ key, quantity }: { key: string; quantity: number }) => [key, quantity]));

test('a cancel of everything leaves each order as the venue has it, and none that was told canceled comes back', async () => {
  const lives = await openFund();
  const { dataDir, ask, signal } = lives;
  const prices = (await ask('GET', '/markets'))?.result as { symbol: string; lastPrice: number }[];
  const half = (symbol: string): number =>
    Math.round((prices.find((each) => each.symbol === symbol)?.lastPrice ?? 0) / 2);
  const openOrders = async (): Promise<{ clientOrderId: string }[]> => (await ask('GET', '/orders'))?.result;
  for (const afterMs of MOMENTS_MS) {
    for (const symbol of MARKETS)
      expect((await signal({ symbol, quantity: 4 * unitOf(symbol), price: half(symbol) }))?.success).toBe(true);
    expect(await openOrders()).toHaveLength(6);
    const answer = await lives.cutOff(afterMs, () => ask('POST', '/orders/cancel', { all: true }));
    await expect.poll(() => disagreeing(dataDir)).toEqual([]);
    const still = new Set((await openOrders()).map(({ clientOrderId }) => clientOrderId));
    const told = (answer?.result ?? []) as { clientOrderId: string; outcome: string }[];
    expect(told.filter(({ clientOrderId, outcome }) => outcome === 'canceled' && still.has(clientOrderId))).toEqual([]);
    const rest = await ask('POST', '/orders/cancel', { all: true });
    expect(rest?.result.map(({ outcome }: { outcome: string }) => outcome)).toEqual([...still].map(() => 'canceled'));
    expect(await openOrders()).toEqual([]);
  }
  const ended = rowsOf(dataDir, 'SELECT status, count(*) AS n FROM paper_orders GROUP BY status');
  expect(ended).toEqual([{ status: 'canceled', n: 6 * MOMENTS_MS.length }]);
  await lives.end();
});

test('a close of everything happens whole or not at all, and once, also when it is asked for again', async () => {
  const lives = await openFund();
  const { dataDir, ask, signal } = lives;
  const closes = (): number => Number(rowsOf(dataDir, "SELECT count(*) AS n FROM trades WHERE source = 'owner'")[0]?.n);
  for (const [round, afterMs] of MOMENTS_MS.entries()) {
    for (const symbol of MARKETS)
      expect((await signal({ symbol, quantity: unitOf(symbol) }))?.tradeResults).toHaveLength(2);
    const body = { all: true, idempotencyKey: randomUUID() };
    const answer = await lives.cutOff(afterMs, () => ask('POST', '/positions/close', body));
    const begun = closes() - 6 * round;
    expect([0, 6]).toContain(begun);
    if (answer?.success) expect(begun).toBe(6);
    const open = heldBy(await ask('GET', '/positions'));
    expect(Object.keys(open)).toHaveLength(begun === 6 ? 0 : 6);
    // The owner, who heard nothing, asks again: what was begun is not begun again.
    await ask('POST', '/positions/close', body);
    expect(heldBy(await ask('GET', '/positions'))).toEqual({});
    expect(closes()).toBe(6 * (round + 1));
  }
  await lives.end();
});

test('a signal is on all of its accounts or on none, each once, also when it is sent again', async () => {
  const lives = await openFund();
  const { dataDir, ask, signal } = lives;
  const signals = MARKETS.flatMap((symbol) => [1, 2].map(() => ({ symbol, quantity: unitOf(symbol) })));
  for (const [round, afterMs] of MOMENTS_MS.entries()) {
    const bodies = signals.map((fields) => ({ ...fields, idempotencyKey: randomUUID() }));
    const sendAll = () => Promise.all(bodies.map((body) => signal(body)));
    const answers = await lives.cutOff(afterMs, sendAll);
    const rows = rowsOf(dataDir, 'SELECT request_id, account, state FROM trades');
    const accounts = Map.groupBy(rows, ({ request_id }) => String(request_id).split('.')[0]);
    for (const trades of accounts.values())
      expect(trades.map(({ account, state }) => `${account} ${state}`).sort()).toEqual(['main filled', 'scalp filled']);
    for (const answer of answers) if (answer?.success) expect(accounts.has(answer.requestId)).toBe(true);
    const again = await sendAll();
    expect(again.filter((answer) => !(answer?.success || answer?.code === 'DUPLICATE_SIGNAL'))).toEqual([]);
    const times = 2 * (round + 1);
    const expected = MARKETS.flatMap((symbol) => [
      [`binance:${symbol}:LONG`, expect.closeTo(times * unitOf(symbol), 9)],
      [`binance:scalp:${symbol}:LONG`, expect.closeTo(2 * times * unitOf(symbol), 9)],
    ]);
    expect(heldBy(await ask('GET', '/positions'))).toEqual(Object.fromEntries(expected));
  }
  await lives.end();
});
