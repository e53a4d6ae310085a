// What the cache keeps, what it lets go, and that no two scripts share a place.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProgramCache, type Sources } from './program-cache.ts';

function counting(maxPrograms = 3, maxChars = 1000) {
  const compiled: string[] = [];
  const cache = new ProgramCache(
    ({ source }: Sources) => {
      compiled.push(source);
      return { source };
    },
    { maxPrograms, maxChars },
  );
  return { cache, compiled, ask: (source: string) => cache.programOf({ source }) };
}

const library = (source: string, version = 1) => ({ namespace: 'ns', name: 'Lib', version, source });

describe('the cache of compiled scripts', () => {
  it('compiles a source once', () => {
    const { ask, compiled } = counting();
    expect(ask('a')).toBe(ask('a'));
    expect(compiled).toEqual(['a']);
  });

  it('lets the one go that was not used longest', () => {
    const { ask, compiled } = counting(2);
    for (const source of ['a', 'b', 'a', 'c', 'a', 'b']) ask(source);
    expect(compiled).toEqual(['a', 'b', 'c', 'b']);
  });

  it('is bounded by the characters of the sources too, those of libraries included', () => {
    const { ask, cache, compiled } = counting(10, 100);
    ask('x'.repeat(60));
    cache.programOf({ source: 'small', libraries: [library('y'.repeat(60))] });
    ask('x'.repeat(60));
    expect(compiled).toHaveLength(3);
  });

  it('does not keep what is larger than all it may hold, and keeps the others for it', () => {
    const { ask, compiled } = counting(10, 100);
    for (const source of ['a', 'z'.repeat(101), 'a', 'z'.repeat(101), 'z'.repeat(100), 'a']) ask(source);
    expect(compiled.map((source) => source.length)).toEqual([1, 101, 101, 100, 1]);
  });

  it('tells sources apart by every letter of every part', () => {
    const { cache, compiled } = counting(10);
    const variants: Sources[] = [
      { source: 'a' },
      { source: 'a', libraries: [library('b')] },
      { source: 'a', libraries: [library('b', 2)] },
      { source: 'a', libraries: [library('bb')] },
      { source: 'a', libraries: [library('b'), library('b')] },
      // Lone surrogates must not all look the same.
      { source: '\ud800' },
      { source: '\ud801' },
    ];
    for (const sources of variants) cache.programOf(sources);
    expect(compiled).toHaveLength(variants.length);
  });

  it('answers with the program of the very source, whatever came before', () => {
    const source = fc.string({ maxLength: 3, unit: fc.constantFrom('a', 'b', ':', '1') });
    fc.assert(
      fc.property(fc.array(source, { maxLength: 30 }), (sources) => {
        const { ask } = counting(3, 6);
        for (const text of sources) expect(ask(text).source).toBe(text);
      }),
    );
  });
});
