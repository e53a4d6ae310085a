// What editors ask: types of expressions, what names refer to, and the names known at a place.

import { describe, expect, it } from 'vitest';
import { typeText } from '../builtins/types.ts';
import { type Node, nodesAt, parse } from '../syntax/index.ts';
import { check } from './index.ts';

const SOURCE = `//@version=6
indicator("T")
enum Side
    up
type P
    int x = 1
f(a, float b = 2) =>
    inner = a + b
    inner
var p = P.new()
total = f(close, 3)
for [i, v] in array.from(1.5)
    total += v
plot(total + p.x)
broken = nothing +
`;
const parsed = parse(SOURCE);
const { info } = check(parsed.script, { version: 6 });

/** The innermost node of a kind that begins where the text is first found. */
function nodeAt(text: string, wanted: Node['kind']): Node {
  const at = SOURCE.indexOf(text);
  return nodesAt(parsed.script, at).findLast(({ span, kind }) => span.start === at && kind === wanted)!;
}

describe('types', () => {
  it('are known of every expression', () => {
    expect(typeText(info.typeOf(nodeAt('f(close', 'call'))!)).toBe('series float');
    expect(typeText(info.typeOf(nodeAt('total + p', 'binary'))!)).toBe('series float');
    expect(typeText(info.typeOf(nodeAt('p.x', 'member'))!)).toBe('series int');
  });

  it('are known inside of functions as they are called', () => {
    expect(typeText(info.typeOf(nodeAt('a + b', 'binary'))!)).toBe('series float');
  });
});

describe('declarations', () => {
  it('are found from uses', () => {
    expect(info.declarationOf(nodeAt('total + p', 'identifier'))).toMatchObject({ kind: 'variable', name: 'total' });
    expect(info.declarationOf(nodeAt('close, 3', 'identifier'))).toMatchObject({
      kind: 'builtin',
      name: 'close',
      span: null,
    });
    expect(info.declarationOf(nodeAt('f(close', 'identifier'))).toMatchObject({ kind: 'function', name: 'f' });
    expect(info.declarationOf(nodeAt('v\nplot', 'identifier'))).toMatchObject({ kind: 'counter', name: 'v' });
  });
});

describe('visible names', () => {
  const namesAt = (text: string) => info.namesAt(SOURCE.indexOf(text)).map(({ name }) => name);

  it('are those declared above, the nearest first', () => {
    expect(namesAt('plot(')).toEqual(['total', 'p', 'f', 'P', 'Side']);
    expect(namesAt('total += v')).toEqual(['i', 'v', 'total', 'p', 'f', 'P', 'Side']);
    expect(namesAt('inner\nvar')).toEqual(['inner', 'a', 'b', 'P', 'Side']);
  });
});
