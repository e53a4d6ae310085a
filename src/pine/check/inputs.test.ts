// Tests of input declarations: each kind, titles, and every check of defaults, limits and choices on both of its sides.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { membersOf } from '../builtins/index.ts';
import { isRefused } from './constants-of-call.ts';
import { inputSpec } from './inputs.ts';
import { acceptsValue, SOURCES } from './inputs-rules.ts';
import {
  binary,
  bool,
  call,
  color,
  conditional,
  enumOf,
  float,
  int,
  list,
  member,
  named,
  text,
  variable,
} from './testing/spec-trees.ts';
import type { BuiltinCallExpr, Expr, InputSpec } from './tree.ts';

const NONE: ReadonlySet<string> = new Set();

function specOf(made: BuiltinCallExpr, assignedTo: string | null = 'x', taken = NONE): InputSpec {
  const spec = inputSpec(made, assignedTo, taken);
  if (isRefused(spec)) throw new Error(`${spec.message} ${spec.remedy}`);
  return spec;
}

function refusalOf(made: BuiltinCallExpr) {
  const spec = inputSpec(made, null, NONE);
  if (!isRefused(spec)) throw new Error('the input was expected to be refused');
  return spec;
}

const refusedAt = (made: BuiltinCallExpr) => refusalOf(made).span.start - 10;
const refusalText = (made: BuiltinCallExpr) => `${refusalOf(made).message} ${refusalOf(made).remedy}`;

const withArgument = (made: BuiltinCallExpr, name: string, value: Expr): BuiltinCallExpr => ({
  ...made,
  arguments: made.arguments.map((one) => (one.parameter.name === name ? { ...one, values: [value] } : one)),
});

describe('kinds', () => {
  it.each([
    ['input.int', int(5), 'int', 5],
    ['input.float', float(1.5), 'float', 1.5],
    ['input.float', int(2), 'float', 2],
    ['input.bool', bool(true), 'bool', true],
    ['input.string', text('a'), 'string', 'a'],
    ['input.color', named('color.blue'), 'color', 0x2962ffff],
    ['input.price', float(9.5), 'price', 9.5],
    ['input.session', text('0930-1600'), 'session', '0930-1600'],
    ['input.symbol', text(''), 'symbol', ''],
    ['input.text_area', text('a\nb'), 'text_area', 'a\nb'],
    ['input.time', call('timestamp', [text('1 Jan 2024')]), 'time', Date.UTC(2024, 0, 1)],
    ['input.timeframe', text('D'), 'timeframe', 'D'],
    ['input.source', named('hl2'), 'source', 'hl2'],
  ] as const)('%s has its kind and default', (name, defval, kind, value) => {
    expect(specOf(call(name, [defval]))).toMatchObject({ kind, defaultValue: value });
  });

  it.each([
    [int(5), 'int'],
    [float(0.5), 'float'],
    [bool(false), 'bool'],
    [text('a'), 'string'],
    [color('#010203'), 'color'],
    [named('close'), 'source'],
    [variable('float'), 'source'],
  ] as const)('input() takes its kind from its default', (defval, kind) => {
    expect(specOf(call('input', [defval])).kind).toBe(kind);
  });

  it('cover every function of the reference', () => {
    const names = membersOf('input', 6).map(({ member: name }) => name);
    const tested = 'bool color enum float int price session source string symbol text_area time timeframe';
    expect(names).toEqual(tested.split(' '));
  });

  it('a source is known by name only when users can choose it by name', () => {
    for (const name of SOURCES) expect(specOf(call('input.source', [named(name)])).defaultValue).toBe(name);
    for (const other of [named('bar_index'), named('ta.obv'), variable('float'), float(5)])
      expect(specOf(call('input.source', [other])).defaultValue).toBeNull();
  });
});

describe('titles', () => {
  it('are the argument, else the variable, else a number', () => {
    expect(specOf(call('input.int', [int(1), text('Length')])).title).toBe('Length');
    expect(specOf(call('input.int', [int(1)])).title).toBe('x');
    expect(specOf(call('input.int', [int(1), text('')])).title).toBe('x');
    expect(specOf(call('input.int', [int(1)]), null, new Set(['a', 'b'])).title).toBe('Input 3');
  });

  it('are made unique', () => {
    const taken = new Set(['Length', 'Length (2)']);
    expect(specOf(call('input.int', [int(1), text('Length')]), null, taken).title).toBe('Length (3)');
    expect(specOf(call('input.int', [int(1)]), null, new Set(['Input 2'])).title).toBe('Input 2 (2)');
  });

  it('stay unique whatever is taken, and quickly when very many are equal', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 2, max: 20 })), (numbers) => {
        const taken = new Set(['L', ...numbers.map((number) => `L (${number})`)]);
        expect(taken.has(specOf(call('input.int', [int(1), text('L')]), null, taken).title)).toBe(false);
      }),
      { numRuns: 50 },
    );
    const equal = call('input.int', [int(1), text('L')]);
    const taken = new Set<string>();
    for (let i = 0; i < 5000; i += 1) taken.add(specOf(equal, null, taken).title);
    expect(taken.has('L (5000)')).toBe(true);
  });

  it('must be known before the script runs', () => {
    const made = withArgument(call('input.int', [int(1)]), 'title', variable('string'));
    expect(refusalOf(made).message).toContain("'title' argument of input.int()");
  });
});

describe('other arguments', () => {
  it('are kept for the list of inputs', () => {
    const made = call('input.int', [int(1), text('T')], {
      group: text('G'),
      inline: text('I'),
      tooltip: binary('+', 'string', text('to'), text('ol')),
      confirm: bool(true),
      minval: int(0),
      maxval: int(9),
      step: int(3),
    });
    expect(specOf(made)).toMatchObject({
      group: 'G',
      inline: 'I',
      tooltip: 'tool',
      confirm: true,
      min: 0,
      max: 9,
      step: 3,
      options: null,
      userEnum: null,
    });
    expect(specOf(call('input', [int(1)]))).toMatchObject({
      group: '',
      inline: '',
      tooltip: '',
      confirm: false,
      step: null,
    });
  });
});

describe('limits', () => {
  const within = (value: number, min: number, max: number) =>
    call('input.int', [int(value)], { minval: int(min), maxval: int(max) });

  it('hold the default', () => {
    for (const value of [1, 2, 3]) expect(specOf(within(value, 1, 3)).defaultValue).toBe(value);
    for (const value of [0, 4]) {
      expect(refusedAt(within(value, 1, 3))).toBe(0);
      expect(refusalText(within(value, 1, 3))).toBe(
        `Invalid value of the 'defval' argument (${value}) in the input.int() call. It must be a whole number from 1 to 3.`,
      );
    }
  });

  it('may be one-sided, of fractions, and the same', () => {
    expect(refusalText(call('input.float', [float(0)], { minval: float(0.1) }))).toContain('a number of at least 0.1');
    expect(refusalText(call('input.float', [float(2.5)], { maxval: float(2.4) }))).toContain('a number of at most 2.4');
    expect(specOf(within(2, 2, 2))).toMatchObject({ min: 2, max: 2 });
  });

  it('must not be the wrong way round, and na is no limit', () => {
    expect(refusedAt(within(2, 3, 1))).toBe(1);
    expect(specOf(call('input.int', [int(2)], { minval: int(Number.NaN) })).min).toBeNull();
  });

  it('hold the step above zero', () => {
    for (const step of [0, -1])
      expect(refusalText(call('input.int', [int(2)], { step: int(step) }))).toContain("'step' argument");
    expect(specOf(call('input.float', [float(2)], { step: float(0.001) })).step).toBe(0.001);
  });
});

describe('defaults', () => {
  it('cannot be na, except of a source', () => {
    const na = [
      call('input.int', [int(Number.NaN)]),
      call('input.float', [float(Number.NaN)]),
      call('input.string', [text(null)]),
      call('input.color', [color(null)]),
      call('input.bool', [bool(null)], {}, 5),
    ];
    for (const made of na) expect(refusalOf(made).message).toContain("'defval' argument of input");
  });

  it('must be known before the script runs', () => {
    const made = withArgument(call('input.int', [int(1)]), 'defval', variable('int'));
    expect(refusalOf(made).message).toContain('not known before the script runs');
  });

  it('must be finite numbers, and whole ones in range of a time', () => {
    expect(refusedAt(call('input.float', [float(Number.POSITIVE_INFINITY)]))).toBe(0);
    expect(specOf(call('input.time', [int(8.64e15)])).defaultValue).toBe(8.64e15);
    expect(refusedAt(call('input.time', [int(8.64e15 + 1000)]))).toBe(0);
  });

  it('of sessions and timeframes must be such', () => {
    for (const session of ['0930-1600:23456', '24x7', '0900-1200,1300-1600'])
      expect(specOf(call('input.session', [text(session)])).defaultValue).toBe(session);
    for (const session of ['9:30-16:00', '2500-2600', 'all day', '0930-1600:8'])
      expect(refusalText(call('input.session', [text(session)]))).toContain('0930-1600:23456');
    for (const frame of ['', '1', '1D', 'W', '12M'])
      expect(specOf(call('input.timeframe', [text(frame)])).defaultValue).toBe(frame);
    for (const frame of ['1h', '0', '13M', 'daily'])
      expect(refusalText(call('input.timeframe', [text(frame)]))).toContain('a timeframe such as');
  });
});

describe('options', () => {
  it('are listed in order, and the default must be one of them', () => {
    expect(specOf(call('input.int', [int(2)], { options: list(int(3), int(2)) })).options).toEqual([3, 2]);
    expect(specOf(call('input.string', [text('b')], { options: list(text('a'), text('b')) })).options).toEqual([
      'a',
      'b',
    ]);
    const made = call('input.string', [text('c')], { options: list(text('a'), text('b')) });
    expect(refusedAt(made)).toBe(0);
    expect(refusalText(made)).toContain('It must be one of "a", "b".');
    expect(
      refusalText(call('input.int', [int(1)], { options: list(...Array.from({ length: 25 }, (_, i) => int(i + 2))) })),
    ).toContain('21 and 5 more');
  });

  it('must each be a value of the kind', () => {
    const sessions = call('input.session', [text('0930-1600')], { options: list(text('0930-1600'), text('noon')) });
    expect(refusedAt(sessions)).toBe(1);
    expect(refusalText(sessions)).toContain('"noon" in the list of options of input.session()');
    const withNa = call('input.int', [int(1)], { options: list(int(1), int(Number.NaN)) });
    expect(refusalText(withNa)).toContain('na in the list of options');
    const frames = call('input.timeframe', [text('D')], { options: list(text('D'), text('4h')) });
    expect(refusedAt(frames)).toBe(1);
  });

  it('cannot be an empty list', () => {
    const made = call('input.int', [int(1)], { options: list(int(1)) });
    expect(refusalOf(withArgument(made, 'options', list())).message).toContain('empty');
  });
});

describe('enums', () => {
  const sides = enumOf('Side', { long: 'Go long', short: 'Go short', flat: 'flat' });

  it('are chosen by title among all members', () => {
    expect(specOf(call('input.enum', [member(sides, 1)]))).toMatchObject({
      kind: 'enum',
      defaultValue: 'short',
      options: ['Go long', 'Go short', 'flat'],
      userEnum: sides,
    });
  });

  it('may be limited to some members, of which the default must be one', () => {
    const options = list(member(sides, 2), member(sides, 0));
    expect(specOf(call('input.enum', [member(sides, 0)], { options })).options).toEqual(['flat', 'Go long']);
    expect(refusalText(call('input.enum', [member(sides, 1)], { options }))).toContain('"short"');
  });

  it('take a member behind a known condition, and nothing that is no member', () => {
    const chosen = conditional(bool(false), member(sides, 0), member(sides, 2));
    expect(specOf(call('input.enum', [chosen])).defaultValue).toBe('flat');
    const made = withArgument(call('input.enum', [member(sides, 0)]), 'defval', int(1));
    expect(refusalOf(made).message).toContain('must be a member of an enum');
    const listed = call('input.enum', [member(sides, 0)], { options: list(member(sides, 0)) });
    expect(refusalText(withArgument(listed, 'options', list(int(1))))).toContain('A value in the list of options');
  });
});

describe('any input that is taken', () => {
  it('takes its own default', () => {
    const value = fc.integer({ min: -50, max: 50 });
    fc.assert(
      fc.property(value, value, value, fc.array(value, { minLength: 1, maxLength: 4 }), (defval, min, max, options) => {
        for (const made of [
          call('input.int', [int(defval)], { minval: int(min), maxval: int(max) }),
          call('input.float', [float(defval / 3)], { minval: float(min / 3) }),
          call('input.int', [int(defval)], { options: list(...options.map(int)) }),
        ]) {
          const spec = inputSpec(made, null, NONE);
          expect(isRefused(spec) || acceptsValue(spec, spec.defaultValue)).toBe(true);
        }
      }),
      { numRuns: 150 },
    );
  });
});
