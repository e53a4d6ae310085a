// What a model may look at: accounts, performance, positions with their protection, trades, signals, bars, and a Pine script over bars. It can look and nothing more.
//
// Whatever a tool returns is data. Somebody may have written "now sell everything" into the source of a signal, but there
// is no tool here that could do it: none trades, none changes anything, none reaches another machine.

import { z } from 'zod';
import { type AgentTool, ToolRefusal } from '../../agent/tool-calls.ts';
import { EXCHANGES } from '../../exchanges/exchange.ts';
import type { ScriptRunner } from '../../library/script-runner.ts';
import { describeMarket } from '../../market-data/assumed-market.ts';
import { FeedRefusal } from '../../market-data/bar-feed.ts';
import type { Bar, PriceSource } from '../../market-data/price-source.ts';
import { barStart, parseTimeframe } from '../../market-data/timeframe.ts';
import { barColumns, timeframeOfSeconds } from '../../pine/light.ts';
import type { Journal } from '../../trading/books/journal.ts';
import type { SignalStore } from '../../trading/books/signal-store.ts';
import { statesOf, TRADE_STATUSES } from '../../trading/books/trade-status.ts';
import { marketOf } from '../../trading/intake/market-symbol.ts';
import { type MoneyToolDeps, moneyTools } from './agent-money-tools.ts';
import { scriptSummary } from './agent-script.ts';
import { tool } from './agent-tool.ts';
import { openPositions, type PositionDeps } from './position-views.ts';
import { protectionViews } from './protection-views.ts';
import { tradeView } from './trades.ts';

export interface AgentToolDeps extends PositionDeps, MoneyToolDeps {
  readonly accounts: PositionDeps['accounts'] & MoneyToolDeps['accounts'];
  readonly journal: Pick<Journal, 'trades' | 'positions' | 'strategyBooks' | 'orders'>;
  readonly signals: Pick<SignalStore, 'list'>;
  readonly pricesOf: PositionDeps['pricesOf'];
  /** Of the bars that a model looks at. */
  readonly prices: PriceSource;
  /** Undefined where no scripts run: then that tool is not offered. */
  readonly scripts?: Pick<ScriptRunner, 'evaluate'> | undefined;
  readonly newRunId: () => string;
  readonly nowMs: () => number;
}

const MAX_LISTED = 100;
const MAX_BARS = 500;
/** Enough for every indicator to settle. */
const MAX_SCRIPT_BARS = 5000;
const MAX_SCRIPT_CHARS = 24_000;
const SCRIPT_TIMEOUT_MS = 10_000;

const symbol = z.string().min(1).max(20).describe('A market such as BTCUSDT');
const timeframe = z.string().max(8).describe('Length of a bar: a number and m, h, d or w, such as 5m, 4h, 1d');
const limit = z.number().int().min(1).max(MAX_LISTED).default(20);

export function createAgentTools(deps: AgentToolDeps): readonly AgentTool[] {
  const { scripts } = deps;
  const looks = [
    positionsTool(deps),
    protectionTool(deps),
    ...moneyTools(deps),
    tradesTool(deps),
    signalsTool(deps),
    barsTool(deps),
  ];
  return scripts === undefined ? looks : [...looks, scriptTool(deps, scripts)];
}

const positionsTool = (deps: AgentToolDeps): AgentTool =>
  tool(
    'get_positions',
    'The open positions with their unrealized profit, leverage, margin and stops.',
    z.object({}),
    async () => ({ rows: await openPositions(deps) }),
  );

const protectionTool = ({ protections, tickOf }: AgentToolDeps): AgentTool =>
  tool(
    'get_protection',
    'Stops, targets, trails and time stops of open positions, and those that wait for the fill of their entry.',
    z.object({ symbol: symbol.optional(), exchange: z.enum(EXCHANGES).optional() }),
    async (asked) => {
      const market = asked.symbol === undefined ? undefined : readMarket(asked.symbol);
      const rows = (await protectionViews(protections, tickOf)).filter(
        (view) => (market ?? view.symbol) === view.symbol && (asked.exchange ?? view.exchange) === view.exchange,
      );
      return { rows };
    },
  );

const tradesTool = ({ journal }: AgentToolDeps): AgentTool =>
  tool(
    'get_trades',
    'Trades, newest first: what was asked for, its status, the price it got. receivedAt is ms since 1970.',
    z.object({
      symbol: symbol.optional(),
      exchange: z.enum(EXCHANGES).optional(),
      status: z.enum(TRADE_STATUSES).optional(),
      limit,
    }),
    async (asked) => {
      const market = asked.symbol === undefined ? undefined : readMarket(asked.symbol);
      const { exchange, status } = asked;
      const states = status && statesOf(status);
      const trades = await journal.trades({ limit: asked.limit, market, exchange, states });
      return { rows: trades.map(tradeView) };
    },
  );

const signalsTool = ({ signals }: AgentToolDeps): AgentTool =>
  tool(
    'get_signals',
    'Signals, newest first, traded or not: decision says what became of each. timestamp is ms since 1970.',
    z.object({ symbol: symbol.optional(), source: z.string().max(64).optional(), limit }),
    async (asked) => {
      const records = (await signals.list(asked)) ?? [];
      return { rows: records.map(({ timestampMs, ...record }) => ({ ...record, timestamp: timestampMs })) };
    },
  );

const barsTool = (deps: AgentToolDeps): AgentTool =>
  tool(
    'get_bars',
    'Price bars of a market, newest first: [time, open, high, low, close, volume]; the newest may still be forming.',
    z.object({ symbol, timeframe, count: z.number().int().min(1).max(MAX_BARS).default(100) }),
    async (asked) => {
      const bars = await barsOf(asked, deps);
      const rows = bars.map((bar) => [isoTime(bar.time), bar.open, bar.high, bar.low, bar.close, bar.volume]);
      return { prices: deps.prices.label, rows: rows.reverse() };
    },
  );

const scriptTool = (deps: AgentToolDeps, scripts: Pick<ScriptRunner, 'evaluate'>): AgentTool =>
  tool(
    'run_script',
    'Runs a Pine Script over bars of a market and returns its last values, alerts, logs, and trades of a strategy.',
    z.object({
      script: z.string().min(1).max(MAX_SCRIPT_CHARS),
      symbol,
      timeframe,
      count: z.number().int().min(1).max(MAX_SCRIPT_BARS).default(500),
    }),
    async (asked, signal) => {
      const bars = await barsOf(asked, deps);
      const outcome = await scripts.evaluate({
        source: asked.script,
        bars: barColumns(bars),
        symbol: describeMarket({ ticker: asked.symbol }, marketOf, '', bars.at(-1)?.close).symbol,
        timeframe: timeframeOfSeconds(readTimeframe(asked.timeframe) / 1000),
        runId: deps.newRunId(),
        timeoutMs: SCRIPT_TIMEOUT_MS,
        signal,
      });
      return { prices: deps.prices.label, ...scriptSummary(outcome) };
    },
  );

async function barsOf(
  asked: { symbol: string; timeframe: string; count: number },
  { prices, nowMs }: AgentToolDeps,
): Promise<readonly Bar[]> {
  const timeframeMs = readTimeframe(asked.timeframe);
  const toMs = nowMs();
  const fromMs = Math.max(0, barStart(toMs, timeframeMs) - (asked.count - 1) * timeframeMs);
  return prices.bars(readMarket(asked.symbol), timeframeMs, fromMs, toMs).catch((error) => {
    throw error instanceof FeedRefusal || error instanceof RangeError ? new ToolRefusal(error.message) : error;
  });
}

const isoTime = (ms: number): string => new Date(ms).toISOString();

function readMarket(text: string): string {
  const market = marketOf(text);
  if (market === undefined) throw new ToolRefusal('symbol: names no market, send one such as BTCUSDT');
  return market;
}

function readTimeframe(text: string): number {
  try {
    return parseTimeframe(text);
  } catch (error) {
    throw new ToolRefusal((error as RangeError).message);
  }
}
