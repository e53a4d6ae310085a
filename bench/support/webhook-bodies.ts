// Bodies for the webhook benchmark: every one with its own random idempotency key, buying and closing in turns.

import { createSimulatedMarket } from '../../src/adapters/market-data/simulated/simulated-market.ts';

export interface BenchMarket {
  readonly symbol: string;
  readonly quantity: number;
}

const NOTIONAL_USDT = 300;
const COINS =
  'BTC ETH SOL XRP DOGE ADA BNB TRX LINK AVAX DOT LTC BCH UNI ATOM ETC FIL APT ARB OP NEAR INJ SUI SEI TIA AAVE VET LDO XLM ALGO ICP HBAR';

/** Thirty-two markets, each with a quantity worth about the same. */
export async function benchMarkets(): Promise<readonly BenchMarket[]> {
  const prices = createSimulatedMarket({ seed: 1, nowMs: Date.now });
  return Promise.all(
    COINS.split(' ').map(async (coin) => {
      const symbol = `${coin}USDT`;
      return { symbol, quantity: Number((NOTIONAL_USDT / Number(await prices.lastPrice(symbol))).toPrecision(2)) };
    }),
  );
}

/** Worth about as much, and told in USDT: the product works the quantity out. */
const sizedBody = (apiKey: string, action: string, { symbol }: BenchMarket): string =>
  `{"apiKey":"${apiKey}","exchange":"binance","action":"${action}","symbol":"${symbol}","quantity":${NOTIONAL_USDT},"quantityType":"quote","idempotencyKey":"${randomUuid()}"}`;

export function signalBody(apiKey: string, action: string, market: BenchMarket, times = 1): string {
  const quantity = Number((market.quantity * times).toPrecision(6));
  return `{"apiKey":"${apiKey}","exchange":"binance","action":"${action}","symbol":"${market.symbol}","quantity":${quantity},"idempotencyKey":"${randomUuid()}"}`;
}

export function createBodies(settings: unknown): () => string {
  const { apiKey, markets, sized } = settings as { apiKey: string; markets: readonly BenchMarket[]; sized?: boolean };
  const bodyOf = sized ? sizedBody : signalBody;
  let next = 0;
  return () => {
    const index = next++;
    const market = markets[index % markets.length] as BenchMarket;
    return bodyOf(apiKey, Math.floor(index / markets.length) % 2 === 0 ? 'LONG' : 'CLOSE_LONG', market);
  };
}

/** Quick rather than unguessable: the generator must not be the bottleneck. */
function randomUuid(): string {
  const part = (digits: number): string =>
    Math.floor(Math.random() * 16 ** digits)
      .toString(16)
      .padStart(digits, '0');
  return `${part(8)}-${part(4)}-4${part(3)}-8${part(3)}-${part(12)}`;
}
