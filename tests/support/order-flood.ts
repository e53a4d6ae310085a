// A flood of signals through the whole gateway to an emulated venue that answers as slowly as a real one: how close the orders come
// to the rate that the venue allows, what they cost there, and whether the venue had to refuse one of them.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../../src/composition/build.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import type { Exchange } from '../../src/exchanges/exchange.ts';
import { createLog } from '../../src/http/log.ts';
import type { EmulatedBinance } from './emulated-venues/binance/venue.ts';
import type { EmulatedVenue } from './emulated-venues/emulated-venue.ts';
import { DEFAULT_MARKETS, type MarketSpec } from './emulated-venues/market-spec.ts';
import { START_VENUE } from './emulated-venues/start-venue.ts';
import type { RecordedRequest } from './emulated-venues/venue-server.ts';

export const FLOOD_KEY = `whk_${'k'.repeat(43)}`;
/** There and back. */
const LATENCY_MS = 20;
const WALLET = '100000000';

interface OrderLimit {
  readonly most: number;
  readonly windowMs: number;
}

interface FloodedVenue {
  readonly orderPath: string;
  /** What it publishes for new orders. */
  readonly limits: readonly OrderLimit[];
}

const VENUES: Readonly<Record<Exchange, FloodedVenue>> = {
  binance: {
    orderPath: '/fapi/v1/order',
    limits: [
      { most: 300, windowMs: 10_000 },
      { most: 1200, windowMs: 60_000 },
    ],
  },
  bybit: {
    orderPath: '/v5/order/create',
    limits: [{ most: 10, windowMs: 1_000 }],
  },
  mexc: {
    orderPath: '/api/v1/private/order/create',
    limits: [{ most: 20, windowMs: 2_000 }],
  },
};

export interface FloodOptions {
  readonly exchange: Exchange;
  readonly signals: number;
  readonly markets: number;
  readonly mode: 'async' | 'direct';
  /** Of every signal; absent means as it is set at the venue. */
  readonly leverage?: number;
  /** Whether a paper twin does the same beside it. */
  readonly hasTwin?: boolean;
}

export interface FloodReport {
  /** Orders that the venue has filled. */
  readonly filled: number;
  /** From the first order to the last, as they arrived at the venue. */
  readonly tookMs: number;
  /** The least time in which the limits of the venue allow so many. */
  readonly leastMs: number;
  /** Of the rate that is allowed. */
  readonly share: number;
  /** Answers that say "too many". */
  readonly refused: number;
  /** Requests by method and path, the most frequent first. */
  readonly requests: ReadonlyMap<string, number>;
  /** What all requests together weighed, where the venue weighs them. */
  readonly weight: number | undefined;
}

export const floodMarket = (index: number): string => `F${String(index).padStart(2, '0')}USDT`;

/** As many markets as are wanted, all with the rules of one, beside those that every emulated venue has. */
export function floodSpecs(markets: number): readonly MarketSpec[] {
  const spec = DEFAULT_MARKETS.find(({ symbol }) => symbol === 'ETHUSDT');
  if (spec === undefined) throw new Error('ETHUSDT is not listed any more; name another market');
  const made = Array.from({ length: markets }, (_, index) => {
    const symbol = floodMarket(index);
    return { ...spec, symbol, base: symbol.slice(0, -'USDT'.length) };
  });
  return [...DEFAULT_MARKETS, ...made];
}

/** A gateway whose live account is at an emulated venue. */
export interface FloodedGateway {
  readonly emulated: EmulatedVenue;
  readonly built: Awaited<ReturnType<typeof build>>;
  /** Resolves when it was taken; rejects with what was answered otherwise. */
  send(fields: object): Promise<void>;
  /** New orders, as they arrived. */
  orders(): readonly RecordedRequest[];
  close(): Promise<void>;
}

export async function openFlooded(options: Omit<FloodOptions, 'signals'>): Promise<FloodedGateway> {
  const { exchange, markets, mode, hasTwin = false } = options;
  const { orderPath } = VENUES[exchange];
  const emulated = await START_VENUE[exchange]({ wallet: WALLET, specs: floodSpecs(markets) });
  for (let index = 0; index < markets; index += 1) emulated.market.setPrice(floodMarket(index), '2000');
  emulated.faults.delay({}, LATENCY_MS / 2, 'before', Number.POSITIVE_INFINITY);
  emulated.faults.delay({}, LATENCY_MS / 2, 'after', Number.POSITIVE_INFINITY);
  const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-flood-'));
  const env = {
    DATA_DIR: dataDir,
    SERVICES: 'gateway',
    WEBHOOK_API_KEYS: FLOOD_KEY,
    QUEUE_MODE: mode,
    WEBHOOK_RATE_PER_MINUTE: '0',
    SIGNAL_MAX_AGE_S: '600',
    CONFIRM_FIRST_LIVE_ORDER: 'no',
    PAPER_TWIN: hasTwin ? 'yes' : 'no',
  };
  const loaded = loadConfig(env, { checkAddressEntry: () => undefined });
  const { credentials, baseUrl } = emulated;
  const config: Config = {
    ...loaded,
    venues: { ...loaded.venues, [exchange]: { mode: 'live', hasOwnMode: true, credentials, baseUrl } },
  };
  const built = await build(config, createLog({ level: 'silent', name: 'flood' }), { trade: true });
  await built.gateway?.desk.start({ afterCrash: false });
  return {
    emulated,
    built,
    async send(fields) {
      const body = JSON.stringify({ apiKey: FLOOD_KEY, exchange, action: 'LONG', quantity: 0.1, ...fields });
      const answer = await built.app.request('/webhook', { method: 'POST', body }, { peer: '127.0.0.1' });
      if (!answer.ok) throw new Error(`a signal was answered with HTTP ${answer.status}: ${await answer.text()}`);
    },
    orders: () => emulated.requests.filter(({ method, path }) => method === 'POST' && path === orderPath),
    async close() {
      await built.tearDown();
      await emulated.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export async function flood(options: FloodOptions): Promise<FloodReport> {
  const { exchange, signals, markets, leverage } = options;
  const gateway = await openFlooded(options);
  try {
    const sent = Array.from({ length: signals }, (_, index) =>
      // The quantities differ, so that no signal is taken for another one that was sent again.
      gateway.send({
        symbol: floodMarket(index % markets),
        quantity: 0.1 + Math.floor(index / markets) / 1000,
        leverage,
      }),
    );
    await Promise.all(sent);
    await gateway.built.gateway?.desk.atRest();
    return reportOf(exchange, gateway);
  } finally {
    await gateway.close();
  }
}

function reportOf(exchange: Exchange, { emulated, orders }: FloodedGateway): FloodReport {
  const arrivals = orders()
    .filter((order) => !isTooMany(order))
    .map(({ atMs }) => atMs);
  const tookMs = (arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0);
  const leastMs = Math.max(
    ...VENUES[exchange].limits.map(({ most, windowMs }) => Math.floor((arrivals.length - 1) / most) * windowMs),
  );
  const counts = new Map<string, number>();
  for (const { method, path } of emulated.requests) {
    // MEXC puts names into its paths.
    const name = `${method} ${path.replace(/\/(F\d+_USDT|sbx[\w-]*|\d{6,})/g, '/*')}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return {
    filled: emulated.market.orders.filter(({ status }) => status === 'FILLED').length,
    ...{ tookMs, leastMs, share: leastMs / tookMs },
    refused: emulated.requests.filter(isTooMany).length,
    requests: new Map([...counts].sort(([, one], [, other]) => other - one)),
    weight: 'limits' in emulated ? (emulated as EmulatedBinance).limits.weightInAll : undefined,
  };
}

const TOO_MANY_CODES = new Set([-1003, -1015, 10006, 10018, 510]);

/** Some venues say it with a code of their own in an answer that is fine otherwise. */
function isTooMany({ status, answer }: RecordedRequest): boolean {
  const { code, retCode } = (answer ?? {}) as { code?: number; retCode?: number };
  return status === 429 || status === 418 || status === 403 || TOO_MANY_CODES.has(retCode ?? code ?? 0);
}
