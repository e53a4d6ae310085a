// The values that a search tries for the inputs of a script: ranges, lists and all choices, each checked as the input itself is.

import { quoted } from '../check/constants-of-call.ts';
import { neededText, SOURCES } from '../check/inputs-rules.ts';
import type { ConstantValue, InputKind, InputSpec } from '../check/tree.ts';
import { InputFault, inputsOf, inputValues, unknownTitle } from './input-values.ts';

/** From one number to another, the last one too where a step ends there. */
export interface InputRange {
  readonly from: number;
  readonly to: number;
  /** The input's own where it is left out; 1 for whole numbers. */
  readonly step?: number | undefined;
}

/** How one input is varied: over a range, over a list, or over every choice it has. */
export type InputVariation = InputRange | readonly unknown[] | 'all';

/** One input with the values that are tried, as a run takes them. */
export interface SearchAxis {
  readonly title: string;
  readonly values: readonly ConstantValue[];
}

export interface InputSpace {
  /** In the order in which they were asked for. */
  readonly axes: readonly SearchAxis[];
  /** What every run has in common, by title. */
  readonly fixed: Readonly<Record<string, unknown>>;
}

/** With more values neighbours cannot be told apart on any chart, and a coarser step finds the same place. */
export const MAX_AXIS_VALUES = 1_000;
/** Even with two values each, more inputs than this are more combinations than anybody can run. */
export const MAX_AXES = 12;
/** Digits that a step of a range has: what adding doubles leaves behind them is dust. */
const DIGITS = 12;
/** A last step that is missed by this part of a step is not missed. */
const STEP_DUST = 1e-9;

const RANGED: readonly InputKind[] = ['int', 'float', 'price', 'time'];

/** Inputs are named by title or by variable. Throws InputFault, which names what is valid instead. */
export function inputSpace(
  specs: readonly InputSpec[],
  varied: Readonly<Record<string, InputVariation>>,
  fixed: Readonly<Record<string, unknown>> = {},
): InputSpace {
  const names = Object.keys(varied);
  if (names.length > MAX_AXES) throw new InputFault([`${names.length} inputs are varied; vary at most ${MAX_AXES}.`]);
  const taken = new Set<string>();
  const specOf = (name: string): InputSpec => {
    const spec = specs.find(({ title }) => title === name) ?? specs.find(({ variable }) => variable === name);
    if (spec === undefined) throw new InputFault([unknownTitle(name, specs)]);
    if (taken.has(spec.title)) throw new InputFault([`${quoted(spec.title)} is given twice; give it once.`]);
    taken.add(spec.title);
    return spec;
  };
  const axes = names.map((name): SearchAxis => axisOf(specOf(name), varied[name]!));
  const byTitle = Object.fromEntries(Object.entries(fixed).map(([name, value]) => [specOf(name).title, value]));
  inputValues(specs, byTitle);
  return { axes, fixed: byTitle };
}

function axisOf(spec: InputSpec, variation: InputVariation): SearchAxis {
  const { title } = spec;
  const wanted = wantedValues(spec, variation);
  if (wanted.length === 0) throw new InputFault([`${quoted(title)} has no value to try; give at least one.`]);
  if (wanted.length > MAX_AXIS_VALUES) throw tooMany(title, wanted.length);
  const values = wanted.map((value) => inputsOf(inputValues([spec], { [title]: value }))[0]!.value);
  const twice = values.find((value, index) => values.indexOf(value) < index);
  if (twice !== undefined) throw new InputFault([`${quoted(title)} has ${quoted(twice)} twice; give it once.`]);
  return { title, values };
}

function wantedValues(spec: InputSpec, variation: InputVariation): readonly unknown[] {
  if (variation === 'all') return allChoices(spec);
  return 'from' in variation ? valuesInRange(spec, variation) : variation;
}

function allChoices(spec: InputSpec): readonly ConstantValue[] {
  if (spec.options !== null) return spec.options;
  if (spec.kind === 'bool') return [false, true];
  if (spec.kind === 'source') return SOURCES;
  throw new InputFault([
    `${quoted(spec.title)} has no list of choices to try all of; give a list or a range of values, each ${neededText(spec)}.`,
  ]);
}

function valuesInRange(spec: InputSpec, { from, to, step = spec.step ?? undefined }: InputRange): number[] {
  const { title, kind } = spec;
  const fault = (words: string): InputFault => new InputFault([`${quoted(title)} ${words}`]);
  if (!RANGED.includes(kind)) throw fault(`takes no range; give a list of values, each ${neededText(spec)}.`);
  const width = step ?? (kind === 'int' ? 1 : undefined);
  if (width === undefined) throw fault('has no step of its own; give one with the range.');
  if (![from, to, width].every(Number.isFinite)) throw fault('has a range that is not of numbers; correct it.');
  if (!(width > 0)) throw fault(`cannot have the step ${width}; give one above 0.`);
  if (from > to) throw fault(`cannot go from ${from} to ${to}; give the smaller one first.`);
  const count = Math.floor((to - from) / width + STEP_DUST) + 1;
  if (count > MAX_AXIS_VALUES) throw tooMany(title, count);
  return Array.from({ length: count }, (_, index) => Number((from + index * width).toPrecision(DIGITS)));
}

const tooMany = (title: string, count: number): InputFault =>
  new InputFault([`${quoted(title)} has ${count} values to try; give at most ${MAX_AXIS_VALUES}, with a larger step.`]);
