// The reader of the table's notation: every mark it knows, and what it says of a table with a fault.

import { describe, expect, it } from 'vitest';
import type { ConstantEntry, FunctionEntry, Parameter } from './model.ts';
import { readTable } from './notation.ts';
import { typeText } from './types.ts';

const one = (text: string, namespace = 'x') => readTable({ namespace, text })[0]!;
const fn = (text: string, namespace?: string) => one(`${text}\n  # Doc.`, namespace) as FunctionEntry;
const parameter = (text: string): Parameter => fn(`f(${text}) -> void`).overloads[0]!.parameters[0]!;

describe('values', () => {
  it('reads a variable with its doc on the same line', () => {
    expect(one('close: series float  # The last price.')).toEqual({
      kind: 'variable',
      name: 'x.close',
      namespace: 'x',
      member: 'close',
      doc: 'The last price.',
      type: { qualifier: 'series', shape: { kind: 'scalar', name: 'float' } },
      versions: [5, 6],
    });
  });

  it('gives a name without a namespace no dot', () => {
    expect(one('close: series float  # Doc.', '').name).toBe('close');
  });

  it.each([
    ['a: const string  # Doc.', 'a', 'a'],
    ['a: const string = "b c"  # Doc.', 'b c', 'b c'],
    ['a: const float = -1.5  # Doc.', -1.5, -1.5],
    ['a: const bool = true  # Doc.', true, true],
    ['a: const bool = false  # Doc.', false, false],
    ['a: const color = #FF0080  # Doc.', 0xff0080ff, 0xff0080ff],
    ['a: const color = #F23645 (v5 #FF5252)  # Doc.', 0xf23645ff, 0xff5252ff],
  ])('reads the constant of %s', (text, value, valueInV5) => {
    expect(one(text) as ConstantEntry).toMatchObject({ kind: 'constant', value, valueInV5 });
  });

  it('reads na as a value that is no constant', () => {
    expect(one('na: const na  # Doc.').kind).toBe('variable');
  });

  it('limits a value to one version', () => {
    expect(one('bid: series float | v6  # Doc.').versions).toEqual([6]);
    expect(one('old: series float | v5  # Doc.').versions).toEqual([5]);
  });
});

describe('functions', () => {
  it('reads a signature over several lines', () => {
    const entry = fn('f(a: series float,\n    b: simple int = 2)\n    -> series float | stateful, global');
    expect(entry.doc).toBe('Doc.');
    expect(entry.overloads[0]).toMatchObject({ stateful: true, globalOnly: true, methodOf: null });
    expect(entry.overloads[0]!.parameters.map((p) => p.name)).toEqual(['a', 'b']);
  });

  it('reads several signatures before one doc line as overloads', () => {
    const entry = fn('f() -> void\nf(a: series int) -> series int | v6');
    expect(entry.overloads.map((o) => o.versions)).toEqual([[5, 6], [6]]);
    expect(entry.versions).toEqual([5, 6]);
  });

  it('says since when a function exists from its overloads', () => {
    expect(fn('f() -> void | v6').versions).toEqual([6]);
  });

  it('reads results that follow the arguments', () => {
    expect(fn('f(a: series N) -> const.. N').overloads[0]!.result).toMatchObject({
      qualifier: 'const',
      fromArguments: true,
    });
    expect(fn('f() -> simple.. int').overloads[0]!.result).toMatchObject({ qualifier: 'simple', fromArguments: true });
    expect(fn('f() -> [series float, series int]').overloads[0]!.result.shape.kind).toBe('tuple');
  });

  it('reads types in angle brackets', () => {
    expect(fn('new<K, V>() -> map<K, V>').overloads[0]!.typeArguments).toEqual(['K', 'V']);
  });

  it('makes a function a method of its own type only', () => {
    expect(fn('push(id: array<T>, value: series T) -> void', 'array').overloads[0]!.methodOf).toBe('array');
    expect(fn('copy(id: chart.point) -> chart.point', 'chart.point').overloads[0]!.methodOf).toBe('chart.point');
    expect(fn('new(p: chart.point) -> series line', 'line').overloads[0]!.methodOf).toBeNull();
    expect(fn('length(string: series string) -> series int', 'str').overloads[0]!.methodOf).toBeNull();
  });
});

describe('parameters', () => {
  it('is required without a default', () => {
    expect(parameter('a: series float')).toMatchObject({ fallback: null, variadic: false, allowed: [], remedy: null });
  });

  it.each([
    ['a: const int = 5', { text: '5', inWords: false }],
    ['a: const string = ""', { text: '""', inWords: false }],
    ['a: const string = "a, b)"', { text: '"a, b)"', inWords: false }],
    ['a: series color = color.blue', { text: 'color.blue', inWords: false }],
    ['a: const int = {all\n    bars}', { text: 'all bars', inWords: true }],
  ])('reads the default of %s', (text, fallback) => {
    expect(parameter(text)).toMatchObject({ fallback, fallbackInV5: fallback });
  });

  it('reads another type and default of v5', () => {
    const found = parameter('a: simple int (v5 series int) = 100 (v5 0)');
    expect([typeText(found.type), typeText(found.typeInV5)]).toEqual(['simple int', 'series int']);
    expect([found.fallback?.text, found.fallbackInV5?.text]).toEqual(['100', '0']);
  });

  it('reads the constants and texts allowed', () => {
    expect(parameter('a: const string in shape.*|"FIFO"\n    |line.style_solid = "FIFO"').allowed).toEqual([
      'shape.*',
      '"FIFO"',
      'line.style_solid',
    ]);
  });

  it('reads the version a parameter is limited to and the remedy', () => {
    expect(parameter('when: series bool = true @v5 {use an if block}')).toMatchObject({
      versions: [5],
      remedy: 'use an if block',
    });
    expect(parameter('a: series bool = true @v6')).toMatchObject({ versions: [6], remedy: null });
  });

  it('reads a parameter that takes any number of arguments', () => {
    expect(parameter('...arg: series T')).toMatchObject({ name: 'arg', variadic: true });
  });
});

describe('a fault in the table', () => {
  it.each([
    ['f(a: series flaot) -> void\n  # Doc.', 'expected a type instead of flaot'],
    ['f(a series float) -> void\n  # Doc.', 'expected ":"'],
    ['f(a: series float -> void\n  # Doc.', 'expected ","'],
    ['f() void\n  # Doc.', 'expected "->"'],
    ['f() -> void | statful\n  # Doc.', 'expected a mark'],
    ['f() -> void stateful\n  # Doc.', 'expected a mark'],
    ['f(a: series int = 1 @v7) -> void\n  # Doc.', 'expected v5 or v6'],
    ['f(a: series int = {never closed) -> void\n  # Doc.', 'expected "}"'],
    ['f(a: series int = ) -> void\n  # Doc.', 'expected a default'],
    ['f() -> void\ng() -> void\n  # Doc.', 'stands among overloads of x.f'],
    ['a: const int = ?  # Doc.', 'expected a literal'],
    ['f() -> void', 'f() -> void has no doc line'],
    ['(\n  # Doc.', 'expected a name'],
  ])('is named: %j', (text, message) => {
    expect(() => one(text)).toThrow(message);
  });
});
