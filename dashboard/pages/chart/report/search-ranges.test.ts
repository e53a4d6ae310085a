// Tests of what a search varies: usual ranges, what is typed, and which values are not the script's own.

import { expect, it } from 'vitest';
import { barColumns, compile, inputSpace } from '../../../../src/pine/index.ts';
import { changedInputs, usualRange, variabilityOf, variationOf } from './search-ranges.ts';

const SOURCE = `//@version=6
strategy("S")
input.int(8, "Length", minval = 1)
input.int(2, "Short", minval = 1)
input.int(21, "Slow")
input.float(2.0, "Factor", minval = 0.1, maxval = 2.5)
input.float(0, "Offset")
input.float(1.5, "Stepped", step = 0.25)
input.int(-10, "Below")
input.bool(true, "Switch")
input.string("a", "Mode", options = ["a", "b"])
input.source(close, "Source")
input.string("x", "Words")
input.color(color.red, "Ink")
plot(close)
`;
const { program } = compile(SOURCE);
const { inputs } = program!.run(barColumns([]));
const inputOf = (name: string) => inputs.find(({ title }) => title === name)!;

it.each([
  ['Length', '4', '12', '1'],
  ['Short', '1', '6', '1'],
  ['Slow', '13', '29', '2'],
  ['Factor', '1.2', '2.4', '0.2'],
  ['Offset', '-0.4', '0.4', '0.1'],
  ['Stepped', '0.5', '2.5', '0.25'],
  ['Below', '-14', '-6', '1'],
])('proposes for %s a few round steps around its value, within its bounds', (title, from, to, step) => {
  expect(usualRange(inputOf(title))).toEqual({ from, to, step });
});

it('proposes what the engine takes, and the present value among it', () => {
  for (const input of inputs) {
    if (variabilityOf(input) === undefined) continue;
    const range = variabilityOf(input) === 'range' ? usualRange(input) : { from: '', to: '', step: '' };
    const { axes } = inputSpace(program!.inputs, { [input.title]: variationOf(input, range) });
    expect(axes[0]?.values).toContain(input.value);
  }
});

it('varies numbers, switches and choices, and nothing else', () => {
  expect(inputs.filter((input) => variabilityOf(input) === undefined).map(({ title }) => title)).toEqual([
    'Words',
    'Ink',
  ]);
});

it('takes nothing typed for no number, and no step for the input’s own', () => {
  expect(variationOf(inputOf('Length'), { from: '', to: '5x', step: ' ' })).toEqual({
    ...{ from: Number.NaN, to: Number.NaN, step: undefined },
  });
});

it('puts on the chart only what is not the script’s own', () => {
  expect(changedInputs(inputs, { Length: 8, Slow: 30, Switch: false, Mode: 'a' })).toEqual({ Slow: 30, Switch: false });
});
