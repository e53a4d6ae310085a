// How much of a best result may be luck: what stands next to it, how many were tried, and what the best of as many worthless
// settings would look like. It can make somebody careful; it proves nothing.

import type { SearchAxis } from '../run/input-space.ts';
import { type Candidate, gridSize } from './candidates.ts';
import { figureOf, type Objective, type Trial, WORTHLESS } from './objective.ts';

export interface Overfitting {
  /** Trials that have a value. */
  readonly trials: number;
  readonly mean: number;
  /** The standard deviation of all values. */
  readonly deviation: number;
  /** One step away from the best on one axis of numbers; null where none of them was tried. */
  readonly neighbours: { readonly count: number; readonly mean: number; readonly worst: number } | null;
  /**
   * Were no setting worth anything and the values spread as these are, the best of so many would be about this. Null where
   * the figure has no value that means "worth nothing", or fewer than ten were tried.
   */
  readonly bestByLuck: number | null;
  readonly warnings: readonly string[];
}

/** Below this the spread of the values is itself a guess. */
const LEAST_TRIALS = 10;
/** Fewer trades than this tell little about any strategy. */
const LEAST_TRADES = 30;
const EULER_GAMMA = 0.5772156649;

interface Given {
  readonly objective: Objective;
  readonly axes: readonly SearchAxis[];
  readonly candidates: readonly Candidate[];
  /** Those that ran. */
  readonly trials: readonly Trial[];
  readonly best: Trial;
}

export function overfittingOf(given: Given): Overfitting {
  const { objective, best } = given;
  const values = given.trials.map(({ value }) => value).filter(Number.isFinite);
  const mean = meanOf(values);
  const deviation = Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)));
  const sign = objective.goal === 'maximize' ? 1 : -1;
  const worthless = WORTHLESS[objective.metric];
  const isKnown = worthless !== undefined && values.length >= LEAST_TRIALS;
  const bestByLuck = isKnown ? worthless + sign * deviation * largestOf(values.length) : null;
  const near = neighbourValues(given);
  const neighbours =
    near.length === 0
      ? null
      : { count: near.length, mean: meanOf(near), worst: sign > 0 ? Math.min(...near) : Math.max(...near) };
  const warnings: string[] = [];
  const fewest = Math.min(...best.markets.map((figures) => figureOf(figures, 'total_trades')));
  if (fewest < LEAST_TRADES)
    warnings.push(
      `The best has only ${fewest} closed ${fewest === 1 ? 'trade' : 'trades'} on a market; fewer than ${LEAST_TRADES} say little.`,
    );
  if (worthless !== undefined && sign * (best.value - worthless) <= 0)
    warnings.push(`Even the best, ${round(best.value)}, is no better than not to trade at all.`);
  else if (bestByLuck !== null && sign * (best.value - bestByLuck) <= 0)
    warnings.push(
      `The best of ${values.length} worthless settings, spread as these are, would reach about ${round(bestByLuck)} by luck alone; the best here has ${round(best.value)}.`,
    );
  const isMany = values.length >= LEAST_TRIALS;
  if (isMany && neighbours !== null && sign * (best.value - neighbours.mean) > deviation)
    warnings.push(
      `The best stands on a steep peak: its neighbours have ${round(neighbours.mean)} on average, more than a standard deviation less good.`,
    );
  warnings.push(...edgesOf(given));
  return { trials: values.length, mean, deviation, neighbours, bestByLuck, warnings };
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const round = (value: number): string => String(Number(value.toPrecision(4)));

const isNumeric = ({ values }: SearchAxis): boolean =>
  values.length > 1 && values.every((value) => typeof value === 'number');

/** Words and switches have no neighbours: which of them stand beside each other means nothing. */
function neighbourValues({ axes, candidates, trials, best }: Given): number[] {
  const center = candidates[best.candidate]!;
  return trials
    .filter(({ candidate, value }) => {
      if (!Number.isFinite(value)) return false;
      const steps = candidates[candidate]!.map((place, axis) => Math.abs(place - center[axis]!));
      const moved = steps.flatMap((step, axis) => (step === 0 ? [] : [axis]));
      return moved.length === 1 && steps[moved[0]!] === 1 && isNumeric(axes[moved[0]!]!);
    })
    .map(({ value }) => value);
}

/** Where a range ends at the best value, a better one may lie behind its end. */
function edgesOf({ axes, candidates, best }: Given): string[] {
  if (gridSize(axes) < 2) return [];
  return axes.flatMap((axis, index) => {
    const place = candidates[best.candidate]![index]!;
    const isEdge = place === 0 || place === axis.values.length - 1;
    return isEdge && isNumeric(axis) && axis.values.length > 2
      ? [`The best value of "${axis.title}", ${axis.values[place]}, is at the edge of what was tried; widen the range.`]
      : [];
  });
}

/** How many standard deviations the largest of so many normally distributed numbers is expected to lie above their mean. */
function largestOf(count: number): number {
  const atQuantile = (share: number): number => normalQuantile(1 - share);
  return (1 - EULER_GAMMA) * atQuantile(1 / count) + EULER_GAMMA * atQuantile(1 / (count * Math.E));
}

/** By halving the interval: it is asked for twice a search, so plain beats fast. */
function normalQuantile(share: number): number {
  let [low, high] = [-10, 10];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (normalShare(middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The share of a normal distribution below a value: the series of its integral around 0, which converges for all we ask. */
function normalShare(value: number): number {
  if (value < -8) return 0;
  if (value > 8) return 1;
  let [term, sum] = [value, value];
  for (let n = 1; Math.abs(term) > 1e-16 && n < 500; n += 1) {
    term *= (value * value) / (2 * n + 1);
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-value * value) / 2)) / Math.sqrt(2 * Math.PI);
}
