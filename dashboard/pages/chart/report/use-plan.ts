// What a search shall vary, as it stands in the form.

import { useMemo, useState } from 'preact/hooks';
import type { InputVariation } from '../../../../src/pine/index.ts';
import { type ListedInput, type TypedRange, usualRange, variabilityOf, variationOf } from './search-ranges.ts';

export interface PlannedInput {
  readonly input: ListedInput;
  readonly isVaried: boolean;
  readonly range: TypedRange;
}

export interface SearchPlan {
  /** Those that can be varied, in the order of the script. */
  readonly planned: readonly PlannedInput[];
  /** By title, as the engine asks for it. */
  readonly varied: Readonly<Record<string, InputVariation>>;
  change(title: string, part: Partial<Omit<PlannedInput, 'input'>>): void;
}

/** Without a word from the user the first two numbers are varied. */
const VARIED_AT_FIRST = 2;
const NO_RANGE: TypedRange = { from: '', to: '', step: '' };

export function usePlan(inputs: readonly ListedInput[]): SearchPlan {
  const [changes, setChanges] = useState<Readonly<Record<string, Partial<Omit<PlannedInput, 'input'>>>>>({});
  // Ranges are those around the values that the inputs had first: they do not move while results are tried on the chart.
  const [ranges] = useState(() => new Map<string, TypedRange>());
  const planned = useMemo(() => {
    const numbers = inputs.filter((input) => variabilityOf(input) === 'range').slice(0, VARIED_AT_FIRST);
    return inputs.flatMap((input): PlannedInput[] => {
      const kind = variabilityOf(input);
      if (kind === undefined) return [];
      const range = ranges.get(input.title) ?? (kind === 'range' ? usualRange(input) : NO_RANGE);
      ranges.set(input.title, range);
      return [{ input, range, isVaried: numbers.includes(input), ...changes[input.title] }];
    });
  }, [inputs, changes]);
  const varied = useMemo(
    () =>
      Object.fromEntries(
        planned.flatMap(({ input, isVaried, range }) => (isVaried ? [[input.title, variationOf(input, range)]] : [])),
      ),
    [planned],
  );
  return {
    ...{ planned, varied },
    change: (title, part) => setChanges((before) => ({ ...before, [title]: { ...before[title], ...part } })),
  };
}
