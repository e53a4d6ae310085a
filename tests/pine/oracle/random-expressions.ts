// Random well-typed expressions: every operator, history everywhere, stateful calls, collections, objects and methods.

import type { Kind, Writer } from './writer.ts';

/** Beyond this depth only names and literals are written. */
const DEEPEST = 3;

type Make = (w: Writer, depth: number) => string;

export function expression(w: Writer, kind: Kind, depth = 0): string {
  const simple = SIMPLE[kind];
  if (depth >= DEEPEST || !w.isOpen) return simple(w, depth);
  const named = w.visible(kind);
  if (named.length > 0 && w.chance(2, 5)) return variable(w, kind, depth);
  const makes = [simple, ...COMPOUND[kind], conditional(kind)];
  return makes[w.below(makes.length)]!(w, depth + 1);
}

/** A variable of the kind, or the simplest expression where there is none; its past as often as itself. */
function variable(w: Writer, kind: Kind, depth: number): string {
  const found = w.visible(kind);
  if (found.length === 0) return SIMPLE[kind](w, depth);
  const { name } = found[w.below(Math.min(found.length, 6))]!;
  if (!['int', 'float', 'bool', 'string', 'side'].includes(kind) || !w.chance(1, 2)) return name;
  return `${name}[${offset(w, depth)}]`;
}

function offset(w: Writer, depth: number): string {
  if (depth >= DEEPEST || w.chance(3, 4))
    return w.chance(1, 8) ? w.pick('bar_index', 'bar_index % 37', '40') : String(w.below(5));
  // Never negative, but now and then na.
  return w.chance(1, 6) ? `int(math.abs(${expression(w, 'float', depth + 1)})) % 9` : `math.abs(${small(w, depth)})`;
}

/** A small int that is never na; it may be negative. */
export function small(w: Writer, depth: number): string {
  return `nz(${expression(w, 'int', depth + 1)}) % ${2 + w.below(5)}`;
}

const literal: Readonly<Record<'int' | 'float' | 'bool' | 'string', readonly string[]>> = {
  int: ['1', '0', '2', '3', '7', '-4', '10'],
  float: ['1.5', '0.0', '-2.25', '100.0', '1e-11', '3.'],
  bool: ['true', 'false'],
  string: ['"a"', '"bc"', '""', '"x y"'],
};

const SERIES = ['close', 'open', 'high', 'low', 'hl2', 'hlc3', 'ohlc4', 'hlcc4', 'volume'];
const VARIABLES = ['ta.tr', 'ta.obv', 'ta.accdist', 'ta.vwap', 'ta.nvi', 'ta.pvt', 'ta.wad', 'ta.wvad', 'ta.iii'];

const SIMPLE: Readonly<Record<Kind, Make>> = {
  int: (w) => w.pick('bar_index', ...literal.int),
  float: (w) => w.pick(...SERIES, ...literal.float),
  bool: (w) => w.pick('(close > open)', ...literal.bool),
  string: (w) => w.pick(...literal.string),
  floats: (w) => {
    const found = w.visible('floats');
    return found.length > 0 ? w.pick(...found).name : 'array.new<float>(2, 1.0)';
  },
  ints: (w) => {
    const found = w.visible('ints');
    return found.length > 0 ? w.pick(...found).name : 'array.new<int>(2, 3)';
  },
  map: (w) => {
    const found = w.visible('map');
    return found.length > 0 ? w.pick(...found).name : 'map.new<string, float>()';
  },
  object: (w) => {
    const found = w.visible('object');
    return found.length > 0 ? w.pick(...found).name : 'Point.new(1.0, 2, items = array.new<float>())';
  },
  side: (w) => w.pick('Side.up', 'Side.down', 'Side.flat'),
};

const conditional =
  (kind: Kind): Make =>
  (w, depth) =>
    `(${condition(w, depth)} ? ${expression(w, kind, depth)} : ${expression(w, kind, depth)})`;

/** What may stand as a condition: in v5 also a number. */
export function condition(w: Writer, depth: number): string {
  return !w.isV6 && w.chance(1, 8) ? expression(w, w.pick('int', 'float'), depth) : expression(w, 'bool', depth);
}

/** A length that a moving window takes: constant, an input, or another one on every bar. */
function seriesLength(w: Writer, depth: number): string {
  return w.chance(2, 3) ? simpleLength(w) : `1 + math.abs(${small(w, depth)})`;
}

function simpleLength(w: Writer): string {
  return w.pick(...['2', '3', '5', '1'], 'lengthInput');
}

const call =
  (text: string): Make =>
  (w, depth) =>
    text.replace(/[SLNBXFI]/g, (letter) => {
      if (letter === 'S') return expression(w, 'float', depth);
      if (letter === 'L') return seriesLength(w, depth);
      if (letter === 'N') return simpleLength(w);
      if (letter === 'B') return expression(w, 'bool', depth);
      if (letter === 'X') return expression(w, 'string', depth);
      return letter === 'F' ? expression(w, 'floats', depth) : expression(w, 'ints', depth);
    });

const any =
  (...texts: readonly string[]): Make =>
  (w, depth) =>
    call(w.pick(...texts))(w, depth);

const past =
  (kind: Kind, text: string): Make =>
  (w, depth) =>
    `(${text.replace('?', () => expression(w, kind, depth))})[${offset(w, depth)}]`;

/** A call of a function the program declares, of one that gives the kind. */
const ownCall =
  (kind: Kind): Make =>
  (w, depth) => {
    // A function that calls others in a loop multiplies the turns of all of them.
    if (w.isInFunction && w.loops > 0) return SIMPLE[kind](w, depth);
    const found = w.functions.filter(({ results }) => results.length === 1 && results[0] === kind);
    return found.length === 0 ? SIMPLE[kind](w, depth) : callOf(w, w.pick(...found), depth);
  };

export function callOf(w: Writer, made: Writer['functions'][number], depth: number): string {
  const given = made.parameters.map(({ kind, simple }) => {
    if (simple) return simpleLength(w);
    // Ints may be given where floats are asked for.
    return expression(w, kind === 'float' && w.chance(1, 4) ? 'int' : kind, depth + 1);
  });
  if (!made.method) return `${made.name}(${given.join(', ')})`;
  const [first, ...rest] = given;
  return `${first!.includes(' ') ? `(${first})` : first}.${made.name}(${rest.join(', ')})`;
}

const field =
  (name: string): Make =>
  (w) => {
    const found = w.visible('object');
    return found.length === 0 ? `Point.new(2.5, 4).${name}` : `${w.pick(...found).name}.${name}`;
  };

const pastObject =
  (name: string, otherwise: string): Make =>
  (w) => {
    const found = w.visible('object');
    if (found.length === 0) return otherwise;
    const object = w.pick(...found).name;
    return `(na(${object}[1]) ? ${otherwise} : (${object}[1]).${name})`;
  };

const element =
  (kind: 'floats' | 'ints'): Make =>
  (w, depth) => {
    const found = w.visible(kind);
    if (found.length === 0) return kind === 'ints' ? '4' : '4.5';
    const array = w.pick(...found).name;
    const otherwise = kind === 'ints' ? '0' : '0.0';
    return `(${array}.size() > 0 ? ${array}.get(math.abs(${small(w, depth)}) % ${array}.size()) : ${otherwise})`;
  };

/** A number beside one that differs by less than the language can see, or by just more. */
const nearly: Make = (w, depth) => {
  const number = variable(w, 'float', depth);
  const [other, operator] = [w.pick('1e-11', '1e-10', '2e-10', '0.0'), w.pick('==', '!=', '<', '>', '<=', '>=')];
  return `(${number} + ${other} ${operator} ${number})`;
};

/** Version 5 refuses a division by a zero that is written there. */
const byNoWrittenZero = (w: Writer, quotient: string): string =>
  w.isV6 ? quotient : quotient.replace(/\/ [-(]*0[.0]*\)+$/, '/ 4.0)');

const STATEFUL_FLOATS = [
  ...['ta.sma(S, L)', 'ta.ema(S, N)', 'ta.rma(S, N)', 'ta.wma(S, L)', 'ta.cum(S)', 'ta.highest(S, L)', 'ta.lowest(L)'],
  ...['math.sum(S, L)', 'ta.stdev(S, L)', 'ta.change(S)', 'ta.mom(S, L)', 'ta.rsi(S, N)', 'ta.atr(N)', 'fixnan(S)'],
  ...['ta.valuewhen(B, S, 0)', 'ta.valuewhen(B, S, 1)', 'ta.median(S, L)', 'ta.linreg(S, L, 0)', 'ta.swma(S)'],
  ...['ta.vwma(S, L)', 'ta.roc(S, L)', 'ta.hma(S, N)', 'ta.cci(S, L)', 'ta.max(S)', 'ta.correlation(S, S, L)'],
  ...['ta.percentrank(S, L)', 'ta.pivothigh(N, N)', 'ta.vwap(S, B)', 'ta.stoch(S, high, low, L)', 'ta.tr(true)'],
];

const COMPOUND: Readonly<Record<Kind, readonly Make[]>> = {
  float: [
    (w, depth) =>
      byNoWrittenZero(w, any('(S + S)', '(S - S)', '(S * S)', '(S / S)', '(S % S)', '-S', '+(S)')(w, depth)),
    any(...STATEFUL_FLOATS),
    any(...STATEFUL_FLOATS),
    past('float', 'close + ?'),
    past('float', 'ta.ema(?, 3)'),
    any('nz(S)', 'nz(S, S)', 'float(na)', 'math.abs(S)', 'math.max(S, S)', 'math.min(S, S, S)', 'math.avg(S, S)'),
    any('math.sign(S)', 'math.round(S, 2)', 'math.sqrt(math.abs(S))', 'math.round_to_mintick(S)', 'math.pow(S, 2)'),
    (w) =>
      w.isInFunction ? w.pick('ta.accdist', 'ta.vwap', 'ta.accdist[1]') : w.pick('ta.obv', 'ta.vwap', 'ta.obv[2]'),
    (w) => (w.chance(1, 2) ? w.pick(...VARIABLES) : `${w.pick(...VARIABLES)}[${w.below(4)}]`),
    (w) => `${w.pick(...SERIES)}[${w.below(6)}]`,
    (w, depth) => `${w.pick(...SERIES)}[${offset(w, depth)}]`,
    ownCall('float'),
    ownCall('float'),
    (w, depth) => `(${ownCall('float')(w, depth)} + close)[${offset(w, depth)}]`,
    any('array.sum(F)', 'array.avg(F)', 'array.max(F)', 'array.stdev(F)', 'F.median()'),
    element('floats'),
    field('x'),
    pastObject('x', '0.5'),
    (w, depth) => `${SIMPLE.map(w, depth)}.get(${expression(w, 'string', depth)})`,
    (w, depth) => expression(w, 'int', depth),
    call('str.tonumber(X)'),
  ],
  int: [
    (w, depth) => `(${expression(w, 'int', depth)} ${w.pick('+', '-', '*', '%')} ${expression(w, 'int', depth)})`,
    (w, depth) => `-${expression(w, 'int', depth)}`,
    any('math.round(S)', 'math.floor(S)', 'math.ceil(S)', 'int(S)', 'str.length(X)', 'F.size()', 'array.size(I)'),
    any('ta.barssince(B)', 'ta.highestbars(S, L)', 'ta.lowestbars(L)', 'hour', 'dayofweek', 'F.indexof(S)'),
    (w, depth) => `ta.change(${expression(w, 'int', depth)})`,
    (w, depth) => `nz(${expression(w, 'int', depth)}, ${w.pick(...literal.int)})`,
    past('int', 'bar_index - ?'),
    past('float', 'ta.barssince(? > close)'),
    ownCall('int'),
    element('ints'),
    field('n'),
    pastObject('n', '1'),
    any('array.sum(I)', 'array.max(I)'),
    (w, depth) => `bar_index[${offset(w, depth)}]`,
  ],
  bool: [
    any('(S > S)', '(S <= S)', '(S == S)', '(S != S)', '(S < S)', '(S >= S)', '(X == X)', '(X != X)'),
    (w, depth) => `(${expression(w, 'int', depth)} ${w.pick('==', '!=', '<', '>=')} ${expression(w, 'int', depth)})`,
    (w, depth) => `(${condition(w, depth)} ${w.pick('and', 'or')} ${condition(w, depth)})`,
    (w, depth) => `(${expression(w, 'bool', depth)} and ${call('ta.sma(S, L)')(w, depth)} > close)`,
    (w, depth) => `not ${condition(w, depth)}`,
    any('ta.crossover(S, S)', 'ta.crossunder(S, S)', 'ta.cross(S, S)', 'ta.rising(S, L)', 'ta.falling(S, L)'),
    any('na(S)', 'ta.change(B)', 'F.includes(S)', 'ta.valuewhen(B, B, 0)', 'str.contains(X, X)', 'bool(S)'),
    past('bool', 'close > open or ?'),
    nearly,
    any('ta.change(B)', 'ta.change(close > open)', 'ta.change(B, 2)'),
    (w, depth) => (w.isV6 ? `na(${variable(w, 'float', depth)})` : `na(${variable(w, 'bool', depth)})`),
    (w, depth) => (w.isV6 ? `not ${variable(w, 'bool', depth)}` : `nz(${variable(w, 'bool', depth)}, true)`),
    (w, depth) => `${SIMPLE.map(w, depth)}.contains(${expression(w, 'string', depth)})`,
    (w, depth) =>
      w.isV6 ? `(${expression(w, 'side', depth)} == ${expression(w, 'side', depth)})` : w.pick('bool(na)', 'true'),
    (w) => w.pick('barstate.isfirst', '(bar_index % 3 == 0)', '(bar_index > 5)'),
    ownCall('bool'),
    field('on'),
  ],
  string: [
    any('(X + X)', 'str.upper(X)', 'str.tostring(S)', 'str.replace(X, "a", "b")', 'str.repeat(X, 2)'),
    (w, depth) => `str.tostring(${expression(w, 'int', depth)})`,
    (w, depth) => `str.format("{0}-{1}", ${expression(w, 'int', depth)}, ${expression(w, 'string', depth)})`,
    (w, depth) => (w.isV6 ? `str.tostring(${expression(w, 'side', depth)})` : 'string(na)'),
    past('string', 'str.tostring(bar_index) + ?'),
    ownCall('string'),
    any('array.join(I, "-")', 'str.tostring(F)'),
  ],
  floats: [
    any('array.new<float>(3, S)', 'array.from(float(S), float(S))', 'F.copy()', 'array.new_float(2)'),
    any('F.slice(0, 0)', 'array.abs(F)'),
    ownCall('floats'),
  ],
  ints: [
    (w, depth) => `array.from(${expression(w, 'int', depth)}, ${w.pick(...literal.int)})`,
    any('I.copy()', 'array.sort_indices(F)', 'array.new<int>(2, 5)', 'array.new_int(1, bar_index)'),
  ],
  map: [(w, depth) => `${expression(w, 'map', depth)}.copy()`, () => 'map.new<string, float>()'],
  object: [
    (w, depth) =>
      `Point.new(${expression(w, 'float', depth)}, ${expression(w, 'int', depth)}, items = ${expression(w, 'floats', depth)})`,
    (w, depth) => `Point.new(n = ${expression(w, 'int', depth)}, on = ${expression(w, 'bool', depth)})`,
    (w, depth) => `Point.copy(${SIMPLE.object(w, depth)})`,
    ownCall('object'),
  ],
  side: [ownCall('side')],
};
