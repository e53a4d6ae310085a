// The values that a search tries: ranges with their ends, lists, all choices; every fault with what is valid instead.

import { describe, expect, it } from 'vitest';
import { compile } from '../index.ts';
import { type InputVariation, inputSpace } from './input-space.ts';
import { InputFault } from './input-values.ts';

const SOURCE = `//@version=6
enum Side
    up = "Long"
    down = "Short"
strategy("S")
length = input.int(14, "Length", minval = 1, maxval = 50)
odd = input.int(3, "Odd", step = 2)
factor = input.float(1.5, "Factor", minval = 0)
fine = input.float(1.5, "Fine", step = 0.1)
use = input.bool(true, "Use")
mode = input.string("a", "Mode", options = ["a", "b"])
words = input.string("x", "Words")
src = input.source(close, "Source")
side = input.enum(Side.up, "Side")
tint = input.color(color.red, "Tint")
when = input.time(timestamp("2024-01-01"), "When")
Mode = input.int(1, "Other")
plot(close)`;
const specs = compile(SOURCE).program!.inputs;
const valuesOf = (name: string, variation: InputVariation) => inputSpace(specs, { [name]: variation }).axes[0]?.values;

describe('values to try', () => {
  it.each<[name: string, variation: InputVariation, values: readonly unknown[]]>([
    ['Length', { from: 1, to: 3 }, [1, 2, 3]],
    ['Length', { from: 1, to: 1 }, [1]],
    ['Length', { from: 1, to: 50, step: 24.5 }, [1, 25.5, 50]],
    ['Odd', { from: 1, to: 6 }, [1, 3, 5]],
    ['Odd', { from: 1, to: 6, step: 1 }, [1, 2, 3, 4, 5, 6]],
    ['Factor', { from: 0, to: 0.3, step: 0.1 }, [0, 0.1, 0.2, 0.3]],
    ['Fine', { from: -0.1, to: 0.25 }, [-0.1, 0, 0.1, 0.2]],
    ['Use', 'all', [false, true]],
    ['Use', ['true'], [true]],
    ['Mode', 'all', ['a', 'b']],
    ['Mode', ['b'], ['b']],
    ['Words', ['p, q', ''], ['p, q', '']],
    ['Source', 'all', ['open', 'high', 'low', 'close', 'volume', 'hl2', 'hlc3', 'hlcc4', 'ohlc4']],
    ['Source', ['high'], ['high']],
    ['Side', 'all', ['Long', 'Short']],
    ['Side', ['down', 'Long'], ['Short', 'Long']],
    ['Tint', ['#FF0000'], ['#FF0000FF']],
    ['When', ['2024-01-02'], [Date.UTC(2024, 0, 2)]],
    ['length', ['7'], [7]],
  ])('of %s: %j', (name, variation, values) => {
    if (values.includes(25.5)) expect(() => valuesOf(name, variation)).toThrow('a whole number from 1 to 50');
    else if (name === 'Tint') expect(valuesOf(name, variation)).toHaveLength(1);
    else expect(valuesOf(name, variation)).toEqual(values);
  });

  it('are those of a title before those of a variable', () => {
    expect(inputSpace(specs, { Mode: ['a'] }).axes).toEqual([{ title: 'Mode', values: ['a'] }]);
  });

  it('stand beside what all runs have in common, by title', () => {
    const { axes, fixed } = inputSpace(specs, { use: 'all', length: [1] }, { factor: 2, Odd: 5 });
    expect(axes.map(({ title }) => title)).toEqual(['Use', 'Length']);
    expect(fixed).toEqual({ Factor: 2, Odd: 5 });
  });

  it('are a thousand at most, and inputs twelve', () => {
    expect(valuesOf('Odd', { from: 1, to: 1000, step: 1 })).toHaveLength(1000);
    expect(() => valuesOf('Odd', { from: 0, to: 1000, step: 1 })).toThrow(
      '"Odd" has 1001 values to try; give at most 1000',
    );
    expect(() => valuesOf('Odd', { from: 0, to: 1e300 })).toThrow('give at most 1000');
    expect(() =>
      valuesOf(
        'Odd',
        Array.from({ length: 1001 }, (_, i) => i),
      ),
    ).toThrow('give at most 1000');
    const many = Object.fromEntries(Array.from({ length: 13 }, (_, i) => [String(i), 'all' as const]));
    expect(() => inputSpace(specs, many)).toThrow('13 inputs are varied; vary at most 12');
  });
});

describe('a fault names what is valid', () => {
  it.each<[variation: InputVariation, name: string, words: string]>([
    [{ from: 0, to: 5 }, 'Length', 'a whole number from 1 to 50'],
    [{ from: 45, to: 51 }, 'Length', 'a whole number from 1 to 50'],
    [['x'], 'Length', 'a whole number from 1 to 50'],
    [[1.5], 'Length', 'a whole number from 1 to 50'],
    [{ from: 0, to: 1 }, 'When', 'has no step of its own; give one with the range'],
    [[-1], 'Factor', 'a number of at least 0'],
    [{ from: 0, to: 1, step: 0 }, 'Factor', 'cannot have the step 0'],
    [{ from: 0, to: 1, step: -1 }, 'Factor', 'cannot have the step -1'],
    [{ from: 0, to: Number.NaN, step: 1 }, 'Factor', 'not of numbers'],
    [{ from: 0, to: Number.POSITIVE_INFINITY, step: 1 }, 'Factor', 'not of numbers'],
    [{ from: 2, to: 1 }, 'Length', 'give the smaller one first'],
    [{ from: 0, to: 1 }, 'Mode', 'takes no range; give a list of values, each one of "a", "b"'],
    [['c'], 'Mode', 'one of "a", "b"'],
    [['zigzag'], 'Source', 'one of open, high'],
    ['all', 'Words', 'has no list of choices'],
    [[], 'Length', 'has no value to try'],
    [[1, '1'], 'Length', '"Length" has 1 twice'],
    [['Long', 'up'], 'Side', 'twice'],
    [[1], 'Lenght', 'did you mean "Length"?'],
    [[1], 'zzzzzzzz', 'it has "Length", "Odd"'],
  ])('%j of %s', (variation, name, words) => {
    expect(() => valuesOf(name, variation)).toThrow(InputFault);
    expect(() => valuesOf(name, variation)).toThrow(words);
  });

  it('also of what all runs have in common, and of inputs that are named twice', () => {
    expect(() => inputSpace(specs, { Length: [1] }, { Length: 2 })).toThrow('"Length" is given twice');
    expect(() => inputSpace(specs, { Length: [1], length: [2] })).toThrow('"Length" is given twice');
    expect(() => inputSpace(specs, {}, { Factor: -1 })).toThrow('a number of at least 0');
    expect(() => inputSpace(specs, {}, { nothing: -1 })).toThrow('no input "nothing"');
  });
});
