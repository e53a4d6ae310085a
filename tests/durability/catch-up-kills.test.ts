// An alert that catches up with three orders before its own, cut off by kill -9 at every step: each order is sent once.

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Sent } from '../support/gateway.ts';
import { createStrategy } from '../support/tradingview-strategy.ts';
import { openLives, rowsOf } from './lives.ts';

const MOMENTS_MS = [20, 70, 110, 150, 190, 230, 270, 310, 360];
const SYMBOLS = ['ETHUSDT', 'SOLUSDT'];

interface Held {
  readonly key: string;
  readonly quantity: number;
}

test('the position ends where the strategy is, also when the alert is sent again', async () => {
  const lives = await openLives({ TRADINGVIEW_POSITION_CHECK: 'catch_up' });
  const { dataDir, ask } = lives;
  const routes = [{ account: 'main' }, { account: 'scalp', multiplier: 2 }];
  const { apiKey } = (await ask('POST', '/admin/webhook-keys', { label: 'fund', routes }))?.result ?? {};
  const signal = (fields: object) =>
    ask('POST', '/webhook', { apiKey, exchange: 'binance', idempotencyKey: randomUUID(), ...fields });
  const alert = (fields: object) => ask('POST', '/webhook/tradingview', { apiKey, exchange: 'binance', ...fields });
  const held = async (): Promise<readonly string[]> =>
    (await ask('GET', '/positions'))?.result.map(({ key, quantity }: Held) => `${key} ${quantity}`).sort();
  const legsSeen = new Set<string>();
  for (const afterMs of MOMENTS_MS) {
    await ask('POST', '/positions/close', { all: true });
    for (const symbol of SYMBOLS) expect((await signal({ action: 'SHORT', symbol, quantity: 1 }))?.success).toBe(true);
    // The reversal to long 1 was missed: the short is closed, what is missing is opened, and then the order itself.
    const alerts = SYMBOLS.map((ticker) => ({
      ...{ ticker, idempotencyKey: randomUUID(), ...createStrategy(1).moveTo(3) },
    }));
    const sendAll = () => Promise.all(alerts.map((each) => alert(each)));
    await lives.cutOff(afterMs, sendAll);
    for (const { leg } of rowsOf(dataDir, `SELECT leg FROM orders WHERE leg LIKE 'catch_up%'`))
      legsSeen.add(String(leg));
    const again = (await sendAll()) as readonly Sent['body'][];
    expect(again.filter((answer) => !(answer?.success || answer?.code === 'DUPLICATE_SIGNAL'))).toEqual([]);
    expect(await held()).toEqual([
      ...['binance:ETHUSDT:LONG 3', 'binance:SOLUSDT:LONG 3'],
      ...['binance:scalp:ETHUSDT:LONG 6', 'binance:scalp:SOLUSDT:LONG 6'],
    ]);
  }
  // Every order is at the venue once, and as our books have it.
  const orders = rowsOf(
    dataDir,
    `SELECT orders.leg, count(*) AS n FROM orders JOIN paper_orders ON paper_orders.client_order_id = orders.client_order_id
      AND paper_orders.account = orders.account AND paper_orders.status = orders.state AND orders.state = 'filled'
      JOIN trades ON trades.seq = orders.trade_seq WHERE trades.source = 'tradingview' GROUP BY orders.leg`,
  );
  const times = MOMENTS_MS.length * SYMBOLS.length * 2;
  expect(orders).toEqual(['catch_up_close', 'catch_up_open', 'open'].map((leg) => ({ leg, n: times })));
  expect([...legsSeen].sort()).toEqual(['catch_up_close', 'catch_up_open']);
  await lives.end();
});
