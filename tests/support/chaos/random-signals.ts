// Random signals of many senders, by seed: many markets, several keys, accounts and strategies. Half of them meet in a few markets,
// so that a lane has always something that could overtake.

import { randomUUID } from 'node:crypto';
import { unitOf } from '../nothing-lost.ts';
import type { Random } from '../random.ts';

const HOT = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT'] as const;
const MARKETS = 'BTC ETH SOL XRP BNB ADA LINK LTC TRX DOT AVAX UNI ATOM NEAR SUI OP ARB APT FIL XLM'
  .split(' ')
  .map((coin) => `${coin}USDT`) as [string, ...string[]];
/** Closes of what is not held are refused without an order; they are what a crash may bring out of order. */
const ACTIONS = ['LONG', 'CLOSE_LONG', 'CLOSE_SHORT', 'SHORT', 'CLOSE_LONG', 'CLOSE_SHORT'] as const;
const STRATEGIES = [undefined, 'trend', 'range', 'Ema Cross 4h'] as const;
/** Each of its entries has a stop. */
export const GUARDED = 'guarded';
/** Of the price: some are reached within seconds, some never. */
const STOP_PERCENTS = [0.02, 0.1, 50] as const;

interface LiveMarket {
  readonly symbol: string;
  readonly price: string;
  readonly unit: number;
}

/** What emulated venues list, in amounts that all of them take. */
export const LIVE_MARKETS: readonly [LiveMarket, ...LiveMarket[]] = [
  { symbol: 'BTCUSDT', price: '50000', unit: 0.003 },
  { symbol: 'ETHUSDT', price: '3000', unit: 0.02 },
];

export interface SignalSource {
  readonly random: Random;
  readonly apiKeys: readonly [string, ...string[]];
  readonly paper: readonly [string, ...string[]];
  /** Accounts besides main. */
  readonly accounts?: readonly [string, ...string[]];
  /** Some entries on paper have a stop. */
  readonly hasStops?: boolean;
  /** An exchange with real orders, and how many of a thousand signals are for it. */
  readonly live?: { readonly exchange: string; readonly permille: number } | undefined;
}

export function drawSignal({ random, apiKeys, paper, accounts, live, hasStops = false }: SignalSource): {
  body: string;
  idempotencyKey: string;
} {
  const idempotencyKey = randomUUID();
  const common = {
    apiKey: random.of(apiKeys),
    action: random.of(ACTIONS),
    strategy: random.of(STRATEGIES),
    idempotencyKey,
  };
  const times = random.between(1, 3);
  if (live !== undefined && random.between(1, 1000) <= live.permille) {
    const { symbol, unit } = random.of(LIVE_MARKETS);
    const order = { exchange: live.exchange, symbol, quantity: Number((unit * times).toFixed(3)) };
    return { body: JSON.stringify({ ...common, ...order }), idempotencyKey };
  }
  const symbol = random.chance(50) ? random.of(HOT) : random.of(MARKETS);
  const account = accounts !== undefined && random.chance(25) ? { account: random.of(accounts) } : {};
  const order = { exchange: random.of(paper), symbol, quantity: unitOf(symbol) * times, ...account };
  const guard = hasStops && random.chance(20) ? drawGuard(random, common.action) : {};
  return { body: JSON.stringify({ ...common, ...order, ...guard }), idempotencyKey };
}

const drawGuard = (random: Random, action: (typeof ACTIONS)[number]): object => ({
  strategy: GUARDED,
  ...(!action.startsWith('CLOSE_') && { stopLoss: { percent: random.of<number>(STOP_PERCENTS) } }),
});
