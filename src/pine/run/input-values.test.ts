// Tests of the values of inputs: overrides in all their forms, every fault in words, and the contract's list.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SOURCES } from '../check/inputs-rules.ts';
import type { InputKind, InputSpec } from '../check/tree.ts';
import { InputFault, inputsOf, inputValues } from './input-values.ts';

const sides = {
  id: 1,
  name: 'Side',
  key: 'Side',
  members: [
    { name: 'long', title: 'Go long' },
    { name: 'short', title: 'Go short' },
    { name: 'flat', title: 'long' },
  ],
};

function spec(kind: InputKind, defaultValue: InputSpec['defaultValue'], parts: Partial<InputSpec> = {}): InputSpec {
  return {
    title: kind,
    variable: null,
    kind,
    defaultValue,
    min: null,
    max: null,
    step: null,
    options: kind === 'enum' ? sides.members.map(({ title }) => title) : null,
    group: '',
    inline: '',
    tooltip: '',
    confirm: false,
    userEnum: kind === 'enum' ? sides : null,
    span: { start: 0, end: 1 },
    ...parts,
  };
}

const ALL: readonly InputSpec[] = [
  spec('int', 14, { min: 1, max: 100, step: 1 }),
  spec('float', 1.5, { min: 0.5 }),
  spec('bool', true),
  spec('string', 'EMA', { options: ['EMA', 'SMA'] }),
  spec('color', 0xff980080),
  spec('source', 'close'),
  spec('price', 10),
  spec('session', '0930-1600'),
  spec('symbol', ''),
  spec('text_area', ''),
  spec('time', 0),
  spec('timeframe', ''),
  spec('enum', 'long'),
];

const take = (of: InputSpec, given: unknown) => inputValues([of], { [of.title]: given })[0]!.value;

function faultOf(specs: readonly InputSpec[], overrides: Record<string, unknown>): InputFault {
  try {
    inputValues(specs, overrides);
  } catch (error) {
    if (error instanceof InputFault) return error;
    throw error;
  }
  throw new Error('the overrides were expected to be refused');
}

const refused = (of: InputSpec, given: unknown) => faultOf([of], { [of.title]: given }).faults[0];

describe('values of a run', () => {
  it('are the defaults where nothing is given, in the order of the script', () => {
    const values = inputValues(ALL, {});
    expect(values.map(({ value }) => value)).toEqual(ALL.map(({ defaultValue }) => defaultValue));
    expect(values.every(({ isDefault }) => isDefault)).toBe(true);
    expect(inputValues([], {})).toEqual([]);
    expect(inputValues(ALL, { int: undefined })[0]).toMatchObject({ value: 14, isDefault: true });
  });

  it('are what is given by title', () => {
    const [length, factor] = inputValues(ALL, { float: 2, int: 14 });
    expect([length?.value, length?.isDefault]).toEqual([14, true]);
    expect([factor?.value, factor?.isDefault]).toEqual([2, false]);
  });

  it.each([
    ['int', '20', 20],
    ['int', ' 20 ', 20],
    ['int', '1e1', 10],
    ['float', '.75', 0.75],
    ['price', '-3', -3],
    ['bool', 'true', true],
    ['bool', 'False', false],
    ['bool', false, false],
    ['string', 'SMA', 'SMA'],
    ['color', '#ff0000', 0xff0000ff],
    ['color', '#FF000080', 0xff000080],
    ['source', 'hlcc4', 'hlcc4'],
    ['session', '24x7', '24x7'],
    ['symbol', 'BINANCE:BTCUSDT', 'BINANCE:BTCUSDT'],
    ['timeframe', '240', '240'],
    ['time', '2024-01-31T09:30:00Z', Date.UTC(2024, 0, 31, 9, 30)],
    ['time', '2024-01-31', Date.UTC(2024, 0, 31)],
    ['time', '1706693400000', 1_706_693_400_000],
    ['time', 1_706_693_400_000, 1_706_693_400_000],
    ['enum', 'Go short', 'short'],
    ['enum', 'short', 'short'],
  ] as const)('an input of kind %s takes %j', (kind, given, value) => {
    expect(take(ALL.find((one) => one.kind === kind)!, given)).toBe(value);
  });

  it('take every source by name', () => {
    for (const name of SOURCES) expect(take(spec('source', 'close'), name)).toBe(name);
  });

  it('take the title of a member before the name of another', () => {
    expect(take(spec('enum', 'long'), 'long')).toBe('flat');
    expect(take(spec('enum', 'long', { options: ['Go long', 'Go short'] }), 'long')).toBe('long');
  });

  it('take null for a source that is an expression of the script, and for nothing else', () => {
    expect(take(spec('source', null), null)).toBeNull();
    expect(take(spec('source', null), 'open')).toBe('open');
    for (const one of ALL) expect(refused(one, null)).toContain('cannot be null');
  });
});

describe('faults', () => {
  const length = ALL[0]!;

  it('are found on both sides of a limit', () => {
    for (const value of [1, 100]) expect(take(length, value)).toBe(value);
    for (const value of [0, 101])
      expect(refused(length, value)).toBe(`"int" cannot be ${value}; it must be a whole number from 1 to 100.`);
    expect(take(ALL[1]!, 0.5)).toBe(0.5);
    expect(refused(ALL[1]!, '0.49')).toBe('"float" cannot be "0.49"; it must be a number of at least 0.5.');
  });

  it.each([
    ['int', [1.5, '1.5', 'ten', '', true, [], {}, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, 5n], 'a whole number'],
    ['float', ['1e999', '1,5', Number.NaN, '0x10'], 'a number'],
    ['bool', ['yes', 1, '', 'truely'], 'true or false'],
    ['string', ['WMA', 5, 'ema'], 'one of "EMA", "SMA"'],
    ['color', ['red', '#ff00', 0xff0000, '#gg0000', ''], 'a color such as'],
    ['source', ['time', 'Close', '', 5], 'one of open, high'],
    ['session', ['noon', 930, '0930'], 'a session such as'],
    ['timeframe', ['1h', 60, '0'], 'a timeframe such as'],
    ['time', ['soon', 1.5, '2024-02-30', 9e15, `2024-01-01${' '.repeat(1e5)}`, true], 'a date such as'],
    ['text_area', [5, 'x'.repeat(40_961)], 'a text'],
    ['enum', ['up', 1, '', 'LONG'], 'one of "Go long"'],
  ] as const)('say what an input of kind %s takes instead', (kind, wrong, needed) => {
    const one = ALL.find((known) => known.kind === kind)!;
    for (const given of wrong) expect(refused(one, given)).toContain(needed);
  });

  it('name the input that was probably meant', () => {
    expect(faultOf([spec('int', 1, { title: 'Length' })], { lenght: 3 }).faults).toEqual([
      'The script has no input "lenght"; did you mean "Length"?',
    ]);
    expect(faultOf([spec('int', 1, { title: 'Length' })], { Color: 3 }).message).toBe(
      'The inputs cannot be used: The script has no input "Color"; it has "Length".',
    );
    expect(faultOf([], { Length: 3 }).message).toContain('nor any other; leave it out');
    const many = Array.from({ length: 12 }, (_, i) => spec('int', 1, { title: `Number of things ${i}` }));
    expect(faultOf(many, { a: 1 }).message).toContain('and 2 more');
  });

  it('are all told at once, and counted when there are very many', () => {
    const both = faultOf(ALL, { int: 0, bool: 'yes', Int: 1 });
    expect(both.faults).toHaveLength(3);
    expect(both.message.split('\n')).toHaveLength(4);
    const flood = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`t${i}`, i]));
    const { faults } = faultOf(ALL, flood);
    expect(faults).toHaveLength(21);
    expect(faults[20]).toBe('There are 9980 more; correct the first ones and try again.');
  });

  it('quote long values only in part', () => {
    expect(refused(length, 'x'.repeat(1e6))?.length).toBeLessThan(200);
    expect(faultOf(ALL, { ['x'.repeat(1e6)]: 1 }).message.length).toBeLessThan(400);
  });

  it('are found for names that every object has', () => {
    for (const title of ['toString', 'constructor', 'hasOwnProperty'])
      expect(faultOf(ALL, { [title]: 1 }).faults[0]).toContain('has no input');
    expect(faultOf(ALL, JSON.parse('{"__proto__": 1}')).faults[0]).toContain('has no input');
    expect(take(spec('int', 1, { title: 'constructor' }), 3)).toBe(3);
    expect(inputValues([spec('int', 1, { title: 'constructor' })], {})[0]?.value).toBe(1);
  });

  it('are the only thing that garbage ends in', () => {
    const title = fc.oneof(fc.constantFrom(...ALL.map((one) => one.title)), fc.string());
    const garbage = fc.oneof(
      fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true, withMap: true }),
      fc.constantFrom<unknown>(Symbol('s'), () => 1, '#', '2024-13-01', '-', '1e', ':'),
    );
    fc.assert(
      fc.property(fc.dictionary(title, garbage), (overrides) => {
        try {
          const values = inputValues(ALL, overrides);
          expect(values).toHaveLength(ALL.length);
        } catch (error) {
          expect(error).toBeInstanceOf(InputFault);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('the list of inputs', () => {
  it('has the shape of the evaluate contract', () => {
    const parts = { title: 'Trend', group: 'G', tooltip: 'T' };
    const [first] = inputsOf(inputValues([spec('color', 0xff980080, parts)], { Trend: '#010203' }));
    expect(first).toEqual({
      title: 'Trend',
      type: 'color',
      default: '#FF980080',
      value: '#010203',
      min: null,
      max: null,
      step: null,
      options: null,
      group: 'G',
      tooltip: 'T',
    });
  });

  it('shows members of an enum by their titles and times as milliseconds', () => {
    const [side] = inputsOf(inputValues([spec('enum', 'long')], { enum: 'short' }));
    expect(side).toMatchObject({
      type: 'enum',
      default: 'Go long',
      value: 'Go short',
      options: ['Go long', 'Go short', 'long'],
    });
    const [time] = inputsOf(inputValues([spec('time', 0)], { time: '1970-01-02' }));
    expect(time).toMatchObject({ default: 0, value: 86_400_000 });
  });

  it('can be handed back as it stands, as values or as JSON', () => {
    const given = { int: '33', bool: 'false', color: '#01020304', enum: 'flat', time: '2024-05-05', source: 'hl2' };
    const values = inputValues(ALL, given);
    const listed = inputsOf(values);
    expect(inputValues(ALL, Object.fromEntries(listed.map(({ title, value }) => [title, value])))).toEqual(values);
    expect(JSON.parse(JSON.stringify(listed))).toEqual(listed);
    const defaults = inputsOf(inputValues(ALL, {}));
    const again = inputValues(ALL, Object.fromEntries(defaults.map((one) => [one.title, one.default])));
    expect(again.every(({ isDefault }) => isDefault)).toBe(true);
  });
});
