// A script whose answer was lost when it was made: the next press finds it.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Refused } from '../../server/ask.ts';
import type { StoredScript } from '../../server/script-library.ts';
import { CreateOnce, type CreatingLibrary } from './create-once.ts';
import { stubStorage } from './testing/fake-library.ts';

let kept: Record<string, string>;
beforeEach(() => {
  kept = stubStorage('sessionStorage');
});
afterEach(() => vi.unstubAllGlobals());

/** Scripts by their ids; `losing` is how many answers to writes are lost. */
function library(losing = 0) {
  const scripts = new Map<string, StoredScript>();
  let left = losing;
  const answered = (script: StoredScript): StoredScript => {
    scripts.set(script.id, script);
    if (left === 0) return script;
    left -= 1;
    throw new Refused('Signalbox does not answer.', { status: 0 });
  };
  const creating: CreatingLibrary = {
    create: async (id, name, content) => {
      if (scripts.has(id)) throw new Refused('It is taken.', { status: 409, code: 'CONFLICT' });
      return answered({ id, name, content, revision: 1, createdAt: 0, updatedAt: 0 });
    },
    read: async (id) => scripts.get(id)!,
    save: async (script) => answered({ ...script, revision: script.revision + 1 }),
  };
  return { creating, all: () => [...scripts.values()].map(({ name, content }) => `${name}: ${content}`) };
}

test.each([
  ['the same', ['A', 'text'], ['A: text'], 1],
  ['another name', ['B', 'text'], ['B: text'], 2],
  ['another text', ['A', 'more'], ['A: more'], 2],
  ['another script', ['B', 'more'], ['A: text', 'B: more'], 1],
] as const)('a second try with %s', async (_, [name, content], left, revision) => {
  const { creating, all } = library(1);
  const once = new CreateOnce('place');
  await expect(once.create(creating, 'A', 'text')).rejects.toThrow('does not answer');
  expect(await once.create(creating, name, content)).toMatchObject({ name, content, revision });
  expect(all()).toEqual(left);
});

test('the try that follows may be lost too, and what comes after an answer is a script of its own', async () => {
  const { creating, all } = library(2);
  const once = new CreateOnce('place');
  await expect(once.create(creating, 'A', 'text')).rejects.toThrow('does not answer');
  await expect(once.create(creating, 'B', 'text')).rejects.toThrow('does not answer');
  await once.create(creating, 'B', 'text');
  expect(all()).toEqual(['B: text']);
  await once.create(creating, 'B', 'text');
  expect(all()).toEqual(['B: text', 'B: text']);
});

test.each([
  ['the same is found', ['A', 'text'], ['A: text']],
  ['another name is another script', ['B', 'text'], ['A: text', 'B: text']],
  ['another text is another script', ['A', 'more'], ['A: text', 'A: more']],
] as const)(
  'after the page was loaded again, %s: the first is never written over',
  async (_, [name, content], left) => {
    const { creating, all } = library(1);
    await expect(new CreateOnce('place').create(creating, 'A', 'text')).rejects.toThrow('does not answer');
    const again = new CreateOnce('place');
    expect(await again.create(creating, name, content)).toMatchObject({ name, content, revision: 1 });
    expect(all()).toEqual(left);
    expect(kept).toEqual({});
    await again.create(creating, name, content);
    expect(all()).toHaveLength(left.length + 1);
  },
);

test('of another place it is another script', async () => {
  const { creating, all } = library(1);
  await expect(new CreateOnce('place').create(creating, 'A', 'text')).rejects.toThrow('does not answer');
  await new CreateOnce('elsewhere').create(creating, 'A', 'text');
  expect(all()).toEqual(['A: text', 'A: text']);
});

test('a page that was loaded again while its second script was made finds that one', async () => {
  const { creating, all } = library(2);
  const once = new CreateOnce('place');
  await expect(once.create(creating, 'A', 'text')).rejects.toThrow('does not answer');
  await expect(once.create(creating, 'B', 'more')).rejects.toThrow('does not answer');
  await new CreateOnce('place').create(creating, 'B', 'more');
  expect(all()).toEqual(['A: text', 'B: more']);
});

test('a browser that keeps nothing makes scripts all the same', async () => {
  vi.stubGlobal('sessionStorage', undefined);
  const { creating, all } = library(1);
  const once = new CreateOnce('place');
  await expect(once.create(creating, 'A', 'text')).rejects.toThrow('does not answer');
  await once.create(creating, 'A', 'text');
  expect(all()).toEqual(['A: text']);
});
