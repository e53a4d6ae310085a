// A long chart in columns, and a kernel of the registry run over it at full speed.

import { type Kernel, TA_KERNELS } from '../index.ts';
import { FIXED } from './drive.ts';

type Column = { readonly [row: number]: number | boolean | string };

export interface LongChart {
  readonly size: number;
  readonly columns: Readonly<Record<string, Column>>;
}

/** A repeatable walk; xorshift, because the figures of two runs must be comparable. */
export function longChart(size: number): LongChart {
  let seed = 0x2545f491;
  const random = (): number => {
    seed ^= seed << 13;
    seed ^= seed >>> 17;
    seed ^= seed << 5;
    return (seed >>> 0) / 2 ** 32;
  };
  const make = (): Float64Array => new Float64Array(size);
  const [open, high, low, close, volume, other, index] = [make(), make(), make(), make(), make(), make(), make()];
  const condition: boolean[] = [];
  let price = 1000;
  for (let i = 0; i < size; i++) {
    open[i] = price;
    price = Math.max(price + random() - 0.5, 1);
    close[i] = price;
    high[i] = Math.max(open[i]!, price) + random();
    low[i] = Math.min(open[i]!, price) - random() / 2;
    volume[i] = Math.floor(random() * 5000);
    other[i] = price + random() - 0.5;
    index[i] = i;
    condition.push(random() < 0.05);
  }
  const chart = { open, high, low, close, volume };
  const columns: Record<string, Column> = { source: close, source1: close, series: close, source2: other };
  Object.assign(columns, { condition, anchor: condition, high, low, 'chart.bar_index': index });
  for (const [name, values] of Object.entries(chart))
    for (const ago of [0, 1, 2]) columns[ago === 0 ? `chart.${name}` : `chart.${name}[${ago}]`] = lagged(values, ago);
  return { size, columns };
}

function lagged(values: Float64Array, ago: number): Float64Array {
  const column = new Float64Array(values.length).fill(Number.NaN);
  column.set(values.subarray(0, values.length - ago), ago);
  return column;
}

const CONSTANTS: Readonly<Record<string, number | boolean | string>> = {
  ...FIXED,
  stdev_mult: 2,
  type: 'Traditional',
  developing: false,
  biased: true,
  useTrueRange: true,
  handle_na: true,
};
const SETTINGS: Readonly<Record<string, number>> = {
  offset: 0.85,
  sigma: 6,
  floor: 0,
  occurrence: 1,
  start: 0.02,
  inc: 0.02,
  max: 0.2,
};

type Loop = (kernel: Kernel, values: readonly unknown[], size: number) => unknown;

/** Runs a new kernel over the chart in a loop of its own, as the emitter writes one, and gives the milliseconds. */
export function timeKernel(name: string, chart: LongChart, length: number, nowMs: () => number): number {
  const { create, settings, inputs } = TA_KERNELS[name]!;
  const lengths: Record<string, number> = { length, leftbars: length >> 1, rightbars: (length >> 1) - 1 };
  const values = inputs.map((input) => {
    const value = chart.columns[input] ?? lengths[input] ?? CONSTANTS[input];
    if (value === undefined) throw new Error(`${name} takes ${input}, which the chart does not have`);
    return value;
  });
  const given = values.map((value, k) => (typeof value === 'object' ? `values${k}[row]` : `values${k}`));
  const loop = new Function(
    'kernel',
    'values',
    'size',
    `const [${values.map((_, k) => `values${k}`)}] = values;
    let last;
    for (let row = 0; row < size; row++) last = kernel.next(${given});
    return last;`,
  ) as Loop;
  const kernel = create(...settings.map((setting) => SETTINGS[setting] ?? length));
  const startMs = nowMs();
  loop(kernel, values, chart.size);
  return nowMs() - startMs;
}
