// A script that is being edited: what is typed is never lost, and never written over what others have saved.

import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as ask from '../../server/ask.ts';
import type { OpenScript as OpenScriptType } from './open-script.ts';
import { FakeLibrary, stubStorage } from './testing/fake-library.ts';

let kept: Record<string, string>;
beforeEach(() => {
  kept = stubStorage();
});
afterEach(() => vi.unstubAllGlobals());
// The tests of other files run in the same thread, with modules that belong together.
afterAll(() => {
  vi.doUnmock('../../server/ask.ts');
  vi.resetModules();
});

/** The page of another tab: it has loaded everything for itself. */
async function loadPage() {
  vi.resetModules();
  // Refusals are the same for all of them.
  vi.doMock('../../server/ask.ts', () => ask);
  const [{ OpenScript }, unsaved] = await Promise.all([import('./open-script.ts'), import('./unsaved.ts')]);
  const open = async (library: FakeLibrary) => {
    const conflicts: string[] = [];
    const gone = vi.fn();
    const script: OpenScriptType = new OpenScript(library, 's', {
      onChange: () => {
        if (script.conflict !== undefined) conflicts.push(script.conflict.theirs?.content ?? 'deleted');
      },
      onGone: gone,
    });
    await script.read();
    return { script, conflicts, gone };
  };
  return { open, unsaved };
}

const keptTexts = (): readonly string[] =>
  Object.values(kept).map((entry) => (JSON.parse(entry) as { content: string }).content);

test('what is typed while a save is under way stays unsaved, and is kept over the new revision', async () => {
  const library = new FakeLibrary('old');
  const { open } = await loadPage();
  const { script, conflicts } = await open(library);
  library.isHolding = true;
  script.change('first');
  const saving = script.save();
  await vi.waitFor(() => expect(library.held).toHaveLength(1));
  script.change('second');
  const again = script.save();
  library.isHolding = false;
  library.held.shift()?.();
  await saving;
  expect([library.saved[0], script.text]).toEqual(['first', 'second']);
  await again;
  expect([library.saved, conflicts, keptTexts(), script.isDirty]).toEqual([['first', 'second'], [], [], false]);
});

test('a name that is changed while a save is under way waits for it', async () => {
  const library = new FakeLibrary('old');
  const { open } = await loadPage();
  const { script } = await open(library);
  library.isHolding = true;
  script.change('new');
  const saving = script.save();
  await vi.waitFor(() => expect(library.held).toHaveLength(1));
  const renaming = script.rename('Other');
  library.isHolding = false;
  library.held.shift()?.();
  await Promise.all([saving, renaming]);
  expect([script.script?.name, script.script?.revision, library.stored?.content]).toEqual(['Other', 3, 'new']);
});

test('a save whose answer was lost is no conflict with oneself', async () => {
  const library = new FakeLibrary('old');
  const { open } = await loadPage();
  const { script, conflicts } = await open(library);
  library.fates.push('lost');
  script.change('first');
  await script.save();
  expect([script.note, keptTexts()]).toEqual([expect.stringContaining('Not saved'), ['first']]);
  await script.save();
  expect([script.isDirty, script.script?.revision, keptTexts()]).toEqual([false, 2, []]);
  library.fates.push('lost');
  script.change('second');
  await script.save();
  script.change('third');
  await script.save();
  expect([library.stored, conflicts, script.isDirty]).toEqual([{ content: 'third', revision: 4 }, [], false]);
});

test('what others saved is a conflict, with both texts there; a press more changes nothing', async () => {
  const library = new FakeLibrary('old');
  const { open } = await loadPage();
  const { script, conflicts } = await open(library);
  library.write('theirs');
  script.change('mine');
  await Promise.all([script.save(), script.save()]);
  expect([conflicts.at(-1), script.text, library.stored?.content]).toEqual(['theirs', 'mine', 'theirs']);
  await script.keepMine();
  expect([library.stored, script.conflict]).toEqual([{ content: 'mine', revision: 3 }, undefined]);
});

test('two tabs keep a text each: neither writes over the other, and a save takes along its own alone', async () => {
  const library = new FakeLibrary('old');
  const [first, second] = [await loadPage(), await loadPage()];
  const [one, two] = [await first.open(library), await second.open(library)];
  one.script.change('of the first');
  two.script.change('of the second');
  expect([...keptTexts()].sort()).toEqual(['of the first', 'of the second']);
  await one.script.save();
  expect(keptTexts()).toEqual(['of the second']);
  // The second tab is closed without a save; whoever opens the script next has its text, and sees the other before it is saved.
  const third = await (await loadPage()).open(library);
  expect([third.script.text, third.script.isDirty]).toEqual(['of the second', true]);
  await third.script.save();
  expect([third.conflicts.at(-1), library.stored?.content]).toEqual(['of the first', 'of the first']);
});

test('a page that is loaded again goes on with its text, and drops it for good', async () => {
  const library = new FakeLibrary('old');
  const before = await (await loadPage()).open(library);
  before.script.change('mine');
  const page = await loadPage();
  expect(page.unsaved.isUnsaved('s')).toBe(true);
  const after = await page.open(library);
  expect([after.script.text, keptTexts()]).toEqual(['mine', ['mine']]);
  page.unsaved.dropUnsaved('s');
  expect([page.unsaved.isUnsaved('s'), (await (await loadPage()).open(library)).script.text]).toEqual([false, 'old']);
});

test('what an earlier release kept is found', async () => {
  kept['signalbox.unsaved.s'] = JSON.stringify({ content: 'mine', revision: 1 });
  const { script } = await (await loadPage()).open(new FakeLibrary('old'));
  expect([script.text, Object.keys(kept).length, 'signalbox.unsaved.s' in kept]).toEqual(['mine', 1, false]);
});

test('what is saved already is unsaved no more', async () => {
  const library = new FakeLibrary('old');
  const before = await (await loadPage()).open(library);
  before.script.change('mine');
  library.write('mine');
  const { script } = await (await loadPage()).open(library);
  expect([script.isDirty, script.script?.revision, keptTexts()]).toEqual([false, 2, []]);
});

test('a name whose answer was lost is no conflict with oneself, however it goes on', async () => {
  const library = new FakeLibrary('old');
  const { open } = await loadPage();
  const { script, conflicts } = await open(library);
  library.fates.push('lost');
  await expect(script.rename('Other')).rejects.toThrow('does not answer');
  // Another press.
  await script.rename('Other');
  expect([script.script?.name, script.script?.revision, library.stored?.revision]).toEqual(['Other', 2, 2]);
  // Another name.
  library.fates.push('lost');
  await expect(script.rename('Third')).rejects.toThrow('does not answer');
  await script.rename('Fourth');
  expect([script.script?.name, library.name, library.stored?.revision]).toEqual(['Fourth', 'Fourth', 4]);
  // A save of the text.
  library.fates.push('lost');
  await expect(script.rename('Fifth')).rejects.toThrow('does not answer');
  script.change('new');
  await script.save();
  expect([script.script?.name, library.name, library.stored]).toEqual([
    'Fifth',
    'Fifth',
    { content: 'new', revision: 6 },
  ]);
  expect([conflicts, script.isDirty, keptTexts()]).toEqual([[], false, []]);
});

test('a name goes over a save of this page whose answer was lost, and what was typed since stays unsaved', async () => {
  const library = new FakeLibrary('old');
  const { open } = await loadPage();
  const { script, conflicts } = await open(library);
  library.fates.push('lost');
  script.change('first');
  await script.save();
  script.change('second');
  await script.rename('Other');
  expect([library.name, library.stored, conflicts]).toEqual(['Other', { content: 'first', revision: 3 }, []]);
  expect([script.text, script.isDirty, keptTexts()]).toEqual(['second', true, ['second']]);
});

test('after a reconnect the page takes over by itself what it has sent, and nothing of others', async () => {
  const library = new FakeLibrary('old');
  const { open } = await loadPage();
  const { script, conflicts } = await open(library);
  library.fates.push('lost');
  await expect(script.rename('Other')).rejects.toThrow('does not answer');
  script.change('typed since');
  await script.catchUp();
  expect([script.script?.name, script.script?.revision, script.text]).toEqual(['Other', 2, 'typed since']);
  expect([script.isDirty, keptTexts(), conflicts]).toEqual([true, ['typed since'], []]);
  library.fates.push('away');
  await expect(script.rename('Third')).rejects.toThrow('does not answer');
  library.write('theirs');
  await script.catchUp();
  expect([script.script?.name, script.script?.revision, script.text]).toEqual(['Other', 2, 'typed since']);
});

test('a name is not given over what others saved: it is shown, and what is unsaved here goes on from where it began', async () => {
  const library = new FakeLibrary('old');
  const { open } = await loadPage();
  const { script, conflicts } = await open(library);
  library.write('theirs', 'Their name');
  await expect(script.rename('Other')).rejects.toThrow(/^Not renamed: .*“Their name”, revision 2/);
  expect([library.name, script.script?.name, script.text, conflicts]).toEqual([
    'Their name',
    'Their name',
    'theirs',
    [],
  ]);
  script.change('mine');
  // The same name, but another text with it.
  library.write('theirs again', 'Other');
  await script.rename('Other');
  expect([conflicts.at(-1), library.stored?.content, script.text]).toEqual(['theirs again', 'theirs again', 'mine']);
});

test('a script whose deletion was not answered is gone with the next press', async () => {
  const library = new FakeLibrary('old');
  const { open } = await loadPage();
  const { script, gone } = await open(library);
  library.fates.push('lost');
  await expect(script.remove()).rejects.toThrow('does not answer');
  await script.remove();
  expect(gone).toHaveBeenCalledOnce();
});

test('an older copy is shown beside what was saved since, before anything is done with it', async () => {
  const library = new FakeLibrary('old');
  const before = await (await loadPage()).open(library);
  before.script.change('mine');
  library.write('newer');
  const { script, conflicts } = await (await loadPage()).open(library);
  expect([conflicts, script.text]).toEqual([['newer'], 'mine']);
  await script.save();
  expect(library.stored?.content).toBe('newer');
  script.takeTheirs();
  expect([script.text, script.isDirty, keptTexts()]).toEqual(['newer', false, []]);
});

test('what is dropped does not come back from a tab before it, nor with a script of the same id', async () => {
  const library = new FakeLibrary('old');
  const [first, second] = [await loadPage(), await loadPage()];
  const [one, two] = [await first.open(library), await second.open(library)];
  one.script.change('of the first');
  two.script.change('of the second');
  second.unsaved.dropUnsaved('s');
  expect([keptTexts(), second.unsaved.isUnsaved('s')]).toEqual([[], false]);
  one.script.change('of the first again');
  await two.script.remove();
  expect(keptTexts()).toEqual([]);
});
