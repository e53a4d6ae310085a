// A draft loses nothing that was typed, is in conflict with nobody but others, and never writes over them by itself.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeLibrary, type Fate, stubStorage } from '../script/testing/fake-library.ts';
import { OpenDraft } from './open-draft.ts';

let kept: Record<string, string>;
beforeEach(() => {
  vi.useFakeTimers();
  kept = stubStorage();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const settle = (ms = 0): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

async function open(library = new FakeLibrary('old')) {
  /** What the page has shown as a conflict, at whatever moment. */
  const conflicts: string[] = [];
  const draft: OpenDraft = new OpenDraft(library, () => {
    if (draft.conflict !== undefined) conflicts.push(draft.conflict.content);
  });
  await draft.read();
  return { library, draft, conflicts };
}

test('is saved a moment after the last key, once', async () => {
  const { library, draft } = await open();
  for (const text of ['a', 'ab', 'abc']) {
    draft.change(text);
    await settle(500);
  }
  expect(library.saved).toEqual([]);
  await settle(500);
  expect([library.saved, draft.note, kept]).toEqual([['abc'], 'Draft saved', {}]);
});

test('what is typed while a save is under way is saved after it, over its revision', async () => {
  const { library, draft, conflicts } = await open();
  library.isHolding = true;
  draft.change('first');
  await settle(1_000);
  draft.change('second');
  await settle(5_000);
  // The second waits for the first, however late that is.
  expect([library.held.length, Object.values(kept).join()]).toEqual([1, expect.stringContaining('second')]);
  library.isHolding = false;
  library.held.shift()?.();
  await settle(1_000);
  expect([library.saved, library.stored, conflicts, kept]).toEqual([
    ...[['first', 'second'], { content: 'second', revision: 3 }, [], {}],
  ]);
});

test('an early save whose answer is late does not call the newest text saved', async () => {
  const { library, draft } = await open();
  library.isHolding = true;
  draft.change('first');
  await settle(1_000);
  draft.change('second');
  library.held.shift()?.();
  await settle();
  expect([library.saved, draft.text, draft.note]).toEqual([['first'], 'second', undefined]);
});

test.each<[string, Fate]>([
  ['refused', 'refused'],
  ['not answered', 'away'],
])('a save that is %s keeps the text, here and for the next visit', async (_, fate) => {
  const { library, draft } = await open();
  library.fates.push(fate);
  draft.change('mine');
  await settle(1_000);
  expect([draft.text, draft.note]).toEqual(['mine', expect.stringContaining('not saved')]);
  expect(Object.values(kept).join()).toContain('mine');
  const next = await open(library);
  expect(next.draft.text).toBe('mine');
  await settle(1_000);
  expect(library.stored?.content).toBe('mine');
});

test('a server that comes back gets the text without another key', async () => {
  const { library, draft } = await open();
  library.isAway = true;
  draft.change('mine');
  await settle(60_000);
  expect(library.saved).toEqual([]);
  library.isAway = false;
  await settle(5_000);
  expect([library.saved, draft.note]).toEqual([['mine'], 'Draft saved']);
});

test('a server that is away at the beginning is asked again, until the page goes', async () => {
  const library = new FakeLibrary('old');
  library.isAway = true;
  const { draft } = await open(library);
  expect([draft.text, draft.note]).toEqual([undefined, 'Signalbox does not answer.']);
  library.isAway = false;
  await settle(5_000);
  expect([draft.text, draft.note]).toEqual(['old', undefined]);
  library.isAway = true;
  const other = await open(library);
  other.draft.leave();
  await settle(60_000);
  expect([other.draft.text, vi.getTimerCount()]).toEqual([undefined, 0]);
});

test.each([
  ['goes on', 'first and more'],
  ['does not', 'first'],
])('a save that was done and whose answer was lost is no conflict, whether one %s typing', async (_, then) => {
  const { library, draft, conflicts } = await open();
  library.fates.push('lost');
  draft.change('first');
  await settle(1_000);
  draft.change(then);
  await settle(10_000);
  expect([library.stored?.content, draft.text, conflicts, draft.note]).toEqual([then, then, [], 'Draft saved']);
});

test('what somebody else has saved is shown, and nothing is written over it before one chooses', async () => {
  const { library, draft, conflicts } = await open();
  library.write('theirs');
  draft.change('mine');
  await settle(1_000);
  expect(conflicts.at(-1)).toBe('theirs');
  await draft.save();
  await settle(60_000);
  expect([library.stored?.content, draft.text]).toEqual(['theirs', 'mine']);
  await draft.keepMine();
  expect([library.stored?.content, draft.conflict, kept]).toEqual(['mine', undefined, {}]);
});

test('theirs can be taken, and typing goes on over it', async () => {
  const { library, draft } = await open();
  library.write('theirs');
  draft.change('mine');
  await settle(1_000);
  draft.takeTheirs();
  expect([draft.text, kept]).toEqual(['theirs', {}]);
  draft.change('theirs and mine');
  await settle(1_000);
  expect(library.stored).toEqual({ content: 'theirs and mine', revision: 3 });
});

test('a conflict that cannot be looked at loses nothing, and is looked at later', async () => {
  const { library, draft, conflicts } = await open();
  library.write('theirs');
  library.isHolding = true;
  draft.change('mine');
  await settle(1_000);
  library.isHolding = false;
  library.held.shift()?.();
  vi.spyOn(library, 'draft').mockRejectedValueOnce(Object.assign(new Error('cut'), { status: 0 }));
  await settle();
  expect([draft.text, draft.note]).toEqual(['mine', 'The draft is not saved: cut']);
  await draft.save();
  expect([conflicts.at(-1), draft.text]).toEqual(['theirs', 'mine']);
});

test('a page that goes saves what it has, and what it cannot save is there at the next visit', async () => {
  const { library, draft } = await open();
  draft.change('mine');
  draft.leave();
  await settle();
  expect(library.saved).toEqual(['mine']);
  const other = await open(library);
  library.isAway = true;
  other.draft.change('more');
  other.draft.leave();
  await settle(60_000);
  expect(vi.getTimerCount()).toBe(0);
  library.isAway = false;
  expect((await open(library)).draft.text).toBe('more');
});

test('once it is a script it is empty, also where a save is under way; and a failure of that is no failure of the script', async () => {
  const { library, draft, conflicts } = await open();
  library.isHolding = true;
  draft.change('mine');
  await settle(1_000);
  const cleared = draft.clear();
  library.isHolding = false;
  library.held.shift()?.();
  await cleared;
  expect([library.stored?.content, conflicts, kept]).toEqual(['', [], {}]);
  const next = await open(library);
  library.isAway = true;
  await expect(next.draft.clear()).resolves.toBeUndefined();
});
