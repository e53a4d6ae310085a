// The checker against everything a parser can give it: samples, pieces of samples, random scripts, and large ones.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../tests/support/thorough.ts';
import { MAX_NESTING } from '../syntax/index.ts';
import { programLines, render } from '../syntax/testing/programs.ts';
import { MAX_INSTANCES } from './instances.ts';
import { checkText, findingsOf, placesOf, programOf, scriptOf } from './testing/checked.ts';

const ROOT = join(import.meta.dirname, '../../../tests/pine');
const TA = {
  namespace: 'TradingView',
  name: 'ta',
  version: 7,
  source: '//@version=6\nlibrary("ta")\nexport f(float x) => x',
};

const samples = [
  ...readdirSync(join(ROOT, 'syntax')).map((name) => join(ROOT, 'syntax', name)),
  ...readdirSync(join(ROOT, 'truth'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(ROOT, 'truth', name, 'script.pine')),
].map((path) => ({ path, source: readFileSync(path, 'utf8') }));

describe('samples', () => {
  it('check without a finding, but for two mistakes and for calls that are in branches and loops on purpose', () => {
    const found = samples.flatMap(({ path, source }) =>
      checkText(source, [TA]).diagnostics.map(({ code }) => `${path.slice(ROOT.length + 1)} ${code}`),
    );
    // It gives input.int() both limits and a list, and plot() a title that is no constant.
    expect(found).toEqual([
      'syntax/everything.pine PE126',
      'syntax/everything.pine PE111',
      'syntax/series-in-if-and-for.pine PE146',
      'syntax/series-in-if-and-for.pine PE146',
      'truth/series-in-if-and-for/script.pine PE146',
      'truth/series-in-if-and-for/script.pine PE146',
    ]);
  });

  it('cut off or with a piece missing are accepted without a throw', () => {
    const piece = fc.tuple(fc.nat({ max: samples.length - 1 }), fc.nat({ max: 4000 }), fc.nat({ max: 40 }));
    fc.assert(
      fc.property(piece, ([which, at, length]) => {
        const { source } = samples[which]!;
        const start = at % source.length;
        checkText(source.slice(0, start) + source.slice(start + length), [TA]);
        checkText(source.slice(0, start), [TA]);
      }),
      { numRuns: cases(80) },
    );
  });
});

describe('random scripts', () => {
  it('are accepted without a throw, and without a program when they cannot be read', () => {
    fc.assert(
      fc.property(programLines, fc.infiniteStream(fc.nat({ max: 11 })), (lines, numbers) => {
        const choose = (count: number) => (numbers.next().value as number) % count;
        const { diagnostics, program } = checkText(render(lines, choose));
        if (diagnostics.length > 0) expect(program).toBeNull();
      }),
      { numRuns: cases(100) },
    );
  });

  it('made of words of the language are accepted without a throw', () => {
    const word = fc.constantFrom(
      ...['x', 'y', 'close', 'ta.sma', 'array.new<int>', 'T', 'f', '(', ')', '[', ']', ',', '.', ' = ', ' := ', ' + '],
      ...[
        ' => ',
        '1',
        '2.5',
        '"s"',
        'na',
        'if ',
        'else',
        'for i = 0 to 3',
        'switch x',
        '\n',
        '\n    ',
        'var ',
        'type T',
      ],
      ...['enum E', 'method ', 'export ', 'import a/B/1 as c', 'plot(', 'input.int(5)', 'not ', ' ? ', ' : ', 'break'],
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), (words) => {
        checkText(scriptOf(words.join('')));
      }),
      { numRuns: cases(200) },
    );
  });
});

describe('holes', () => {
  it('report nothing of their own, and leave no program', () => {
    const { diagnostics, program } = checkText(scriptOf('x = \ny = x + 1\nplot(y.)\nz = ta.'));
    expect(diagnostics).toEqual([]);
    expect(program).toBeNull();
  });
});

describe('size', () => {
  it('does not matter to the stack: what the parser lets through is checked', () => {
    const deep = MAX_NESTING - 20;
    expect(placesOf(`x = ${'('.repeat(deep)}close${')'.repeat(deep)}`)).toEqual([]);
    expect(placesOf(`x = ${'-'.repeat(deep)}close`)).toEqual([]);
    expect(placesOf(`x = ${'close > 0 ? 1 : '.repeat(deep)}2`)).toEqual([]);
    expect(placesOf(`x = ${'math.abs('.repeat(deep)}close${')'.repeat(deep)}`)).toEqual([]);
    const ifs = Array.from({ length: 200 }, (_, depth) => `${'    '.repeat(depth)}if close > ${depth}`);
    expect(placesOf(`${ifs.join('\n')}\n${'    '.repeat(200)}x = 1`)).toEqual([]);
    const chain = Array.from({ length: 300 }, (_, n) => (n === 0 ? 'f0(x) => x' : `f${n}(x) => f${n - 1}(x) + 1`));
    expect(placesOf(`${chain.join('\n')}\nplot(f299(close))`)).toEqual([]);
  });

  it('of a chain of deep functions is bounded with a clear finding', () => {
    const chain = Array.from({ length: 40 }, (_, n) =>
      n === 0 ? 'f0(x) => x' : `f${n}(x) => ${'-'.repeat(200)}f${n - 1}(x)`,
    );
    expect(findingsOf(`${chain.join('\n')}\nplot(f39(close))`)[0]).toContain('lie too deep in each other');
  });

  it('of instances is bounded with a clear finding', () => {
    const types = ['1', '1.5', 'true', '"s"', 'color.red', 'close', 'bar_index'];
    const calls: string[] = [];
    for (const a of types)
      for (const b of types) for (const d of types) for (const e of types) calls.push(`f(${a}, ${b}, ${d}, ${e})`);
    expect(types.length ** 4).toBeGreaterThan(MAX_INSTANCES);
    expect(findingsOf(`f(a, b, c, d) => 1\n${calls.join('\n')}`)[0]).toMatch(/^PE132 .*too many combinations/);
  });

  it('of a text full of mistakes is bounded: beyond the list nothing is thought up', () => {
    const names = Array.from({ length: 4000 }, (_, n) => `nothing${n} + f${n}() + ta.smaa${n}`).join('\n');
    expect(findingsOf(names).length).toBeLessThan(300);
  });

  it('of a large function called with ever new types is bounded with a clear finding', () => {
    const body = Array.from({ length: 2000 }, (_, n) => `    v${n} = a + ${n}`).join('\n');
    const types = ['1', '1.5', 'close', 'bar_index', 'input.int(1)', 'syminfo.mintick'];
    const calls = types.flatMap((a) => types.flatMap((b) => types.map((d) => `f(${a}, ${b}, ${d})`)));
    expect(findingsOf(`f(a, b, c) =>\n${body}\n${calls.join('\n')}`).some((text) => text.startsWith('PE132'))).toBe(
      true,
    );
  });

  it('of a script of many lines is one statement for each', () => {
    const lines = Array.from({ length: 50 }, (_, n) => `v${n} = ta.sma(close, ${n + 1})`);
    expect(programOf(lines.join('\n')).main.statements).toHaveLength(51);
  });
});
