// GET /bars, GET /bars/archive and GET /bars/gaps: bars of a market, what is kept of them, and what is missing.
//
// They stand apart from the rest of the gateway, because the archive is the script process's: it serves them where one runs.

import { z } from 'zod';
import { StorageError } from '../../errors/storage-error.ts';
import { EXCHANGES } from '../../exchanges/exchange.ts';
import type { App } from '../../http/app.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { type InternalGate, internalGates } from '../../http/internal-auth.ts';
import { mountEndpoints } from '../../http/mount-endpoints.ts';
import type { LiveBar } from '../../market-data/bar-feed.ts';
import type { Stretch } from '../../market-data/bar-store.ts';
import { holesBetween, type MarketBars, UnknownMarket, UnknownTimeframe } from '../../market-data/market-bars.ts';
import { barStart, timeframeText } from '../../market-data/timeframe.ts';
import { answer } from './admin-answers.ts';
import { backwards, barsQuerySchema, gapsQuerySchema, readMarket, readStretch } from './read-bars-query.ts';
import { readQuery } from './read-query.ts';
import { ok, type Responses, refused, servedByScripts } from './responses.ts';
import { errorSchema } from './schemas.ts';
import { type OnStorageFault, withStorageWords } from './storage-refusal.ts';

/** A year and more of quarters of an hour. Reading what is known of more would take too long at once. */
const MAX_GAP_BARS = 100_000;
const TAGS = ['Market data'];

export interface BarsDeps {
  /** Opened when they are first needed. */
  readonly bars: () => Promise<MarketBars>;
  readonly nowMs: () => number;
  readonly onFault: OnStorageFault;
}

const ms = z.int().meta({ description: 'ms since 1970 UTC' });
const source = z.enum(['simulated', ...EXCHANGES]).meta({ description: 'Where the prices come from' });
const stretchSchema = z.object({ from: ms, to: ms, bars: z.int().meta({ description: 'How many would be in it' }) });
const barSchema = z.object({
  time: ms.meta({ description: 'When it begins, in ms since 1970 UTC' }),
  open: z.number(),
  high: z.number(),
  low: z.number(),
  close: z.number(),
  volume: z.number().meta({ description: 'In base currency' }),
  closed: z.boolean().meta({ description: 'Whether it is final; the newest usually still forms' }),
});
export const barsSchema = z.object({
  exchange: z.enum(EXCHANGES).nullable(),
  symbol: z.string(),
  timeframe: z.string(),
  source,
  bars: z.array(barSchema).meta({ description: 'Oldest first' }),
  gaps: z.array(stretchSchema).meta({ description: 'Where there are no bars in between, because nobody traded' }),
  next: ms
    .nullable()
    .meta({ description: 'Ask again with this as from for what did not fit; null when nothing is left' }),
});
const seriesSchema = z.object({ symbol: z.string(), timeframe: z.string(), source, from: ms, to: ms });
const gapsSchema = z.object({
  symbol: z.string(),
  timeframe: z.string(),
  source,
  computed: z.boolean().meta({ description: 'Whether this source makes its bars itself, so that none are kept' }),
  bars: z.int().meta({ description: 'How many are kept' }),
  unknown: z.array(stretchSchema).meta({ description: 'Not kept yet; GET /bars over it fetches and keeps it' }),
  empty: z.array(stretchSchema).meta({ description: 'Asked for, and the venue has none: nobody traded' }),
});
const marketRefusals: Responses = {
  400: refused('INVALID_QUERY'),
  422: {
    description: 'UNKNOWN_SYMBOL: there is no such market',
    schema: errorSchema.extend({
      nearest: z.array(z.string()).meta({ description: 'Names that may have been meant' }),
    }),
  },
  502: refused('MARKET_DATA_UNREACHABLE: the venue does not answer'),
};

export function barEndpoints(deps: BarsDeps): readonly Endpoint[] {
  return [barsEndpoint(deps), archiveEndpoint(deps), gapsEndpoint(deps)];
}

export function mountBars(app: App, deps: BarsDeps, gate: InternalGate): void {
  const inWords = barEndpoints(deps).map((endpoint) => withStorageWords(endpoint, deps.onFault));
  mountEndpoints(app, inWords.map(servedByScripts), internalGates(gate));
}

const barsEndpoint = ({ bars, nowMs, onFault }: BarsDeps): Endpoint => ({
  method: 'get',
  path: '/bars',
  summary: 'Bars of a market, oldest first',
  description:
    'From the archive where they are kept, else from where the prices come from, and then kept. The simulated market has the same past whenever it is asked.',
  tags: TAGS,
  query: barsQuerySchema,
  responses: { ...ok('Bars', barsSchema), ...marketRefusals },
  async handler(c) {
    const query = readQuery(c, barsQuerySchema);
    const { market, timeframeMs } = readMarket(query);
    const stretch = readStretch(query, timeframeMs, nowMs());
    const all = await bars();
    const found = await all.range(market, timeframeMs, stretch).catch((error) => {
      throw barsRefusal(error, (fault) => onFault(fault, c.var.requestId));
    });
    return answer(c, {
      exchange: query.exchange ?? null,
      symbol: market,
      timeframe: timeframeText(timeframeMs),
      source: all.source,
      bars: found,
      gaps: gapsIn(found, stretch, timeframeMs, nowMs()),
      next: stretch.nextMs,
    });
  },
});

const archiveEndpoint = ({ bars }: BarsDeps): Endpoint => ({
  method: 'get',
  path: '/bars/archive',
  summary: 'What the archive of bars holds',
  tags: TAGS,
  responses: ok('A line per market and timeframe; there may be holes between from and to', z.array(seriesSchema)),
  async handler(c) {
    const all = await bars();
    const series = await all.series();
    return answer(
      c,
      series.map(({ market, timeframeMs, fromMs, toMs }) => ({
        symbol: market,
        timeframe: timeframeText(timeframeMs),
        source: all.source,
        from: fromMs,
        to: toMs,
      })),
    );
  },
});

const gapsEndpoint = ({ bars, nowMs, onFault }: BarsDeps): Endpoint => ({
  method: 'get',
  path: '/bars/gaps',
  summary: 'What is missing in the archive',
  description: 'Asks no venue. What is not kept yet is fetched by asking GET /bars for it.',
  tags: TAGS,
  query: gapsQuerySchema,
  responses: {
    ...ok('What is kept, and what is not', gapsSchema),
    400: marketRefusals[400] ?? refused('INVALID_QUERY'),
  },
  async handler(c) {
    const { from, to = nowMs(), ...query } = readQuery(c, gapsQuerySchema);
    const { market, timeframeMs } = readMarket(query);
    if (from > to) throw backwards();
    if ((to - from) / timeframeMs > MAX_GAP_BARS)
      throw new Refusal('INVALID_QUERY', `from: lies more than ${MAX_GAP_BARS} bars before to, ask in pieces`);
    const all = await bars();
    const coverage = await all.coverage(market, timeframeMs, { fromMs: from, toMs: to }).catch((error) => {
      throw barsRefusal(error, (fault) => onFault(fault, c.var.requestId));
    });
    const stretch = stretchView(timeframeMs);
    return answer(c, {
      symbol: market,
      timeframe: timeframeText(timeframeMs),
      source: all.source,
      computed: all.isComputed,
      bars: coverage.bars,
      unknown: coverage.unknown.map(stretch),
      empty: coverage.empty.map(stretch),
    });
  },
});

const stretchView =
  (timeframeMs: number) =>
  ({ fromMs, toMs }: Stretch) => ({ from: fromMs, to: toMs, bars: Math.ceil((toMs - fromMs) / timeframeMs) });

/** Up to the bar that forms now, which may not be there yet. */
function gapsIn(bars: readonly LiveBar[], { fromMs, toMs }: Stretch, timeframeMs: number, nowMs: number) {
  const firstMs = barStart(fromMs + timeframeMs - 1, timeframeMs);
  const stretch = { fromMs: firstMs, toMs: Math.min(toMs, barStart(nowMs, timeframeMs)) };
  const taken = new Set(bars.map(({ time }) => time));
  return holesBetween(taken, stretch, timeframeMs).map(stretchView(timeframeMs));
}

/** What to answer when bars cannot be had. Whatever is neither the caller's fault nor the disk's is the venue's. */
function barsRefusal(error: unknown, onFault: (error: unknown) => void): unknown {
  if (error instanceof UnknownMarket)
    return new Refusal('UNKNOWN_SYMBOL', error.message, { extra: { nearest: error.nearest }, cause: error });
  if (error instanceof UnknownTimeframe) return new Refusal('INVALID_QUERY', `timeframe: ${error.message}`);
  if (error instanceof StorageError) return error;
  onFault(error);
  return new Refusal('MARKET_DATA_UNREACHABLE', (error as Error).message, { cause: error });
}
