// The table as a whole: every entry is well-formed, and every look-up finds what it should.

import { describe, expect, it } from 'vitest';
import {
  allEntries,
  allWords,
  findFunction,
  findValue,
  findWord,
  isNamespace,
  membersOf,
  methodsOf,
  namespaces,
  namespacesIn,
  replacementOf,
  suggestionFor,
} from './index.ts';
import type { FunctionEntry, Overload, Parameter } from './model.ts';
import { fieldsOf } from './object-fields.ts';
import { SOURCES } from './tables/all.ts';
import { RENAMED } from './tables/renamed.ts';
import { type PineVersion, type Shape, shapeFits, typeText } from './types.ts';

const functions = allEntries().filter((entry): entry is FunctionEntry => entry.kind === 'function');
const constants = allEntries().filter((entry) => entry.kind === 'constant');
const overloads = functions.flatMap(({ name, overloads }) => overloads.map((overload) => ({ name, overload })));
const parameters = overloads.flatMap(({ name, overload }) =>
  overload.parameters.map((parameter) => ({ name, overload, parameter })),
);
/** The rows for which something is wrong, by name, so that a failure says which. */
const faulty = <T extends { name: string }>(rows: readonly T[], isWrong: (row: T) => boolean) =>
  rows.filter(isWrong).map(({ name }) => name);

describe('every entry', () => {
  it('has a name of its own among functions and among values', () => {
    for (const kinds of [['function'], ['variable', 'constant']]) {
      const names = allEntries().flatMap((entry) => (kinds.includes(entry.kind) ? [entry.name] : []));
      expect(names).toEqual([...new Set(names)]);
    }
    expect(allEntries().length).toBeGreaterThan(870);
  });

  it('has one doc sentence in plain text that ends with a full stop', () => {
    const wrong = ({ doc }: { doc: string }) => !/^[A-Z0-9][^\n]{2,158}\.$/.test(doc) || / {2}|\s$|\t/.test(doc);
    expect(faulty([...allEntries(), ...allWords()], wrong)).toEqual([]);
  });

  it('has at least one overload per version it claims', () => {
    const wrong = ({ overloads, versions }: FunctionEntry) =>
      versions.some((version) => !overloads.some((overload) => overload.versions.includes(version)));
    expect(faulty(functions, wrong)).toEqual([]);
  });

  it('keeps no line of the table with trailing spaces', () => {
    expect(SOURCES.filter(({ text }) => / \n/.test(text)).map(({ namespace }) => namespace)).toEqual([]);
  });
});

describe('every parameter', () => {
  it('has a name of its own in its signature', () => {
    const wrong = ({ overload }: { overload: Overload }) =>
      new Set(overload.parameters.map(({ name }) => name)).size !== overload.parameters.length;
    expect(faulty(overloads, wrong)).toEqual([]);
  });

  it.each<PineVersion>([5, 6])('that is optional stands after those that are required, in v%i', (version) => {
    const wrong = ({ overload }: { overload: Overload }) => {
      const inVersion = overload.parameters.filter((parameter) => parameter.versions.includes(version));
      const firstOptional = inVersion.findIndex(({ fallback }) => fallback !== null);
      return firstOptional >= 0 && inVersion.slice(firstOptional).some(({ fallback }) => fallback === null);
    };
    expect(faulty(overloads, wrong)).toEqual([]);
  });

  it('that takes any number of arguments is the last', () => {
    const wrong = ({ overload }: { overload: Overload }) => overload.parameters.slice(0, -1).some((p) => p.variadic);
    expect(faulty(overloads, wrong)).toEqual([]);
  });

  it('that only one version has is optional', () => {
    const wrong = ({ parameter }: { parameter: Parameter }) =>
      parameter.versions.length === 1 && parameter.fallback === null;
    expect(faulty(parameters, wrong)).toEqual([]);
  });

  it('that is gone in v6 names what to write instead', () => {
    const wrong = ({ parameter }: { parameter: Parameter }) =>
      !parameter.versions.includes(6) && parameter.remedy === null;
    expect(faulty(parameters, wrong)).toEqual([]);
  });

  it('allows only constants that exist and fit its type', () => {
    const wrong = ({ parameter }: { parameter: Parameter }) =>
      parameter.allowed.some((one) => {
        if (one.startsWith('"')) return !shapeFits({ kind: 'scalar', name: 'string' }, parameter.type.shape);
        const named = constants.filter(({ name }) =>
          one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name === one,
        );
        return named.length === 0 || named.some(({ type }) => !shapeFits(type.shape, parameter.type.shape));
      });
    expect(faulty(parameters, wrong)).toEqual([]);
  });

  it('has a default that exists, fits its type and is among the constants allowed', () => {
    const wrong = ({ parameter }: { parameter: Parameter }) =>
      [parameter.fallback, parameter.fallbackInV5].some((fallback) => {
        if (fallback === null || fallback.inWords) return false;
        const shape = literalShape(fallback.text) ?? findValue(fallback.text)?.type.shape;
        return (
          shape === undefined || !shapeFits(shape, parameter.type.shape, 5) || !isAllowed(parameter, fallback.text)
        );
      });
    expect(faulty(parameters, wrong)).toEqual([]);
  });
});

function literalShape(text: string): Shape | null {
  if (text.startsWith('"')) return { kind: 'scalar', name: 'string' };
  if (text.startsWith('#')) return { kind: 'scalar', name: 'color' };
  if (/^-?\d+$/.test(text)) return { kind: 'scalar', name: 'int' };
  return /^-?\d+\.\d+$/.test(text) ? { kind: 'scalar', name: 'float' } : null;
}

function isAllowed({ allowed }: Parameter, text: string): boolean {
  // A variable such as syminfo.session holds one of the allowed values.
  if (findValue(text)?.kind === 'variable') return true;
  const sameKind = allowed.filter((one) => one.startsWith('"') === text.startsWith('"'));
  return (
    sameKind.length === 0 ||
    sameKind.some((one) => one === text || (one.endsWith('*') && text.startsWith(one.slice(0, -1))))
  );
}

describe('the marks', () => {
  it('keep what draws or declares in the global scope', () => {
    const globalOnly = functions
      .filter(({ overloads }) => overloads.every((o) => o.globalOnly))
      .map(({ name }) => name);
    const expected = `alertcondition barcolor bgcolor fill hline indicator library plot plotarrow plotbar plotcandle
      plotchar plotshape strategy strategy.risk.allow_entry_in strategy.risk.max_cons_loss_days strategy.risk.max_drawdown
      strategy.risk.max_intraday_filled_orders strategy.risk.max_intraday_loss strategy.risk.max_position_size`;
    expect(globalOnly.sort()).toEqual(expected.split(/\s+/));
  });

  it('give every ta function but ta.tr a state per call, and few others', () => {
    const stateful = functions.filter(({ overloads }) => overloads.every((o) => o.stateful)).map(({ name }) => name);
    const ta = functions.filter(({ namespace }) => namespace === 'ta').map(({ name }) => name);
    expect(ta.filter((name) => !stateful.includes(name))).toEqual(['ta.tr']);
    expect(stateful.filter((name) => !name.startsWith('ta.')).sort()).toEqual(
      'alert fixnan math.random math.sum request.security request.security_lower_tf request.seed'.split(' '),
    );
  });
});

describe('look-ups', () => {
  it('find a function and a value of the same name apart', () => {
    for (const name of ['ta.tr', 'ta.vwap', 'time', 'dayofweek', 'na', 'syminfo.prefix']) {
      expect(findFunction(name)?.name).toBe(name);
      expect(findValue(name)?.name).toBe(name);
    }
  });

  it.each([
    ['close', 'series float'],
    ['bar_index', 'series int'],
    ['syminfo.mintick', 'simple float'],
    ['timeframe.period', 'simple string'],
    ['barstate.islast', 'series bool'],
    ['strategy.position_size', 'series float'],
    ['chart.bg_color', 'input color'],
    ['line.all', 'array<line>'],
    ['plot.style_line', 'const plot_style'],
    ['display.all', 'const plot_simple_display'],
    ['strategy.long', 'const strategy_direction'],
    ['dayofweek.monday', 'const int'],
    ['math.pi', 'const float'],
    ['na', 'na'],
  ])('give %s the type %s', (name, type) => {
    expect(typeText(findValue(name)!.type)).toBe(type);
  });

  it('know the values of constants in both versions', () => {
    expect(findValue('color.red')).toMatchObject({ value: 0xf23645ff, valueInV5: 0xff5252ff });
    expect(findValue('math.e')).toMatchObject({ value: Math.E });
    expect(findValue('dayofweek.saturday')).toMatchObject({ value: 7 });
    expect(findValue('currency.EUR')).toMatchObject({ value: 'EUR' });
  });

  it.each(['', '.', 'ta', 'ta.', '.sma', 'ta.sma.x', 'constructor', '__proto__', 'ta.__proto__', 'x'.repeat(100_000)])(
    'find nothing under %j',
    (name) => {
      expect([findFunction(name), findValue(name), findWord(name)]).toEqual([null, null, null]);
    },
  );

  it('know which names are namespaces and what lies inside them', () => {
    expect(isNamespace('ta')).toBe(true);
    expect(isNamespace('chart.point')).toBe(true);
    expect(isNamespace('')).toBe(false);
    expect(isNamespace('toString')).toBe(false);
    expect(namespacesIn('strategy')).toEqual(
      ['closedtrades', 'commission', 'direction', 'oca', 'opentrades', 'risk'].map((inner) => `strategy.${inner}`),
    );
    expect(namespacesIn('chart')).toEqual(['chart.point']);
    expect(namespaces()[0]).toBe('');
    expect(membersOf('nothing', 6)).toEqual([]);
  });

  it('offer in v5 only what v5 has', () => {
    expect(membersOf('footprint', 5)).toEqual([]);
    expect(membersOf('footprint', 6)).toHaveLength(9);
    expect(findWord('once')?.versions).toEqual([6]);
  });

  it('know the fields of chart.point', () => {
    expect([...fieldsOf('chart.point')].map(([name, type]) => `${name}: ${typeText(type)}`)).toEqual([
      'time: series int',
      'index: series int',
      'price: series float',
    ]);
    expect(fieldsOf('line').size).toBe(0);
  });
});

describe('methods', () => {
  const names = (type: string, version: PineVersion = 6) => methodsOf(type, version).map(({ member }) => member);

  it.each([
    ['array', 43],
    ['matrix', 48],
    ['map', 10],
    ['line', 20],
    ['label', 20],
    ['box', 28],
    ['table', 21],
    ['linefill', 4],
    ['polyline', 1],
    ['chart.point', 1],
    ['footprint', 9],
    ['volume_row', 8],
    ['string', 0],
    ['color', 0],
    ['str', 0],
    ['int', 0],
  ])('of %s are %i', (type, count) => {
    expect(names(type)).toHaveLength(count);
  });

  it('are every function of the namespace but the constructors', () => {
    const constructors = (type: string) =>
      membersOf(type, 6).flatMap((e) => (e.kind === 'function' && !names(type).includes(e.member) ? [e.member] : []));
    expect(constructors('array').filter((name) => !name.startsWith('new'))).toEqual(['from']);
    for (const type of ['matrix', 'map', 'line', 'label', 'box', 'table', 'linefill', 'polyline'])
      expect(constructors(type)).toEqual(['new']);
    expect(constructors('chart.point')).toEqual(['from_index', 'from_time', 'new', 'now']);
  });

  it('leave out in v5 what came with v6', () => {
    expect(names('label', 5)).not.toContain('set_text_formatting');
    expect(names('label', 6)).toContain('set_text_formatting');
  });
});

describe('suggestions', () => {
  it.each([
    ['sma', 'ta.sma'],
    ['study', 'indicator'],
    ['security', 'request.security'],
    ['iff', 'the ?: operator'],
    ['ta.smaa', 'ta.sma'],
    ['ta.abs', 'math.abs'],
    ['clsoe', 'close'],
    ['math.sma', 'ta.sma'],
    ['strategy.entyr', 'strategy.entry'],
    ['colour.red', 'color.red'],
    ['pivothihg', 'ta.pivothigh'],
    ['qqqqqqqqqq', null],
    ['x'.repeat(100_000), null],
  ])('for %s: %s', (name, meant) => {
    expect(suggestionFor(name, 6)).toBe(meant);
  });

  it('never name what the version does not have', () => {
    expect(suggestionFor('request.footprnt', 6)).toBe('request.footprint');
    expect(suggestionFor('request.footprnt', 5)).not.toBe('request.footprint');
  });

  it('name a built-in that exists for every renamed one, or words', () => {
    const dead = [...RENAMED.values()].filter((name) => !name.includes(' ') && !findFunction(name) && !findValue(name));
    expect(dead).toEqual([]);
    expect(replacementOf('tostring')).toBe('str.tostring');
    expect(replacementOf('close')).toBeNull();
  });
});
