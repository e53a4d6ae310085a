// Calls of built-in functions as JavaScript: by their family, else as the value function of that name.

import type { Shape } from '../builtins/types.ts';
import type { BuiltinCallExpr, Expr } from '../check/tree.ts';
import { TA_KERNELS } from '../ta/index.ts';
import type { Body } from './body.ts';
import { emitInput } from './call-inputs.ts';
import { emitOutput } from './call-outputs.ts';
import { emitRequest } from './call-requests.ts';
import { emitStrategyCall } from './call-strategy.ts';
import { emitTa } from './call-ta.ts';
import { hasEntry, methodOf } from './entries.ts';
import { plainObject, stateObject } from './kernels.ts';
import { isBool, isNumber, literal, naOf } from './literals.ts';
import { refuse } from './refuse.ts';

/** The argument of a parameter as text, or undefined where it is left out. */
export function argument(body: Body, call: BuiltinCallExpr, name: string): string | undefined {
  const value = givenFor(call, name);
  return value === undefined ? undefined : body.expr(value);
}

/** Whether an alert of this frequency can only come at the end of a bar. */
const isAtClose = (frequency: Expr | undefined): boolean =>
  frequency?.kind === 'constant' && frequency.value === 'freq_once_per_bar_close';

export const givenFor = (call: BuiltinCallExpr, name: string): Expr | undefined =>
  call.arguments.find(({ parameter }) => parameter.name === name)?.values[0];

/** All arguments in order, without those left out at the end. */
function listed(body: Body, call: BuiltinCallExpr): string[] {
  const shown = (value: Expr) =>
    writesText(call) && isFloats(value.type.shape)
      ? `${entry(body, 'array.text<float>')}(${body.expr(value)})`
      : body.expr(value);
  const all = call.arguments.flatMap(({ parameter, values }) =>
    values.length > 0 ? values.map(shown) : parameter.variadic ? [] : ['undefined'],
  );
  while (all.at(-1) === 'undefined') all.pop();
  return all;
}

/** Floats of an array are written with a decimal where ints have none, and only their types tell them apart. */
const isFloats = (shape: Shape): boolean =>
  shape.kind === 'array' && shape.element.kind === 'scalar' && shape.element.name === 'float';
const writesText = ({ name }: BuiltinCallExpr): boolean => name === 'str.format' || name.startsWith('log.');

type Special = (body: Body, call: BuiltinCallExpr) => string;

const first = (body: Body, call: BuiltinCallExpr): string => body.expr(call.arguments[0]!.values[0]!);
const firstShape = (call: BuiltinCallExpr): Shape => call.arguments[0]!.values[0]!.type.shape;

/** Functions that are more, or less, than a call of the library. */
const SPECIAL: Readonly<Record<string, Special>> = {
  na: (body, call) => {
    const shape = firstShape(call);
    // A division by zero counts as na.
    if (isNumber(shape)) return `!Number.isFinite(${first(body, call)})`;
    // So does the empty string.
    if (shape.kind === 'scalar' && shape.name === 'string') return `!${first(body, call)}`;
    // A drawing that is no longer on the chart is na as well.
    return shape.kind === 'object' && shape.name !== 'chart.point'
      ? `${body.library('isNaDrawing')}(${first(body, call)})`
      : `(${first(body, call)} === null)`;
  },
  nz: (body, call) => valueFunction(body, call, isNumber(call.type.shape) ? 'nz' : 'nz<item>'),
  float: first,
  string: first,
  color: first,
  line: first,
  label: first,
  box: first,
  table: first,
  linefill: first,
  bool: (body, call) =>
    isNumber(firstShape(call)) ? `${body.library('toBool')}(${first(body, call)})` : `(${first(body, call)} === true)`,
  max_bars_back: () => 'undefined',
  alert: (body, call) => {
    const site = plainObject(body, `new ${body.library('AlertSite')}(R.alerts)`);
    if (!isAtClose(givenFor(call, 'freq'))) body.module.followsTicks = true;
    return `${site}.next(${argument(body, call, 'message')}, ${argument(body, call, 'freq')})`;
  },
  'runtime.error': (body, call) => `R.fail(${first(body, call)})`,
  'log.info': (body, call) => logCall(body, call, 'info'),
  'log.warning': (body, call) => logCall(body, call, 'warning'),
  'log.error': (body, call) => logCall(body, call, 'error'),
  time: (body, call) => timeCall(body, call, 'open'),
  time_close: (body, call) => timeCall(body, call, 'close'),
  'timeframe.change': (body, call) => {
    const object = plainObject(body, `new ${body.library('TimeframeChange')}(R.market)`);
    const previous = `(i > 0 ? ${body.column('time')}[(i - 1) & ${body.mask()}] : NaN)`;
    const frame = argument(body, call, 'timeframe') ?? '""';
    return `${object}.next(${body.column('time')}[${body.slot()}], ${previous}, ${frame})`;
  },
  'math.random': (body, call) => {
    const seed = argument(body, call, 'seed') ?? `R.seed(${body.module.number()})`;
    const object = stateObject(body, `${body.library('VALUE_STATES')}["math.random"](${seed})`);
    return `${object}.next(${argument(body, call, 'min')}, ${argument(body, call, 'max')})`;
  },
  'array.join': (body, call) => valueFunction(body, call, isFloats(firstShape(call)) ? 'array.join<float>' : call.name),
  'array.new': (body, call) => collection(body, call, 'array.new', call.typeArguments[0]!),
  'array.from': (body, call) =>
    collection(body, call, 'array.from', call.type.shape.kind === 'array' ? call.type.shape.element : firstShape(call)),
  'matrix.new': (body, call) => collection(body, call, 'matrix.new', call.typeArguments[0]!),
  'map.new': (body, call) => {
    const kinds = call.typeArguments.map((shape) => String(isNumber(shape)));
    return `${entry(body, 'map.new')}(${kinds.join(', ')})`;
  },
  'chart.point.now': (body, call) => `${entry(body, 'chart.point.now')}(${first(body, call)})`,
};

/** Parameters that name a field of a user type: the run time knows fields by number. */
const FIELD_PARAMETER = 'sort_field';

export function emitCall(body: Body, call: BuiltinCallExpr): string {
  const { name } = call;
  if (name.startsWith('request.')) return emitRequest(body, call);
  if (name.startsWith('strategy.'))
    return body.module.isRequested ? naOf(call.type.shape, body.version) : emitStrategyCall(body, call);
  const special = SPECIAL[name];
  if (special !== undefined) return special(body, call);
  if (name === 'input' || name.startsWith('input.')) return emitInput(body, call);
  if (call.place !== undefined) return emitOutput(body, call);
  if (name === 'fixnan' && !isNumber(firstShape(call))) {
    const object = stateObject(body, `${body.library('VALUE_STATES')}["fixnan<item>"]()`);
    return `${object}.next(${first(body, call)})`;
  }
  if (TA_KERNELS[name] !== undefined) return emitTa(body, call);
  return valueFunction(body, call, variantOf(call));
}

/** Drawings made of points are other functions than those made of coordinates. */
function variantOf({ name, arguments: given }: BuiltinCallExpr): string {
  const opening = given[0]?.parameter.name;
  return name.endsWith('.new') && ['first_point', 'point', 'top_left'].includes(opening ?? '')
    ? `${name}<points>`
    : name;
}

function collection(body: Body, call: BuiltinCallExpr, name: string, element: Shape): string {
  const kind = isNumber(element) ? 'number' : name === 'matrix.new' && isBool(element) ? 'bool' : 'item';
  return valueFunction(body, call, `${name}<${kind}>`);
}

const entry = (body: Body, name: string): string =>
  body.module.constant(`R.functionOf(${body.version}, ${literal(name)})`);

/** A function of the value libraries, or a method of its first argument. */
function valueFunction(body: Body, call: BuiltinCallExpr, name: string): string {
  const values = fieldsByNumber(call, listed(body, call));
  if (!hasEntry(body.version, name)) return refuse(body, call, call.name);
  const method = methodOf(body.version, name);
  if (method === null) return `${entry(body, name)}(${values.join(', ')})`;
  const guard = body.module.constant(`R.guardOf(${body.version}, ${literal(name)})`);
  const [object, ...rest] = values;
  return `${guard}(${object}).${method}(${rest.join(', ')})`;
}

/** `sort_field` is a number here and goes on as the name of the field in the generated class. */
function fieldsByNumber(call: BuiltinCallExpr, values: string[]): string[] {
  const index = call.arguments.findIndex(({ parameter }) => parameter.name === FIELD_PARAMETER);
  const field = call.arguments[index]?.values[0];
  if (field?.kind !== 'constant') return values;
  return values.map((text, place) => (place === index ? literal(`f${field.value}`) : text));
}

function logCall(body: Body, call: BuiltinCallExpr, level: string): string {
  return `R.logs.write(${literal(level)}, R.lineOf(${body.placeOf(call)}), ${listed(body, call).join(', ')})`;
}

function timeCall(body: Body, call: BuiltinCallExpr, method: 'open' | 'close'): string {
  const text = (name: string): string => argument(body, call, name) ?? '""';
  const object = plainObject(body, `${body.library('VALUE_STATES')}.time(R.host)`);
  const barsBack = argument(body, call, 'bars_back') ?? '0';
  const time = barsBack === '0' ? `${body.column('time')}[${body.slot()}]` : `R.timeBack(i, ${barsBack})`;
  const rest = [
    text('timeframe'),
    text('session'),
    text('timezone'),
    argument(body, call, 'timeframe_bars_back') ?? '0',
  ];
  return `${object}.${method}(${time}, ${rest.join(', ')})`;
}
