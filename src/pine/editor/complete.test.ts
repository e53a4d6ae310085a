// Completion where statements, expressions and types begin, in comments, and the order of what it offers.

import { describe, expect, it } from 'vitest';
import { complete } from './index.ts';
import { itemAt, itemsAt, labelsAt } from './testing/cursor.ts';

describe('a word is completed', () => {
  it('by what begins with it, whatever the case', () => {
    expect(labelsAt('x = clo|')).toEqual(['close']);
    expect(labelsAt('x = CLO|')).toEqual(['close']);
    expect(labelsAt('x = zzz|')).toEqual([]);
  });

  it("the script's own names before built-ins, the same case before another", () => {
    const labels = labelsAt('highest = 1.\nHigh = 2.\nx = hi|');
    expect(labels).toEqual(['highest', 'high', 'High']);
  });

  it('also from inside of the word and in front of one', () => {
    expect(labelsAt('x = clo|se')).toEqual(['close']);
    expect(labelsAt('x = |close')).toContain('close');
  });

  it('without text behind it, in front of it, and beyond its ends', () => {
    expect(complete('', 0).map(({ label }) => label)).toContain('indicator');
    expect(complete('clo', 99).map(({ label }) => label)).toEqual(['close']);
    expect(complete('clo', -5).length).toBeGreaterThan(0);
    expect(complete('clo', Number.NaN).length).toBeGreaterThan(0);
  });

  it('never by the mark that stands for the cursor', () => {
    for (const text of ['type Fo|', 'type Fo|\n    float x', 'x| = 1', 'f(a|) => a', '|(x) => x'])
      expect(labelsAt(text).filter((label) => label.includes('_cursor'))).toEqual([]);
  });
});

describe('nothing is offered', () => {
  it.each([
    'x = "clo|se"',
    "x = 'clo|",
    'x = "a" // clo|',
    '// clo|',
    'x = 12|',
    'x = 1.|',
    'x = #ff|',
    'float le|',
    'var float le|',
    'array<float> le|',
    'type P|',
    'type P\n    float x|',
    'enum S\n    u|',
    'f(float x|) => x',
    'for i| = 0 to 3',
    '[a, b|] = f()',
    'import ana/Shapes/2 as x|',
    'type P\n    float x\nP q|',
    'method me|',
    'import nobody/No/1 as n\nx = n.|',
  ])('in %j', (text) => {
    expect(labelsAt(text)).toEqual([]);
  });

  it('in a text that is too large to be read', () => {
    expect(complete('x'.repeat(1024 * 1024 + 1), 3)).toEqual([]);
  });
});

describe('after a closed string', () => {
  it('the line goes on', () => {
    expect(labelsAt('x = "a"|')).toEqual(['and', 'or']);
  });
});

describe('where a statement begins', () => {
  it('there are keywords, types, snippets, namespaces and names', () => {
    const labels = labelsAt('price = close\n|');
    for (const label of ['if', 'var', 'import', 'float', 'array', 'ta', 'plot', 'price', 'for in', 'function'])
      expect(labels).toContain(label);
    for (const label of ['and', 'to', 'break', 'export', 'indicator …']) expect(labels).not.toContain(label);
  });

  it('"break" is offered in loops only, and functions that belong at the margin are not offered in blocks', () => {
    expect(labelsAt('for i = 0 to 3\n    br|')).toEqual(['break']);
    expect(labelsAt('if true\n    br|')).toEqual([]);
    expect(labelsAt('if true\n    plo|')).toEqual(['plot']);
    expect(itemAt('if true\n    plo|', 'plot')?.kind).toBe('namespace');
    expect(labelsAt('if true\n    impor|')).toEqual([]);
  });

  it('names of the block around it are known on a fresh line', () => {
    const labels = labelsAt('f(source) =>\n    inner = source\n    |\nlater = 1');
    expect(labels.slice(0, 2)).toEqual(['inner', 'source']);
    expect(labels).not.toContain('later');
    expect(labelsAt('for item in array.from(1)\n    it|')).toEqual(['item']);
  });

  it('a script begins with a snippet that says what it is, with the version line while there is none', () => {
    const start = (text: string) =>
      itemsAt(text).find(({ label, kind }) => label === 'indicator' && kind === 'snippet');
    expect(start('|')).toMatchObject({ insertTextFormat: 'snippet' });
    expect(start('|')?.insertText).toMatch(/^\/\/@version=6\nindicator\("\$\{1:My script\}"/);
    expect(start('//@version=5\n|')?.insertText).toMatch(/^indicator/);
    expect(start('|\n')).toBeUndefined();
  });

  it('a block that runs once exists since v6', () => {
    expect(labelsAt('onc|')).toEqual(['once', 'once']);
    expect(labelsAt('//@version=5\nindicator("x")\nonc|')).toEqual([]);
  });

  it('libraries export', () => {
    expect(labelsAt('//@version=6\nlibrary("L")\nexp|')).toEqual(['export']);
    const labels = labelsAt('//@version=6\nlibrary("L")\nexport |');
    for (const label of ['type', 'enum', 'method', 'float']) expect(labels).toContain(label);
    expect(labels).not.toContain('close');
  });

  it('a name that is being given a value is completed like any statement', () => {
    expect(labelsAt('total = 1\ntot| = 2')).toEqual(['total']);
  });
});

describe('where a value is expected', () => {
  it('structures may stand after "=" only', () => {
    expect(labelsAt('x = sw|')).toEqual(['switch']);
    expect(labelsAt('x := sw|')).toEqual(['switch']);
    expect(labelsAt('x = 1 + sw|')).toEqual([]);
  });

  it('there are no types, and functions are inserted with places for what must be given', () => {
    expect(itemAt('x = n|', 'nz')).toMatchObject({ kind: 'function', insertTextFormat: 'snippet' });
    expect(itemAt('x = ti|', 'timestamp')?.insertText).toMatch(/^timestamp\(\$\{1:/);
    expect(
      itemsAt('x = f|')
        .filter(({ label }) => label === 'float')
        .map(({ kind }) => kind),
    ).toEqual(['function']);
    expect(itemAt('x = n|(close)', 'nz')).toMatchObject({ insertText: 'nz', insertTextFormat: 'plaintext' });
  });

  it.each([
    'if |',
    'while |',
    'switch |',
    'x = not |',
    'x = a and |',
    'for i = |',
    'for i = 0 to |',
    'for x in |',
    'x = (|',
    'x = a[|',
    'x = [1, |',
    'x = y ? |',
    'x = y ? 1 : |',
    'f() => |',
    'switch\n    |',
    'switch\n    true => |',
    'once |',
  ])('in %j', (text) => {
    const labels = labelsAt(text);
    expect(labels).toContain('close');
    expect(labels).toContain('ta');
    expect(labels).not.toContain('var');
  });

  it('own functions show their signature and what is written above them', () => {
    const text =
      '//@version=6\nindicator("x")\n//@function Adds.\n//@param b The second.\nadd(float a, b = 2) =>\n    a + b\nx = add(1)\ny = ad|';
    expect(itemAt(text, 'add')).toEqual({
      label: 'add',
      kind: 'function',
      detail: 'add(a: float, b: int = 2) → float',
      documentation: 'Adds.',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a place to fill in, as editors write it.
      insertText: 'add(${1:a})',
      insertTextFormat: 'snippet',
    });
  });

  it('own variables show their type and what is written above them', () => {
    expect(itemAt('//@variable The trend.\nvar trend = 0\nx = tre|', 'trend')).toMatchObject({
      kind: 'variable',
      detail: 'const int',
      documentation: 'The trend.',
    });
  });

  it('a name of the script hides the built-in of that name, but not the namespace', () => {
    const kinds = itemsAt('line = 1\nx = lin|').map(({ label, kind }) => `${label} ${kind}`);
    expect(kinds).toEqual(['line variable', 'linefill function', 'line namespace', 'linefill namespace']);
  });
});

describe('after a value', () => {
  it.each([
    ['x = close |', ['and', 'or']],
    ['if (a) |', ['and', 'or']],
    ['x = true o|', ['or']],
    ['for i = 0 |', ['to']],
    ['for i = 0 to 9 |', ['by']],
    ['for x |', ['in']],
    ['for x in xs |', ['and', 'or']],
    ['import ana/Shapes/2 |', ['as']],
    ['if true\n    1\nelse |', ['if']],
    ['while true\n    break |', []],
  ])('%j goes on with %j', (text, expected) => {
    expect(labelsAt(text)).toEqual(expected);
  });
});

describe('where a type is expected', () => {
  const OWN = 'type Point\n    float x\nenum Side\n    up\n';

  it.each([
    'var |',
    'varip |',
    'array<|',
    'map<string, |',
    'x = array.new<|',
    'x = matrix.new<|>(1, 1)',
    'f(|) => 1',
    'f(float x, |) => 1',
    'series |',
    'type Line\n    |',
  ])('in %j', (text) => {
    const labels = labelsAt(OWN + text);
    for (const label of ['float', 'Point', 'Side', 'chart.point']) expect(labels).toContain(label);
    for (const label of ['close', 'if', 'ta']) expect(labels).not.toContain(label);
  });

  it('qualifiers stand where a variable is declared, not in angle brackets and not before fields', () => {
    expect(labelsAt('var ser|')).toEqual(['series']);
    expect(labelsAt('array<ser|')).toEqual([]);
    expect(labelsAt('type Line\n    ser|')).toEqual([]);
  });

  it('footprints exist since v6', () => {
    expect(labelsAt('var foot|')).toEqual(['footprint']);
    expect(labelsAt('//@version=5\nindicator("x")\nvar foot|')).toEqual([]);
  });

  it('a type may be declared further down, a variable not', () => {
    expect(labelsAt('var Poi|\ntype Point\n    float x')).toEqual(['Point', 'chart.point']);
    expect(labelsAt('x = lat|\nlater = 1')).toEqual([]);
  });
});

describe('in comments', () => {
  it('annotations follow "//@"', () => {
    expect(labelsAt('//@|')).toContain('@function');
    expect(itemAt('//@ver|', '@version=')).toMatchObject({ kind: 'annotation', insertText: 'version=' });
    expect(labelsAt('x = 1 //@|')).toEqual([]);
    expect(labelsAt('//@version=|')).toEqual(['5', '6']);
  });

  it('what an annotation speaks of is named from the declaration below', () => {
    expect(labelsAt('//@function Adds.\n//@param a One.\n//@param |\nadd(a, bb, bc) => a')).toEqual(['bb', 'bc']);
    expect(labelsAt('//@param bb|\nadd(a, bb, bc) => a')).toEqual(['bb']);
    expect(labelsAt('//@field |\ntype P\n    float price')).toEqual(['price']);
    expect(labelsAt('//@field |\nenum P\n    up')).toEqual(['up']);
    expect(labelsAt('//@param |')).toEqual([]);
  });
});

describe('imports', () => {
  it('name the libraries at hand', () => {
    expect(labelsAt('import |')).toEqual(['ana']);
    expect(labelsAt('import ana/|')).toEqual(['Shapes/2']);
    expect(labelsAt('import bob/|')).toEqual([]);
  });
});

describe('versions', () => {
  it('decide which built-ins there are', () => {
    expect(labelsAt('x = bi|')).toEqual(['bid']);
    expect(labelsAt('//@version=5\nindicator("x")\nx = bi|')).toEqual([]);
  });

  it('that are too old to be read are not completed, because their names mean something else now', () => {
    expect(labelsAt('//@version=4\nstudy("x")\nclo|')).toEqual([]);
  });
});
