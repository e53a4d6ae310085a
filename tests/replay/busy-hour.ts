// A busy hour at the front door: several markets and strategies, two accounts behind one key, stops, limit orders, cancels, the
// owner's closes, the kill switch, refusals and a restart; everything a replay has to bring about again.

import { openGateway, type TestGateway } from '../support/gateway.ts';
import { freshDataDir } from '../support/process.ts';

/** The seed of the prices of test gateways. */
export const SEED = '7';

export const MINUTE_MS = 60_000;

/** Prices stand for a second, so that what a test looks at is what an order of the same turn meets. */
export async function lastPrice(gateway: TestGateway, market: string): Promise<number> {
  return Number(await (await openMarket(gateway)).lastPrice(market));
}

async function openMarket({ clock }: TestGateway) {
  const { createSimulatedMarket } = await import('../../src/adapters/market-data/simulated/simulated-market.ts');
  return createSimulatedMarket({ seed: Number(SEED), nowMs: () => Date.now() + clock.offsetMs });
}

export interface BusyHour {
  readonly dataDir: string;
  /** Before the first signal. */
  readonly startMs: number;
  readonly endMs: number;
}

/** Makes one and leaves it as a stopped instance does. */
export async function busyHour(): Promise<BusyHour> {
  const dataDir = freshDataDir();
  const accounts = ['scalp'];
  let gateway = await openGateway({ dataDir, accounts });
  const startMs = Date.now();
  await morning(gateway);
  const { offsetMs } = gateway.clock;
  await gateway.close();
  gateway = await openGateway({ dataDir, accounts });
  gateway.clock.offsetMs = offsetMs + 2 * MINUTE_MS;
  await afternoon(gateway);
  const endMs = Date.now() + gateway.clock.offsetMs + 1000;
  await gateway.close();
  return { dataDir, startMs, endMs };
}

const ENTRY = '6a1f2d1c-64a5-4f0e-9b7b-0d5c5d3f9a10';

const later = ({ clock }: TestGateway, ms: number): void => {
  clock.offsetMs += ms;
};

/** Until the desk has seen what the market did in the time that was jumped over. */
export async function lookAround(gateway: TestGateway): Promise<void> {
  await Promise.all(gateway.venues.map((venue) => ('matchNow' in venue ? venue.matchNow() : undefined)));
  // Of a fill and a look in the same instant nobody could tell which was first.
  await gateway.desk.atRest();
  await gateway.desk.protections.look();
  await gateway.desk.canceler.cancelDue(Date.now() + gateway.clock.offsetMs);
  await gateway.desk.atRest();
}

async function morning(gateway: TestGateway): Promise<void> {
  const { apiKey } = await gateway.keys.create({
    label: 'routed',
    routes: [
      { account: 'main', multiplier: 1 },
      { account: 'scalp', multiplier: 0.3 },
    ],
  });
  await gateway.send({ quantity: 0.05 });
  await gateway.send({ apiKey, symbol: 'ETHUSDT', quantity: 1, strategy: 'trend' });
  await gateway.send({ symbol: 'SOLUSDT', action: 'SHORT', quantity: 30, strategy: 'mean', leverage: 5 });
  await gateway.send({ symbol: 'ETHUSDT', action: 'SHORT', quantity: 0.4, strategy: 'fade' });
  await gateway.send({ symbol: 'XRPUSDT', quantity: 20, quantityType: 'percent_equity' });
  const price = await lastPrice(gateway, 'BTCUSDT');
  // Near enough to be reached within the hour, whichever way the market goes.
  await gateway.send({ action: 'CLOSE_LONG', quantity: 0.01, price: round(price * 1.0004) });
  await gateway.send({ quantity: 0.02, price: round(price * 0.9996), strategy: 'dip', cancelAfterSeconds: 900 });
  await gateway.send({ quantity: 0.02, price: round(price * 0.8), strategy: 'deep' });
  await gateway.send({ quantity: 0.02, price: round(price * 0.7), cancelAfterSeconds: 60 });
  const eth = await lastPrice(gateway, 'ETHUSDT');
  await gateway.send({
    ...{ exchange: 'bybit', symbol: 'ETHUSDT', quantity: 2 },
    ...{ stopLoss: round(eth * 0.998), takeProfit: round(eth * 1.002) },
  });
  await gateway.send({ exchange: 'bybit', symbol: 'SOLUSDT', action: 'SHORT', quantity: 20, trailPercent: 0.3 });
  // Refused: nothing to close, too small, an account that is not there.
  await gateway.send({ symbol: 'DOGEUSDT', action: 'CLOSE_LONG', quantity: 5 });
  await gateway.send({ quantity: 0.000001 });
  await gateway.send({ account: 'nobody' });
  for (let step = 0; step < 8; step++) {
    later(gateway, 3 * MINUTE_MS);
    await lookAround(gateway);
  }
  await gateway.send({ symbol: 'ETHUSDT', action: 'CLOSE_LONG', quantity: 0.5, strategy: 'trend' });
  await gateway.send({ symbol: 'SOLUSDT', action: 'LONG', quantity: 10, strategy: 'mean' });
}

async function afternoon(gateway: TestGateway): Promise<void> {
  await lookAround(gateway);
  const price = await lastPrice(gateway, 'BTCUSDT');
  const resting = await gateway.send({ quantity: 0.03, price: round(price * 0.9), strategy: 'low' });
  await gateway.send({ quantity: 0.03, price: round(price * 0.85), strategy: 'lower' });
  later(gateway, MINUTE_MS);
  const { orders } = await gateway.trade(resting.body.requestId);
  await gateway.request('DELETE', `/orders/${orders[0].clientOrderId}`);
  later(gateway, MINUTE_MS);
  await gateway.request('PUT', '/admin/kill-switch', { active: true, scope: 'entries', cancelEntries: true });
  later(gateway, 5000);
  await gateway.send({ symbol: 'ADAUSDT', quantity: 100 });
  await gateway.send({ symbol: 'SOLUSDT', action: 'CLOSE_SHORT', quantity: 5, strategy: 'mean' });
  later(gateway, 5000);
  await gateway.request('PUT', '/admin/kill-switch', { active: false });
  later(gateway, 5000);
  await gateway.send({ symbol: 'ADAUSDT', quantity: 100 });
  await gateway.request('PUT', '/admin/restrictions/strategy/bounded/limits', { largestOrder: 100, entriesPerDay: 1 });
  later(gateway, 1000);
  await gateway.send({ symbol: 'ADAUSDT', quantity: 150, strategy: 'bounded' });
  await gateway.send({ symbol: 'ADAUSDT', quantity: 10, strategy: 'bounded', idempotencyKey: ENTRY });
  await gateway.send({ symbol: 'ADAUSDT', quantity: 500, strategy: 'bounded' });
  await gateway.send({ symbol: 'ADAUSDT', quantity: 10, strategy: 'bounded', idempotencyKey: ENTRY });
  await gateway.request('PUT', '/admin/restrictions/symbol/DOGEUSDT/pause', { paused: true, reason: 'news' });
  later(gateway, 1000);
  await gateway.send({ symbol: 'DOGEUSDT', quantity: 500 });
  await gateway.request('PUT', '/admin/restrictions/symbol/DOGEUSDT/pause', { paused: false });
  later(gateway, 1000);
  await gateway.send({ symbol: 'DOGEUSDT', quantity: 500 });
  later(gateway, 20 * MINUTE_MS);
  await lookAround(gateway);
  await gateway.request('POST', '/positions/close', { positions: ['binance:XRPUSDT:LONG'], share: 0.5 });
  later(gateway, 1000);
  await gateway.request('POST', '/positions/close', { all: true });
  later(gateway, 1000);
  await lookAround(gateway);
}

const round = (price: number): number => Number(price.toPrecision(5));
