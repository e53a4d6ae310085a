// The search for better inputs: what to vary and what to look for, and what is found while the workers beside the page are at it.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RunResult } from '../../../../src/pine/index.ts';
import type { InputValues } from '../../../editor/input-fields.ts';
import { ParameterSearch } from '../../../engine/parameter-search.ts';
import type { ScriptRun } from '../../../engine/script-run.ts';
import { honestWords } from './honest-words.ts';
import { Honest } from './report-view.tsx';
import { SearchForm } from './search-form.tsx';
import { objectiveOf, SEARCH_GOALS, type SearchGoal } from './search-goals.ts';
import { changedInputs, type ListedInput } from './search-ranges.ts';
import { rankingOf } from './search-ranking.ts';
import { SearchResults } from './search-results.tsx';
import './search-view.css';
import { usePlan } from './use-plan.ts';
import { type SearchSpace, useSpace } from './use-space.ts';

export interface SearchViewProps {
  /** Whether somebody looks at it. */
  readonly isShown: boolean;
  /** Where the prices come from. */
  readonly source: string | undefined;
  readonly run: ScriptRun;
  /** Undefined while the strategy runs for the first time, and while it fails. */
  readonly result: RunResult | undefined;
  readonly onInputs: (inputs: InputValues) => void;
}

export function SearchView({ isShown, source, run, result, onInputs }: SearchViewProps) {
  const inputs = useLastInputs(result);
  const [goal, setGoal] = useState<SearchGoal>(SEARCH_GOALS[0]!);
  const [leastTrades, setLeastTrades] = useState(1);
  const plan = usePlan(inputs);
  const { ground } = run;
  const space = useSpace({ isAsked: isShown, script: ground, varied: plan.varied, given: ground?.inputs ?? {} });
  const [search, start] = useSearch(run);
  const done = search?.progress.done ?? 0;
  const ranking = useMemo(
    () => (search === undefined ? [] : rankingOf(search.outcomes, objectiveOf(goal), leastTrades)),
    [search, done, goal, leastTrades],
  );
  const found = useRef<HTMLDivElement>(null);
  // In a narrow panel they stand below the form, out of sight.
  useEffect(() => found.current?.scrollIntoView({ block: 'start' }), [search]);
  if (!isShown) return null;
  return (
    <div class="search-view">
      <SearchForm
        {...{ inputs, plan, goal, leastTrades, space }}
        onGoal={setGoal}
        onLeastTrades={setLeastTrades}
        isRunning={search?.status === 'running'}
        onStart={start}
      />
      {search === undefined ? (
        <p class="explained quiet">
          Every combination of the chosen values is run over the bars of the chart, in this browser, beside the page. A
          press on a cell or a row puts its inputs on the chart. For several markets and walk-forward there is{' '}
          <code>signalbox optimize</code>.
        </p>
      ) : (
        <div class="found" ref={found}>
          <Honest
            {...honestWords({ bars: search.ground.bars, result: CALCULATED_WHOLE, trades: 1, source, isReplay: false })}
          />
          <SearchResults
            {...{ search, ranking, goal, inputs }}
            onChoose={(candidate) => onInputs(changedInputs(inputs, search.inputs(candidate)))}
          />
        </div>
      )}
    </div>
  );
}

/** What a script leaves out, its report says. */
const CALCULATED_WHOLE = { leftOut: 0, warnings: [] };

/** The form stays while the strategy runs again. */
function useLastInputs(result: RunResult | undefined): readonly ListedInput[] {
  const last = useRef<readonly ListedInput[]>([]);
  if (result !== undefined) last.current = result.inputs;
  return last.current;
}

function useSearch(run: ScriptRun) {
  const [search, setSearch] = useState<ParameterSearch>();
  const [, setTurn] = useState(0);
  const now = useRef<ParameterSearch | undefined>(undefined);
  useEffect(() => () => now.current?.cancel(), []);
  const start = ({ space }: SearchSpace): void => {
    const { ground } = run;
    if (ground === undefined) return;
    now.current?.cancel();
    const { inputs: _, ...common } = ground;
    now.current = new ParameterSearch(common, space, { onChange: () => setTurn((turn) => turn + 1) });
    setSearch(now.current);
  };
  return [search, start] as const;
}
