// What a search has found so far: how far it is, a field of cells over two inputs, how much may be luck, and every run by rank.

import { useMemo, useState } from 'preact/hooks';
import {
  type FigureName,
  figureOf,
  isUsable,
  overfittingOf,
  type SearchAxis,
  type Trial,
} from '../../../../src/pine/light.ts';
import type { ParameterSearch } from '../../../engine/parameter-search.ts';
import { Button } from '../../../ui/button.tsx';
import { Chip } from '../../../ui/chip.tsx';
import { type HeatCell, HeatMap } from '../../../ui/heat-map.tsx';
import { ChoiceField } from '../../../ui/inputs.tsx';
import { fixed, gainOrLoss, signed } from '../../../ui/numbers.ts';
import { lasting } from '../../../ui/times.ts';
import { VirtualTable, type WideColumn } from '../../../ui/virtual-table.tsx';
import { objectiveOf, type SearchGoal } from './search-goals.ts';
import type { ListedInput } from './search-ranges.ts';
import { distanceFromEven, heatFieldOf, shareOf } from './search-ranking.ts';

export interface SearchResultsProps {
  readonly search: ParameterSearch;
  /** The best first. */
  readonly ranking: readonly Trial[];
  readonly goal: SearchGoal;
  /** With the values that are on the chart. */
  readonly inputs: readonly ListedInput[];
  readonly onChoose: (candidate: number) => void;
}

export function SearchResults(props: SearchResultsProps) {
  const { search, ranking, goal } = props;
  return (
    <>
      <Progress search={search} />
      <Field {...props} />
      <Luck search={search} ranking={ranking} goal={goal} />
      <Runs {...props} />
    </>
  );
}

function Progress({ search }: { readonly search: ParameterSearch }) {
  const { done, total, failed, remainingMs } = search.progress;
  const isRunning = search.status === 'running';
  const counted = `${fixed(done, 0)} of ${fixed(total, 0)} runs`;
  const faults = failed === 0 ? '' : `, ${fixed(failed, 0)} failed`;
  const reason = failed === 0 ? undefined : search.outcomes.find((outcome) => outcome && 'fault' in outcome);
  return (
    <div class="search-progress">
      <progress aria-label="Runs done" max={total} value={done} />
      <span>
        {counted}
        {faults}
        {isRunning && remainingMs !== undefined && `, about ${lasting(remainingMs)} left`}
      </span>
      {isRunning && (
        <Button isSmall onClick={() => search.cancel()}>
          Cancel
        </Button>
      )}
      <span role="status">
        {search.status === 'done' && `Done in ${lasting(search.elapsedMs)}.`}
        {search.status === 'stopped' && 'Stopped: a better one may be among those that were not run.'}
      </span>
      {search.fault !== undefined && <p role="alert">{search.fault}</p>}
      {reason && 'fault' in reason && <p class="quiet">The first that failed: {reason.fault}</p>}
    </div>
  );
}

/** Those with more than one value. */
const variedOf = (axes: readonly SearchAxis[]): readonly number[] =>
  axes.flatMap(({ values }, index) => (values.length > 1 ? [index] : []));

function Field({ search, ranking, goal, inputs, onChoose }: SearchResultsProps) {
  const { axes } = search.space;
  const varied = variedOf(axes);
  const [wanted, setWanted] = useState<readonly [number, number] | undefined>();
  const isFitting = wanted?.every((axis) => varied.includes(axis)) === true;
  const [x, y] = isFitting ? wanted! : [varied[0], varied[1]];
  const field = useMemo(
    () => (x === undefined ? undefined : heatFieldOf(axes, search.candidates, ranking, { x, y })),
    [search, ranking, x, y],
  );
  if (field === undefined || x === undefined) return null;
  const known = field.cells.flat().flatMap((trial) => (trial === undefined ? [] : [trial.value]));
  const best = ranking[0];
  const isLarge = objectiveOf(goal).goal === 'maximize';
  const [top, bottom] = isLarge ? [Math.max(...known), Math.min(...known)] : [Math.min(...known), Math.max(...known)];
  const { even } = goal;
  const heatOf = (value: number): Pick<HeatCell, 'share' | 'side'> =>
    even === undefined
      ? { share: shareOf(value, top, bottom), side: 'better' }
      : { share: distanceFromEven(value, even, known), side: value < even ? 'lost' : 'won' };
  const cellOf = (trial: Trial | undefined): HeatCell | undefined =>
    trial && {
      ...heatOf(trial.value),
      text: goal.short(trial.value),
      words: `${goal.words} ${goal.show(trial.value)}, ${fixed(figureOf(trial.markets[0]!, 'total_trades'), 0)} trades${trial === best ? ', the best' : ''}`,
      isBest: trial === best,
      isChosen: isOnChart(search, trial.candidate, inputs),
    };
  const choices = varied.map((axis): readonly [string, string] => [String(axis), axes[axis]!.title]);
  return (
    <div class="search-field">
      {varied.length > 2 && y !== undefined && (
        <div class="sides">
          <ChoiceField
            label="Across"
            value={String(x)}
            options={choices}
            onChoose={(axis) => setWanted(Number(axis) === y ? [y, x] : [Number(axis), y])}
          />
          <ChoiceField
            label="Down"
            value={String(y)}
            options={choices}
            onChoose={(axis) => setWanted(Number(axis) === x ? [y, x] : [x, Number(axis)])}
          />
          <p class="quiet">Each cell has the best over all other inputs.</p>
        </div>
      )}
      <HeatMap
        label={`${goal.words} by inputs`}
        x={{ title: axes[x]!.title, labels: field.columns.map(({ label }) => label) }}
        y={{ title: y === undefined ? '' : axes[y]!.title, labels: field.rows.map(({ label }) => label) }}
        cells={field.cells.map((row) => row.map(cellOf))}
        sides={even === undefined ? ['better'] : ['lost', 'won']}
        onChoose={(column, row) => {
          const trial = field.cells[row]?.[column];
          if (trial !== undefined) onChoose(trial.candidate);
        }}
      />
    </div>
  );
}

/** Whether the chart has the values of this run now. */
const isOnChart = (search: ParameterSearch, candidate: number, inputs: readonly ListedInput[]): boolean => {
  const given = search.inputs(candidate);
  return inputs.every(({ title, value }) => !Object.hasOwn(given, title) || given[title] === value);
};

function Luck({ search, ranking, goal }: Pick<SearchResultsProps, 'search' | 'ranking' | 'goal'>) {
  const [best] = ranking;
  if (search.status === 'running' || best === undefined || !isUsable(best)) return null;
  const { axes } = search.space;
  const objective = objectiveOf(goal);
  const { warnings } = overfittingOf({ objective, axes, candidates: search.candidates, trials: ranking, best });
  return warnings.length === 0 ? null : (
    <div class="luck">
      <h2>How much of it may be luck</h2>
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>{warning.replaceAll(/(?<=[\s(])-(?=\d)/g, '−')}</li>
        ))}
      </ul>
    </div>
  );
}

interface RunRow {
  readonly rank: number;
  readonly trial: Trial;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly isOnChart: boolean;
}

function Runs({ search, ranking, goal, inputs, onChoose }: SearchResultsProps) {
  const rows = useMemo(
    () =>
      ranking.map((trial, index): RunRow => {
        const { candidate } = trial;
        return {
          ...{ rank: index + 1, trial, inputs: search.inputs(candidate) },
          isOnChart: isOnChart(search, candidate, inputs),
        };
      }),
    [search, ranking, inputs],
  );
  const columns = useMemo(() => columnsOf(search, goal, onChoose), [search, goal]);
  if (rows.length === 0) return null;
  return (
    <VirtualTable
      label="Runs, the best first"
      columns={columns}
      rows={rows}
      keyOf={({ trial }) => String(trial.candidate)}
      card={(row) => (
        <>
          <span>
            <PutButton row={row} onChoose={onChoose} /> {inputsWords(search, row)}
          </span>
          <strong>{goal.show(row.trial.value)}</strong>
          <span class="quiet">{fixed(figure(row, 'total_trades'), 0)} trades</span>
          <span class={gainOrLoss(figure(row, 'net_profit'))}>{signed(figure(row, 'net_profit'))}</span>
        </>
      )}
    />
  );
}

const figure = ({ trial }: RunRow, name: FigureName): number => figureOf(trial.markets[0]!, name);

const inputsWords = ({ space }: ParameterSearch, { inputs }: RunRow): string =>
  space.axes.map(({ title }) => `${title} ${String(inputs[title])}`).join(', ');

interface PutButtonProps {
  readonly row: RunRow;
  readonly onChoose: (candidate: number) => void;
}

const PutButton = ({ row: { rank, trial }, onChoose }: PutButtonProps) => (
  <button
    type="button"
    class="lead"
    aria-label={`Put run ${rank} on the chart`}
    onClick={() => onChoose(trial.candidate)}
  >
    {rank}
  </button>
);

const FIGURES: readonly (readonly [name: FigureName, title: string, show: (value: number) => string])[] = [
  ['net_profit', 'Net profit', (value) => signed(value)],
  ['max_drawdown', 'Max drawdown', (value) => fixed(-value)],
  ['profit_factor', 'Profit factor', (value) => fixed(value, 3)],
  ['percent_profitable', 'Won, %', (value) => fixed(value)],
  ['total_trades', 'Trades', (value) => fixed(value, 0)],
];

function columnsOf(
  search: ParameterSearch,
  goal: SearchGoal,
  onChoose: (candidate: number) => void,
): readonly WideColumn<RunRow>[] {
  return [
    { title: 'Run', width: '48px', cell: (row) => <PutButton row={row} onChoose={onChoose} /> },
    ...search.space.axes.map(
      ({ title }): WideColumn<RunRow> => ({
        ...{ title, width: '1fr', isNumber: true },
        cell: ({ inputs }) => String(inputs[title]),
      }),
    ),
    {
      ...{ title: goal.words, width: '1.2fr', isNumber: true },
      cell: ({ trial }) => <strong>{goal.show(trial.value)}</strong>,
    },
    ...FIGURES.filter(([name]) => name !== goal.metric).map(
      ([name, title, show]): WideColumn<RunRow> => ({
        ...{ title, width: '1fr', isNumber: true },
        cell: (row) => show(figure(row, name)),
      }),
    ),
    {
      ...{ title: 'State', width: '110px' },
      cell: ({ trial, isOnChart: isOn }) => {
        if (isOn) return <Chip tone="accent">on the chart</Chip>;
        return trial.meets ? null : <Chip>too few trades</Chip>;
      },
    },
  ];
}
