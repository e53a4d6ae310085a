// Calls of built-ins that keep a state: one object per place and call path, made when it is first reached.

import { TA_KERNELS } from '../ta/index.ts';
import type { Body } from './body.ts';
import { literal } from './literals.ts';

/** How generated code reads the chart. */
export interface Chart {
  column(name: string): string;
  slot(): string;
  mask(): string;
}

/** The chart in code that has no locals for it. */
export const CHART: Chart = { column: (name) => `R.${name}`, slot: () => '(i & R.mask)', mask: () => 'R.mask' };

/** `chart.close`, `chart.high[2]`, `chart.bar_index`. */
export function chartInput(chart: Chart, input: string): string {
  const [, name, offset] = /^chart\.(\w+)(?:\[(\d)\])?$/.exec(input) as unknown as [string, string, string?];
  if (name === 'bar_index') return 'i';
  if (offset === undefined) return `${chart.column(name)}[${chart.slot()}]`;
  return `(i >= ${offset} ? ${chart.column(name)}[(i - ${offset}) & ${chart.mask()}] : NaN)`;
}

/** An object with `save` and `restore` of one place in the script; `make` is the text that makes it. */
export function stateObject(body: Body, make: string): string {
  const number = body.module.number();
  const field = `k${number}`;
  body.frame.late(field);
  const own = `${body.frameName}.${field}`;
  const object = `(${own} === null ? ${own} = R.keep(${make}) : ${own})`;
  if (!body.repeats) return object;
  // Within one bar every call starts from the end of the bar before, and the last one counts.
  const last = `b${number}`;
  body.frame.kept(last, '-1');
  const bar = `${body.frameName}.${last}`;
  return `(${object}, ${bar} === i ? ${own}.restore() : (${bar} = i, ${own}.save()), ${own})`;
}

/** An object of one place that nothing takes back: it only remembers how its arguments were read. */
export function plainObject(body: Body, make: string): string {
  const field = `k${body.module.number()}`;
  body.frame.kept(field, 'null');
  const own = `${body.frameName}.${field}`;
  return `(${own} === null ? ${own} = ${make} : ${own})`;
}

export interface KernelCall {
  /** Texts of the settings and inputs in the kernel's order. */
  readonly settings: readonly string[];
  readonly inputs: readonly string[];
  /** What must be worked out first. */
  readonly before?: readonly string[];
}

/** `next` of a kernel: the value it returns. */
export function kernelCall(body: Body, name: string, call: KernelCall): string {
  return `${kernelObject(body, name, call)}.next(${call.inputs.join(', ')})`;
}

export interface KernelOutputs {
  /** The temporary that holds it once `first` is worked out. */
  readonly kernel: string;
  readonly first: string;
  /** The names of the others, which are fields of the kernel. */
  readonly rest: readonly string[];
}

/** All outputs of a kernel that has several. */
export function kernelOutputs(body: Body, name: string, call: KernelCall): KernelOutputs {
  const kernel = body.temporary();
  const first = `(${kernel} = ${kernelObject(body, name, call)}).next(${call.inputs.join(', ')})`;
  return { kernel, first, rest: TA_KERNELS[name]!.outputs.slice(1) };
}

function kernelObject(body: Body, name: string, { settings, before = [] }: KernelCall): string {
  const create = body.module.constant(`${body.library('TA_KERNELS')}[${literal(name)}].create`);
  const object = stateObject(body, `${create}(${settings.join(', ')})`);
  return before.length === 0 ? object : `(${before.join(', ')}, ${object})`;
}
