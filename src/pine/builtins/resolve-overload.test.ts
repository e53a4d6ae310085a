// Calls of built-ins that Pine accepts: which overload they mean, what they return, where their arguments go.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allEntries } from './index.ts';
import type { FunctionEntry } from './model.ts';
import { resolveOverload } from './resolve-overload.ts';
import { outcome, resolve, typeFrom } from './testing/calls.ts';
import { TypeBindings } from './type-bindings.ts';
import { QUALIFIERS, type Shape, scalar, type TypeVariableName, typeOf, typeText } from './types.ts';

describe('calls that are right', () => {
  it.each([
    ['ta.sma', 'series float; const int', 'series float'],
    ['ta.sma', 'series int; series int', 'series float'],
    ['ta.sma', 'source = series float; length = input int', 'series float'],
    ['ta.sma', 'length = input int; source = series float', 'series float'],
    ['ta.sma', 'series float; length = simple int', 'series float'],
    ['ta.sma', 'const na; const int', 'series float'],
    ['ta.ema', 'series float; simple int', 'series float'],
    ['ta.bb', 'series float; const int; const float', '[series float, series float, series float]'],
    ['ta.supertrend', 'const int; const int', '[series float, series float]'],
    ['ta.highest', 'const int', 'series float'],
    ['ta.highest', 'series float; const int', 'series float'],
    ['ta.highestbars', 'length = const int', 'series int'],
    ['ta.change', 'series float', 'series float'],
    ['ta.change', 'series int; const int', 'series int'],
    ['ta.change', 'series bool', 'series bool'],
    ['ta.valuewhen', 'series bool; series float; const int', 'series float'],
    ['ta.valuewhen', 'series bool; series bool; const int', 'series bool'],
    ['ta.valuewhen', 'series bool; series color; const int', 'series color'],
    ['ta.pivothigh', 'const int; const int', 'series float'],
    ['ta.pivothigh', 'series float; const int; const int', 'series float'],
    ['ta.vwap', 'series float', 'series float'],
    ['ta.vwap', 'series float; series bool', 'series float'],
    ['ta.vwap', 'series float; series bool; const float', '[series float, series float, series float]'],
    ['ta.tr', 'const bool', 'series float'],
    ['ta.median', 'series int; const int', 'series int'],
    ['ta.pivot_point_levels', 'const string : "Classic"; series bool', 'array<float>'],
    ['math.abs', 'const int', 'const int'],
    ['math.abs', 'input float', 'input float'],
    ['math.abs', 'series int', 'series int'],
    ['math.max', 'const int; const int', 'const int'],
    ['math.max', 'const int; series float; input int', 'series float'],
    ['math.max', 'const int', 'const int'],
    ['math.min', 'const na; series float', 'series float'],
    ['math.avg', 'const int; const int; const int', 'simple float'],
    ['math.round', 'const float', 'const int'],
    ['math.round', 'series float; const int', 'series float'],
    ['math.random', '', 'series float'],
    ['math.random', 'seed = const int', 'series float'],
    ['math.sum', 'series float; series int', 'series float'],
    ['nz', 'series float', 'series float'],
    ['nz', 'series int; const float', 'series float'],
    ['nz', 'simple color', 'simple color'],
    ['nz', 'const na; const int', 'simple int'],
    ['na', 'series float', 'series bool'],
    ['na', 'const na', 'simple bool'],
    ['na', 'series line', 'series bool'],
    ['na', 'array<float>', 'series bool'],
    ['na', 'user Pivot', 'series bool'],
    ['fixnan', 'series color', 'series color'],
    ['int', 'series float', 'series int'],
    ['int', 'const na', 'const int'],
    ['float', 'input int', 'input float'],
    ['bool', 'series int', 'series bool'],
    ['line', 'const na', 'series line'],
    ['color', 'const na', 'const color'],
    ['color.new', 'const color; const int', 'const color'],
    ['color.new', 'series color; const int', 'series color'],
    ['color.rgb', 'const int; const int; const int; input int', 'input color'],
    ['color.from_gradient', 'series float; const int; const int; const color; const color', 'series color'],
    ['str.tostring', 'series float', 'series string'],
    ['str.tostring', 'series float; const string : format.mintick', 'series string'],
    ['str.tostring', 'series float; const string : "#.##"', 'series string'],
    ['str.tostring', 'const bool', 'simple string'],
    ['str.tostring', 'array<float>; const string', 'series string'],
    ['str.tostring', 'matrix<string>', 'series string'],
    ['str.tostring', 'series enum Side', 'series string'],
    ['str.format', 'const string', 'simple string'],
    ['str.format', 'const string; series float; const string; array<int>', 'series string'],
    ['str.length', 'const string', 'const int'],
    ['str.substring', 'const string; const int', 'const string'],
    ['str.substring', 'series string; const int; const int', 'series string'],
    ['str.split', 'const string; const string', 'array<string>'],
    ['array.from', 'const int; const int', 'array<int>'],
    ['array.from', 'const int; const float', 'array<float>'],
    ['array.from', 'const na; series line', 'array<line>'],
    ['array.from', 'user Pivot; user Pivot', 'array<Pivot>'],
    ['array.new_float', '', 'array<float>'],
    ['array.new_float', 'const int; const int', 'array<float>'],
    ['array.new_bool', 'const int; const bool', 'array<bool>'],
    ['array.push', 'array<float>; const int', 'void'],
    ['array.push', 'array<line>; const na', 'void'],
    ['array.get', 'array<color>; series int', 'series color'],
    ['array.get', 'array<user Pivot>; series int', 'Pivot'],
    ['array.sum', 'array<int>', 'series int'],
    ['array.sort', 'array<string>; const sort_order : order.descending', 'void'],
    ['array.sort', 'array<user Pivot>; sort_field = const string', 'void'],
    ['array.sort_indices', 'array<float>', 'array<int>'],
    ['array.binary_search', 'array<user Pivot>; series float; const int', 'series int'],
    ['array.concat', 'array<int>; array<int>', 'array<int>'],
    ['array.concat', 'array<float>; array<int>', 'array<float>'],
    ['array.covariance', 'array<int>; array<float>', 'series float'],
    ['array.every', 'array<bool>', 'series bool'],
    ['matrix.get', 'matrix<int>; const int; const int', 'series int'],
    ['matrix.mult', 'matrix<float>; array<float>', 'array<float>'],
    ['matrix.mult', 'matrix<float>; const int', 'matrix<float>'],
    ['matrix.mult', 'matrix<float>; matrix<float>', 'matrix<float>'],
    ['matrix.add_row', 'matrix<int>; const int; array<int>', 'void'],
    ['matrix.add_row', 'matrix<float>; const int; array<int>', 'void'],
    ['map.put_all', 'map<string, float>; map<string, int>', 'void'],
    ['matrix.inv', 'matrix<int>', 'matrix<int>'],
    ['matrix.diff', 'matrix<int>; const int', 'matrix<int>'],
    ['matrix.diff', 'matrix<int>; matrix<float>', 'matrix<float>'],
    ['matrix.kron', 'matrix<int>; matrix<int>', 'matrix<int>'],
    ['matrix.mult', 'matrix<int>; array<int>', 'array<int>'],
    ['str.tostring', 'const enum Side', 'const string'],
    ['map.put', 'map<string, float>; const string; const int', 'series float'],
    ['map.keys', 'map<string, float>', 'array<string>'],
    ['map.get', 'map<int, line>; series int', 'series line'],
    ['input', 'const int', 'input int'],
    ['input', 'const float; const string', 'input float'],
    ['input', 'const bool', 'input bool'],
    ['input', 'const string', 'input string'],
    ['input', 'const color', 'input color'],
    ['input', 'series float; title = const string', 'series float'],
    ['input.int', 'const int; const string; const int; const int', 'input int'],
    ['input.int', 'const int; options = [const int, const int]', 'input int'],
    ['input.float', 'const int; const string; step = const float', 'input float'],
    ['input.float', 'const float; options = [const int, const float]', 'input float'],
    ['input.string', 'const string; options = [const string, const string]', 'input string'],
    ['input.enum', 'const enum Side; const string', 'input Side'],
    ['input.source', 'series float; const string', 'series float'],
    ['plot', 'series float', 'plot'],
    ['plot', 'series int; const string; series color; input int; const plot_style : plot.style_area', 'plot'],
    ['plot', 'series float; display = const plot_simple_display : display.none', 'plot'],
    ['plot', 'series float; display = const plot_display', 'plot'],
    ['plotshape', 'series bool; style = const string : shape.triangleup; size = const string : size.tiny', 'void'],
    ['plotchar', 'series float; const string; const string', 'void'],
    ['hline', 'const int; const string; const color; const hline_style : hline.style_dotted', 'hline'],
    ['hline', 'const int; color = const na', 'hline'],
    ['line.new', 'const na; const na; const na; const na', 'series line'],
    ['fill', 'plot; plot; series color', 'void'],
    ['fill', 'hline; hline; color = const color', 'void'],
    ['fill', 'plot; plot; series float; series float; series color; series color', 'void'],
    ['fill', 'hline; hline; const int; const int; const color; const color', 'void'],
    ['bgcolor', 'series color', 'void'],
    ['bgcolor', 'const na', 'void'],
    ['alertcondition', 'series bool; const string; const string', 'void'],
    ['alert', 'series string; const string : alert.freq_all', 'void'],
    ['line.new', 'series int; series float; series int; series float', 'series line'],
    ['line.new', 'chart.point; chart.point; color = series color', 'series line'],
    ['line.new', 'series int; const na; series int; const na; const string : xloc.bar_time', 'series line'],
    ['label.new', 'series int; series float; series string', 'series label'],
    ['label.new', 'chart.point; size = const int', 'series label'],
    [
      'box.new',
      'series int; series float; series int; series float; text_size = const string : size.small',
      'series box',
    ],
    ['table.new', 'const string : position.top_right; const int; const int', 'series table'],
    ['table.cell', 'series table; const int; const int; series string; text_formatting = const text_format', 'void'],
    ['polyline.new', 'array<chart.point>; const bool', 'series polyline'],
    ['linefill.new', 'series line; series line; const color', 'series linefill'],
    ['chart.point.now', '', 'chart.point'],
    ['time', 'const string', 'series int'],
    ['time', 'const string; const string; const string', 'series int'],
    ['time', 'const string; const string; const int', 'series int'],
    ['time', 'const string; bars_back = const int', 'series int'],
    ['timestamp', 'const string', 'const int'],
    ['timestamp', 'const int; const int; const int', 'simple int'],
    ['timestamp', 'const string; const int; const int; const int; const int; const int', 'simple int'],
    ['timestamp', 'series int; const int; const int; const int', 'series int'],
    ['hour', 'series int', 'series int'],
    ['dayofweek', 'series int; const string', 'series int'],
    ['timeframe.in_seconds', '', 'simple int'],
    ['timeframe.change', 'const string', 'series bool'],
    ['request.security', 'simple string; const string; series float', 'series float'],
    ['request.security', 'series string; const string; [series float, const int]', '[series float, series int]'],
    ['request.security', 'const string; const string; array<float>', 'array<float>'],
    ['request.security_lower_tf', 'const string; const string; series float', 'array<float>'],
    [
      'request.security_lower_tf',
      'const string; const string; [series float, series bool]',
      '[array<float>, array<bool>]',
    ],
    ['request.footprint', 'const int', 'footprint'],
    ['strategy.entry', 'const string; const strategy_direction : strategy.long', 'void'],
    [
      'strategy.entry',
      'const string; const strategy_direction; limit = series float; oca_type = const string : strategy.oca.cancel',
      'void',
    ],
    ['strategy.exit', 'const string; const string; stop = series float; limit = series float', 'void'],
    ['strategy.close_all', '', 'void'],
    ['strategy.closedtrades.profit', 'series int', 'series float'],
    ['strategy.risk.allow_entry_in', 'const string : strategy.direction.long', 'void'],
    ['strategy', 'const string; overlay = const bool; close_entries_rule = const string : "ANY"', 'void'],
    ['indicator', 'const string; const string; const bool; max_lines_count = const int', 'void'],
    ['ticker.new', 'simple string; const string; const string : session.extended', 'simple string'],
    ['ticker.kagi', 'simple string; const int', 'simple string'],
    ['ticker.kagi', 'simple string; const int; const string : "ATR"', 'simple string'],
    ['log.info', 'series string', 'void'],
    ['log.info', 'const string; series float; series int', 'void'],
    ['runtime.error', 'series string', 'void'],
    ['max_bars_back', 'series float; const int', 'void'],
  ])('%s(%s) → %s', (name, args, expected) => {
    expect(outcome(name, args)).toBe(expected);
  });

  it.each([
    ['array.new', [scalar('float')], '', 'array<float>'],
    ['array.new', [scalar('float')], 'const int; const int', 'array<float>'],
    ['array.new', [{ kind: 'user', name: 'Pivot' }], '', 'array<Pivot>'],
    ['matrix.new', [scalar('int')], 'const int; const int; const int', 'matrix<int>'],
    ['map.new', [scalar('string'), { kind: 'object', name: 'line' }], '', 'map<string, line>'],
    ['map.new', [{ kind: 'enum', name: 'Side' }, scalar('float')], '', 'map<Side, float>'],
  ] satisfies [string, Shape[], string, string][])(
    '%s<…>(%#) returns its type',
    (name, typeArguments, args, expected) => {
      expect(outcome(name, args, { typeArguments })).toBe(expected);
    },
  );
});

describe('calls that only v5 takes', () => {
  it.each([
    ['strategy.entry', 'const string; const strategy_direction; when = series bool', 'void'],
    ['strategy.close', 'const string; series bool', 'void'],
    ['strategy.close_all', 'series bool', 'void'],
    ['bgcolor', 'series color; transp = const int', 'void'],
    ['plot', 'series float; offset = series int', 'plot'],
    ['plot', 'series float; style = const na', 'plot'],
    ['na', 'series bool', 'series bool'],
    ['nz', 'series bool', 'series bool'],
    ['fixnan', 'series bool', 'series bool'],
    ['alertcondition', 'series int; const string', 'void'],
    ['ta.barssince', 'series float', 'series int'],
  ])('%s(%s) → %s', (name, args, expected) => {
    expect(outcome(name, args, { version: 5 })).toBe(expected);
    expect(resolve(name, args, { version: 6 }).ok).toBe(false);
  });

  it('keeps the number overload of ta.change although numbers pass as bool', () => {
    expect(outcome('ta.change', 'series int', { version: 5 })).toBe('series int');
  });

  it('takes series text for a request when the script declares dynamic requests', () => {
    const args = 'series string; const string; series float';
    expect(resolve('request.security', args, { version: 5 })).toMatchObject({ ok: false, fault: 'qualifier' });
    expect(outcome('request.security', args, { version: 5, dynamicRequests: true })).toBe('series float');
  });
});

describe('where the arguments go', () => {
  const slots = (name: string, args: string, version: 5 | 6 = 6) => {
    const found = resolve(name, args, { version });
    if (!found.ok) throw new Error(found.message);
    return found.slots.map((slot) => `${slot.parameter.name}=${slot.arguments.join('+')}`).join(' ');
  };

  it('is by position, then by name, then by default', () => {
    expect(slots('ta.stdev', 'series float; const int')).toBe('source=0 length=1 biased=');
    expect(slots('ta.stdev', 'series float; biased = const bool; length = const int')).toBe(
      'source=0 length=2 biased=1',
    );
  });

  it('is several for a parameter that takes any number', () => {
    expect(slots('math.max', 'const int; const int; const int')).toBe('number=0+1+2');
    expect(slots('str.format', 'const string; const int; const int')).toBe('formatString=0 arg=1+2');
    expect(slots('str.format', 'const string')).toBe('formatString=0 arg=');
  });

  it('is a place and a price when na leaves open whether points are meant', () => {
    expect(slots('line.new', 'const na; const na; const na; const na')).toMatch(/^x1=0 y1=1 x2=2 y2=3 /);
    expect(slots('label.new', 'const na; const na')).toMatch(/^x=0 y=1 /);
    expect(slots('box.new', 'const na; const na; const na; const na')).toMatch(/^left=0 top=1 right=2 bottom=3 /);
    expect(slots('line.new', 'chart.point; chart.point')).toMatch(/^first_point=0 second_point=1 /);
  });

  it('counts only the parameters of the version', () => {
    expect(slots('strategy.cancel', 'const string', 6)).toBe('id=0');
    expect(slots('strategy.cancel', 'const string', 5)).toBe('id=0 when=');
  });
});

describe('any call at all', () => {
  const functions = allEntries().filter((entry): entry is FunctionEntry => entry.kind === 'function');
  const types = [
    'const int',
    'series float',
    'const string',
    'series color',
    'array<int>',
    'series line',
    'const na',
    'void',
  ];
  const argument = fc.record({
    name: fc.option(fc.constantFrom('source', 'length', 'id', 'title', '__proto__', ''), { nil: null }),
    type: fc.constantFrom(...types).map(typeFrom),
  });

  it('is resolved or refused in words, never with an exception', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...functions),
        fc.array(argument, { maxLength: 8 }),
        fc.constantFrom(5 as const, 6 as const),
        (entry, args, version) => {
          const found = resolveOverload(entry, { version, arguments: args });
          if (!found.ok) expect(found.message).toMatch(/^\S.*[.?]$/s);
        },
      ),
      { numRuns: 3000 },
    );
  });

  const letters = new TypeBindings(6);
  for (const [letter, shape] of Object.entries({
    T: scalar('float'),
    V: scalar('float'),
    A: scalar('float'),
    K: scalar('string'),
    N: scalar('int'),
    S: scalar('string'),
    B: scalar('bool'),
    E: { kind: 'enum', name: 'Side' },
    U: { kind: 'user', name: 'Pivot' },
  } satisfies Record<TypeVariableName, Shape>))
    letters.fix(letter as TypeVariableName, shape);

  it('that leaves defaults out and gives every other argument the type asked for is right', () => {
    for (const entry of functions)
      for (const overload of entry.overloads) {
        if (overload.typeArguments.length > 0 || !overload.versions.includes(6)) continue;
        const args = overload.parameters
          .filter((p) => p.fallback === null)
          .map((p) => ({ name: null, type: typeOf(p.type.qualifier, letters.fill(p.type.shape)) }));
        const found = resolveOverload({ name: entry.name, overloads: [overload] }, { version: 6, arguments: args });
        expect(found.ok ? '' : found.message).toBe('');
      }
  });

  it('never gets an earlier known result from later known arguments', () => {
    const rank = (q: string) => (QUALIFIERS as readonly string[]).indexOf(q);
    for (const [earlier, later] of [
      ['const', 'input'],
      ['input', 'simple'],
      ['simple', 'series'],
    ] as const) {
      const resultOf = (q: 'const' | 'input' | 'simple' | 'series') => {
        const found = resolveOverload(functions.find((f) => f.name === 'math.max')!, {
          version: 6,
          arguments: [{ name: null, type: typeOf(q, scalar('int')) }],
        });
        return found.ok ? typeText(found.type).split(' ')[0]! : '';
      };
      expect(rank(resultOf(earlier))).toBeLessThan(rank(resultOf(later)));
    }
  });
});
