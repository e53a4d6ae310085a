// Tests of the scripts of a chart as one of them changes.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keepUnsaved } from '../script/unsaved.ts';
import { forgetUnsaved, lostBy, withChange, withUnsaved } from './chart-scripts.ts';

const script = (id: string, storedId?: string) => ({ id, name: id, source: 'old', storedId });

it('changes the one that is meant', () => {
  const changed = withChange([script('a'), script('b')], 'b', { source: 'new', inputs: { Length: 3 } });
  expect(changed).toMatchObject([{ source: 'old' }, { source: 'new', inputs: { Length: 3 } }]);
});

it('gives a script of the library one text, and inputs to each', () => {
  const scripts = [script('a', 's'), script('b', 's'), script('c', 't'), script('d')];
  expect(withChange(scripts, 'a', { source: 'new' }).map(({ source }) => source)).toEqual(['new', 'new', 'old', 'old']);
  expect(withChange(scripts, 'a', { inputs: { x: 1 } }).map(({ inputs }) => inputs)).toEqual([
    { x: 1 },
    undefined,
    undefined,
    undefined,
  ]);
});

describe('what was written and not saved', () => {
  const kept = new Map<string, string>();
  beforeEach(() => {
    kept.clear();
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    });
    for (const id of ['a', 's']) keepUnsaved(id, { content: 'mine', revision: 0 });
  });
  afterEach(() => void vi.unstubAllGlobals());

  it('is there again, also where another tab has remembered an older text', () => {
    const scripts = withUnsaved([script('a'), script('b')]);
    expect(scripts.map(({ source }) => source)).toEqual(['mine', 'old']);
  });

  it('takes no place of a script of the library: a newer text may have been saved there since', () => {
    const [stored] = withUnsaved([script('c', 's')]);
    expect([stored?.source, kept.size]).toEqual(['old', 2]);
  });

  it('is lost only with a script that is on the chart alone, and goes or gets another text', () => {
    const [alone, stored] = [
      { ...script('a'), source: 'mine' },
      { ...script('c', 's'), source: 'mine' },
    ];
    expect(lostBy([alone, stored], [alone])).toEqual([]);
    expect(lostBy([alone, stored], [stored])).toEqual([alone]);
    expect(lostBy([alone, stored], [script('a'), stored])).toEqual([alone]);
    forgetUnsaved([alone]);
    expect(lostBy([alone, stored], [])).toEqual([]);
  });
});
