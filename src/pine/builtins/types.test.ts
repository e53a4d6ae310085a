// The type model: what fits where, what two branches have in common, and how types are written.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Scanner } from './scanner.ts';
import {
  isAssignable,
  join,
  laterQualifier,
  OBJECTS,
  OPTIONS,
  type PineType,
  type PineVersion,
  QUALIFIERS,
  qualifierFits,
  SCALARS,
  type Shape,
  sameShape,
  scalar,
  shapeFits,
  tupleOf,
  typeOf,
  typeText,
  variableAccepts,
} from './types.ts';

const type = (text: string): PineType => new Scanner(text).type();
const fits = (from: string, to: string, version: PineVersion = 6) => isAssignable(type(from), type(to), version);

const leaf: fc.Arbitrary<Shape> = fc.oneof(
  fc.constantFrom(...SCALARS).map(scalar),
  fc.constantFrom(...OBJECTS).map((name): Shape => ({ kind: 'object', name })),
  fc.constantFrom(...OPTIONS).map((name): Shape => ({ kind: 'option', name })),
  fc.constantFrom('Pivot', 'Trade').map((name): Shape => ({ kind: 'user', name })),
  fc.constantFrom('Side', 'Mode').map((name): Shape => ({ kind: 'enum', name })),
  fc.constant<Shape>({ kind: 'na' }),
);
const value: fc.Arbitrary<Shape> = fc.oneof(
  { weight: 4, arbitrary: leaf },
  leaf.map((element): Shape => ({ kind: 'array', element })),
  leaf.map((element): Shape => ({ kind: 'matrix', element })),
  fc.tuple(leaf, leaf).map(([key, value]): Shape => ({ kind: 'map', key, value })),
);
const qualifier = fc.constantFrom(...QUALIFIERS);
const plain = fc.tuple(qualifier, value).map(([q, shape]) => typeOf(q, shape));
const anyType = fc.oneof(
  { weight: 5, arbitrary: plain },
  fc.tuple(qualifier, fc.array(plain, { minLength: 1, maxLength: 3 })).map(([q, items]) => typeOf(q, tupleOf(items))),
);
const version = fc.constantFrom<PineVersion>(5, 6);

describe('what fits where', () => {
  it.each([
    ['const int', 'series int', true],
    ['series int', 'simple int', false],
    ['input int', 'simple int', true],
    ['simple int', 'input int', false],
    ['const int', 'const float', true],
    ['const float', 'const int', false],
    ['const na', 'series line', true],
    ['const na', 'array<float>', true],
    ['const na', 'series string', true],
    ['const string', 'series color', false],
    ['array<int>', 'array<int>', true],
    ['array<int>', 'array<float>', false],
    ['map<string, int>', 'map<string, float>', false],
    ['matrix<float>', 'matrix<float>', true],
    ['const plot_simple_display', 'const plot_display', true],
    ['const plot_display', 'const plot_simple_display', false],
    ['const plot_style', 'const hline_style', false],
    ['series int', 'series int/string', true],
    ['series color', 'series int/string', false],
    ['[const int, const int]', '[series float, series int]', true],
    ['[const int]', '[series float, series int]', false],
    ['[const int, const float]', 'const choices<float>', true],
    ['[const int, const float]', 'const choices<int>', false],
    ['[input int]', 'const choices<int>', false],
  ])('says of %s as %s: %s', (from, to, expected) => {
    const [a, b] = [type(from), type(to)];
    // A list of choices qualifies its items, not itself.
    expect(b.shape.kind === 'choices' ? shapeFits(a.shape, b.shape) : isAssignable(a, b)).toBe(expected);
  });

  it('takes a number as a bool in v5 only', () => {
    expect(fits('series int', 'series bool', 5)).toBe(true);
    expect(fits('series float', 'series bool', 5)).toBe(true);
    expect(fits('series int', 'series bool', 6)).toBe(false);
    expect(fits('series bool', 'series int', 5)).toBe(false);
  });

  it('takes na as a bool or a constant of its own type in v5 only', () => {
    for (const to of ['series bool', 'series plot_style']) {
      expect(fits('const na', to, 5)).toBe(true);
      expect(fits('const na', to, 6)).toBe(false);
    }
  });

  it('lets type variables stand for what their letter says', () => {
    expect(variableAccepts('N', scalar('int'))).toBe(true);
    expect(variableAccepts('N', scalar('string'))).toBe(false);
    expect(variableAccepts('S', scalar('string'))).toBe(true);
    expect(variableAccepts('K', { kind: 'enum', name: 'Side' })).toBe(true);
    expect(variableAccepts('K', { kind: 'object', name: 'line' })).toBe(false);
    expect(variableAccepts('U', { kind: 'user', name: 'Pivot' })).toBe(true);
    expect(variableAccepts('A', scalar('bool'))).toBe(false);
    expect(variableAccepts('A', scalar('int'))).toBe(true);
    expect(variableAccepts('T', { kind: 'void' })).toBe(false);
    expect(variableAccepts('V', { kind: 'array', element: scalar('int') })).toBe(false);
    expect(variableAccepts('V', { kind: 'user', name: 'Pivot' })).toBe(true);
  });
});

describe('the laws of an order', () => {
  it('holds for qualifiers: every pair is comparable and the later of two covers both', () => {
    fc.assert(
      fc.property(qualifier, qualifier, (a, b) => {
        expect(qualifierFits(a, b) || qualifierFits(b, a)).toBe(true);
        expect(qualifierFits(a, b) && qualifierFits(b, a)).toBe(a === b);
        expect(qualifierFits(a, laterQualifier(a, b))).toBe(true);
        expect(laterQualifier(a, b)).toBe(laterQualifier(b, a));
      }),
    );
  });

  it('lets every type fit itself', () => {
    fc.assert(fc.property(anyType, version, (a, v) => isAssignable(a, a, v)));
  });

  it('passes on: what fits a type fits whatever that type fits', () => {
    const several = fc.array(anyType, { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(several, version, (types, v) => {
        for (const a of types)
          for (const b of types)
            if (isAssignable(a, b, v))
              for (const c of types) if (isAssignable(b, c, v)) expect(isAssignable(a, c, v)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('makes two types that fit each other the same', () => {
    fc.assert(
      fc.property(anyType, anyType, version, (a, b, v) => {
        if (isAssignable(a, b, v) && isAssignable(b, a, v)) expect(sameShape(a.shape, b.shape)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('finds a type that both fit, whichever comes first, and none smaller', () => {
    fc.assert(
      fc.property(anyType, anyType, version, (a, b, v) => {
        const both = join(a, b, v);
        const turned = join(b, a, v);
        expect(both === null).toBe(turned === null);
        if (both === null) return;
        expect(sameShape(both.shape, turned!.shape)).toBe(true);
        expect(isAssignable(a, both, v) && isAssignable(b, both, v)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the type of a ternary', () => {
  it.each([
    ['const int', 'series float', 'series float'],
    ['const na', 'input color', 'input color'],
    ['series na', 'const int', 'series int'],
    ['const string', 'const string', 'const string'],
    ['series int', 'series bool', null],
    ['const string', 'const int', null],
    ['array<int>', 'array<float>', null],
    ['const na', 'array<float>', 'array<float>'],
    ['const plot_display', 'const plot_simple_display', 'const plot_display'],
    ['[const int, series bool]', '[series float, const bool]', '[series float, series bool]'],
    ['[const int]', '[const int, const int]', null],
    ['[const int]', '[const string]', null],
  ])('of %s and %s is %s', (a, b, expected) => {
    const found = join(type(a), type(b));
    expect(found === null ? null : typeText(found)).toBe(expected);
  });

  it('joins na with a bool in v5 only', () => {
    expect(join(type('const na'), type('series bool'), 6)).toBeNull();
    expect(join(type('const na'), type('series bool'), 5)).toEqual(type('series bool'));
  });
});

describe('types in words', () => {
  it.each([
    'series float',
    'const string',
    'array<float>',
    'matrix<int>',
    'map<string, float>',
    '[series float, array<int>]',
    'series int/float/bool',
    'series line',
    'chart.point',
    'input plot_style',
    'void',
    'na',
  ])('writes %s as it is read', (text) => {
    expect(typeText(type(text))).toBe(text);
  });

  it('writes what the letters of a signature stand for', () => {
    expect(typeText(type('series N'))).toBe('series int/float');
    expect(typeText(type('array<T>'))).toBe('array<any type>');
    expect(typeText(type('const choices<int>'))).toBe('const [int, …]');
    expect(typeText(typeOf('series', { kind: 'user', name: 'Pivot' }))).toBe('Pivot');
    expect(typeText(typeOf('input', { kind: 'enum', name: 'Side' }))).toBe('input Side');
  });
});
