// What an editor needs: holes where text is missing, the nodes around the cursor, and annotations.

import { describe, expect, it } from 'vitest';
import { annotationsOf, nodesAt, parse, walk } from './index.ts';
import { printScript } from './testing/print-ast.ts';
import { versioned } from './testing/read.ts';

const meaning = (snippet: string): string => printScript(parse(versioned(snippet)).script.statements);

describe('an unfinished line keeps what is there', () => {
  it.each([
    ['ta.', 'ta.⟨name⟩'],
    ['x = ta.', 'x = ta.⟨name⟩'],
    ['x = ta.sma(close, ', 'x = ta.sma(close, ⟨hole⟩)'],
    ['x = ta.sma(', 'x = ta.sma(⟨hole⟩)'],
    ['x = ta.sma(close, length = ', 'x = ta.sma(close, length = ⟨hole⟩)'],
    ['plot(ta.)', 'plot(ta.⟨name⟩)'],
    ['plot(ta., close)', 'plot(ta.⟨name⟩, close)'],
    ['x = a + ', 'x = (a + ⟨hole⟩)'],
    ['x = a ? b', 'x = (a ? b : ⟨hole⟩)'],
    ['x = ', 'x = ⟨hole⟩'],
    ['if close > ', 'if (close > ⟨hole⟩) {  }'],
    ['if ta.\n    f()', 'if ta.⟨name⟩ { f() }'],
    ['for i = \n    f()', 'for i = ⟨hole⟩ to ⟨hole⟩ { f() }'],
    ['if close > \n    f()', 'if (close > ⟨hole⟩) { f() }'],
    ['for x in \n    f()', 'for x in ⟨hole⟩ { f() }'],
    ['import user/', 'import user/⟨name⟩/0'],
    ['f(a, ) =>\n    b', 'function f(a, ⟨name⟩) { b }'],
    ['fro i in x\n    f()', 'fro\nerror { f() }'],
  ])('%j', (snippet, expected) => {
    expect(meaning(snippet)).toBe(expected);
  });

  it('and the lines below it', () => {
    expect(meaning('x = ta.\ny = f(1, \nz = 3')).toBe('x = ta.⟨name⟩\ny = f(1, ⟨hole⟩)\nz = 3');
  });
});

describe('the nodes around an offset', () => {
  const kindsAt = (snippet: string) => {
    const source = versioned(snippet);
    const offset = source.indexOf('|');
    return nodesAt(parse(source.replace('|', '')).script, offset).map(({ kind }) => kind);
  };

  it.each([
    ['x = ta.|', ['script', 'variable', 'member', 'name']],
    ['x = ta.sm|a(close)', ['script', 'variable', 'call', 'member', 'name']],
    ['x = f(a, |)', ['script', 'variable', 'call']],
    ['if a\n    b = clo|se', ['script', 'expression', 'if', 'if-branch', 'block', 'variable', 'identifier']],
    ['type T\n    fl|oat x', ['script', 'type', 'field', 'type-reference', 'name']],
  ])('%j', (snippet, expected) => {
    expect(kindsAt(snippet)).toEqual(expected);
  });

  it('can be walked in the order of the text, leaving parts out', () => {
    const { script } = parse(versioned('x = f(a, b)\ny = g(c)'));
    const names: string[] = [];
    walk(script, (node) => {
      if (node.kind === 'identifier') names.push(node.name);
      return node.kind === 'call' && node.callee.kind === 'identifier' && node.callee.name === 'f' ? false : undefined;
    });
    expect(names).toEqual(['g', 'c']);
  });
});

describe('annotations', () => {
  it('belong to the declaration below them, with the lines that go on', () => {
    const { script } = parse(
      '//@version=6\n// a remark\n//@description What it does.\n\n//@function Adds.\n//   Twice.\n//@param x A number.\n//#region\nf(x) =>\n    //@variable The result.\n    y = x\n    y',
    );
    const [declaration] = script.statements;
    if (declaration?.kind !== 'function') throw new Error('not a function');
    expect(annotationsOf(script, declaration).map(({ name, text }) => [name, text])).toEqual([
      ['version', '6'],
      ['description', 'What it does.'],
      ['function', 'Adds.\nTwice.'],
      ['param', 'x A number.'],
    ]);
    const [inner] = declaration.body.statements;
    expect(annotationsOf(script, inner!).map(({ text }) => text)).toEqual(['The result.']);
  });

  it('at the end belong to nothing', () => {
    const { script } = parse('//@version=6\nx = 1\n//@strategy_alert_message {{close}} = now');
    expect(script.annotations.at(-1)).toMatchObject({ name: 'strategy_alert_message', text: '{{close}} = now' });
    expect(annotationsOf(script, script.statements[0]!).map(({ name }) => name)).toEqual(['version']);
  });
});
