// What every script store must do: exact texts, one winner per revision, bounded versions, stable pages, and users kept apart.

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StorageError } from '../../src/errors/storage-error.ts';
import type { DraftText, Script, ScriptText } from '../../src/library/script.ts';
import type { Precondition, ScriptStore, ScriptStoreLimits } from '../../src/library/script-store.ts';
import { memoryScriptStore } from '../../src/library/testing/memory-script-store.ts';
import { START_MS } from './sample-trades.ts';

export interface OpenScriptStore {
  readonly store: ScriptStore;
  /** A second way to the same data, as another process would have it. */
  another(): ScriptStore;
  /** The same data after a restart. */
  reopen(): Promise<ScriptStore>;
  close(): Promise<void>;
}

/** Small enough to reach in a test; the real ones are numbers of the same kind. */
const LIMITS: ScriptStoreLimits = { scriptsPerUser: 4, bytesPerUser: 1_000_000, keptVersions: 3, keptRetiredIds: 2 };
const ANN = 'a'.repeat(32);
const BOB = 'b'.repeat(32);
const TEXT: ScriptText = { name: 'Cross', content: 'plot(close)' };
const FULL: ScriptText = { name: 'Größe 🚂', description: 'two\nlines', path: 'a/b c.pine', content: '//@version=6\n' };

export function describeScriptStore(name: string, open: (limits: ScriptStoreLimits) => Promise<OpenScriptStore>): void {
  describe(name, () => {
    let opened: OpenScriptStore;
    let store: ScriptStore;
    beforeEach(async () => {
      opened = await open(LIMITS);
      store = opened.store;
    });
    afterEach(() => opened.close());

    const write = (id: string, changes: { text?: ScriptText; atMs?: number; precondition?: Precondition } = {}) =>
      store.write(ANN, { id, text: TEXT, atMs: START_MS, precondition: 'none', ...changes });
    const idsOf = async (userId: string, page: { limit: number; below?: number } = { limit: 9 }): Promise<string[]> =>
      (await store.list(userId, page)).map(({ summary }) => summary.id);
    const revisionsOf = async (id: string): Promise<number[]> =>
      (await store.versions(ANN, id)).map(({ revision }) => revision);

    test('holds nothing at first', async () => {
      expect(await store.list(ANN, { limit: 9 })).toEqual([]);
      expect(await store.read(ANN, 'x')).toBeUndefined();
      expect(await store.versions(ANN, 'x')).toEqual([]);
      expect(await store.version(ANN, 'x', 1)).toBeUndefined();
      expect(await store.draft(ANN)).toBeUndefined();
      expect(await store.remove(ANN, 'x', 'present')).toEqual({ kind: 'conflict', remoteRevision: 0 });
    });

    test('keeps bare and full scripts exactly, over a restart, and lists them without their text', async () => {
      const bare: Script = { id: 'bare', ...TEXT, revision: 1, createdAtMs: START_MS, updatedAtMs: START_MS };
      const full: Script = { ...bare, id: 'full', ...FULL };
      expect(await write('bare')).toEqual({ kind: 'written', created: true, record: bare });
      expect(await write('full', { text: FULL })).toEqual({ kind: 'written', created: true, record: full });
      for (const way of [async () => store, () => opened.reopen()]) {
        const each = await way();
        expect(await each.read(ANN, 'bare')).toStrictEqual(bare);
        expect(await each.read(ANN, 'full')).toStrictEqual(full);
        const { content, ...rest } = full;
        const [first] = await each.list(ANN, { limit: 1 });
        expect(first?.summary).toStrictEqual({ ...rest, contentBytes: Buffer.byteLength(content) });
      }
    });

    test('keeps any text it may be given to the last character', async () => {
      const texts = [
        '',
        'a\r\nb\rc\n',
        '\ufeffmark',
        '🚂'.repeat(65_536),
        'é vs e\u0301',
        '\u0001\u007f\u2028',
        "';--",
      ];
      for (const content of texts) {
        await write('x', { text: { ...TEXT, content, description: '' } });
        expect(await store.read(ANN, 'x')).toMatchObject({ content, description: '' });
        expect((await store.versions(ANN, 'x'))[0]?.contentBytes).toBe(Buffer.byteLength(content));
      }
    });

    test('tells ids apart by upper and lower case', async () => {
      await write('x');
      expect(await store.read(ANN, 'X')).toBeUndefined();
      expect(await write('X')).toMatchObject({ created: true });
    });

    test('an update replaces every field, counts on, and keeps the time of creation', async () => {
      await write('x', { text: FULL });
      const updated = await write('x', { atMs: START_MS + 5 });
      const record = { id: 'x', ...TEXT, revision: 2, createdAtMs: START_MS, updatedAtMs: START_MS + 5 };
      expect(updated).toStrictEqual({ kind: 'written', created: false, record });
      expect(await store.read(ANN, 'x')).toStrictEqual(record);
    });

    test('a clock that was set back does not make the newer revision older', async () => {
      await write('x');
      expect(await write('x', { atMs: START_MS - 9 })).toMatchObject({ record: { updatedAtMs: START_MS } });
      expect(await store.read(ANN, 'x')).toMatchObject({ updatedAtMs: START_MS, createdAtMs: START_MS });
    });

    test.each<[Precondition, boolean, boolean]>([
      ['none', true, true],
      ['absent', true, false],
      ['present', false, true],
      [0, false, false],
      [1, false, false],
      [2, false, true],
      [3, false, false],
      [Number.NaN, false, false],
    ])('precondition %s holds over nothing: %s, over revision 2: %s', async (precondition, overNothing, overTwo) => {
      await write('two');
      await write('two');
      await store.writeDraft(BOB, { text: TEXT, atMs: START_MS, precondition: 'none' });
      await store.writeDraft(BOB, { text: TEXT, atMs: START_MS, precondition: 'none' });
      const none = { kind: 'conflict', remoteRevision: 0 };
      const two = { kind: 'conflict', remoteRevision: 2 };
      const draft = { text: TEXT, atMs: START_MS, precondition };
      expect(await write('none', { precondition })).toEqual(
        overNothing ? expect.objectContaining({ created: true }) : none,
      );
      expect(await store.writeDraft(ANN, draft)).toEqual(
        overNothing ? expect.objectContaining({ created: true }) : none,
      );
      expect(await write('two', { precondition })).toEqual(overTwo ? expect.objectContaining({ created: false }) : two);
      expect(await store.writeDraft(BOB, draft)).toEqual(overTwo ? expect.objectContaining({ created: false }) : two);
      expect((await store.read(ANN, 'two'))?.revision).toBe(overTwo ? 3 : 2);
    });

    test('of many writers that name one revision exactly one wins, whichever way they come', async () => {
      await write('x');
      const ways = [store, opened.another()];
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, writer) =>
          ways[writer % 2]!.write(ANN, {
            id: 'x',
            text: { ...TEXT, content: `writer ${writer}` },
            atMs: START_MS,
            precondition: 1,
          }),
        ),
      );
      const winner = outcomes.findIndex(({ kind }) => kind === 'written');
      expect(outcomes.filter(({ kind }) => kind === 'written')).toHaveLength(1);
      expect(outcomes.filter(({ kind }) => kind === 'conflict')).toEqual(
        Array.from({ length: 7 }, () => ({ kind: 'conflict', remoteRevision: 2 })),
      );
      expect(await store.read(ANN, 'x')).toMatchObject({ content: `writer ${winner}`, revision: 2 });
    });

    test('keeps the newest versions up to the limit, each as it was, and lets go of the rest', async () => {
      for (const number of [1, 2, 3])
        await write('x', { text: { ...FULL, content: `${number}` }, atMs: START_MS + number });
      expect(await revisionsOf('x')).toEqual([3, 2, 1]);
      await write('x', { text: { ...TEXT, content: '4' }, atMs: START_MS + 4 });
      const again = await opened.reopen();
      expect((await again.versions(ANN, 'x')).map(({ revision }) => revision)).toEqual([4, 3, 2]);
      expect(await again.version(ANN, 'x', 1)).toBeUndefined();
      expect(await again.version(ANN, 'x', 5)).toBeUndefined();
      expect(await again.version(ANN, 'x', 2)).toStrictEqual({
        id: 'x',
        ...FULL,
        content: '2',
        revision: 2,
        createdAtMs: START_MS + 1,
        updatedAtMs: START_MS + 2,
      });
      expect(await again.version(ANN, 'x', 4)).toEqual(await again.read(ANN, 'x'));
    });

    test('takes scripts up to the limit; then updates still work, and a deletion makes room', async () => {
      for (const id of ['a', 'b', 'c', 'd']) expect(await write(id)).toMatchObject({ created: true });
      expect(await write('e')).toEqual({ kind: 'too-many' });
      expect(await store.read(ANN, 'e')).toBeUndefined();
      expect(await write('a')).toMatchObject({ created: false });
      expect(await write('a', { precondition: 'absent' })).toEqual({ kind: 'conflict', remoteRevision: 2 });
      expect(await store.write(BOB, { id: 'e', text: TEXT, atMs: 0, precondition: 'none' })).toMatchObject({
        created: true,
      });
      await store.writeDraft(ANN, { text: TEXT, atMs: START_MS, precondition: 'none' });
      await store.remove(ANN, 'b', 'present');
      expect(await write('e')).toMatchObject({ created: true });
      expect(await write('f')).toEqual({ kind: 'too-many' });
    });

    test('takes so many bytes of all versions together; what a save pushes out and what is deleted make room', async () => {
      const save = (id: string, bytes: number) => write(id, { text: { ...TEXT, content: 'x'.repeat(bytes) } });
      for (const id of ['a', 'a', 'b']) await save(id, 250_000);
      // Counted in UTF-8, of which the trains have four bytes each.
      const trains = { text: { ...TEXT, content: '🚂'.repeat(62_500) } };
      expect(await write('b', { text: { ...TEXT, content: `${trains.text.content}x` } })).toEqual({ kind: 'no-room' });
      expect(await write('b', trains)).toMatchObject({ created: false });
      expect(await save('c', 1)).toEqual({ kind: 'no-room' });
      expect(await save('c', 0)).toMatchObject({ created: true });
      expect(await save('a', 1)).toEqual({ kind: 'no-room' });
      expect(await revisionsOf('a')).toEqual([2, 1]);
      expect(await write('a', { precondition: 1 })).toEqual({ kind: 'conflict', remoteRevision: 2 });
      expect(await store.writeDraft(ANN, { text: TEXT, atMs: START_MS, precondition: 'none' })).toMatchObject({
        created: true,
      });
      expect(await store.write(BOB, { id: 'a', ...trains, atMs: 0, precondition: 'none' })).toMatchObject({
        created: true,
      });
      store = await opened.reopen();
      await store.remove(ANN, 'b', 'present');
      for (const bytes of [250_000, 250_000, 250_000, 250_000])
        expect(await save('a', bytes)).toMatchObject({ created: false });
      expect(await save('d', 250_001)).toEqual({ kind: 'no-room' });
      expect(await save('d', 250_000)).toMatchObject({ created: true });
      expect(await save('a', 250_001)).toEqual({ kind: 'no-room' });
      expect(await save('a', 250_000)).toMatchObject({ created: false });
    });

    test('a deleted script is gone with its versions, over a restart', async () => {
      await write('x');
      await write('x');
      expect(await store.remove(ANN, 'x', 1)).toEqual({ kind: 'conflict', remoteRevision: 2 });
      expect(await store.remove(ANN, 'x', 2)).toEqual({ kind: 'removed' });
      for (const way of [async () => store, () => opened.reopen()]) {
        const each = await way();
        expect(await each.read(ANN, 'x')).toBeUndefined();
        expect(await each.versions(ANN, 'x')).toEqual([]);
        expect(await each.version(ANN, 'x', 1)).toBeUndefined();
        expect(await each.list(ANN, { limit: 9 })).toEqual([]);
      }
    });

    test('an id used again goes on counting, so that nobody overwrites what they never saw', async () => {
      await write('x');
      await write('x');
      await store.remove(ANN, 'x', 'present');
      store = await opened.reopen();
      expect(await write('x', { precondition: 2 })).toEqual({ kind: 'conflict', remoteRevision: 0 });
      expect(await write('x', { atMs: START_MS + 7 })).toMatchObject({
        created: true,
        record: { revision: 3, createdAtMs: START_MS + 7 },
      });
      expect(await revisionsOf('x')).toEqual([3]);
      expect(await write('x', { precondition: 2 })).toEqual({ kind: 'conflict', remoteRevision: 3 });
    });

    test('remembers the last deleted ids up to the limit', async () => {
      for (const id of ['a', 'b', 'a', 'c']) {
        await write(id);
        await store.remove(ANN, id, 'present');
      }
      expect(await write('b')).toMatchObject({ record: { revision: 1 } });
      expect(await write('a')).toMatchObject({ record: { revision: 3 } });
      expect(await write('c')).toMatchObject({ record: { revision: 2 } });
    });

    test('forgets no deleted id of one user because another deletes many', async () => {
      await write('x');
      await store.remove(ANN, 'x', 'present');
      for (const id of ['a', 'b', 'c', 'd']) {
        await store.write(BOB, { id, text: TEXT, atMs: START_MS, precondition: 'none' });
        await store.remove(BOB, id, 'present');
      }
      expect(await write('x')).toMatchObject({ record: { revision: 2 } });
    });

    test('lists by the order of creation, newest first, whatever the clock says and whoever updates', async () => {
      await write('a', { atMs: START_MS + 100 });
      await write('b', { atMs: START_MS });
      await write('c', { atMs: START_MS + 50 });
      await write('a', { atMs: START_MS + 200 });
      expect(await idsOf(ANN)).toEqual(['c', 'b', 'a']);
    });

    test('a page begins below a place and neither repeats nor skips while others write', async () => {
      for (const id of ['a', 'b', 'c', 'd']) await write(id);
      const first = await store.list(ANN, { limit: 2 });
      expect(first.map(({ summary }) => summary.id)).toEqual(['d', 'c']);
      // Meanwhile one is updated, one that was seen is deleted and made again, and one not yet seen is deleted.
      await write('a');
      await store.remove(ANN, 'd', 'present');
      await store.remove(ANN, 'b', 'present');
      await write('d');
      await write('new');
      const below = first.at(-1)!.place;
      expect(await idsOf(ANN, { limit: 2, below })).toEqual(['a']);
      expect(await idsOf(ANN)).toEqual(['new', 'd', 'c', 'a']);
    });

    test('places are not used again after deletions', async () => {
      await write('a');
      const [before] = await store.list(ANN, { limit: 1 });
      await store.remove(ANN, 'a', 'present');
      await write('b');
      const [after] = await store.list(ANN, { limit: 1 });
      expect(after!.place).toBeGreaterThan(before!.place);
    });

    test('keeps one draft, which is no script', async () => {
      const draft: DraftText = { content: 'half a li' };
      await store.writeDraft(ANN, { text: FULL, atMs: START_MS, precondition: 'none' });
      expect(await store.draft(ANN)).toStrictEqual({
        ...FULL,
        revision: 1,
        createdAtMs: START_MS,
        updatedAtMs: START_MS,
      });
      const record = { ...draft, revision: 2, createdAtMs: START_MS, updatedAtMs: START_MS + 1 };
      expect(await store.writeDraft(ANN, { text: draft, atMs: START_MS + 1, precondition: 1 })).toStrictEqual({
        kind: 'written',
        created: false,
        record,
      });
      expect(await idsOf(ANN)).toEqual([]);
      expect(await store.draft(BOB)).toBeUndefined();
      expect(await (await opened.reopen()).draft(ANN)).toStrictEqual(record);
    });

    test('a write that fails leaves everything as it was, and the next one works', async () => {
      await write('x');
      await expect(write('x', { atMs: Number.NaN })).rejects.toBeInstanceOf(StorageError);
      await expect(write('y', { atMs: Number.NaN })).rejects.toBeInstanceOf(StorageError);
      const draft = store.writeDraft(ANN, { text: TEXT, atMs: Number.NaN, precondition: 'none' });
      await expect(draft).rejects.toBeInstanceOf(StorageError);
      expect(await idsOf(ANN)).toEqual(['x']);
      expect(await revisionsOf('x')).toEqual([1]);
      expect(await store.draft(ANN)).toBeUndefined();
      expect(await write('x')).toMatchObject({ record: { revision: 2 } });
    });

    test('two users with the same ids get exactly what each would get alone', async () => {
      let run = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(fc.boolean(), operation), { maxLength: 24 }), async (steps) => {
          run += 1;
          const users = ['a', 'b'].map((letter) => letter + `${run}`.padStart(31, '0'));
          const alone = [memoryScriptStore(LIMITS), memoryScriptStore(LIMITS)];
          for (const [first, apply] of steps) {
            const who = first ? 0 : 1;
            expect(await apply(store, users[who]!, who)).toEqual(await apply(alone[who]!, users[who]!, who));
          }
          for (const who of [0, 1])
            expect(await everything(store, users[who]!)).toEqual(await everything(alone[who]!, users[who]!));
        }),
        { numRuns: 40 },
      );
    });
  });
}

type Operation = (store: ScriptStore, userId: string, who: number) => Promise<unknown>;

const anId = fc.constantFrom('x', 'y', 'z', 'constructor', '__proto__');
const aPrecondition = fc.oneof(
  fc.constantFrom<Precondition>('none', 'absent', 'present'),
  fc.integer({ min: 0, max: 4 }),
);
/** The text names its owner, so that one who sees another's would be caught by what it says. */
const textOf = (who: number, content: string): ScriptText => ({ ...TEXT, content: `${who}: ${content}` });

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ id: anId, precondition: aPrecondition, content: fc.string({ unit: 'grapheme', maxLength: 5 }) }).map(
    ({ id, precondition, content }): Operation =>
      (store, userId, who) =>
        store.write(userId, { id, text: textOf(who, content), atMs: START_MS, precondition }),
  ),
  fc.tuple(anId, fc.oneof(fc.constant('present' as const), fc.integer({ min: 0, max: 4 }))).map(
    ([id, precondition]): Operation =>
      (store, userId) =>
        store.remove(userId, id, precondition),
  ),
  fc.tuple(aPrecondition, fc.string({ maxLength: 5 })).map(
    ([precondition, content]): Operation =>
      (store, userId, who) =>
        store.writeDraft(userId, { text: textOf(who, content), atMs: START_MS, precondition }),
  ),
  fc.constant<Operation>(everything),
);

async function everything(store: ScriptStore, userId: string): Promise<unknown> {
  const summaries = (await store.list(userId, { limit: 9 })).map(({ summary }) => summary);
  const versions = await Promise.all(summaries.map(({ id }) => store.versions(userId, id)));
  const texts = versions.flat().map(({ id, revision }) => store.version(userId, id, revision));
  return { summaries, versions, texts: await Promise.all(texts), draft: await store.draft(userId) };
}
