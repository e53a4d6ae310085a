// The model of a disk takes from a sync what it covers and nothing that came after: tried with records written by hand, because no real
// program can be made to write while a sync of another thread is under way.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { closeAtEnd } from './close-at-end.ts';
import { DiskFile } from './power-cuts/disk-file.ts';
import { DiskModel } from './power-cuts/disk-model.ts';
import type { DiskRecord, FileChange } from './power-cuts/records.ts';
import { Random } from './random.ts';

const random = new Random(1);
const written = (number: number, at: number, text: string, file = 1): FileChange => ({
  ...{ number, kind: 'write', file, at },
  bytes: Buffer.from(text),
});

test('a file keeps what was written before its sync began, and what was written during it stays at risk', () => {
  const file = new DiskFile();
  file.change(written(1, 0, 'kept'));
  file.change(written(2, 4, ' at risk'));
  file.sync(1);
  expect([file.after('none', random).toString(), file.after('all', random).toString()]).toEqual([
    'kept',
    'kept at risk',
  ]);
  file.sync(2);
  expect(file.after('none', random).toString()).toBe('kept at risk');
});

test('what a sync has kept is not made a second time by the next cut', () => {
  const file = new DiskFile();
  file.change(written(1, 0, 'older'));
  file.sync(1);
  file.change(written(2, 0, 'newer'));
  file.sync(2);
  file.sync(1);
  expect(file.after('all', random).toString()).toBe('newer');
});

/** A folder with nothing in it, and the model of what the disk has of it. */
function emptyFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
  closeAtEnd(async () => rmSync(folder, { recursive: true }));
  return { folder, model: new DiskModel(folder) };
}

/** The names and texts of the files that a cut leaves for sure. */
const keptBy = (model: DiskModel): Record<string, string> =>
  Object.fromEntries([...model.after('none', random)].map(([path, bytes]) => [path, bytes.toString()]));

test('a folder keeps the names that were there before its sync began, and those that came during it stay at risk', () => {
  const { folder, model } = emptyFolder();
  const [one, two] = [join(folder, 'one'), join(folder, 'two')];
  const records: DiskRecord[] = [
    { number: 1, kind: 'create', file: 1, path: one },
    { number: 2, kind: 'create', file: 2, path: two },
    { number: 3, kind: 'sync-folder', path: folder, covered: 1 },
  ];
  model.add(records);
  expect(keptBy(model)).toEqual({ [one]: '' });
  model.add([{ number: 4, kind: 'sync-folder', path: folder, covered: 2 }]);
  expect(keptBy(model)).toEqual({ [one]: '', [two]: '' });
});

test('a folder keeps nothing by the sync of another folder', () => {
  const { folder, model } = emptyFolder();
  const path = join(folder, 'one');
  model.add([
    { number: 1, kind: 'create', file: 1, path },
    { number: 2, kind: 'sync-folder', path: join(folder, 'other'), covered: 1 },
  ]);
  expect(keptBy(model)).toEqual({});
});

test('a sync that is recorded reaches its file with the number that it covers', () => {
  const { folder, model } = emptyFolder();
  const path = join(folder, 'one');
  model.add([
    { number: 1, kind: 'create', file: 1, path },
    { number: 2, kind: 'sync-folder', path: folder, covered: 1 },
    written(3, 0, 'kept'),
    written(4, 4, ' at risk'),
    { number: 5, kind: 'sync', file: 1, covered: 3 },
  ]);
  expect(keptBy(model)).toEqual({ [path]: 'kept' });
});

test('files that were written, changed or removed past the record are told by their names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
  closeAtEnd(async () => rmSync(folder, { recursive: true }));
  const [same, changed, removed, added] = ['same', 'changed', 'removed', 'added'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const path of [same, changed, removed]) writeFileSync(path, 'before');
  const model = new DiskModel(folder);
  expect(model.unrecorded(random)).toEqual([]);
  for (const path of [changed, added]) writeFileSync(path, 'past the record');
  rmSync(removed);
  expect(model.unrecorded(random).toSorted()).toEqual([added, changed, removed].toSorted());
});
