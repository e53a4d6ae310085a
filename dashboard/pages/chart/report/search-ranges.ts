// Which inputs of a strategy a search may vary, and over what: ranges as they are typed, or every choice that an input has.

import type { InputVariation, RunResult } from '../../../../src/pine/index.ts';

export type ListedInput = RunResult['inputs'][number];

/** As it is typed. */
export interface TypedRange {
  readonly from: string;
  readonly to: string;
  readonly step: string;
}

export type Variability = 'range' | 'choices';

/** Undefined of what is no number and has no choices: a text, a colour, a session. */
export function variabilityOf({ type, options }: ListedInput): Variability | undefined {
  if (options !== null || type === 'bool' || type === 'source') return 'choices';
  return type === 'int' || type === 'float' || type === 'price' ? 'range' : undefined;
}

/** So many steps to each side of the present value. */
const STEPS = 4;
const DIGITS = 12;

/** A few round steps around the present value, within what the input takes. */
export function usualRange({ type, value, min, max, step }: ListedInput): TypedRange {
  const center = Number(value);
  // Without a word of the script it is 1, of every number.
  const width =
    step !== null && step !== 1 ? step : roundStep((Math.abs(center) || 1) / (2 * STEPS), type === 'int' ? 1 : 0);
  const room = (bound: number | null): number =>
    bound === null ? STEPS : Math.min(STEPS, Math.max(0, Math.floor(Math.abs(center - bound) / width + 1e-9)));
  const at = (steps: number): string => String(Number((center + steps * width).toPrecision(DIGITS)));
  return { from: at(-room(min)), to: at(room(max)), step: String(width) };
}

/** The largest of 1, 2, 5, 10, 20 … and 0.5, 0.2, 0.1 … that is not above. */
function roundStep(most: number, least: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  const digit = [5, 2, 1].find((each) => each * power <= most * (1 + 1e-9)) ?? 1;
  return Math.max(least, Number((digit * power).toPrecision(DIGITS)));
}

/** What is typed as the engine asks for it, which says itself what is wrong with it. */
export function variationOf(input: ListedInput, { from, to, step }: TypedRange): InputVariation {
  if (variabilityOf(input) === 'choices') return 'all';
  return { from: typed(from), to: typed(to), step: step.trim() === '' ? undefined : typed(step) };
}

const typed = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));

/** With the values that a run was given, only those that are not the script's own. */
export const changedInputs = (inputs: readonly ListedInput[], given: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    inputs.flatMap(({ title, default: own }) =>
      Object.hasOwn(given, title) && given[title] !== own ? [[title, given[title] as ListedInput['value']]] : [],
    ),
  );
