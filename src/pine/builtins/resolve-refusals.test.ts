// Calls of built-ins that Pine refuses: each message says what is wrong, where, and what to write instead.

import { describe, expect, it } from 'vitest';
import { outcome, resolve } from './testing/calls.ts';
import { type PineVersion, scalar } from './types.ts';

/** A call on one line, then the fault and the message it must give. */
const WRONG_IN_V6 = `
ta.sma(series float)
  missing: Missing argument length (series int) of ta.sma().
ta.sma()
  missing: Missing argument source (series float) of ta.sma().
ta.sma(length = const int)
  missing: Missing argument source (series float) of ta.sma().
ta.macd(series float; const int; const int)
  missing: Missing argument siglen (simple int) of ta.macd().
array.push(array<int>)
  missing: Missing argument value (series int) of array.push().
map.put(map<string, color>; const string)
  missing: Missing argument value (series color) of map.put().
math.max()
  missing: Missing argument number (series int/float) of math.max().
array.from()
  missing: Missing argument arg (series any type except collections) of array.from().
strategy.entry(const string)
  missing: Missing argument direction (series strategy_direction) of strategy.entry().
line.new(series int; series float; series int)
  missing: Missing argument y2 (series float) of line.new().
line.new(chart.point)
  missing: Missing argument second_point (chart.point) of line.new().
plot(title = const string)
  missing: Missing argument series (series float) of plot().
indicator()
  missing: Missing argument title (const string) of indicator().
request.security(const string)
  missing: Missing argument timeframe (series string) of request.security().
table.new(const string : position.top_left; const int)
  missing: Missing argument rows (series int) of table.new().
ta.sma(series float; const int; const int)
  too-many: ta.sma() takes at most 2 arguments, got 3.
ta.atr(const int; const int)
  too-many: ta.atr() takes one argument, got 2.
strategy.cancel_all(const string)
  too-many: strategy.cancel_all() takes no arguments, got 1.
ta.crossover(series float; series float; series float)
  too-many: ta.crossover() takes at most 2 arguments, got 3.
ta.sma(series float; lenght = const int)
  unknown-name: ta.sma() has no argument lenght; did you mean length?
ta.sma(src = series float; length = const int)
  unknown-name: ta.sma() has no argument src; it takes source, length.
plot(series float; colour = const color)
  unknown-name: plot() has no argument colour; did you mean color?
input.int(const int; defvall = const int)
  unknown-name: input.int() has no argument defvall; did you mean defval?
strategy.exit(const string; stop_loss = series float)
  unknown-name: strategy.exit() has no argument stop_loss; it takes id, from_entry, qty, qty_percent, profit, limit, loss, stop, trail_price, trail_points, trail_offset, oca_name, comment, comment_profit, comment_loss, comment_trailing, alert_message, alert_profit, alert_loss, alert_trailing, disable_alert.
strategy.cancel_all(id = const string)
  unknown-name: strategy.cancel_all() has no argument id; it takes none.
ta.sma(series float; __proto__ = const int)
  unknown-name: ta.sma() has no argument __proto__; it takes source, length.
input.int(const int; minval = const int; options = [const int])
  unknown-name: No form of input.int() takes these arguments together: minval, options.
ta.sma(series float; source = series float)
  twice: The argument source of ta.sma() is given twice.
ta.sma(series float; length = const int; length = const int)
  twice: The argument length of ta.sma() is given twice.
ta.sma(source = series float; const int)
  order: Arguments without a name must come before those with one.
ta.sma(series float; const string)
  type: Wrong type for argument 2 (length) of ta.sma(): expected series int, got const string.
ta.sma(series float; const float)
  type: Wrong type for argument 2 (length) of ta.sma(): expected series int, got const float.
ta.sma(series bool; const int)
  type: Wrong type for argument 1 (source) of ta.sma(): expected series float, got series bool.
ta.sma(series float; length = const color)
  type: Wrong type for argument 2 (length) of ta.sma(): expected series int, got const color.
ta.sma(length = const int; source = array<float>)
  type: Wrong type for argument 2 (source) of ta.sma(): expected series float, got array<float>.
ta.barssince(series float)
  type: Wrong type for argument 1 (condition) of ta.barssince(): expected series bool, got series float.
ta.barssince(const na)
  type: Wrong type for argument 1 (condition) of ta.barssince(): expected series bool, got na.
ta.change(series string)
  type: Wrong type for argument 1 (source) of ta.change(): expected series int/float, got series string.
math.abs(const string)
  type: Wrong type for argument 1 (number) of math.abs(): expected series int/float, got const string.
math.max(const int; const int; const string)
  type: Wrong type for argument 3 (number) of math.max(): expected series int, got const string.
na(series bool)
  type: Wrong type for argument 1 (x) of na(): expected series any type except bool, got series bool.
nz(series bool)
  type: Wrong type for argument 1 (source) of nz(): expected series int/float, got series bool.
nz(series float; const color)
  type: Wrong type for argument 2 (replacement) of nz(): expected series float, got const color.
str.length(series float)
  type: Wrong type for argument 1 (string) of str.length(): expected series string, got series float.
str.tostring(series line)
  type: Wrong type for argument 1 (value) of str.tostring(): expected series int/float, got series line.
array.push(array<int>; const float)
  type: Wrong type for argument 2 (value) of array.push(): expected series int, got const float.
array.push(array<bool>; const na)
  type: Wrong type for argument 2 (value) of array.push(): expected series bool, got na.
array.push(series float; const float)
  type: Wrong type for argument 1 (id) of array.push(): expected array<any type>, got series float.
array.sum(array<string>)
  type: Wrong type for argument 1 (id) of array.sum(): expected array<int/float>, got array<string>.
array.concat(array<int>; array<float>)
  type: Wrong type for argument 2 (id2) of array.concat(): expected array<int>, got array<float>.
array.from(const int; const string)
  type: Wrong type for argument 2 (arg) of array.from(): expected series int, got const string.
array.from(const na)
  type: The type of array.from() is not known: give at least one value that is not na.
array.sort(array<line>)
  type: Wrong type for argument 1 (id) of array.sort(): expected array<int/float/string>, got array<line>.
array.get(array<user Pivot>; const string)
  type: Wrong type for argument 2 (index) of array.get(): expected series int, got const string.
matrix.mult(matrix<int>; series line)
  type: Wrong type for argument 2 (id2) of matrix.mult(): expected series int/float/matrix<int>, got series line.
map.put(map<string, float>; const int; const float)
  type: Wrong type for argument 2 (key) of map.put(): expected series string, got const int.
map.put_all(map<string, int>; map<string, float>)
  type: Wrong type for argument 2 (id2) of map.put_all(): expected map<string, int>, got map<string, float>.
plot(series bool)
  type: Wrong type for argument 1 (series) of plot(): expected series float, got series bool.
plot(series float; style = const int)
  type: Wrong type for argument 2 (style) of plot(): expected input plot_style, got const int.
plot(series float; style = const na)
  type: Wrong type for argument 2 (style) of plot(): expected input plot_style, got na.
hline(const int; linestyle = const plot_style)
  type: Wrong type for argument 2 (linestyle) of hline(): expected input hline_style, got const plot_style.
fill(plot; hline)
  type: Wrong type for argument 2 (plot2) of fill(): expected plot, got hline.
bgcolor(series color; display = const plot_display)
  type: Wrong type for argument 2 (display) of bgcolor(): expected input plot_simple_display, got const plot_display.
label.new(series int; const string)
  type: Wrong type for argument 2 (y) of label.new(): expected series float, got const string.
request.security(const string; const string; series float; const bool)
  type: Wrong type for argument 4 (gaps) of request.security(): expected simple barmerge_gaps, got const bool.
request.security(const string; const string; void)
  type: Wrong type for argument 3 (expression) of request.security(): expected series any type, got void.
strategy.entry(const string; const bool)
  type: Wrong type for argument 2 (direction) of strategy.entry(): expected series strategy_direction, got const bool.
input.int(const float)
  type: Wrong type for argument 1 (defval) of input.int(): expected const int, got const float.
input.int(const int; options = [const int, const float])
  type: Wrong type for argument 2 (options) of input.int(): expected const [int, …], got [const int, const float].
input.enum(const enum Side; options = [const string])
  type: Wrong type for argument 2 (options) of input.enum(): expected const [Side, …], got [const string].
input.enum(const string)
  type: Wrong type for argument 1 (defval) of input.enum(): expected const enum, got const string.
ta.ema(series float; series int)
  qualifier: Qualifier too weak for argument 2 (length) of ta.ema(): expected simple int, got series int; it must not change from bar to bar.
ta.rsi(series float; length = series int)
  qualifier: Qualifier too weak for argument 2 (length) of ta.rsi(): expected simple int, got series int; it must not change from bar to bar.
plot(series float; offset = series int)
  qualifier: Qualifier too weak for argument 2 (offset) of plot(): expected simple int, got series int; it must not change from bar to bar.
plot(series float; series string)
  qualifier: Qualifier too weak for argument 2 (title) of plot(): expected const string, got series string; it must be known at compile time.
plot(series float; linewidth = simple int)
  qualifier: Qualifier too weak for argument 2 (linewidth) of plot(): expected input int, got simple int; it must be a constant or an input.
hline(series float)
  qualifier: Qualifier too weak for argument 1 (price) of hline(): expected input float, got series float; it must be a constant or an input.
input.int(input int)
  qualifier: Qualifier too weak for argument 1 (defval) of input.int(): expected const int, got input int; it must be known at compile time.
indicator(input string)
  qualifier: Qualifier too weak for argument 1 (title) of indicator(): expected const string, got input string; it must be known at compile time.
ta.valuewhen(series bool; series float; series int)
  qualifier: Qualifier too weak for argument 3 (occurrence) of ta.valuewhen(): expected simple int, got series int; it must not change from bar to bar.
plotshape(series bool; style = const string : size.tiny)
  constant: Wrong value for argument 2 (style) of plotshape(): expected shape.*, got size.tiny.
plotshape(series bool; location = const string : shape.flag)
  constant: Wrong value for argument 2 (location) of plotshape(): expected location.*, got shape.flag.
table.new(const string : location.top; const int; const int)
  constant: Wrong value for argument 1 (position) of table.new(): expected position.*, got location.top.
strategy(const string; close_entries_rule = const string : "LIFO")
  constant: Wrong value for argument 2 (close_entries_rule) of strategy(): expected "FIFO", "ANY", got "LIFO".
box.new(chart.point; chart.point; border_style = const string : line.style_arrow_left)
  constant: Wrong value for argument 3 (border_style) of box.new(): expected line.style_solid, line.style_dotted, line.style_dashed, got line.style_arrow_left.
strategy.entry(const string; const strategy_direction; when = series bool)
  version: strategy.entry() has no argument when since Pine v6: put the call in an if block.
bgcolor(series color; transp = const int)
  version: bgcolor() has no argument transp since Pine v6: set the transparency with color.new().
`;

const WRONG_IN_V5 = `
request.footprint(const int)
  version: request.footprint() exists only since Pine v6; write //@version=6 to use it.
box.set_xloc(series box)
  version: box.set_xloc() exists only since Pine v6; write //@version=6 to use it.
label.new(chart.point; text_formatting = const text_format)
  version: label.new() takes text_formatting only since Pine v6; write //@version=6 to use it.
plot(series float; linestyle = const plot_line_style)
  version: plot() takes linestyle only since Pine v6; write //@version=6 to use it.
label.new(chart.point; size = const int)
  type: Wrong type for argument 2 (size) of label.new(): expected series string, got const int.
request.security(series string; const string; series float)
  qualifier: Qualifier too weak for argument 1 (symbol) of request.security(): expected simple string, got series string; it must not change from bar to bar.
array.sort(array<user Pivot>)
  type: Wrong type for argument 1 (id) of array.sort(): expected array<int/float/string>, got array<Pivot>.
`;

const cases = (version: PineVersion, text: string) =>
  [...text.matchAll(/^([\w.]+)\((.*)\)\n {2}([\w-]+): (.+)$/gm)].map(
    ([, name = '', args = '', fault = '', message = '']) => ({ version, name, args, fault, message }),
  );
const all = [...cases(6, WRONG_IN_V6), ...cases(5, WRONG_IN_V5)];

describe('calls that are wrong', () => {
  it('are all read from the lists above', () => {
    expect(all).toHaveLength(
      (WRONG_IN_V6 + WRONG_IN_V5)
        .trim()
        .split('\n')
        .filter((line) => !/^ |^$/.test(line)).length,
    );
    expect(all.length).toBeGreaterThan(90);
  });

  it.each(all)('in v$version: $name($args)', ({ version, name, args, fault, message }) => {
    expect(outcome(name, args, { version })).toBe(message);
    expect(resolve(name, args, { version })).toMatchObject({ ok: false, fault });
  });
});

describe('angle brackets', () => {
  it('are needed to make an empty collection', () => {
    expect(outcome('array.new', '')).toBe('array.new() needs its types in angle brackets: array.new<float>().');
    expect(outcome('map.new', '', { typeArguments: [scalar('int')] })).toBe(
      'map.new() needs its types in angle brackets: map.new<string, float>().',
    );
  });

  it('hold a type the collection can have', () => {
    expect(outcome('map.new', '', { typeArguments: [{ kind: 'object', name: 'line' }, scalar('int')] })).toBe(
      'Wrong type in the angle brackets of map.new(): expected int/float/bool/string/color/enum, got line.',
    );
    const nested = { kind: 'array', element: scalar('int') } as const;
    expect(outcome('array.new', '', { typeArguments: [nested] })).toBe(
      'Wrong type in the angle brackets of array.new(): expected any type except collections, got array<int>.',
    );
    expect(outcome('map.new', '', { typeArguments: [scalar('int'), nested] })).toBe(
      'Wrong type in the angle brackets of map.new(): expected any type except collections, got array<int>.',
    );
    expect(outcome('array.new', 'const int; const string', { typeArguments: [scalar('float')] })).toBe(
      'Wrong type for argument 2 (initial_value) of array.new(): expected series float, got const string.',
    );
  });

  it('are refused where nothing takes them', () => {
    expect(outcome('ta.sma', 'series float; const int', { typeArguments: [scalar('int')] })).toBe(
      'ta.sma() takes no type in angle brackets.',
    );
  });
});

describe('method calls', () => {
  it('count the arguments after the dot', () => {
    const method = { method: true };
    expect(outcome('array.push', 'array<int>; const string', method)).toBe(
      'Wrong type for argument 1 (value) of array.push(): expected series int, got const string.',
    );
    expect(outcome('array.push', 'array<int>; const int; const int', method)).toBe(
      'array.push() takes one argument, got 2.',
    );
    expect(outcome('array.sum', 'array<string>', method)).toBe(
      'Wrong type for the value before .sum(): expected array<int/float>, got array<string>.',
    );
    expect(outcome('array.size', 'array<string>; const int', method)).toBe('array.size() takes no arguments, got 1.');
  });
});

describe('the argument at fault', () => {
  it.each([
    ['ta.sma', 'series float; const string', 1],
    ['ta.sma', 'length = const string; source = series float', 0],
    ['ta.sma', 'series float; const int; const int', 2],
    ['ta.sma', 'series float; lenght = const int', 1],
    ['ta.sma', 'series float', null],
  ])('of %s(%s) is %s', (name, args, argument) => {
    expect(resolve(name, args)).toMatchObject({ ok: false, argument });
  });
});
