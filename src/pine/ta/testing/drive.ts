// Runs a kernel of the registry over rows of sample data, handing it what its entry says it takes.

import { type Kernel, TA_KERNELS } from '../index.ts';

/** One bar of sample data: what a script would pass, and the chart's own series. */
export interface Row {
  readonly source: number;
  readonly other: number;
  readonly condition: boolean;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

export type Result = readonly (number | boolean)[];

export interface Drive {
  readonly kernel: Kernel;
  /** Advances the kernel by a row of the chart and gives its outputs, those of a tuple in order. */
  step(row: Row, length: number): Result;
  /** Back to the row after which the last `mark` was made, for the values that come from the chart. */
  mark(): void;
  rewind(): void;
}

type AnyKernel = Kernel & Record<string, unknown> & { next(...inputs: unknown[]): unknown };

/** What the samples pass for parameters that are neither series nor lengths; the definitions use the same. */
export const FIXED = { mult: 2, factor: 1.5, percentage: 35, offset: 1, occurrence: 1, almaOffset: 0.85, sigma: 6 };
const FALSE_OR_TRUE = { biased: true, useTrueRange: true, handle_na: false, developing: false };
const SETTINGS: Readonly<Record<string, (length: number) => number>> = {
  offset: () => FIXED.almaOffset,
  sigma: () => FIXED.sigma,
  floor: () => 0,
  occurrence: () => FIXED.occurrence,
  slowlen: (length) => length + 2,
  long_length: (length) => length + 2,
  start: () => 0.02,
  inc: () => 0.02,
  max: () => 0.2,
};

export const isWindowed = (name: string): boolean => TA_KERNELS[name]!.settings.includes('longest');

/** `longest` is the setting of that name and the length of kernels that have a fixed one. */
export function openDrive(name: string, longest: number): Drive {
  const { create, settings, inputs, outputs } = TA_KERNELS[name]!;
  const reach = name.startsWith('ta.pivot') ? 2 * longest + 1 : longest;
  const kernel = create(...settings.map((setting) => SETTINGS[setting]?.(longest) ?? reach)) as AnyKernel;
  const rows: Row[] = [];
  let marked = 0;
  const arguments_ = new Array<unknown>(inputs.length);
  const step = (row: Row, length: number): Result => {
    rows.push(row);
    for (let i = 0; i < inputs.length; i++) arguments_[i] = inputValue(inputs[i]!, rows, length);
    const value = kernel.next(...arguments_);
    if (value instanceof Float64Array) return [...value];
    return outputs.map((output) => (output === 'value' ? value : kernel[output]) as number);
  };
  const mark = (): void => {
    marked = rows.length;
  };
  const rewind = (): void => {
    rows.length = marked;
  };
  return { kernel, step, mark, rewind };
}

function inputValue(input: string, rows: readonly Row[], length: number): unknown {
  const row = rows.at(-1)!;
  switch (input) {
    case 'source':
    case 'source1':
    case 'series':
      return row.source;
    case 'source2':
      return row.other;
    case 'condition':
    case 'anchor':
      return row.condition;
    case 'length':
    case 'leftbars':
      return length;
    case 'rightbars':
      return length >> 1;
    case 'stdev_mult':
      return FIXED.mult;
    case 'type':
      return 'Traditional';
    case 'high':
      return row.high;
    case 'low':
      return row.low;
    default:
      if (input.startsWith('chart.')) return chartValue(input.slice(6), rows);
      return { ...FIXED, ...FALSE_OR_TRUE }[input];
  }
}

function chartValue(series: string, rows: readonly Row[]): number {
  if (series === 'bar_index') return rows.length - 1;
  const [, name = '', ago = '0'] = /^(\w+)(?:\[(\d)\])?$/.exec(series) ?? [];
  const row = rows[rows.length - 1 - Number(ago)];
  return row === undefined ? Number.NaN : (row[name as keyof Row] as number);
}

export function runAll(name: string, rows: readonly Row[], lengths: readonly number[], longest: number): Result[] {
  const drive = openDrive(name, longest);
  return rows.map((row, i) => drive.step(row, lengths[i]!));
}
