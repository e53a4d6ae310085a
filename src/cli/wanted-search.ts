// What a command line says of a search: the inputs to vary, the markets, what counts as better, and what is written to files.

import { DEFAULT_TOP, MAX_MARKETS, MAX_TOP } from '../library/search/search-plan.ts';
import type { WalkForward } from '../library/search/walk-forward.ts';
import type { InputVariation } from '../pine/index.ts';
import {
  COMBINATIONS,
  type Constraint,
  FIGURE_NAMES,
  type FigureName,
  GOALS,
  type Goal,
  MAX_SEED,
  type Objective,
  type SearchMethod,
  timeframeFault,
  usualGoal,
} from '../pine/light.ts';
import { type Args, oneOf, plainNumber, UsageFault, wholeNumber } from './command.ts';
import type { MarketChoice } from './market-bars.ts';
import { timeframeMsOf } from './wanted-bars.ts';
import { checkWritten, type WantedRun, wantedIn } from './wanted-run.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_DAYS = 36_500;
/** Of a machine that somebody sits at. */
const MAX_THREADS = 64;
const MAX_BARS = 500_000;

/** Where the bars of one market come from. */
export interface MarketSource {
  readonly symbol: string | undefined;
  readonly timeframe: string | undefined;
  readonly bars: WantedRun['bars'];
}

export interface WantedSearch {
  readonly run: WantedRun;
  readonly markets: readonly MarketSource[];
  readonly varied: Readonly<Record<string, InputVariation>>;
  readonly method: SearchMethod;
  readonly objective: Objective;
  readonly constraints: readonly Constraint[];
  readonly walkForward: WalkForward | undefined;
  readonly top: number;
  readonly threads: number;
  readonly trials: string | undefined;
}

const EXAMPLE = 'write it like: signalbox optimize strategy.pine --bars bars.csv --vary "Length=5..50/5".';

export function wantedSearchIn(args: Args, cores: number): WantedSearch {
  const { flags, lists } = args;
  const named = lists.market ?? [];
  // Of several markets each has its own bars, and --bars says at most how many.
  const count = named.length > 0 ? (lists.bars ?? []).find((text) => /^\d+$/.test(text)) : undefined;
  const markets = named.map((text) => marketOf(text, count));
  const [first] = markets;
  const run = wantedIn(first === undefined ? args : withBarsOf(first, args), EXAMPLE);
  if (markets.length > MAX_MARKETS)
    throw new UsageFault(`--market is given ${markets.length} times; ${MAX_MARKETS} are allowed.`);
  const files = [...markets, { bars: run.bars }].map(({ bars }) => ('file' in bars ? bars.file : ''));
  checkWritten({ trials: flags.trials, report: flags.report }, [run.file, ...files, run.symbolFile ?? '']);
  return {
    run,
    markets: markets.length > 0 ? markets : [{ symbol: run.symbol, timeframe: run.timeframe, bars: run.bars }],
    varied: variationsIn(lists.vary ?? []),
    method: methodIn(flags),
    objective: objectiveIn(flags),
    constraints: constraintsIn(lists.require ?? [], flags['min-trades']),
    walkForward: walkForwardIn(args),
    top: within(flags.top, 'top', MAX_TOP) ?? DEFAULT_TOP,
    threads: within(flags.threads, 'threads', MAX_THREADS) ?? cores,
    trials: flags.trials,
  };
}

/** The rest of the command line is read as that of a run over the first market. */
function withBarsOf({ bars, timeframe = '' }: MarketSource, { lists, flags, ...args }: Args): Args {
  const others = (lists.bars ?? []).filter((text) => text.includes('='));
  if (flags.symbol !== undefined) throw new UsageFault('Give --symbol or --market, not both.');
  if (flags.timeframe !== undefined)
    throw new UsageFault('--timeframe is part of each --market, like BTCUSDT:60=bars.csv.');
  if ('file' in bars) return { ...args, flags, lists: { ...lists, bars: [...others, bars.file] } };
  const market = { symbol: bars.symbol, timeframe };
  return { ...args, flags: { ...flags, ...market }, lists: { ...lists, bars: [...others, String(bars.count)] } };
}

const MARKET = /^([^=]+):(\d{0,4}[A-Za-z]?)(?:=(.+))?$/;

function marketOf(text: string, count: string | undefined): MarketSource {
  const [, symbol = '', timeframe = '', file] = MARKET.exec(text) ?? [];
  const form = 'write it like BTCUSDT:60=bars.csv, or BTCUSDT:1h with --bars 5000.';
  const fault = timeframe === '' ? 'it cannot be read.' : timeframeFault(timeframe);
  if (symbol === '' || fault !== undefined)
    throw new UsageFault(`--market ${text}: ${fault ?? 'it cannot be read.'} ${form}`);
  if (file !== undefined) return { symbol, timeframe, bars: { file } };
  if (count === undefined || Number(count) < 1 || Number(count) > MAX_BARS)
    throw new UsageFault(`--market ${text} names no file; say how many bars with --bars, 1 to ${MAX_BARS}, or ${form}`);
  const choice: MarketChoice = { symbol, timeframeMs: timeframeMsOf(timeframe), count: Number(count) };
  return { symbol, timeframe, bars: choice };
}

const RANGE = /^(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)(?:\/(\d+(?:\.\d+)?))?$/;

function variationsIn(texts: readonly string[]): Record<string, InputVariation> {
  if (texts.length === 0)
    throw new UsageFault(`--vary is missing; say which input to try with which values: ${EXAMPLE}`);
  const found = texts.map((text): [string, InputVariation] => {
    const at = text.indexOf('=');
    if (at < 1) throw new UsageFault(`--vary ${text} has no values; write it like --vary "Length=5..50/5".`);
    return [text.slice(0, at).trim(), variationOf(text.slice(at + 1).trim(), text)];
  });
  const twice = found.find(([name], i) => found.findIndex(([other]) => other === name) < i);
  if (twice !== undefined) throw new UsageFault(`--vary "${twice[0]}" is given twice; give it once.`);
  return Object.fromEntries(found);
}

function variationOf(values: string, text: string): InputVariation {
  if (values === 'all') return 'all';
  const [, from, to, step] = RANGE.exec(values) ?? [];
  if (from !== undefined && to !== undefined)
    return { from: Number(from), to: Number(to), ...(step === undefined ? {} : { step: Number(step) }) };
  if (values.startsWith('[')) return jsonList(values, text);
  return values.split(',').map((value) => value.trim());
}

/** For values that have commas of their own. */
function jsonList(values: string, text: string): readonly unknown[] {
  try {
    return JSON.parse(values) as readonly unknown[];
  } catch {
    throw new UsageFault(`--vary ${text} is no list; write it like --vary 'Mode=["a, b", "c"]'.`);
  }
}

function within(text: string | undefined, flag: string, most: number, least = 1): number | undefined {
  if (text === undefined) return undefined;
  const number = wholeNumber(text, flag);
  if (number >= least && number <= most) return number;
  throw new UsageFault(`--${flag} ${text} is out of range; give ${least} to ${most}.`);
}

function methodIn({ samples, seed }: Args['flags']): SearchMethod {
  const count = within(samples, 'samples', 1_000_000);
  const number = within(seed, 'seed', MAX_SEED, 0);
  if (count !== undefined) return { kind: 'random', samples: count, seed: number ?? 1 };
  if (number !== undefined) throw new UsageFault('--seed is for a random search; say with --samples how many to try.');
  return { kind: 'grid' };
}

const figureName = (text: string, flag: string): FigureName => oneOf(text, FIGURE_NAMES, `--${flag}`) as FigureName;

function objectiveIn({ objective = 'net_profit', goal, combine = 'mean' }: Args['flags']): Objective {
  const metric = figureName(objective, 'objective');
  return {
    metric,
    goal: goal === undefined ? usualGoal(metric) : (oneOf(goal, GOALS, '--goal') as Goal),
    combine: oneOf(combine, COMBINATIONS, '--combine') as Objective['combine'],
  };
}

const BOUND = /^([a-z_]+)\s*(<=|>=)\s*(-?\d+(?:\.\d+)?)$/;

function constraintsIn(texts: readonly string[], minTrades: string | undefined): Constraint[] {
  const found = texts.map((text): Constraint => {
    const [, name = '', sign, bound] = BOUND.exec(text.trim()) ?? [];
    if (sign === undefined)
      throw new UsageFault(`--require ${text} cannot be read; write it like --require "max_drawdown_percent<=20".`);
    const metric = figureName(name, 'require');
    return sign === '<=' ? { metric, max: Number(bound) } : { metric, min: Number(bound) };
  });
  const trades = minTrades === undefined ? undefined : wholeNumber(minTrades, 'min-trades');
  return trades === undefined ? found : [...found, { metric: 'total_trades', min: trades }];
}

function walkForwardIn({ flags, switches }: Args): WalkForward | undefined {
  const { 'in-sample': inside, 'out-of-sample': outside } = flags;
  const isAnchored = switches.has('anchored');
  if (inside === undefined && outside === undefined && !isAnchored) return undefined;
  if (inside === undefined || outside === undefined)
    throw new UsageFault('A walk-forward needs both --in-sample and --out-of-sample, in days.');
  return { inSampleMs: msOf(inside, 'in-sample'), outOfSampleMs: msOf(outside, 'out-of-sample'), isAnchored };
}

function msOf(text: string, flag: string): number {
  const days = plainNumber(text, flag);
  if (days > 0 && days <= MAX_DAYS) return days * DAY_MS;
  throw new UsageFault(`--${flag} ${text} is out of range; give days above 0, up to ${MAX_DAYS}.`);
}
