// Hovers: built-ins, words of the language, and everything a script or library declares.

import { describe, expect, it } from 'vitest';
import { hover } from './index.ts';
import { hoverIn } from './testing/cursor.ts';

const block = (...lines: string[]): string => `\`\`\`pine\n${lines.join('\n')}\n\`\`\``;

describe('a built-in function', () => {
  it('shows its forms, what it does, and its parameters with types and defaults', () => {
    expect(hoverIn('x = ta.st|dev(close, 5)')).toEqual({
      words: 'ta.stdev',
      contents: `${block('ta.stdev(source: series float, length: series int, biased: series bool = true) → series float')}

Standard deviation of the last length values; of a sample when biased is false.

- \`source\`: series float
- \`length\`: series int
- \`biased\`: series bool, default \`true\``,
    });
  });

  it('lists what an argument may be', () => {
    expect(hoverIn('plotsh|ape(true)')?.contents).toContain('one of `shape.*`');
  });

  it('is told from the variable of the same name by its parentheses', () => {
    expect(hoverIn('x = ti|me')?.contents).toMatch(/^```pine\nseries int time\n/);
    expect(hoverIn('x = ti|me("D")')?.contents).toMatch(/^```pine\ntime\(/);
  });

  it('is shown for a method call without the value before the dot', () => {
    const shown = hoverIn('a = array.new<float>()\na.pu|sh(1)');
    expect(shown?.words).toBe('push');
    expect(shown?.contents).toContain('- `value`');
    expect(shown?.contents).not.toContain('- `id`');
  });

  it('is shown while its call is wrong or unfinished', () => {
    expect(hoverIn('x = ta.sm|a(')?.contents).toContain('ta.sma(');
    expect(hoverIn('x = ta.sm|a("no")')?.contents).toContain('ta.sma(');
    expect(hoverIn('ta.sm|a')?.contents).toContain('ta.sma(');
  });

  it('follows the version', () => {
    expect(hoverIn('//@version=5\nindicator("x")\nstrategy.ex|it("a", when = true)')?.contents).toContain('- `when`');
    expect(hoverIn('strategy.ex|it("a")')?.contents).not.toContain('- `when`');
  });
});

describe('other words', () => {
  it('variables, constants, keywords, operators, types and annotations have a line', () => {
    expect(hoverIn('x = cl|ose')?.contents).toMatch(/^```pine\nseries float close\n```\n\nPrice/);
    expect(hoverIn('x = color.r|ed')?.contents).toContain('const color color.red = #F23645');
    expect(hoverIn('x = color.red|')?.words).toBe('color.red');
    expect(hoverIn('i|f true\n    x = 1')?.contents).toContain('Runs a block');
    expect(hoverIn('x = tr|ue')?.contents).toContain('const bool true');
    expect(hoverIn('x = n|a')?.contents).toContain('No value');
    expect(hoverIn('for i = 0 t|o 3\n    x = i')?.contents).toContain('counting loop');
    expect(hoverIn('var flo|at x = 1')?.contents).toContain('A number.');
    expect(hoverIn('x = close |? 1 : 2')?.contents).toContain('One of two values');
    expect(hoverIn('//@vers|ion=6')?.words).toBe('@version=');
    expect(hoverIn('//@func|tion Adds.\nf() => 1')?.contents).toContain('Describes a function.');
    expect(hoverIn('x = t|a.sma(close, 5)')).toEqual({ words: 'ta', contents: 'Namespace `ta`.' });
    expect(hoverIn('x = array.new<chart.po|int>()')?.contents).toContain('A point on the chart');
  });

  it.each(['x = |"text"', 'x = 1|2', '// cl|ose', '//@function Add|s.', 'x = unk|nown', 'x = ta.unk|nown', '   |'])(
    'nothing for %j',
    (text) => {
      expect(hoverIn(text)).toBeNull();
    },
  );

  it('nothing between angle brackets and in the path of an import', () => {
    expect(hoverIn('array|<float> x = na')?.contents).not.toContain('smaller');
    expect(hoverIn('import ana|/Shapes/2 as s')?.contents).toContain('import ana/Shapes/2 as s');
  });

  it('offsets beyond the text are held inside of it', () => {
    expect(hover('close', 500)?.range).toEqual({ start: 0, end: 5 });
    expect(hover('close', -3)?.range).toEqual({ start: 0, end: 5 });
    expect(hover('', 0)).toBeNull();
    expect(hover('x'.repeat(1024 * 1024 + 1), 0)).toBeNull();
  });
});

describe('what a script declares', () => {
  const SCRIPT = `//@variable All of it.
var total = 0.0
//@function Adds two.
//@param a The first.
//@param b The second.
//@returns The sum.
add(float a, b = 2) =>
    sum = a + b
    sum
//@type A place.
//@field price Its price.
type Point
    float price = 1.5
    int bar
//@enum A way.
//@field up Rising.
enum Way
    up = "Upwards"
    down
method lift(Point this, int by) =>
    this.price + by
p = Point.new()
total += add(close)
`;
  const at = (line: string) => hoverIn(SCRIPT + line);

  it('variables show mode, type and annotation, where they are used and where they are declared', () => {
    const contents = `${block('var series float total')}\n\nAll of it.`;
    expect(at('x = tot|al')).toEqual({ words: 'total', contents });
    expect(hoverIn(SCRIPT.replace('var total', 'var to|tal'))?.contents).toBe(contents);
    expect(hoverIn(SCRIPT.replace('total +=', 'tot|al +='))?.contents).toBe(contents);
  });

  it('functions show their signature and all annotations', () => {
    const contents = `${block('add(a: float, b: int = 2) → float')}

Adds two.

- \`a\`: float. The first.
- \`b\`: int, default \`2\`. The second.

Returns: The sum.`;
    expect(at('x = ad|d(1)')).toEqual({ words: 'add', contents });
    expect(hoverIn(SCRIPT.replace('\nadd(', '\nad|d('))?.contents).toBe(contents);
  });

  it('parameters, locals, tuples and counters show their types', () => {
    expect(hoverIn(SCRIPT.replace('sum = a', 'sum = a|'))?.contents).toBe(`${block('series float a')}\n\nThe first.`);
    expect(hoverIn(SCRIPT.replace('    sum\n', '    su|m\n'))?.contents).toBe(block('series float sum'));
    expect(at('[mid|dle, upper, lower] = ta.bb(close, 5, 2)')?.contents).toBe(block('series float middle'));
    expect(at('for [i, ite|m] in array.from(1, 2)\n    x = item')?.contents).toBe(block('series int item'));
    expect(at('for i = 0 to 3\n    x = |i')?.contents).toContain(' i\n');
  });

  it('types, fields, enums and members show their parts and annotations', () => {
    const type = `${block('type Point')}\n\nA place.\n\n- \`price\`: float, default \`1.5\`. Its price.\n- \`bar\`: int, default \`na\``;
    expect(at('x = Poi|nt.new()')?.contents).toBe(type);
    expect(at('Poi|nt q = na')?.contents).toBe(type);
    expect(hoverIn(SCRIPT.replace('type Point', 'type Poi|nt'))?.contents).toBe(type);
    expect(at('x = Point.n|ew()')?.contents).toContain('Point.new(price: float = 1.5, bar: int = na) → Point');
    expect(at('x = p.pri|ce')).toEqual({ words: 'price', contents: `${block('float Point.price')}\n\nIts price.` });
    expect(hoverIn(SCRIPT.replace('float price', 'float pri|ce'))?.contents).toContain('Its price.');
    expect(at('x = Wa|y.up')?.contents).toBe(
      `${block('enum Way')}\n\nA way.\n\n- \`up\`: "Upwards". Rising.\n- \`down\``,
    );
    expect(at('x = Way.u|p')).toEqual({ words: 'Way.up', contents: `${block('Way.up = "Upwards"')}\n\nRising.` });
    expect(hoverIn(SCRIPT.replace('    up =', '    u|p ='))?.contents).toContain('Rising.');
    expect(at('x = chart.point.now(1).pri|ce')?.contents).toBe(block('series float chart.point.price'));
  });

  it('methods and names of arguments are told', () => {
    expect(at('x = p.li|ft(1)')?.contents).toContain('lift(this: Point, by: int) → float');
    expect(at('x = add(1, b| = 3)')?.contents).toBe(`${block('b: int = 2')}\n\nThe second.`);
    expect(at('plot(close, sty|le = plot.style_line)')?.contents).toContain('One of `plot.style_*`.');
  });
});

describe('what a library exports', () => {
  const at = (line: string) => hoverIn(`import ana/Shapes/2 as shapes\n${line}`)?.contents;

  it('is shown with its annotations', () => {
    expect(at('x = sha|pes.twice(1)')).toBe(block('import ana/Shapes/2 as shapes'));
    expect(at('x = shapes.twi|ce(1)')).toContain('Doubles a number.');
    expect(at('x = shapes.UN|IT')).toBe(block('const float UNIT'));
    expect(at('x = shapes.Side.to|p')).toContain('Above.');
    expect(at('x = shapes.Corner.n|ew(1)')).toContain('Its price.');
    expect(at('shapes.Cor|ner c = na')).toContain('A corner.');
    expect(at('c = shapes.Corner.new(1)\nx = c.li|ft(2)')).toContain('lift(this: Corner, by: float)');
    expect(at('c = shapes.Corner.new(1)\nx = c.pri|ce')).toContain('float Corner.price');
    expect(at('x = shapes.hid|den(1)')).toBeUndefined();
  });
});
