// How the oracle calls a built-in function: kernels with one state per call path and place, value functions by name.

import type { Shape } from '../../../src/pine/builtins/types.ts';
import type { BuiltinCallExpr, CallArgument, CheckedProgram, Expr } from '../../../src/pine/check/tree.ts';
import { LONGEST_SERIES_LENGTH, TA_KERNELS, ValueWhen } from '../../../src/pine/ta/index.ts';
import {
  createValueLibrary,
  type Journal,
  NumberArray,
  PineRuntimeError,
  VALUE_STATES,
  type ValueLibrary,
} from '../../../src/pine/values/index.ts';
import { type AnyKernel, type Chart, OracleGap } from './chart.ts';
import type { Frame, State } from './memory.ts';
import { isNa, isNumber, naOf, toBool } from './operators.ts';

/** Arguments by parameter, each as the list of values given for it. */
export type Given = ReadonlyMap<string, readonly unknown[]>;

/** A call with everything about it that was looked at already. */
export interface BuiltinCall {
  readonly expr: BuiltinCallExpr;
  readonly frame: Frame;
  readonly bar: number;
  readonly given: Given;
}

/** What does nothing to a series: what logs and alerts say is the business of other tests. */
const WITHOUT_EFFECT = new Set(['indicator', 'strategy', 'library', 'max_bars_back', 'alert']);
const CASTS = new Set(['float', 'string', 'color', 'line', 'label', 'box', 'table', 'linefill']);
/** The source of a call that names none. */
const SILENT_SOURCE: Readonly<Record<string, string>> = {
  'ta.highest': 'high',
  'ta.highestbars': 'high',
  'ta.pivothigh': 'high',
  'ta.lowest': 'low',
  'ta.lowestbars': 'low',
  'ta.pivotlow': 'low',
};

export class BuiltinCalls {
  private readonly program: CheckedProgram;
  private readonly chart: Chart;
  private readonly journal: Journal;
  private readonly values: ValueLibrary;

  constructor(program: CheckedProgram, chart: Chart, journal: Journal, mintick: number) {
    this.program = program;
    this.chart = chart;
    this.journal = journal;
    const market = { timezone: 'UTC', session: '24x7', timeframe: '60' };
    this.values = createValueLibrary({ version: program.version, journal, mintick, market });
  }

  call(call: BuiltinCall): unknown {
    const { name } = call.expr;
    const first = firstOf(call.given);
    // A division by zero counts as na, and so does the empty string.
    if (name === 'na') return isNa(first) || first === '' || Math.abs(first as number) === Number.POSITIVE_INFINITY;
    if (name === 'bool') return toBool(first);
    if (CASTS.has(name)) return first;
    if (WITHOUT_EFFECT.has(name)) return undefined;
    if (name.startsWith('log.')) return this.log(call);
    if (name === 'timeframe.change') return this.chart.changes((first as string).replace(/^1(?=[DWM])/, ''), call.bar);
    if (name === 'runtime.error') throw new PineRuntimeError(first as string);
    if (name === 'ta.change' && !isNumber(call.expr.type.shape)) return this.changeOfBool(call);
    if (name in TA_KERNELS || name === 'math.random') return this.stateful(call);
    return this.valueFunction(call);
  }

  /** A pattern that does not fit its values ends the script, as in `str.format`. */
  private log({ given }: BuiltinCall): undefined {
    const [pattern, ...values] = [...given.values()].flat();
    const format = this.values.find('str.format');
    if (values.length > 0 && format?.kind === 'function') format.call(...([pattern, ...values] as never[]));
  }

  /** Whether a bool differs from the one `length` calls ago; where there is none it does not. */
  private changeOfBool(call: BuiltinCall): boolean {
    const [source] = call.given.get('source')!;
    const number = source === null ? Number.NaN : Number(source);
    const given = new Map(call.given).set('source', [number]);
    const change = this.stateful({ ...call, given }) as number;
    return !Number.isNaN(change) && change !== 0;
  }

  private stateful(call: BuiltinCall): unknown {
    const { expr, frame, bar } = call;
    const site = frame.states.get(expr) ?? { state: this.freshState(call), bar: -1 };
    frame.states.set(expr, site);
    // The first call of a bar goes on from the bar before, and so does every further one.
    if (site.bar === bar) site.state.restore();
    else site.state.save();
    site.bar = bar;
    const kernel = site.state as AnyKernel;
    const inputs = this.inputsOf(call);
    const value = kernel.next(...inputs);
    if (frame.version === 5 && expr.name.startsWith('ta.cross')) return inputs.some(Number.isNaN) ? null : value;
    const outputs = TA_KERNELS[expr.name]?.outputs ?? [];
    if (expr.type.shape.kind === 'tuple') return outputs.map((output) => (output === 'value' ? value : kernel[output]));
    return value instanceof Float64Array ? NumberArray.of(this.journal, value) : value;
  }

  private freshState(call: BuiltinCall): State {
    const { name, type, arguments: places } = call.expr;
    const number = (parameter: string) => Number(call.given.get(parameter)![0]);
    if (name === 'math.random') {
      if (!call.given.has('seed')) throw new OracleGap('math.random without a seed');
      return VALUE_STATES['math.random'](number('seed'));
    }
    if (!isNumber(type.shape) && name === 'fixnan') return VALUE_STATES['fixnan<item>']();
    if (!isNumber(type.shape) && name === 'ta.valuewhen')
      return new ValueWhen(number('occurrence'), naOf(type.shape, call.frame.version));
    const { create, settings } = TA_KERNELS[name]!;
    return create(...settings.map((setting) => (setting === 'longest' ? longestOf(places, number) : number(setting))));
  }

  private inputsOf({ expr, bar, given, frame }: BuiltinCall): unknown[] {
    if (expr.name === 'math.random') return [given.get('min')![0], given.get('max')![0]];
    return TA_KERNELS[expr.name]!.inputs.map((input) => {
      const values = given.get(input);
      if (values !== undefined) return isBool(expr, input) ? holdsIn(values[0], frame.version) : values[0];
      if (input.startsWith('chart.')) return this.chart.kernelInput(input.slice(6), bar);
      if (input === 'source') return this.chart.valueOf(SILENT_SOURCE[expr.name]!, bar);
      if (input === 'anchor') return this.chart.startsDay(bar);
      if (input === 'stdev_mult') return 1;
      throw new OracleGap(`${expr.name} takes ${input}`);
    });
  }

  private valueFunction({ expr, given }: BuiltinCall): unknown {
    const entry = this.values.find(this.entryName(expr));
    if (entry === undefined) throw new OracleGap(`the function ${expr.name}`);
    const passed = expr.arguments.flatMap(({ parameter, values }) => {
      const list = given.get(parameter.name) ?? [undefined];
      if (expr.name === 'str.format') return list.map((value, place) => this.shown(value, values[place]));
      return parameter.name === 'sort_field' ? list.map((field) => this.fieldName(expr, field)) : list;
    });
    const flags = expr.name === 'map.new' ? expr.typeArguments.map(isNumber) : [];
    if (entry.kind === 'function') return entry.call(...([...flags, ...passed] as never[]));
    const [id, ...rest] = passed;
    const target = entry.guard(id) as Record<string, (...rest: unknown[]) => unknown>;
    return target[entry.name]!(...rest);
  }

  /** An array of floats in a format is written as such: its type is known here alone. */
  private shown(value: unknown, expr: Expr | undefined): unknown {
    const entry = this.values.find('array.text<float>');
    if (expr === undefined || !isFloats(expr.type.shape) || entry?.kind !== 'function') return value;
    return entry.call(...([value] as never[]));
  }

  /** Some functions come in two kinds, by whether they deal in numbers. */
  private entryName({ name, type, typeArguments, arguments: places }: BuiltinCallExpr): string {
    const { shape } = type;
    if (name === 'nz') return isNumber(shape) ? 'nz' : 'nz<item>';
    if (name === 'array.join') return isFloats(places[0]!.values[0]!.type.shape) ? 'array.join<float>' : name;
    const isOneOf = name === 'array.new' || name === 'array.from' || name === 'matrix.new';
    if (!isOneOf) return name;
    const element = typeArguments[0] ?? ('element' in shape ? shape.element : shape);
    return `${name}<${isNumber(element) ? 'number' : 'item'}>`;
  }

  private fieldName(expr: BuiltinCallExpr, field: unknown): string | undefined {
    if (field === undefined || typeof field === 'number') return field === undefined ? field : `f${field}`;
    const array = expr.arguments[0]!.values[0]!.type.shape;
    const element = array.kind === 'array' ? array.element : array;
    const owner = this.program.types.find(({ key }) => element.kind === 'user' && key === element.name);
    return `f${owner!.fields.findIndex(({ name }) => name === field)}`;
  }
}

const isFloats = (shape: Shape): boolean =>
  shape.kind === 'array' && shape.element.kind === 'scalar' && shape.element.name === 'float';

const firstOf = (given: Given): unknown => [...given.values()][0]?.[0];

/** The longest length a place can ask for, where that is known before the first bar. */
function longestOf(places: readonly CallArgument[], number: (parameter: string) => number): number {
  const lengths = places.filter(({ parameter }) => ['length', 'leftbars', 'rightbars'].includes(parameter.name));
  if (lengths.some(({ values }) => values[0]!.type.qualifier === 'series')) return LONGEST_SERIES_LENGTH;
  const [first = 1, second] = lengths.map(({ parameter }) => number(parameter.name));
  return second === undefined ? first : first + second + 1;
}

function isBool({ arguments: places }: BuiltinCallExpr, input: string): boolean {
  const shape = places.find(({ parameter }) => parameter.name === input)?.values[0]?.type.shape;
  return shape?.kind === 'scalar' && shape.name === 'bool' && input !== 'source';
}

/** A condition of v5 may be na, which does not hold. */
const holdsIn = (value: unknown, version: 5 | 6): unknown => (version === 5 ? value === true : value);
