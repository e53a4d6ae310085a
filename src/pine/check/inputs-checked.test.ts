// Tests of declarations, inputs and outputs through the checker, as scripts write them.

import { describe, expect, it } from 'vitest';
import { inputsOf, inputValues } from '../run/input-values.ts';
import { parse } from '../syntax/index.ts';
import { check } from './index.ts';
import type { CheckedProgram } from './tree.ts';

const checked = (version: 5 | 6, ...lines: readonly string[]) =>
  check(parse([`//@version=${version}`, ...lines].join('\n')).script, { version });

function programOf(version: 5 | 6, ...lines: readonly string[]): CheckedProgram {
  const { program, diagnostics } = checked(version, ...lines);
  if (program === null) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return program;
}

describe('a script', () => {
  const program = programOf(
    6,
    'const string NAME = "My"',
    'indicator(NAME + " script", overlay = true, max_lines_count = 2 * 100)',
    'enum Side',
    '    long = "Go long"',
    '    short',
    'base = 10 + 4',
    'length = input.int(base, "Length", minval = 1, maxval = math.max(5, 100))',
    'src = input.source(close)',
    'shade = input.color(color.new(color.red, 50), "Shade", group = "Look")',
    'side = input.enum(Side.short, "Side")',
    'from = input.time(timestamp("1 Jan 2024"), "From")',
    'kind = input.string("EMA", "Length", options = ["EMA", "SMA"])',
    'own = input(src + 1, "Own")',
    'plot(ta.sma(src, length), "Fast" + " line")',
    'plot(own, linewidth = length)',
  );

  it('has its title and settings folded', () => {
    expect(program).toMatchObject({ scriptType: 'indicator', title: 'My script' });
    expect(program.settings).toMatchObject({ overlay: true, max_lines_count: 200 });
  });

  it('has its inputs in order, found by title', () => {
    expect(program.inputs.map(({ title, kind, defaultValue }) => [title, kind, defaultValue])).toEqual([
      ['Length', 'int', 14],
      ['src', 'source', 'close'],
      ['Shade', 'color', 0xf2364580],
      ['Side', 'enum', 'short'],
      ['From', 'time', Date.UTC(2024, 0, 1)],
      ['Length (2)', 'string', 'EMA'],
      ['Own', 'source', null],
    ]);
  });

  it('has its outputs in order, named where it names them', () => {
    expect(program.outputs.map(({ name, title }) => [name, title])).toEqual([
      ['plot', 'Fast line'],
      ['plot', null],
    ]);
  });

  it('takes the values that a command line gives', () => {
    const listed = inputsOf(
      inputValues(program.inputs, { Length: '20', Side: 'Go long', src: 'hl2', Shade: '#00ff00' }),
    );
    expect(listed.slice(0, 4).map(({ value }) => value)).toEqual([20, 'hl2', '#00FF00', 'Go long']);
  });
});

describe('a v5 script', () => {
  it('has quotients of ints cut and the defaults of its version', () => {
    const program = programOf(5, 'strategy("S", default_qty_value = 10)', 'n = input.int(7 / 2)', 'b = input.bool(1)');
    expect(program.inputs.map(({ defaultValue }) => defaultValue)).toEqual([3, true]);
    expect(program.settings).toMatchObject({ default_qty_value: 10, margin_long: 0 });
  });
});

describe('a script with mistakes', () => {
  it('is told all of them, each where it stands and with its remedy', () => {
    const source = [
      'indicator("x", max_lines_count = 501)',
      'a = input.int(0, minval = 1)',
      'b = input.string("x", options = ["a"])',
    ];
    const { program, diagnostics } = checked(6, ...source);
    expect(program).toBeNull();
    expect(diagnostics.map(({ message, remedy }) => `${message} ${remedy}`)).toEqual([
      "Invalid value of the 'max_lines_count' argument (501) in the indicator() call. It must be between 1 and 500.",
      "Invalid value of the 'defval' argument (0) in the input.int() call. It must be a whole number of at least 1.",
      'Invalid value of the \'defval\' argument ("x") in the input.string() call. It must be one of "a".',
    ]);
    const text = ['//@version=6', ...source].join('\n');
    expect(diagnostics.map(({ span }) => text.slice(span.start, span.end))).toEqual(['501', '0', '"x"']);
  });
});
