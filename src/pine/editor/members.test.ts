// Completion after a dot and between the parentheses of a call.

import { describe, expect, it } from 'vitest';
import { itemAt, itemsAt, labelsAt } from './testing/cursor.ts';

const TYPES = `//@type A place.
//@field price Its price.
type Point
    float price
    int bar = 0
//@enum A way.
//@field up Rising.
enum Way
    up = "Upwards"
    down
method lift(Point this, float by, Way way = Way.up) =>
    this.price + by
method double(array<float> this) =>
    this.size() * 2
method half(float this) =>
    this / 2
`;
const IMPORT = 'import ana/Shapes/2 as shapes\n';

describe('after the dot of a namespace', () => {
  it('there are its members and the namespaces in it', () => {
    expect(labelsAt('x = ta.sm|')).toEqual(['sma']);
    expect(labelsAt('ta.|').length).toBeGreaterThan(60);
    expect(labelsAt('strategy.ris|')).toEqual(['risk']);
    expect(labelsAt('strategy.risk.max_dr|')).toEqual(['max_drawdown']);
    expect(labelsAt('var chart.poi|')).toEqual(['point']);
    expect(itemAt('x = ta.|', 'sma')).toEqual({
      label: 'sma',
      kind: 'function',
      detail: 'ta.sma(source: series float, length: series int) → series float',
      documentation: 'Simple moving average: mean of the last length values.',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a place to fill in, as editors write it.
      insertText: 'sma(${1:source}, ${2:length})',
      insertTextFormat: 'snippet',
    });
  });

  it('types in angle brackets are places to fill in as well', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a place to fill in, as editors write it.
    expect(itemAt('x = map.|', 'new')?.insertText).toBe('new<${1:float}, ${2:string}>()');
    expect(itemAt('x = array.ne|<float>()', 'new')?.insertText).toBe('new');
    expect(itemAt('x = ta.|', 'tr', 'variable')?.insertText).toBe('tr');
  });

  it.each([
    'if ta.|\n    f()',
    'x = close ta.|',
    'plot(ta., ta.|',
    'x = (1 + ta.|\ny = 2',
    'ta.|)',
    'for i = ta.| to 3',
  ])('also in %j', (text) => {
    expect(labelsAt(text)).toContain('sma');
  });

  it('there is nothing after a word that is none', () => {
    expect(labelsAt('x = nothing.|')).toEqual([]);
    expect(labelsAt('.|')).toEqual([]);
  });
});

describe('after the dot of a value', () => {
  it('there are the methods of its type', () => {
    expect(itemAt('a = array.new<float>()\na.pus|', 'push')).toMatchObject({ kind: 'method' });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a place to fill in, as editors write it.
    expect(itemAt('a = array.new<float>()\na.pus|', 'push')?.insertText).toBe('push(${1:value})');
    expect(labelsAt('m = map.new<string, int>()\nx = m.key|')).toEqual(['keys']);
    expect(labelsAt('label.new(0, 0).set_tex|')).toContain('set_text');
    expect(labelsAt('x = array.from(1, 2).slice(0, 1).|')).toContain('first');
    expect(labelsAt('x = 1\nx.|')).toEqual([]);
  });

  it('there are the fields of a user type, its own methods and copy', () => {
    const items = itemsAt(`${TYPES}p = Point.new(1.)\nx = p.|`);
    expect(items.map(({ label, kind }) => `${label} ${kind}`)).toEqual([
      'bar field',
      'lift method',
      'price field',
      'copy method',
    ]);
    expect(items[2]).toMatchObject({ detail: 'float', documentation: 'Its price.' });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a place to fill in, as editors write it.
    expect(items[1]?.insertText).toBe('lift(${1:by})');
  });

  it('there are own methods on built-in types, where the type fits', () => {
    expect(labelsAt(`${TYPES}a = array.new<float>()\na.dou|`)).toEqual(['double']);
    expect(labelsAt(`${TYPES}a = array.new<string>()\na.dou|`)).toEqual([]);
    expect(labelsAt(`${TYPES}x = close.|`)).toEqual(['half']);
    expect(labelsAt(`${TYPES}x = 3\ny = x.|`)).toEqual(['half']);
  });

  it('there are the fields of a point on the chart', () => {
    expect(labelsAt('p = chart.point.now(1.)\nx = p.|').slice(0, 3)).toEqual(['index', 'price', 'time']);
  });

  it('a variable called like a namespace has both', () => {
    const labels = labelsAt('line = line.new(0, 0, 1, 1)\nline.|');
    expect(labels).toContain('set_xy1');
    expect(labels).toContain('style_dashed');
  });

  it('fields of fields are known, and values in functions', () => {
    const outer = 'type Outer\n    Point inner\n';
    expect(labelsAt(`${TYPES}${outer}o = Outer.new()\nx = o.inner.pri|`)).toEqual(['price']);
    expect(labelsAt(`${TYPES}f(Point p) =>\n    p.pri|`)).toEqual(['price']);
    expect(labelsAt(`${TYPES}points = array.new<Point>()\nfor [i, p] in points\n    p.pri|`)).toEqual(['price']);
  });

  it('a line that cannot be read still has its words', () => {
    expect(labelsAt(`${TYPES}p = Point.new()\nx = 1 1 p.pri|`)).toEqual(['price']);
  });
});

describe('after the dot of a declaration', () => {
  it('an enum has its members, with their titles', () => {
    expect(itemsAt(`${TYPES}x = Way.|`)).toMatchObject([
      { label: 'down', kind: 'enumMember', detail: 'Way' },
      { label: 'up', kind: 'enumMember', detail: 'Way "Upwards"', documentation: 'Rising.' },
    ]);
  });

  it('a type makes and copies objects', () => {
    expect(itemAt(`${TYPES}x = Point.|`, 'new')).toMatchObject({
      detail: 'Point.new(price: float = na, bar: int = 0) → Point',
      insertText: 'new($1)',
    });
    expect(labelsAt(`${TYPES}x = Point.|`)).toEqual(['copy', 'new']);
  });

  it('a library has what it exports', () => {
    const items = itemsAt(`${IMPORT}x = shapes.|`);
    expect(items.map(({ label, kind }) => `${label} ${kind}`)).toEqual([
      'Corner type',
      'Side enum',
      'UNIT constant',
      'lift function',
      'mid function',
      'twice function',
    ]);
    expect(items[5]).toMatchObject({ detail: 'twice(x: float) → float', documentation: 'Doubles a number.' });
    expect(labelsAt(`${IMPORT}x = shapes.Side.|`)).toEqual(['bottom', 'top']);
    expect(labelsAt(`${IMPORT}x = shapes.Corner.|`)).toEqual(['copy', 'new']);
    expect(labelsAt(`${IMPORT}var shapes.Cor|`)).toEqual(['Corner']);
    expect(labelsAt(`${IMPORT}array<shapes.Cor|`)).toEqual(['Corner']);
    expect(labelsAt(`${IMPORT}x = array.new<shapes.Cor|>()`)).toEqual(['Corner']);
  });

  it('objects and methods of a library are known by their types', () => {
    expect(labelsAt(`${IMPORT}c = shapes.Corner.new(1.)\nx = c.|`)).toEqual(['bar', 'lift', 'price', 'copy']);
    expect(labelsAt(`${IMPORT}a = array.new<float>()\nx = a.mid|`)).toEqual(['mid']);
  });
});

describe('in a call', () => {
  it('parameters are offered by name, those that have an argument not again', () => {
    expect(labelsAt('plot(close, ti|)')).toEqual(expect.arrayContaining(['title =']));
    expect(itemAt('plot(close, li|', 'linewidth =')).toMatchObject({
      kind: 'parameter',
      detail: 'linewidth: input int = 1',
      insertText: 'linewidth = ',
    });
    expect(labelsAt('plot(close, "x", title|)')).not.toContain('title =');
    expect(labelsAt('plot(close, color = color.red, col|)')).not.toContain('color =');
    expect(labelsAt('plot(ser|')).toContain('series =');
  });

  it('they come in the order of the signature', () => {
    const names = itemsAt('plot(|)').filter(({ kind }) => kind === 'parameter');
    expect(names.slice(0, 5).map(({ label }) => label)).toEqual([
      'series =',
      'title =',
      'color =',
      'linewidth =',
      'style =',
    ]);
  });

  it('only where a name may stand', () => {
    expect(labelsAt('plot(close, title = "x" + ti|)')).not.toContain('title =');
    expect(labelsAt('plot(1 + ser|)')).not.toContain('series =');
    expect(labelsAt('plot(close, tit| = "x")')).toEqual(['title =']);
    expect(labelsAt('plot(close, clo| = "x")')).toEqual([]);
    expect(itemAt('plot(close, tit| = "x")', 'title =')?.insertText).toBe('title');
  });

  it('constants that the argument may be come first', () => {
    const first = itemsAt('plot(close, style = |)')[0];
    expect(first).toMatchObject({ label: 'plot.style_area', kind: 'constant' });
    expect(
      labelsAt('plot(close, style = |)')
        .slice(0, 11)
        .every((label) => label.startsWith('plot.style_')),
    ).toBe(true);
    expect(labelsAt('plot(close, style = style_li|)')).toEqual(['plot.style_line', 'plot.style_linebr']);
    expect(labelsAt('plotshape(true, "x", |)').slice(0, 12)).toContain('shape.circle');
    expect(labelsAt('plot(close, color = cond ? |)')[0]).toMatch(/^color\./);
    expect(labelsAt('indicator("x", |)').slice(0, 2)).toEqual(['shorttitle =', 'overlay =']);
    expect(labelsAt('indicator("x", overlay = |)').slice(0, 2)).toEqual(['false', 'true']);
  });

  it('quoted texts among them', () => {
    expect(labelsAt('strategy("x", close_entries_rule = |)').slice(0, 2)).toEqual(['"ANY"', '"FIFO"']);
  });

  it('the innermost call counts', () => {
    expect(labelsAt('plot(ta.sma(close, len|')).toEqual(['length =']);
    expect(labelsAt('plot(ta.sma(close, 5), tit|')).toEqual(['title =']);
  });

  it('own functions, methods, new objects and libraries have parameters too', () => {
    expect(itemAt(`${TYPES}p = Point.new(|)`, 'price =')).toMatchObject({ documentation: 'Its price.' });
    expect(labelsAt(`${TYPES}p = Point.new()\np.lift(|)`).slice(0, 2)).toEqual(['by =', 'way =']);
    expect(labelsAt(`${TYPES}p = Point.new()\np.lift(1, |)`).slice(0, 3)).toEqual(['Way.down', 'Way.up', 'way =']);
    expect(labelsAt(`${IMPORT}x = shapes.twice(|)`)[0]).toBe('x =');
    expect(labelsAt(`${IMPORT}x = shapes.Corner.new(1, |)`)[0]).toBe('bar =');
    expect(labelsAt('add(a, b) =>\n    a + b\nx = add(1, |)')[0]).toBe('b =');
    expect(labelsAt('a = array.new<float>()\na.push(|)')[0]).toBe('value =');
  });

  it('across the lines of a wrapped call', () => {
    expect(labelsAt('plot(close,\n     sty|\n     )')).toEqual(['style =']);
  });
});
