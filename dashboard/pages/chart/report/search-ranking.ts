// The runs of a search by rank, by the same rules as those of `signalbox optimize`, and the field of cells that is made of them.

import {
  byRank,
  type Candidate,
  isUsable,
  meets,
  type Objective,
  objectiveValue,
  type SearchAxis,
  type Trial,
} from '../../../../src/pine/light.ts';
import type { RunOutcome } from '../../../engine/search-messages.ts';

/** The best first; runs with fewer closed trades come after all others, and those that failed are left out. */
export function rankingOf(
  outcomes: readonly (RunOutcome | undefined)[],
  objective: Objective,
  leastTrades: number,
): readonly Trial[] {
  const bounds = [{ metric: 'total_trades', min: leastTrades } as const];
  return outcomes
    .flatMap((outcome, candidate): Trial[] => {
      if (outcome === undefined || 'fault' in outcome) return [];
      const markets = [outcome.figures];
      return [{ candidate, markets, value: objectiveValue(objective, markets), meets: meets(bounds, markets) }];
    })
    .sort(byRank(objective));
}

/** Values of one input that share a row or a column. */
export interface HeatGroup {
  readonly label: string;
  /** Places on the axis; `end` is behind the last one. */
  readonly from: number;
  readonly end: number;
}

export interface HeatField {
  readonly columns: readonly HeatGroup[];
  /** One, without a name, where only one input is varied. */
  readonly rows: readonly HeatGroup[];
  /** In each cell the best run over all other inputs; undefined where none is known yet. */
  readonly cells: readonly (readonly (Trial | undefined)[])[];
}

/** More of them on a side are too small to be seen or pressed: neighbours share a cell then. */
const MOST_GROUPS = 40;

export interface FieldAxes {
  readonly x: number;
  /** Undefined where only one input is varied. */
  readonly y: number | undefined;
}

export function heatFieldOf(
  axes: readonly SearchAxis[],
  candidates: readonly Candidate[],
  ranking: readonly Trial[],
  { x, y }: FieldAxes,
  most = MOST_GROUPS,
): HeatField {
  const columns = groupsOf(axes[x]!, most);
  const rows = y === undefined ? [{ label: '', from: 0, end: 1 }] : groupsOf(axes[y]!, most);
  const cells = rows.map(() => columns.map((): Trial | undefined => undefined));
  const placeIn = (groups: readonly HeatGroup[], place: number): number => groups.findIndex(({ end }) => place < end);
  for (const trial of ranking) {
    if (!isUsable(trial)) continue;
    const places = candidates[trial.candidate]!;
    const row = cells[y === undefined ? 0 : placeIn(rows, places[y]!)]!;
    const column = placeIn(columns, places[x]!);
    // They come best first.
    row[column] ??= trial;
  }
  return { columns, rows, cells };
}

function groupsOf({ values }: SearchAxis, most: number): readonly HeatGroup[] {
  const size = Math.ceil(values.length / most);
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) => {
    const [from, end] = [index * size, Math.min(values.length, (index + 1) * size)];
    const [first, last] = [String(values[from]), String(values[end - 1])];
    return { label: first === last ? first : `${first} to ${last}`, from, end };
  });
}

/** How far from even in either direction, by the farthest that is known: 0 to 1. */
export function distanceFromEven(value: number, even: number, known: readonly number[]): number {
  const farthest = Math.max(...known.map((each) => Math.abs(each - even)));
  return farthest === 0 ? 0 : Math.abs(value - even) / farthest;
}

/** From the worst known to the best known, 0 to 1; 1 where all are alike. */
export function shareOf(value: number, best: number, worst: number): number {
  return best === worst ? 1 : Math.abs(value - worst) / Math.abs(best - worst);
}
