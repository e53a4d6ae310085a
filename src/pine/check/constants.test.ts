// Tests of constant folding: each operator and function with na, at its edges, and with what cannot be known.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scalar, typeOf } from '../builtins/types.ts';
import { constantMember, constantValue } from './constants.ts';
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
  unary,
  variable,
} from './testing/spec-trees.ts';
import type { BinaryExpr, Expr } from './tree.ts';

const NA = Number.NaN;
const span = { start: 0, end: 1 };
const toBool = (operand: Expr): Expr => ({
  kind: 'to-bool',
  span,
  type: typeOf(operand.type.qualifier, scalar('bool')),
  operand,
});
const numbers = (operator: BinaryExpr['operator'], left: number, right: number) =>
  constantValue(binary(operator, 'float', float(left), float(right)));

describe('plain values', () => {
  it('are literals, built-in constants and variables that never change', () => {
    expect([int(3), text('a'), bool(false), text(null)].map(constantValue)).toEqual([3, 'a', false, null]);
    expect(constantValue(named('color.red'))).toBe(0xf23645ff);
    expect(constantValue(named('color.red', 5))).toBe(0xff5252ff);
    expect(constantValue(variable('int', 7))).toBe(7);
    expect(constantValue(variable('float', NA))).toBeNaN();
  });

  it('are not known for series, changing variables, and what has no plain value', () => {
    expect(constantValue(named('close'))).toBeUndefined();
    expect(constantValue(variable('int'))).toBeUndefined();
    expect(constantValue(list(int(1), int(2)))).toBeUndefined();
    expect(constantValue(member(enumOf('E', { a: 'A' }), 0))).toBeUndefined();
    expect(constantValue(call('input.int', [int(1)]))).toBeUndefined();
    expect(constantValue(call('math.random', []))).toBeUndefined();
    expect(constantValue(call('math.avg', [int(1), int(3)]))).toBeUndefined();
  });
});

describe('operators', () => {
  it('compare floats with the tolerance and nothing with na', () => {
    expect([numbers('==', 0.1 + 0.2, 0.3), numbers('!=', 0.1 + 0.2, 0.3), numbers('<', 0, 1e-10)]).toEqual([
      true,
      false,
      false,
    ]);
    for (const operator of ['==', '!=', '<', '<=', '>', '>='] as const)
      expect([numbers(operator, NA, 1), numbers(operator, 1, NA), numbers(operator, NA, NA)]).toEqual([
        false,
        false,
        false,
      ]);
  });

  it('calculate as a running script does', () => {
    expect([
      numbers('+', 1, 2),
      numbers('-', 1, 2),
      numbers('*', 3, 2),
      numbers('/', 3, 2),
      numbers('%', -7, 4),
    ]).toEqual([3, -1, 6, 1.5, -3]);
    expect(numbers('+', 1, NA)).toBeNaN();
    expect([unary('-', int(4)), unary('+', int(4)), unary('not', bool(true))].map(constantValue)).toEqual([
      -4,
      4,
      false,
    ]);
  });

  it('cut the quotient of two ints in v5, and have none for a divisor of zero', () => {
    const quotient = (left: number, right: number) =>
      constantValue(binary('int-quotient', 'int', int(left), int(right)));
    expect([quotient(7, 2), quotient(-7, 2), quotient(1, 2)]).toEqual([3, -3, 0]);
    expect(quotient(1, 0)).toBeNaN();
  });

  it('join texts, an na as an empty one', () => {
    expect(constantValue(binary('+', 'string', text('a'), text('b')))).toBe('ab');
    expect(constantValue(binary('+', 'string', text('a'), text(null)))).toBe('a');
  });

  it('know whether texts, colors and bools are the same', () => {
    expect(constantValue(binary('==', 'string', text('a'), text('a')))).toBe(true);
    expect(constantValue(binary('!=', 'string', text('a'), text(null)))).toBe(true);
    expect(constantValue(binary('==', 'string', text(''), text(null)))).toBe(true);
    expect(constantValue(binary('==', 'item', color('#010203'), color('#010203FF')))).toBe(true);
    expect(constantValue(binary('!=', 'bool', bool(true), bool(false)))).toBe(true);
  });

  it('look at the right side of lazy and/or only when the left does not decide', () => {
    const unknown = variable('bool');
    const decided = { ...binary('and', 'bool', bool(false), unknown, true), type: typeOf('const', scalar('bool')) };
    expect(constantValue(decided)).toBe(false);
    expect(constantValue({ ...decided, operator: 'or', left: bool(true) })).toBe(true);
    expect(constantValue({ ...decided, left: bool(true) })).toBeUndefined();
    expect(constantValue({ ...decided, lazy: false })).toBeUndefined();
    expect(constantValue(binary('and', 'bool', bool(true), bool(true)))).toBe(true);
    expect(constantValue(binary('or', 'bool', bool(false), bool(null)))).toBe(false);
  });

  it('leave alone what they cannot work on', () => {
    const shown = named('display.all');
    expect(constantValue(binary('-', 'int', shown, shown))).toBeUndefined();
    expect(constantValue(binary('-', 'string', text('a'), text('b')))).toBeUndefined();
    expect(constantValue(unary('-', text('a')))).toBeUndefined();
  });
});

describe('conditions', () => {
  it('take the side that holds, and na for a condition that does not', () => {
    expect(constantValue(conditional(bool(true), int(1), int(2)))).toBe(1);
    expect(constantValue(conditional(bool(null), int(1), int(2)))).toBe(2);
    expect(constantValue(conditional(variable('bool'), int(1), int(2)))).toBeUndefined();
  });

  it('take na and zero for false where v5 has a number for a bool', () => {
    expect([0, NA, 0.5, -1].map((value) => constantValue(toBool(float(value))))).toEqual([false, false, true, true]);
  });
});

describe('functions', () => {
  const of = (name: string, ...values: Expr[]) => constantValue(call(name, values));

  it('cast', () => {
    expect([of('int', float(2.9)), of('int', float(-2.9)), of('float', int(2)), of('string', text('a'))]).toEqual([
      2,
      -2,
      2,
      'a',
    ]);
    expect([of('bool', int(0)), of('bool', float(NA)), of('bool', int(2)), of('bool', bool(true))]).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(of('color', color(null))).toBeNull();
  });

  it('calculate with math', () => {
    expect([of('math.abs', int(-3)), of('math.max', int(1), int(5), int(2)), of('math.min', int(1), int(5))]).toEqual([
      3, 5, 1,
    ]);
    expect([
      of('math.round', float(2.5)),
      of('math.round', float(2.345), int(2)),
      of('math.pow', int(2), int(10)),
    ]).toEqual([3, 2.35, 1024]);
    expect(of('math.sqrt', int(-1))).toBeNaN();
  });

  it('make and take apart colors', () => {
    expect(of('color.new', color('#FF0000'), int(100))).toBe(0xff000000);
    expect(of('color.rgb', int(1), int(2), int(3))).toBe(0x010203ff);
    expect(of('color.rgb', int(1), int(2), int(3), float(NA))).toBe(0x01020300);
    const [r, g, b, t] = ['r', 'g', 'b', 't'].map((part) => of(`color.${part}`, color('#01020300')));
    expect([r, g, b, t]).toEqual([1, 2, 3, 100]);
  });

  it('work on texts', () => {
    expect([
      of('str.upper', text('ab')),
      of('str.length', text('abc')),
      of('str.contains', text('abc'), text('b')),
    ]).toEqual(['AB', 3, true]);
    expect([
      of('str.substring', text('abcd'), int(1), int(3)),
      of('str.replace', text('aa'), text('a'), text('b')),
    ]).toEqual(['bc', 'ba']);
    expect(of('str.tonumber', text('x'))).toBeNaN();
    expect(of('str.tostring', member(enumOf('E', { a: 'First' }), 0))).toBe('First');
  });

  it('know a written date, but not one that depends on the exchange', () => {
    expect(of('timestamp', text('2024-01-01T00:00:00+00:00'))).toBe(Date.UTC(2024, 0, 1));
    expect(of('timestamp', text('soon'))).toBeUndefined();
    expect(of('timestamp', int(2024), int(1), int(1))).toBeUndefined();
  });

  it('see and replace na', () => {
    expect([of('na', float(NA)), of('na', text(null)), of('na', int(0))]).toEqual([true, true, false]);
    expect([of('nz', float(NA)), of('nz', float(NA), float(2)), of('nz', float(1), float(2))]).toEqual([0, 2, 1]);
    expect([of('nz', color(null)), of('nz', color('#010203')), of('nz', color(null), color('#010203'))]).toEqual([
      0, 0x010203ff, 0x010203ff,
    ]);
    expect(constantValue(call('nz', [bool(null)], {}, 5))).toBe(false);
  });

  it('have no value where the running script would end in an error', () => {
    expect(of('str.substring', text('abc'), int(9))).toBeUndefined();
    expect(of('str.repeat', text('ab'), int(1e9))).toBeUndefined();
    expect(of('str.repeat', text('ab'), int(-1))).toBeUndefined();
  });

  it('are not called when an argument is not known', () => {
    expect(of('math.max', int(1), variable('int'))).toBeUndefined();
    expect(of('str.upper', named('syminfo.ticker'))).toBeUndefined();
  });
});

describe('members of an enum', () => {
  const sides = enumOf('Side', { long: 'Long', short: 'Short' });

  it('are compared by which one they are', () => {
    expect(constantValue(binary('==', 'item', member(sides, 0), member(sides, 0)))).toBe(true);
    expect(constantValue(binary('==', 'item', member(sides, 0), member(sides, 1)))).toBe(false);
    expect(constantValue(binary('!=', 'item', member(sides, 0), member(sides, 1)))).toBe(true);
  });

  it('are found behind a condition that is known', () => {
    expect(constantMember(conditional(bool(false), member(sides, 0), member(sides, 1)))?.member).toBe(1);
    expect(constantMember(conditional(variable('bool'), member(sides, 0), member(sides, 1)))).toBeUndefined();
    expect(constantMember(int(1))).toBeUndefined();
  });
});

describe('hostile expressions', () => {
  it('of any depth neither throw nor take the square of their length', () => {
    let sum: Expr = int(0);
    const chain: Expr[] = [];
    for (let i = 0; i < 50_000; i += 1) {
      sum = binary('+', 'int', sum, int(1));
      chain.push(sum);
    }
    expect(() => constantValue(sum)).not.toThrow();
    // From the inside out, as the checker asks.
    for (const part of chain) constantValue(part);
    expect(constantValue(sum)).toBe(50_000);
  });

  it('of any kind never throw', () => {
    const leaf = fc.oneof(
      fc.double().map(float),
      fc.string().map(text),
      fc.boolean().map(bool),
      fc.constant(text(null)),
      fc.constant(named('close')),
      fc.constant(color(null)),
    );
    const operator = fc.constantFrom<BinaryExpr['operator']>(
      'and',
      'or',
      '==',
      '<',
      '+',
      '-',
      '*',
      '/',
      '%',
      'int-quotient',
    );
    const operands = fc.constantFrom<BinaryExpr['operands']>('int', 'float', 'string', 'bool', 'item');
    const { tree } = fc.letrec<{ tree: Expr }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc
          .tuple(operator, operands, tie('tree'), tie('tree'), fc.boolean())
          .map(([op, kind, left, right, lazy]) => binary(op, kind, left, right, lazy)),
        fc.tuple(tie('tree'), tie('tree'), tie('tree')).map(([a, b, c]) => conditional(a, b, c)),
        tie('tree').map((operand) => unary('-', operand)),
        tie('tree').map(toBool),
      ),
    }));
    fc.assert(
      fc.property(tree, (expr) => {
        const value = constantValue(expr);
        expect(value === undefined || value === null || ['number', 'string', 'boolean'].includes(typeof value)).toBe(
          true,
        );
        expect(constantValue(expr)).toEqual(value);
      }),
      { numRuns: 300 },
    );
  });
});
