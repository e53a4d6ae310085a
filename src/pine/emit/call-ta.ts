// Calls of `ta.*` functions: which arguments make the kernel, and which it is handed on every bar.

import type { BuiltinCallExpr, Expr } from '../check/tree.ts';
import { LONGEST_SERIES_LENGTH, TA_KERNELS } from '../ta/index.ts';
import type { Body } from './body.ts';
import { chartInput, type KernelCall, type KernelOutputs, kernelCall, kernelOutputs, stateObject } from './kernels.ts';
import { isBool, isNumber, naOf } from './literals.ts';

/** The source of a call that names none. */
const OWN_SOURCE: Readonly<Record<string, string>> = {
  'ta.highest': 'high',
  'ta.highestbars': 'high',
  'ta.pivothigh': 'high',
  'ta.lowest': 'low',
  'ta.lowestbars': 'low',
  'ta.pivotlow': 'low',
};

/** What is na in version 5, where a bool can be, while one of its sources is. */
const CROSSES: ReadonlySet<string> = new Set(['ta.cross', 'ta.crossover', 'ta.crossunder']);

/** Defaults the table has in words. */
const OTHERWISE: Readonly<Record<string, string>> = { anchor: 'R.isNewDay(i)', stdev_mult: '1' };

export function emitTa(body: Body, call: BuiltinCallExpr): string {
  const { name, type } = call;
  if (name === 'ta.change' && isBool(type.shape)) return boolChange(body, call);
  if (name === 'ta.valuewhen' && !isNumber(type.shape)) return itemWhen(body, call);
  if (body.version === 5 && CROSSES.has(name)) return crossOrNa(body, call);
  const kernel = kernelArguments(body, call);
  if (name === 'ta.pivot_point_levels') return `R.numbers(${kernelCall(body, name, kernel)})`;
  if (type.shape.kind !== 'tuple') return kernelCall(body, name, kernel);
  const { kernel: object, first, rest } = kernelOutputs(body, name, kernel);
  return `[${[first, ...rest.map((output) => `${object}.${output}`)].join(', ')}]`;
}

/** The same for a call that returns a tuple, part by part. */
export const emitTaOutputs = (body: Body, call: BuiltinCallExpr): KernelOutputs =>
  kernelOutputs(body, call.name, kernelArguments(body, call));

/** Lengths that are known before the first bar make the kernel's memory as well: such a one is written once, in front. */
function kernelArguments(body: Body, call: BuiltinCallExpr): KernelCall {
  const { settings, inputs } = TA_KERNELS[call.name]!;
  const values = new Map(call.arguments.map(({ parameter, values: [value] }) => [parameter.name, value]));
  const before: string[] = [];
  const written = new Map<string, string>();
  const lengths = settings.includes('longest') ? lengthsOf(inputs, values) : [];
  const textOf = (parameter: string): string => {
    const known = written.get(parameter);
    if (known !== undefined) return known;
    const value = values.get(parameter);
    if (value === undefined) return missing(body, call.name, parameter);
    const text = body.expr(value);
    if (!lengths.includes(parameter) || value.kind === 'constant') return text;
    const temporary = body.temporary();
    before.push(`${temporary} = ${text}`);
    written.set(parameter, temporary);
    return temporary;
  };
  const longest = (): string => {
    if (lengths.length === 0) return String(LONGEST_SERIES_LENGTH);
    return lengths.length === 1 ? textOf(lengths[0]!) : `${lengths.map(textOf).join(' + ')} + 1`;
  };
  const made = settings.map((name) => (name === 'longest' ? longest() : asNumber(values.get(name), textOf(name))));
  const handed = inputs.map((input) => (input.startsWith('chart.') ? chartInput(body, input) : textOf(input)));
  return { settings: made, inputs: handed, before };
}

/** The lengths that tell how much a kernel must remember; none when one of them may change. */
function lengthsOf(inputs: readonly string[], values: ReadonlyMap<string, Expr | undefined>): string[] {
  const names = inputs.includes('leftbars') ? ['leftbars', 'rightbars'] : ['length'];
  return names.every((name) => values.get(name) !== undefined && values.get(name)!.type.qualifier !== 'series')
    ? names
    : [];
}

function missing(body: Body, name: string, parameter: string): string {
  if (parameter === 'source') return `${body.column(OWN_SOURCE[name] as string)}[${body.slot()}]`;
  return OTHERWISE[parameter] ?? 'NaN';
}

const asNumber = (value: Expr | undefined, text: string): string =>
  value !== undefined && isBool(value.type.shape) ? `(${text} ? 1 : 0)` : text;

const given = (body: Body, call: BuiltinCallExpr, name: string): string =>
  body.expr(call.arguments.find(({ parameter }) => parameter.name === name)!.values[0]!);

/** A bool has changed when it differs from what it was; before there was one it has not. */
function boolChange(body: Body, call: BuiltinCallExpr): string {
  const { settings, inputs, before = [] } = kernelArguments(body, call);
  const [source, ...rest] = inputs;
  const numbers = [`${body.library('boolNumber')}(${source})`, ...rest];
  return `${body.library('toBool')}(${kernelCall(body, call.name, { settings, inputs: numbers, before })})`;
}

/** A number is na when it is not itself. */
function crossOrNa(body: Body, call: BuiltinCallExpr): string {
  const sources = kernelArguments(body, call).inputs.map((text) => ({ text, held: body.temporary() }));
  const inputs = sources.map(({ text, held }) => `${held} = ${text}`);
  const crossed = body.temporary();
  const isNa = sources.map(({ held }) => `${held} !== ${held}`).join(' || ');
  return `(${crossed} = ${kernelCall(body, call.name, { settings: [], inputs })}, ${isNa} ? null : ${crossed})`;
}

function itemWhen(body: Body, call: BuiltinCallExpr): string {
  const na = naOf(call.type.shape, body.version);
  const object = stateObject(body, `new ${body.library('ValueWhen')}(${given(body, call, 'occurrence')}, ${na})`);
  return `${object}.next(${given(body, call, 'condition')}, ${given(body, call, 'source')})`;
}
