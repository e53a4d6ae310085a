// Imports: what a library gives to a script, and everything that can be wrong with one.

import { describe, expect, it } from 'vitest';
import type { LibrarySource } from './index.ts';
import { findingsOf, meaningOf, placesOf, programOf, typeOfName } from './testing/checked.ts';

const library = (name: string, text: string, version = 6): LibrarySource => ({
  namespace: 'me',
  name,
  version: 1,
  source: `//@version=${version}\nlibrary("${name}")\n${text}`,
});

const TOOLS = library(
  'Tools',
  [
    'const int SCALE = 100',
    'export const float HALF = 0.5',
    'secret(x) => x * SCALE',
    'export enum Mode\n    fast = "Fast"\n    slow',
    'export type Level\n    float price = HALF\n    Mode mode',
    'type Hidden\n    int x',
    'export scaled(float x, simple int n = 2) => secret(x) / n',
    'export method raise(Level l, float by) =>\n    l.price += by\n    l',
    'export half(int x) => x / 2',
    'helper = close',
    'plot(helper)',
  ].join('\n'),
);

const imported = (lines: string) => `import me/Tools/1 as t\n${lines}`;
const libraries = [TOOLS];

describe('a library gives', () => {
  it('functions, types, methods, enums and constants', () => {
    const script = imported('l = t.Level.new(mode = t.Mode.fast)\nl.raise(1)\nx = t.scaled(l.price)\ny = t.HALF');
    expect(meaningOf(script, { libraries })).toBe(
      'me/Tools/1.Level l = Level.new(0.5, Mode.fast)\nraise#(l, 1)\nfloat x = scaled#(l.price, 2)\nfloat y = 0.5',
    );
    const { functions, types, outputs } = programOf(script, { libraries });
    expect(functions.map(({ name }) => name)).toEqual(['raise', 'secret', 'scaled']);
    expect(types.map(({ key }) => key)).toContain('me/Tools/1.Level');
    expect(outputs).toEqual([]);
  });

  it('its names under its own when no alias is given', () => {
    expect(meaningOf('import me/Tools/1\nx = Tools.half(5)', { libraries })).toBe('float x = half#(5)');
  });

  it('its names beside the built-in ones of a namespace that is called like it', () => {
    const ta = library('ta', 'export twice(float x) => x * 2\nexport const int N = 3\nexport type Row\n    int n');
    const script = 'import me/ta/1\na = ta.twice(close)\nb = ta.sma(close, ta.N)\nc = ta.tr\nta.Row d = na';
    expect(
      meaningOf(script, { libraries: [ta] })
        .split('\n')
        .slice(0, 3),
    ).toEqual(['float a = twice#(close)', 'float b = ta.sma(source=close, length=3)', 'float c = ta.tr']);
    const chart = library('chart', 'export f(int x) => x');
    expect(placesOf('import me/chart/1\nchart.point p = chart.point.now()', { libraries: [chart] })).toEqual([]);
  });

  it('values that are known when the script runs at the earliest', () => {
    expect(typeOfName(imported('x = t.half(4)'), 'x', { libraries })).toBe('simple float');
  });

  it('its own version of the language', () => {
    const old = library('Old', 'export f(int x) =>\n    y = x ? 5 / 2 : 0\n    y', 5);
    expect(meaningOf('import me/Old/1 as o\nx = o.f(1)', { libraries: [old] })).toBe('int x = f#(1)');
  });

  it('the same types to everybody who imports it', () => {
    const user = library('User', 'import me/Tools/1 as x\nexport make(float p) => x.Level.new(p)');
    const script = 'import me/Tools/1 as t\nimport me/User/1 as u\nt.Level l = u.make(5)';
    expect(placesOf(script, { libraries: [TOOLS, user] })).toEqual([]);
  });
});

describe('an import reports', () => {
  it('a missing library and a missing version', () => {
    expect(findingsOf('import me/None/1 as n\nx = n.f(1)\nn.T y = na')).toEqual([
      'PE138 1:1 There is no library me/None/1. Publish it among your scripts, or hand its source in; on the command line with --library me/None/1=file.pine or --libraries FOLDER.',
    ]);
    expect(findingsOf('import me/Tools/7 as n', { libraries })[0]).toContain('There is me/Tools/1.');
  });

  it('the newest ten of many versions, also of those whose source is not at hand', () => {
    const versions = Array.from({ length: 12 }, (_, at) => ({ ...TOOLS, version: at + 1, source: null }));
    const [found] = findingsOf('import me/Tools/99 as n', { libraries: versions });
    expect(found).toContain('There is me/Tools/12, me/Tools/11, ');
    expect(found).toMatch(/me\/Tools\/3, …\.$/);
  });

  it('a library too many, counting the imports of imports, each once', () => {
    const chain = (length: number): LibrarySource[] =>
      Array.from({ length }, (_, at) =>
        library(
          `L${at}`,
          at + 1 < length ? `import me/L${at + 1}/1 as l\nexport f(int x) => l.f(x)` : 'export f(int x) => x',
        ),
      );
    const twice = 'import me/L0/1 as a\nimport me/L31/1 as b\nx = a.f(1) + b.f(2)';
    expect(placesOf(twice, { libraries: chain(32) })).toEqual([]);
    const [found] = findingsOf('import me/L0/1 as a', { libraries: chain(33) });
    expect(found).toContain('The library me/L32/1 is one too many. A script imports at most 32 libraries');
  });

  it('sources that are too long together, and one that was left out for it', () => {
    const long = (name: string, chars: number): LibrarySource => {
      const short = library(name, 'export f(int x) => x\n//');
      return { ...short, source: `${short.source}${'x'.repeat(chars - (short.source ?? '').length)}` };
    };
    const half = 512 * 1024;
    const script = 'import me/A/1 as a\nimport me/B/1 as b';
    expect(placesOf(script, { libraries: [long('A', half), long('B', half)] })).not.toContain('PE153 2:1');
    expect(placesOf(script, { libraries: [long('A', half), long('B', half + 1)] })).toContain('PE153 2:1');
    expect(placesOf('import me/Tools/1 as t', { libraries: [{ ...TOOLS, source: null }] })).toEqual(['PE153 1:1']);
  });

  it('what is not exported or not there', () => {
    const uses =
      'a = t.secret(1)\nb = t.nothing(1)\nt.Hidden c = na\nd = t.SCALE\ne = t.Hidden.new()\nt.Foo f = na\ng = t.Mode.x';
    expect(placesOf(imported(uses), { libraries })).toEqual([
      'PE141 2:5',
      'PE104 3:5',
      'PE141 4:1',
      'PE141 5:5',
      'PE141 6:5',
      'PE141 7:1',
      'PE106 8:12',
    ]);
  });

  it('mistakes in the library, with their place', () => {
    const broken = library('Broken', 'export f(float x) => x + unknown1');
    expect(findingsOf('import me/Broken/1 as b\nx = b.f(1)', { libraries: [broken] })[0]).toBe(
      'PE139 1:1 The library me/Broken/1 has a mistake in line 3, column 26: unknown1 is not declared. Repair the library first.',
    );
    const unreadable = library('Bad', 'x = = 1');
    expect(placesOf('import me/Bad/1 as b', { libraries: [unreadable] })).toEqual(['PE139 1:1']);
    const plain = { ...TOOLS, source: '//@version=6\nindicator("x")' };
    expect(findingsOf(imported(''), { libraries: [plain] })[0]).toContain('It is not declared with library().');
  });

  it('circles', () => {
    const a = library('A', 'import me/B/1 as b\nexport f(int x) => x');
    const b = library('B', 'import me/A/1 as a\nexport g(int x) => x');
    expect(findingsOf('import me/A/1 as a', { libraries: [a, b] })[0]).toContain('me/A/1 → me/B/1 → me/A/1');
  });

  it('types of a library under their plain names', () => {
    const found = findingsOf(imported('l = t.Level.new()\nx = ta.sma(l, 5)\nfloat y = l'), { libraries });
    expect(found).toEqual([
      'PE110 3:12 Wrong type for argument 1 (source) of ta.sma(): expected series float, got Level.',
      'PE110 4:11 y is series float and cannot hold Level.',
    ]);
  });

  it('two imports of one name', () => {
    expect(placesOf(imported('import me/Tools/1 as t'), { libraries })).toEqual(['PE108 2:1']);
  });

  it('a call that the body of the function cannot take, at the call', () => {
    const generic = library('G', 'inner(x) => ta.ema(close, x)\nexport f(int x) => inner(x)');
    const found = findingsOf('import me/G/1 as g\na = g.f(5)\nb = g.f(bar_index)', { libraries: [generic] });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^PE139 3:5 f\(\) of me\/G\/1 cannot be called like this: Qualifier too weak/);
  });
});

describe('a library', () => {
  it('exports functions with typed parameters, constants, and nothing that depends on its other lines', () => {
    const found = (text: string) => findingsOf('import me/L/1 as l', { libraries: [library('L', text)] })[0] ?? 'fine';
    expect(found('export f(x) => x')).toContain('needs a type');
    expect(found('export x = 5')).toContain('Only constants can be exported');
    expect(found('g = close\nexport f(int x) => x + g')).toContain('cannot use its variable g');
    expect(found('g = 5\nexport f(int x) => x + g')).toBe('fine');
    expect(found('export f(int x) => x + input.int(5)')).toContain('cannot have inputs');
    expect(found('n = input.int(5)\nplot(n)\nexport f(int x) => x')).toBe('fine');
  });

  it('is the only one to export', () => {
    expect(placesOf('export f(int x) => x')).toEqual(['PE137 1:1']);
  });
});
