// Built-in variables as JavaScript: prices, times, the bar's place and state, facts of the market, running `ta` lines.

import type { BuiltinExpr, Expr } from '../check/tree.ts';
import { BAR_FACTS } from '../run/bar-facts.ts';
import { ringSize } from '../run/history.ts';
import { TA_KERNELS } from '../ta/index.ts';
import { type Body, barRing } from './body.ts';
import { emitStrategyHistory, emitStrategyVariable } from './call-strategy.ts';
import { constantOffset } from './constant-offset.ts';
import { CHART, type Chart, chartInput, kernelCall } from './kernels.ts';
import { literal, naOf } from './literals.ts';

const COLUMNS = new Set(['open', 'high', 'low', 'close', 'volume', 'time']);

/** Means of prices, of the bar in a slot. */
const MEANS: Readonly<Record<string, { readonly of: readonly string[]; readonly by: number }>> = {
  hl2: { of: ['high', 'low'], by: 2 },
  hlc3: { of: ['high', 'low', 'close'], by: 3 },
  hlcc4: { of: ['high', 'low', 'close', 'close'], by: 4 },
  ohlc4: { of: ['open', 'high', 'low', 'close'], by: 4 },
};

/** What depends on the state of the run and not on the bar alone. */
const STATES: Readonly<Record<string, string>> = {
  bar_index: 'i',
  last_bar_index: 'R.lastIndex',
  last_bar_time: 'R.lastTime()',
  timenow: 'R.nowMs()',
  'barstate.isfirst': '(i === 0)',
  'barstate.islast': '(i === R.lastIndex)',
  'barstate.ishistory': '!R.isRealtime',
  'barstate.isrealtime': 'R.isRealtime',
  'barstate.isnew': 'R.isNew',
  'barstate.isconfirmed': 'R.isConfirmed',
  'barstate.islastconfirmedhistory': '(i === R.lastHistoryIndex)',
};

/** Running lines that a function has of its own; the others go on wherever they are mentioned. */
const PER_INSTANCE = new Set(['ta.vwap', 'ta.accdist']);

/** A price, mean or time of the bar in a slot, or null when the name is none of them. */
function atSlot(chart: Chart, name: string, slot: string): string | null {
  if (COLUMNS.has(name)) return `${chart.column(name)}[${slot}]`;
  const mean = MEANS[name];
  if (mean === undefined) return null;
  return `((${mean.of.map((price) => `${chart.column(price)}[${slot}]`).join(' + ')}) / ${mean.by})`;
}

/** A fact of the bar with a number, which must be there. */
function atBar(body: Body, name: string, bar: string): string | null {
  const fact = BAR_FACTS[name];
  if (fact === undefined) return null;
  const slot = `${bar} & ${body.mask()}`;
  const previous = `(${bar} > 0 ? ${body.column('time')}[(${bar} - 1) & ${body.mask()}] : NaN)`;
  const times = fact.needs === 'time' ? '' : `, ${previous}`;
  return `R.facts.${fact.method}(${body.column('time')}[${slot}]${times})`;
}

export function emitBuiltin(body: Body, expr: BuiltinExpr): string {
  const { name } = expr;
  const state = STATES[name];
  if (state !== undefined) return state;
  const known = COLUMNS.has(name) || MEANS[name] ? atSlot(body, name, body.slot()) : atBar(body, name, 'i');
  if (known !== null) return known;
  if (TA_KERNELS[name] !== undefined) return runningLine(body, name);
  if (name.endsWith('.all')) return `R.drawings.all(${literal(name.slice(0, -'.all'.length))})`;
  if (name.startsWith('strategy.'))
    return body.module.isRequested ? naOf(expr.type.shape, body.version) : emitStrategyVariable(body, expr);
  return body.module.constant(`R.fact(${literal(name)})`);
}

function runningLine(body: Body, name: string): string {
  const handed: Record<string, string> = {
    source: PRICES_OF[name] ?? 'NaN',
    handle_na: 'false',
    anchor: 'R.isNewDay(i)',
    stdev_mult: '1',
  };
  if (PER_INSTANCE.has(name) && !body.isMain) {
    return kernelCall(body, name, { settings: [], inputs: inputsOf(body, name, handed) });
  }
  return body.module.once(`line ${name}`, () => {
    const { module } = body;
    const number = module.number();
    module.mainFrame.part(`k${number}`, `${body.library('TA_KERNELS')}[${literal(name)}].create()`);
    const field = `v${number}`;
    module.mainFrame.kept(field, 'NaN');
    module.prologue.push(`G.${field} = G.k${number}.next(${inputsOf(CHART, name, handed).join(', ')});`);
    return `G.${field}`;
  });
}

const PRICES_OF: Readonly<Record<string, string>> = { 'ta.vwap': 'hlc3' };

function inputsOf(chart: Chart, name: string, handed: Readonly<Record<string, string>>): string[] {
  return TA_KERNELS[name]!.inputs.map((input) => {
    if (input.startsWith('chart.')) return chartInput(chart, input);
    const given = handed[input]!;
    return MEANS[given] === undefined ? given : (atSlot(chart, given, chart.slot()) as string);
  });
}

/** `name[offset]` of a built-in series, straight from its source; null where the script must remember it. */
export function emitBuiltinHistory(body: Body, operand: BuiltinExpr, offset: Expr): string | null {
  const { name } = operand;
  if (name.startsWith('strategy.'))
    return body.module.isRequested
      ? naOf(operand.type.shape, body.version)
      : emitStrategyHistory(body, operand, offset);
  const isPrice = COLUMNS.has(name) || MEANS[name] !== undefined;
  const isNumbered = name === 'bar_index';
  if (!isPrice && !isNumbered && BAR_FACTS[name] === undefined) return lineHistory(body, operand, offset);
  const na = operand.type.shape.kind === 'scalar' && operand.type.shape.name === 'bool' ? 'false' : 'NaN';
  const read = (bar: string): string => {
    if (isNumbered) return bar;
    return isPrice ? atSlot(body, name, `(${bar}) & ${body.mask()}`)! : atBar(body, name, `(${bar})`)!;
  };
  const fixed = constantOffset(offset);
  if (fixed !== undefined) return fixed === 0 ? read('i') : `(i >= ${fixed} ? ${read(`i - ${fixed}`)} : ${na})`;
  const bar = body.temporary();
  return `((${bar} = ${body.library('barBack')}(i, ${body.expr(offset)})) < 0 ? ${na} : ${read(bar)})`;
}

/** A running line is a series of the chart: its history has every bar, wherever it is read. */
function lineHistory(body: Body, { name, type }: BuiltinExpr, offset: Expr): string | null {
  if (TA_KERNELS[name] === undefined || (PER_INSTANCE.has(name) && !body.isMain)) return null;
  const value = runningLine(body, name);
  const size = ringSize('any');
  const ring = body.module.once(`ring ${name}`, () => {
    const made = body.module.own(barRing(type.shape, size, body.version));
    body.module.prologue.push(`${made}[i & ${size - 1}] = ${value};`);
    return made;
  });
  const bar = body.temporary();
  return `((${bar} = ${body.library('barBack')}(i, ${body.expr(offset)})) < 0 ? NaN : ${ring}[${bar} & ${size - 1}])`;
}
