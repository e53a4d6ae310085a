// The script library through its front door: what is checked, what is answered, and how pages go on.

import { beforeEach, describe, expect, test } from 'vitest';
import { MAX_CONTENT_BYTES, MAX_SCRIPTS_PER_USER, type ScriptText } from './script.ts';
import { STORE_LIMITS } from './script-store.ts';
import { createScripts, type Scripts } from './scripts.ts';
import { memoryScriptStore } from './testing/memory-script-store.ts';

const ANN = 'a'.repeat(32);
const BOB = 'b'.repeat(32);
const TEXT: ScriptText = { name: 'Cross', content: 'plot(close)' };

let scripts: Scripts;
let nowMs: number;
beforeEach(() => {
  nowMs = 1000;
  let made = 0;
  scripts = createScripts({ store: memoryScriptStore(), nowMs: () => nowMs, newId: () => `made-${++made}` });
});

/** All pages from the first to the last, with something happening between them. */
async function walk(limit: number, meanwhile: () => Promise<unknown> = async () => undefined): Promise<string[]> {
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await scripts.list(ANN, { limit, cursor });
    if (page.kind !== 'page') throw new Error(page.reason);
    seen.push(...page.scripts.map(({ id }) => id));
    cursor = page.nextCursor;
    await meanwhile();
  } while (cursor !== undefined);
  return seen;
}

describe('creating', () => {
  test('gives an id where none is chosen, and answers with the record', async () => {
    expect(await scripts.create(ANN, TEXT)).toStrictEqual({
      kind: 'written',
      created: true,
      record: { id: 'made-1', ...TEXT, revision: 1, createdAtMs: 1000, updatedAtMs: 1000 },
    });
    expect(await scripts.create(ANN, { ...TEXT, id: 'mine' })).toMatchObject({ record: { id: 'mine' } });
  });

  test('over an id of one’s own is refused with the revision that is there; another’s id is no obstacle', async () => {
    await scripts.save(ANN, 'x', TEXT);
    await scripts.save(ANN, 'x', TEXT);
    expect(await scripts.create(ANN, { ...TEXT, id: 'x' })).toEqual({ kind: 'exists', remoteRevision: 2 });
    expect(await scripts.create(BOB, { ...TEXT, id: 'x' })).toMatchObject({ created: true, record: { revision: 1 } });
  });

  test('keeps our fields and no others', async () => {
    const wanted = { ...TEXT, revision: 9, userId: BOB, description: undefined };
    const { record } = (await scripts.create(ANN, wanted)) as { record: object };
    expect(Object.keys(record)).toEqual(['id', 'name', 'content', 'revision', 'createdAtMs', 'updatedAtMs']);
    expect(record).toMatchObject({ revision: 1 });
  });

  test('reports every fault at once', async () => {
    const refused = await scripts.create(ANN, { id: '_draft', name: ' ', path: '../x', content: '\0' });
    expect(refused).toMatchObject({
      kind: 'invalid',
      faults: [{ field: 'id' }, { field: 'name' }, { field: 'path' }, { field: 'content' }],
    });
    expect(await walk(1)).toEqual([]);
  });

  test('takes 1000 scripts a user; then says so, to everybody but those who update', async () => {
    for (let number = 1; number <= MAX_SCRIPTS_PER_USER; number++)
      expect(await scripts.create(ANN, TEXT)).toMatchObject({ kind: 'written' });
    const full = { kind: 'too-many', reason: 'There are 1000 scripts in this library already; delete one first.' };
    expect(await scripts.create(ANN, TEXT)).toEqual(full);
    expect(await scripts.save(ANN, 'one-more', TEXT)).toEqual(full);
    expect(await scripts.save(ANN, 'made-1', TEXT)).toMatchObject({ created: false });
    expect(await scripts.saveDraft(ANN, TEXT)).toMatchObject({ kind: 'written' });
    expect(await scripts.create(BOB, TEXT)).toMatchObject({ kind: 'written' });
    expect(new Set(await walk(100)).size).toBe(MAX_SCRIPTS_PER_USER);
  });

  test('takes so many bytes a user; then says so in words, to those who update too', async () => {
    const store = memoryScriptStore({ ...STORE_LIMITS, bytesPerUser: 20 });
    scripts = createScripts({ store, nowMs: () => nowMs, newId: () => 'made' });
    expect(await scripts.create(ANN, TEXT)).toMatchObject({ kind: 'written' });
    const full = { kind: 'too-many', reason: expect.stringContaining('512 MiB of scripts and their versions') };
    expect(await scripts.create(ANN, { ...TEXT, id: 'other' })).toEqual(full);
    expect(await scripts.save(ANN, 'made', TEXT)).toEqual(full);
    expect(await scripts.save(ANN, 'made', { ...TEXT, content: 'plot(hl)' })).toMatchObject({ kind: 'written' });
  });
});

describe('saving', () => {
  test('makes the script or its next revision', async () => {
    expect(await scripts.save(ANN, 'x', TEXT)).toMatchObject({ created: true, record: { revision: 1 } });
    nowMs = 2000;
    expect(await scripts.save(ANN, 'x', TEXT)).toMatchObject({
      created: false,
      record: { revision: 2, createdAtMs: 1000, updatedAtMs: 2000 },
    });
  });

  test('with a revision named happens over that one only', async () => {
    expect(await scripts.save(ANN, 'x', TEXT, 1)).toEqual({ kind: 'conflict', remoteRevision: 0 });
    expect(await scripts.save(ANN, 'x', TEXT, 'present')).toEqual({ kind: 'conflict', remoteRevision: 0 });
    expect(await scripts.save(ANN, 'x', TEXT, 0)).toMatchObject({ created: true });
    expect(await scripts.save(ANN, 'x', TEXT, 0)).toEqual({ kind: 'conflict', remoteRevision: 1 });
    expect(await scripts.save(ANN, 'x', TEXT, 1)).toMatchObject({ record: { revision: 2 } });
    expect(await scripts.save(ANN, 'x', TEXT, 1)).toEqual({ kind: 'conflict', remoteRevision: 2 });
    expect(await scripts.save(ANN, 'x', TEXT, 'present')).toMatchObject({ record: { revision: 3 } });
    expect(await scripts.save(ANN, 'x', TEXT, -1)).toEqual({ kind: 'conflict', remoteRevision: 3 });
    expect(await scripts.save(ANN, 'x', TEXT, 3.5)).toEqual({ kind: 'conflict', remoteRevision: 3 });
  });

  test('256 KiB fit and one byte more does not, for scripts and drafts', async () => {
    const fits = { ...TEXT, content: 'é'.repeat(MAX_CONTENT_BYTES / 2) };
    const large = { ...TEXT, content: `${fits.content}x` };
    expect(await scripts.save(ANN, 'x', fits)).toMatchObject({ kind: 'written' });
    expect(await scripts.saveDraft(ANN, fits)).toMatchObject({ kind: 'written' });
    const refused = [
      scripts.save(ANN, 'x', large),
      scripts.create(ANN, large),
      scripts.saveDraft(ANN, large),
      scripts.save(ANN, 'x', { ...TEXT, content: '\0'.repeat(50_000_000) }),
    ];
    for (const outcome of await Promise.all(refused))
      expect(outcome).toEqual({
        kind: 'too-large',
        reason: 'A script has at most 262144 bytes (256 KiB) in UTF-8; shorten it or move parts into a library.',
      });
    expect(await scripts.read(ANN, 'x')).toMatchObject({ record: { revision: 1 } });
  });

  test('keeps line ends of every kind', async () => {
    await scripts.save(ANN, 'x', { ...TEXT, content: 'a\r\nb\rc\n' });
    expect(await scripts.read(ANN, 'x')).toMatchObject({ record: { content: 'a\r\nb\rc\n' } });
  });

  test('under an id nobody may choose is refused', async () => {
    expect(await scripts.save(ANN, '../x', TEXT)).toMatchObject({ kind: 'invalid', faults: [{ field: 'id' }] });
  });
});

describe('reading and removing', () => {
  test('what is not there is missing, whatever it is called', async () => {
    for (const id of ['x', '', '_draft', '__proto__', 'x'.repeat(9999)]) {
      expect(await scripts.read(ANN, id)).toEqual({ kind: 'missing' });
      expect(await scripts.remove(ANN, id)).toEqual({ kind: 'missing' });
      expect(await scripts.remove(ANN, id, 1)).toEqual({ kind: 'missing' });
      expect(await scripts.versions(ANN, id)).toEqual({ kind: 'missing' });
      expect(await scripts.version(ANN, id, 1)).toEqual({ kind: 'missing' });
    }
  });

  test('a script is removed once, and only at the revision that was named', async () => {
    await scripts.save(ANN, 'x', TEXT);
    expect(await scripts.remove(ANN, 'x', 0)).toEqual({ kind: 'conflict', remoteRevision: 1 });
    expect(await scripts.remove(ANN, 'x', 2)).toEqual({ kind: 'conflict', remoteRevision: 1 });
    expect(await scripts.remove(BOB, 'x')).toEqual({ kind: 'missing' });
    expect(await scripts.remove(ANN, 'x', 1)).toEqual({ kind: 'removed' });
    expect(await scripts.remove(ANN, 'x')).toEqual({ kind: 'missing' });
  });

  test('50 versions are kept, the current one among them', async () => {
    for (let revision = 1; revision <= 51; revision++)
      await scripts.save(ANN, 'x', { ...TEXT, content: `${revision}` });
    const versions = await scripts.versions(ANN, 'x');
    expect(versions).toMatchObject({ kind: 'found', record: { length: 50, 0: { revision: 51 }, 49: { revision: 2 } } });
    expect(await scripts.version(ANN, 'x', 2)).toMatchObject({ record: { content: '2', revision: 2 } });
    for (const revision of [1, 52, 0, -1, 2.5, Number.NaN, 2 ** 60])
      expect(await scripts.version(ANN, 'x', revision)).toEqual({ kind: 'missing' });
  });

  test('the draft is missing until it is saved, needs no name, and takes revisions too', async () => {
    expect(await scripts.readDraft(ANN)).toEqual({ kind: 'missing' });
    expect(await scripts.saveDraft(ANN, { content: 'a' })).toMatchObject({ created: true });
    expect(await scripts.saveDraft(ANN, { content: 'b' }, 1)).toMatchObject({ record: { revision: 2 } });
    expect(await scripts.saveDraft(ANN, { content: 'c' }, 1)).toEqual({ kind: 'conflict', remoteRevision: 2 });
    expect(await scripts.saveDraft(ANN, { name: '', content: 'c' })).toMatchObject({ kind: 'invalid' });
    expect(await scripts.readDraft(ANN)).toStrictEqual({
      kind: 'found',
      record: { content: 'b', revision: 2, createdAtMs: 1000, updatedAtMs: 1000 },
    });
    expect(await scripts.readDraft(BOB)).toEqual({ kind: 'missing' });
  });
});

describe('listing', () => {
  test('is newest first, the whole library where no limit is given, with a cursor while there is more', async () => {
    for (let number = 1; number <= MAX_SCRIPTS_PER_USER; number++) await scripts.create(ANN, TEXT);
    const whole = await scripts.list(ANN);
    expect(whole).toMatchObject({ scripts: { length: 1000, 0: { id: 'made-1000' }, 999: { id: 'made-1' } } });
    expect(whole).not.toHaveProperty('nextCursor');
    expect(await scripts.list(ANN, { limit: 999 })).toHaveProperty('nextCursor');
    expect(await scripts.list(BOB)).toEqual({ kind: 'page', scripts: [] });
  });

  test('pages of every size show each script once', async () => {
    const ids = Array.from({ length: 7 }, (_, index) => `made-${7 - index}`);
    for (let number = 1; number <= 7; number++) await scripts.create(ANN, TEXT);
    for (const limit of [1, 2, 3, 6, 7, 8, 100]) expect(await walk(limit)).toEqual(ids);
  });

  test('pages neither repeat nor skip while others create, update and delete', async () => {
    for (let number = 1; number <= 9; number++) await scripts.create(ANN, { ...TEXT, id: `s${number}` });
    let turn = 0;
    const seen = await walk(2, async () => {
      turn += 1;
      await scripts.create(ANN, { ...TEXT, id: `new-${turn}` });
      await scripts.save(ANN, 's1', TEXT);
      if (turn === 1) await scripts.remove(ANN, 's8');
      if (turn === 1) await scripts.save(ANN, 's8', TEXT);
    });
    expect(seen).toEqual(['s9', 's8', 's7', 's6', 's5', 's4', 's3', 's2', 's1']);
  });

  test('the cursor of one user tells nothing to another', async () => {
    for (const user of [ANN, BOB]) for (const id of ['x', 'y']) await scripts.create(user, { ...TEXT, id });
    const { nextCursor } = (await scripts.list(ANN, { limit: 1 })) as { nextCursor: string };
    await scripts.save(BOB, 'x', { ...TEXT, name: 'of Bob' });
    expect(await scripts.list(BOB, { cursor: nextCursor })).toMatchObject({ scripts: [{ name: 'of Bob' }] });
  });

  test.each([0, 1001, -1, 1.5, Number.NaN])('a limit of %s is refused', async (limit) => {
    expect(await scripts.list(ANN, { limit })).toEqual({
      kind: 'bad-page',
      reason: 'limit must be a whole number from 1 to 1000.',
    });
  });

  test.each(['', 'x', 'a-1', 'a'.repeat(100_000)])('a cursor that is not ours is refused', async (cursor) => {
    expect(await scripts.list(ANN, { cursor })).toMatchObject({ kind: 'bad-page' });
  });
});

test.each(['', 'ann', 'A'.repeat(32), 'a'.repeat(31), 'a'.repeat(33), `${ANN}\n`])(
  'a user id of %j opens no library',
  async (userId) => {
    const calls = [
      () => scripts.list(userId),
      () => scripts.read(userId, 'x'),
      () => scripts.create(userId, TEXT),
      () => scripts.save(userId, 'x', TEXT),
      () => scripts.remove(userId, 'x'),
      () => scripts.versions(userId, 'x'),
      () => scripts.version(userId, 'x', 1),
      () => scripts.readDraft(userId),
      () => scripts.saveDraft(userId, TEXT),
    ];
    for (const call of calls) await expect(call()).rejects.toThrow('a user id is the first 32 hex digits');
  },
);
