// The inputs of real scripts as fields: groups, lines, and what is typed against the rules of the language.

import { expect, test } from 'vitest';
import { barColumns, compile, type DeclaredInput, declaredInputs } from '../../src/pine/index.ts';
import { colorOf, colorParts, inGroups, localMinute, readValue, valueIn, withValue } from './input-fields.ts';

const HEAD = '//@version=6\nindicator("t")\nplot(close)\n';
const programOf = (lines: string) => {
  const { program, diagnostics } = compile(HEAD + lines);
  if (program === null) throw new Error(JSON.stringify(diagnostics));
  return program;
};
const inputsOf = (lines: string) => declaredInputs(programOf(lines).inputs);
const inputOf = (line: string): DeclaredInput => inputsOf(line)[0]!;

test('groups come in the order of the script, and inputs with one inline word share a line', () => {
  const inputs = inputsOf(`a = input.int(1, "A")
b = input.int(2, "B", group = "Band")
c = input.int(3, "C", inline = "x", group = "Band")
d = input.int(4, "D")
e = input.int(5, "E", inline = "x", group = "Band")`);
  const told = inGroups(inputs).map(({ name, lines }) => [name, lines.map((line) => line.map(({ title }) => title))]);
  expect(told).toEqual([
    ['', [['A'], ['D']]],
    ['Band', [['B'], ['C', 'E']]],
  ]);
});

test('only what differs from the script is a value of the user', () => {
  const input = inputOf('a = input.int(14, "Length")');
  const changed = withValue({ Other: true }, input, 20);
  expect(changed).toEqual({ Other: true, Length: 20 });
  expect([valueIn(input, changed), valueIn(input, {})]).toEqual([20, 14]);
  expect(withValue(changed, input, 14)).toEqual({ Other: true });
});

test.each([
  ['a = input.int(14, "X", minval = 2, maxval = 50)', '20', { value: 20 }],
  ['a = input.int(14, "X", minval = 2, maxval = 50)', '1', { fault: 'At least 2.' }],
  ['a = input.int(14, "X", minval = 2, maxval = 50)', '51', { fault: 'At most 50.' }],
  ['a = input.int(14, "X")', '2.5', { fault: 'Type a whole number.' }],
  ['a = input.float(1.5, "X")', '', { fault: 'Type a number.' }],
  ['a = input.float(1.5, "X")', ' -.5 ', { value: -0.5 }],
  ['a = input.price(100, "X")', '1e3', { value: 1000 }],
  ['a = input.string("a", "X")', ' b ', { value: ' b ' }],
  ['a = input.symbol("BTCUSDT", "X")', ' ETHUSDT ', { value: 'ETHUSDT' }],
  ['a = input.session("0930-1600", "X")', '0800-1200:23456', { value: '0800-1200:23456' }],
  ['a = input.text_area("a", "X")', 'b\nc', { value: 'b\nc' }],
] as const)('%s given %j', (line, text, expected) => {
  const read = readValue(inputOf(line), text);
  expect(read).toEqual(expected);
  // What is read here the engine takes too.
  const bars = barColumns([{ time: 0, open: 1, high: 1, low: 1, close: 1, volume: 1 }]);
  if ('value' in read) expect(() => programOf(line).run(bars, { inputs: { X: read.value } })).not.toThrow();
});

test('a session that is none is told with the way to write it', () => {
  expect(readValue(inputOf('a = input.session("0930-1600", "X")'), '9-17')).toEqual({
    fault: expect.stringContaining('0930-1600:23456'),
  });
});

test('a source is chosen among the series there are', () => {
  expect(inputOf('a = input.source(close, "X")').options).toContain('hlc3');
});

test('colors keep how opaque they are', () => {
  const { default: own } = inputOf('a = input.color(color.new(#FF9800, 50), "X")');
  const [color, opacity] = colorParts(own as string);
  expect(color).toBe('#ff9800');
  expect(colorOf(color, opacity)).toBe(own);
  expect(colorOf('#ff9800', 255)).toBe('#FF9800');
});

test('a time is shown to the minute in the zone of its reader, and read back', () => {
  const at = Date.UTC(2026, 10, 17, 14, 30);
  expect(new Date(localMinute(at)).getTime()).toBe(at);
});
