// What a search varies and looks for, with the number of runs before it starts.

import { Button } from '../../../ui/button.tsx';
import { Field } from '../../../ui/field.tsx';
import { ChoiceField } from '../../../ui/inputs.tsx';
import { fixed } from '../../../ui/numbers.ts';
import { SEARCH_GOALS, type SearchGoal } from './search-goals.ts';
import { type ListedInput, type TypedRange, variabilityOf } from './search-ranges.ts';
import type { PlannedInput, SearchPlan } from './use-plan.ts';
import type { AskedSpace, SearchSpace } from './use-space.ts';

export interface SearchFormProps {
  readonly inputs: readonly ListedInput[];
  readonly plan: SearchPlan;
  readonly goal: SearchGoal;
  readonly onGoal: (goal: SearchGoal) => void;
  readonly leastTrades: number;
  readonly onLeastTrades: (count: number) => void;
  readonly space: AskedSpace;
  readonly isRunning: boolean;
  readonly onStart: (space: SearchSpace) => void;
}

export function SearchForm(props: SearchFormProps) {
  const { plan, goal, onGoal, leastTrades, onLeastTrades, space, isRunning, onStart } = props;
  const ready = space !== undefined && 'runs' in space ? space : undefined;
  return (
    <form
      class="search-form"
      aria-label="Parameter search"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready !== undefined) onStart(ready);
      }}
    >
      {plan.planned.length === 0 ? (
        <p class="quiet">This strategy has no inputs that could be varied: no number, no switch, no choice.</p>
      ) : (
        <ul>
          {plan.planned.map((planned) => (
            <PlannedRow
              key={planned.input.title}
              planned={planned}
              onChange={(part) => plan.change(planned.input.title, part)}
            />
          ))}
        </ul>
      )}
      <div class="wanted">
        <ChoiceField
          label="Look for"
          value={goal.metric}
          options={SEARCH_GOALS.map(({ metric, words }) => [metric, words])}
          onChoose={(metric) => onGoal(SEARCH_GOALS.find((each) => each.metric === metric) ?? goal)}
        />
        <Field label="Trades, at least">
          {(tied) => (
            <input
              {...tied}
              type="number"
              min="0"
              step="1"
              value={leastTrades}
              onInput={({ currentTarget }) => onLeastTrades(Math.max(0, Math.floor(currentTarget.valueAsNumber) || 0))}
            />
          )}
        </Field>
      </div>
      {space !== undefined && 'fault' in space && (
        <p class="refused" role="alert">
          {space.fault}
        </p>
      )}
      <Button kind={isRunning ? 'quiet' : 'filled'} type="submit" disabled={ready === undefined}>
        {startWords(ready, isRunning)}
      </Button>
    </form>
  );
}

function startWords(ready: SearchSpace | undefined, isRunning: boolean): string {
  if (ready === undefined) return 'Start';
  const runs = `${fixed(ready.runs, 0)} ${ready.runs === 1 ? 'run' : 'runs'}`;
  return isRunning ? `Start anew: ${runs}` : `Start ${runs}`;
}

interface PlannedRowProps {
  readonly planned: PlannedInput;
  readonly onChange: (part: Partial<Omit<PlannedInput, 'input'>>) => void;
}

const RANGE_FIELDS: readonly (readonly [name: keyof TypedRange, words: string])[] = [
  ['from', 'from'],
  ['to', 'to'],
  ['step', 'step'],
];

function PlannedRow({ planned: { input, isVaried, range }, onChange }: PlannedRowProps) {
  const kind = variabilityOf(input);
  return (
    <li>
      <label>
        <input
          type="checkbox"
          checked={isVaried}
          onChange={({ currentTarget }) => onChange({ isVaried: currentTarget.checked })}
        />
        {input.title}
      </label>
      {!isVaried && <span class="quiet">{String(input.value ?? 'as in the script')}</span>}
      {isVaried && kind === 'choices' && <span class="quiet">every choice</span>}
      {isVaried && kind === 'range' && (
        <span class="range">
          {RANGE_FIELDS.map(([name, words]) => (
            <label key={name}>
              <span class="quiet">{words}</span>
              <input
                inputMode="decimal"
                aria-label={`${input.title}, ${words}`}
                value={range[name]}
                onInput={({ currentTarget }) => onChange({ range: { ...range, [name]: currentTarget.value } })}
              />
            </label>
          ))}
        </span>
      )}
    </li>
  );
}
