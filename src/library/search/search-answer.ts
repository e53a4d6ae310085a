// What a search found, as plain JSON: the best settings with their figures, the heat map, the walk-forward, and how much may be luck.

import {
  type AnswerEquity,
  type AnswerTrade,
  type CombinedReport,
  FIGURE_NAMES,
  type FigureList,
  type FigureName,
  isUsable,
  objectiveValue,
  overfittingOf,
  pointOf,
  type Trial,
  tradeOf,
} from '../../pine/light.ts';
import { type HeatMap, heatMapOf } from './heat-map.ts';
import type { Search, WindowOutcome } from './search.ts';
import type { TimeRange } from './walk-forward.ts';

type Figure = number | null;
type Inputs = Readonly<Record<string, unknown>>;
export type AnswerFigures = Readonly<Record<FigureName, Figure>>;

export interface AnswerTrial {
  readonly rank: number;
  readonly inputs: Inputs;
  /** Of the objective, over all markets. */
  readonly value: Figure;
  readonly meets_constraints: boolean;
  readonly markets: readonly { readonly market: string; readonly figures: AnswerFigures }[];
}

interface AnswerRange {
  readonly from: number;
  readonly to: number;
}

export interface AnswerWindow {
  readonly in_sample: AnswerRange;
  readonly out_of_sample: AnswerRange;
  /** Null where nothing met the constraints or had a value; then nothing was traded. */
  readonly inputs: Inputs | null;
  readonly in_sample_value: Figure;
  readonly out_of_sample_value: Figure;
}

export interface AnswerWalkForward {
  readonly anchored: boolean;
  readonly windows: readonly AnswerWindow[];
  /** What a day out of sample made, by what a day in sample did; null where in sample made nothing. */
  readonly efficiency: Figure;
  /** Of the objective, over the combined out-of-sample trades of all markets. */
  readonly value: Figure;
  readonly markets: readonly {
    readonly market: string;
    readonly figures: AnswerFigures | null;
    readonly trades: readonly AnswerTrade[];
    readonly equity: readonly AnswerEquity[];
  }[];
}

export interface SearchAnswer {
  readonly script_name: string;
  readonly method: 'grid' | 'random';
  readonly seed: number | null;
  readonly objective: { readonly metric: FigureName; readonly goal: string; readonly combine: string };
  readonly inputs: readonly { readonly title: string; readonly values: readonly unknown[] }[];
  readonly fixed_inputs: Inputs;
  readonly markets: readonly {
    readonly market: string;
    readonly bars: number;
    /** An exchange, or `simulated`; left out where nobody said. */
    readonly price_source?: string;
  }[];
  readonly combinations: number;
  readonly backtests: { readonly done: number; readonly total: number; readonly failed: number };
  readonly failures: readonly { readonly inputs: Inputs; readonly market: string; readonly reason: string }[];
  /** Why it ended early; null of a search that tried everything. */
  readonly stopped: string | null;
  /** The best first; with a walk-forward those of the newest in-sample window. */
  readonly top: readonly AnswerTrial[];
  readonly heat_map: HeatMap | null;
  readonly overfitting: {
    readonly trials: number;
    readonly mean: Figure;
    readonly deviation: Figure;
    readonly neighbours: { readonly count: number; readonly mean: Figure; readonly worst: Figure } | null;
    readonly best_by_luck: Figure;
    readonly warnings: readonly string[];
  } | null;
  readonly walk_forward: AnswerWalkForward | null;
}

/** The newest of all markets together; an answer with more is read by nobody and takes long to send. */
const MAX_TRADES = 5_000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** JSON knows neither NaN nor infinity. */
const figure = (value: number | undefined): Figure => (value !== undefined && Number.isFinite(value) ? value : null);

export const figuresOf = (list: FigureList): AnswerFigures =>
  Object.fromEntries(FIGURE_NAMES.map((name, index) => [name, figure(list[index])])) as AnswerFigures;

export function searchAnswer(search: Search): SearchAnswer {
  const { plan, candidates, progress } = search;
  const { axes, method, objective, markets } = plan;
  const ranking = search.ranking();
  return {
    script_name: plan.scriptName,
    method: method.kind,
    seed: method.kind === 'random' ? method.seed : null,
    objective,
    inputs: axes,
    fixed_inputs: plan.fixed,
    markets: markets.map(({ name, bars, priceSource }) => ({
      market: name,
      bars: bars.count,
      ...(priceSource === undefined ? {} : { price_source: priceSource }),
    })),
    combinations: candidates.length,
    backtests: progress,
    failures: search.failed,
    stopped: search.stopped ?? null,
    top: ranking.slice(0, plan.top).map((trial, index) => trialOf(search, trial, index + 1)),
    heat_map: heatMapOf(axes, candidates, ranking),
    overfitting: luckOf(search, ranking),
    walk_forward: walkForwardOf(search),
  };
}

/** The first of the ranking, found without ranking the others. */
export function bestSoFar(search: Search): AnswerTrial | null {
  const best = search.best();
  return best === undefined ? null : trialOf(search, best, 1);
}

const trialOf = (search: Search, { candidate, value, meets, markets }: Trial, rank: number): AnswerTrial => ({
  rank,
  inputs: search.searched(candidate),
  value: figure(value),
  meets_constraints: meets,
  markets: markets.map((figures, market) => ({
    market: search.plan.markets[market]!.name,
    figures: figuresOf(figures),
  })),
});

function luckOf({ plan, candidates }: Search, ranking: readonly Trial[]): SearchAnswer['overfitting'] {
  const { axes, objective } = plan;
  const [best] = ranking;
  if (best === undefined || !isUsable(best)) return null;
  const found = overfittingOf({ objective, axes, candidates, trials: ranking, best });
  const { neighbours } = found;
  return {
    trials: found.trials,
    mean: figure(found.mean),
    deviation: figure(found.deviation),
    neighbours: neighbours && { ...neighbours, mean: figure(neighbours.mean), worst: figure(neighbours.worst) },
    best_by_luck: found.bestByLuck,
    warnings: found.warnings,
  };
}

function walkForwardOf(search: Search): AnswerWalkForward | null {
  const { plan, combined } = search;
  const windows = search.windows();
  if (windows === undefined || plan.walkForward === undefined) return null;
  const totals = combined.flatMap((report) => (report === null ? [] : [listOf(report)]));
  return {
    anchored: plan.walkForward.isAnchored,
    windows: windows.map((window) => windowOf(search, window)),
    efficiency: figure(efficiencyOf(windows)),
    value: totals.length === plan.markets.length ? figure(objectiveValue(plan.objective, totals)) : null,
    markets: plan.markets.map(({ name }, market) => {
      const report = combined[market] ?? null;
      return {
        market: name,
        figures: report && figuresOf(listOf(report)),
        trades: (report?.trades ?? []).slice(-Math.floor(MAX_TRADES / plan.markets.length)).map(tradeOf),
        equity: (report?.equity ?? []).map(pointOf),
      };
    }),
  };
}

const listOf = ({ figures }: CombinedReport): FigureList => FIGURE_NAMES.map((name) => figures[name]);
const rangeOf = ({ fromMs, toMs }: TimeRange): AnswerRange => ({ from: fromMs, to: toMs });

function windowOf(search: Search, { window, best, outOfSample }: WindowOutcome): AnswerWindow {
  const run = outOfSample.flatMap((figures) => (figures === null ? [] : [figures]));
  const isWhole = run.length === outOfSample.length;
  return {
    in_sample: rangeOf(window.inSample),
    out_of_sample: rangeOf(window.outOfSample),
    inputs: best && search.searched(best.candidate),
    in_sample_value: best && figure(best.value),
    out_of_sample_value: isWhole ? figure(objectiveValue(search.plan.objective, run)) : null,
  };
}

/** Both with what was open at the end, so that a trade across the border counts on both sides for what it stood at. */
function efficiencyOf(windows: readonly WindowOutcome[]): number {
  const profit = FIGURE_NAMES.indexOf('total_profit');
  let [inMade, inDays, outMade, outDays] = [0, 0, 0, 0];
  for (const { window, best, outOfSample } of windows) {
    if (best === null || outOfSample.includes(null)) continue;
    inMade += best.markets.reduce((sum, figures) => sum + figures[profit]!, 0);
    outMade += outOfSample.reduce((sum, figures) => sum + (figures?.[profit] ?? 0), 0);
    inDays += daysOf(window.inSample);
    outDays += daysOf(window.outOfSample);
  }
  return inMade > 0 && outDays > 0 ? outMade / outDays / (inMade / inDays) : Number.NaN;
}

const daysOf = ({ fromMs, toMs }: TimeRange): number => (toMs - fromMs) / DAY_MS;
