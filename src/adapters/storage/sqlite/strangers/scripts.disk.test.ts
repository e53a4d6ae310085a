// The script library against a real disk and real processes: killed, raced, locked, and filled to its real limits.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KEPT_VERSIONS, MAX_CONTENT_BYTES, MAX_SCRIPTS_PER_USER } from '../../../../library/script.ts';
import type { ScriptWrite } from '../../../../library/script-store.ts';
import { openTestScripts, type TestScripts } from './testing/open-test-scripts.ts';
import { contentOf, ID, USER } from './testing/save-in-a-loop.ts';

const WRITE: ScriptWrite = { id: ID, text: { name: 'x', content: '1' }, atMs: 1, precondition: 'none' };
let opened: TestScripts;
let children: ChildProcessWithoutNullStreams[];
beforeEach(() => {
  opened = openTestScripts();
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await opened.close();
});

interface Saver {
  /** The revisions it was told are stored. */
  revisions(): number[];
  go(): void;
  killAfter(saves: number): Promise<void>;
  readonly ended: Promise<unknown>;
}

async function startSaver(wins: number): Promise<Saver> {
  const file = fileURLToPath(new URL('./testing/save-in-a-loop.ts', import.meta.url));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file, opened.dataDir, `${wins}`]);
  children.push(child);
  child.stderr.pipe(process.stderr);
  const ended = once(child, 'close');
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await once(child.stdout, 'data');
  // A line that the kill cut short was not heard by anybody.
  const revisions = (): number[] => output.split('\n').slice(1, -1).map(Number);
  return {
    revisions,
    ended,
    go: () => void child.stdin.write('go\n'),
    async killAfter(saves) {
      while (revisions().length < saves) {
        if (child.exitCode !== null) throw new Error(`it ended by itself, with code ${child.exitCode}`);
        await Promise.race([once(child.stdout, 'data'), ended]);
      }
      child.kill('SIGKILL');
      await ended;
    },
  };
}

test('after kill -9 in the middle of saving, every save that was answered is there, whole, with its versions', async () => {
  let before = 0;
  for (const saves of [1, 7, 60]) {
    const saver = await startSaver(Number.POSITIVE_INFINITY);
    saver.go();
    await saver.killAfter(saves);
    const { scripts, path } = await opened.reopen();
    const answered = saver.revisions().at(-1)!;
    const current = await scripts.read(USER, ID);
    expect(saver.revisions()[0]).toBe(before + 1);
    // The one that was under way may be there too, but no other.
    expect([answered, answered + 1]).toContain(current?.revision);
    before = current!.revision;
    const versions = await scripts.versions(USER, ID);
    const kept = Math.min(before, KEPT_VERSIONS);
    expect(versions.map(({ revision }) => revision)).toEqual(Array.from({ length: kept }, (_, age) => before - age));
    for (const { revision } of versions)
      expect((await scripts.version(USER, ID, revision))?.content).toBe(contentOf(revision));
    const db = new DatabaseSync(path);
    expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    expect(db.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
    db.close();
  }
});

test('of two processes that race for each revision exactly one wins it', async () => {
  const savers = await Promise.all([startSaver(150), startSaver(150)]);
  for (const saver of savers) saver.go();
  await Promise.all(savers.map(({ ended }) => ended));
  const won = savers.flatMap((saver) => saver.revisions());
  expect(won.sort((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
  expect((await opened.storage.scripts.read(USER, ID))?.revision).toBe(300);
});

test('while another program holds the file, a write is refused with the remedy and leaves nothing', async () => {
  const other = new DatabaseSync(opened.storage.path);
  other.exec('BEGIN IMMEDIATE');
  await expect(opened.storage.scripts.write(USER, WRITE)).rejects.toThrow(/locked by another program; close it/);
  expect(await opened.storage.scripts.read(USER, ID)).toBeUndefined();
  other.exec('ROLLBACK');
  other.close();
  expect(await opened.storage.scripts.write(USER, WRITE)).toMatchObject({ record: { revision: 1 } });
});

test('holds 1000 scripts and 50 versions of the largest size, and not one more', async () => {
  const { scripts } = opened.storage;
  for (let number = 1; number <= MAX_SCRIPTS_PER_USER; number++)
    expect(await scripts.write(USER, { ...WRITE, id: `s${number}` })).toMatchObject({ kind: 'written' });
  expect(await scripts.write(USER, WRITE)).toEqual({ kind: 'too-many' });
  const content = 'x'.repeat(MAX_CONTENT_BYTES);
  for (let save = 2; save <= 60; save++)
    await scripts.write(USER, { ...WRITE, id: 's1', text: { name: 'x', content } });
  expect(await scripts.versions(USER, 's1')).toHaveLength(KEPT_VERSIONS);
  expect(await scripts.version(USER, 's1', 11)).toMatchObject({ content });
  expect(await scripts.version(USER, 's1', 10)).toBeUndefined();
});
