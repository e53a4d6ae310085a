// The signals of one round: every kind of life a signal can have, each in a market of its own.

import { randomUUID } from 'node:crypto';
import { createSimulatedMarket } from '../../../src/adapters/market-data/simulated/simulated-market.ts';
import { unitOf } from '../nothing-lost.ts';
import type { SentSignal } from '../senders.ts';

const API_KEY = `whk_${'f'.repeat(43)}`;
const MARKET_SEED = 1;
export const ENV = { WEBHOOK_API_KEYS: API_KEY, MARKET_SEED: String(MARKET_SEED) };

/** Entries with a stop loss and a take profit, and closes of the whole position; the two take turns. */
export const STOP_MARKETS = ['BTCUSDT', 'ETHUSDT'] as const;
const SHORT_MARKET = 'XRPUSDT';
/** Limit orders far from the price, and closes that cancel them; the two take turns. */
export const RESTING_MARKETS = ['SOLUSDT', 'LTCUSDT'] as const;
/** Limit orders that rest until the market trades through them a few seconds later. */
export const FILLED_LATER_MARKETS = ['DOGEUSDT', 'ADAUSDT', 'LINKUSDT', 'AVAXUSDT', 'SUIUSDT', 'TONUSDT'];
/** Only to make many commits. */
const LOAD_MARKET = 'BNBUSDT';
/** Their outcomes follow from the order of acceptance alone. */
export const REPLAYED_MARKETS: readonly string[] = [...STOP_MARKETS, SHORT_MARKET, LOAD_MARKET];

const LARGER_THAN_ANY_POSITION = 1000;

function signal(action: string, symbol: string, fields: object = {}): SentSignal {
  const idempotencyKey = randomUUID();
  const quantity = unitOf(symbol) * (action.startsWith('CLOSE_') ? LARGER_THAN_ANY_POSITION : 1);
  const order = { exchange: 'binance', action, symbol, quantity, idempotencyKey, ...fields };
  return { body: JSON.stringify({ apiKey: API_KEY, ...order }), idempotencyKey, answer: undefined };
}

const now = createSimulatedMarket({ seed: MARKET_SEED, nowMs: Date.now });
const rounded = (price: number): number => Number(price.toPrecision(3));

/** Levels that the simulated market does not come near. */
async function withStops(market: string): Promise<object> {
  const price = Number(await now.lastPrice(market));
  return { stopLoss: rounded(price / 2), takeProfit: rounded(price * 2) };
}

export const entryWithStops = async (market: string): Promise<SentSignal> =>
  signal('LONG', market, await withStops(market));

/** The first of them is the one that may be sent twice. Rounds take turns in what is opened and what is closed. */
export async function everydaySignals(round: number): Promise<SentSignal[]> {
  const [opened, closed] = round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
  const price = rounded(Number(await now.lastPrice(RESTING_MARKETS[opened])) * 0.7);
  return [
    await entryWithStops(STOP_MARKETS[opened]),
    signal('CLOSE_LONG', STOP_MARKETS[closed]),
    signal('SHORT', SHORT_MARKET),
    signal('LONG', RESTING_MARKETS[opened], { price }),
    signal('CLOSE_LONG', RESTING_MARKETS[closed]),
  ];
}

export const loadSignal = (): SentSignal => signal('LONG', LOAD_MARKET);

/** Nothing rests in these markets afterwards. */
export const closingSignals = (): SentSignal[] => RESTING_MARKETS.map((market) => signal('CLOSE_LONG', market));

/** An entry, with stops, below the price of now and the next second, and above one of the seconds after that. */
export async function filledLater(): Promise<SentSignal> {
  for (;;) {
    for (const market of FILLED_LATER_MARKETS) {
      const price = await dipOf(market);
      if (price !== undefined) return signal('LONG', market, { price, ...(await withStops(market)) });
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** The simulated market is the same for all who know its seed, so its future can be read. */
async function dipOf(market: string): Promise<number | undefined> {
  const prices: number[] = [];
  for (let second = 0; second <= 4; second++) {
    const at = Date.now() + second * 1000;
    prices.push(Number(await createSimulatedMarket({ seed: MARKET_SEED, nowMs: () => at }).lastPrice(market)));
  }
  const [first, next, ...later] = prices as [number, number, ...number[]];
  const low = Math.min(...later);
  const middle = rounded5((low + Math.min(first, next)) / 2);
  return low < middle && middle < Math.min(first, next) ? middle : undefined;
}

/** No finer than the ticks of these markets. */
const rounded5 = (price: number): number => Number(price.toFixed(price < 0.5 ? 5 : price < 5 ? 4 : 3));
