// Analysis keys in one JSON file: read whole at the start, replaced whole with every change, durable when a call resolves.
//
// Every counted call is written before its answer leaves. That stays cheap because a burst shares its writes, see
// change-queue.ts, and because a write only prints the lines that changed.

import { constants } from 'node:fs';
import { access, mkdir, realpath, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StorageError } from '../../../errors/storage-error.ts';
import {
  type AnalysisKey,
  type AnalysisKeyStore,
  type CountedCall,
  type CountResult,
  countCall,
} from '../../../keys/analysis-key-store.ts';
import { besideOf, type DiskSync } from '../durable-file.ts';
import { DamagedKeyRecord } from '../stored-key.ts';
import { createChangeQueue } from './change-queue.ts';
import { lockFile } from './file-lock.ts';
import { keyLine, printKeyFile, readKeyFile } from './key-layouts.ts';
import { openNotes } from './note-keeper.ts';
import { damaged, type FoundText, inWords, type OwnedFile, ownFile, readText } from './owned-file.ts';

/** More than 1 MB to print with every change, which holds everything else up for some 5 ms; more belongs into a database. */
const MAX_KEYS = 5000;
const MS_PER_S = 1000;

export interface AnalysisKeysOptions {
  readonly path: string;
  /** Of the instance that opens it, or for which a command does. */
  readonly dataDir?: string;
  readonly nowMs: () => number;
  readonly maxKeys?: number;
  readonly sync?: DiskSync;
}

interface Entry {
  readonly key: AnalysisKey;
  /** Kept, so that a write does not print every key anew. */
  readonly line: string;
}
type Entries = Map<string, Entry>;

export async function openAnalysisKeys(options: AnalysisKeysOptions): Promise<AnalysisKeyStore> {
  const { nowMs, maxKeys = MAX_KEYS } = options;
  const path = await inWords(options.path, async () => {
    await mkdir(dirname(options.path), { recursive: true });
    return realpath(options.path).catch(() => options.path);
  });
  const unlock = lockFile(path, options.dataDir);
  try {
    const file = await ownFile(path, options.sync);
    const found = await inWords(path, () => readText(path));
    const keys = found.text === undefined ? [] : understood(path, found.text, Math.floor(nowMs() / MS_PER_S));
    const entries: Entries = new Map(keys.map((key) => [key.keyHash, entryOf(key)]));
    await inWords(path, () => takeOver(path, file, found, textOf(entries)));
    return await storeOver({ path, entries, file, maxKeys, nowMs, unlock });
  } catch (error) {
    unlock();
    throw error;
  }
}

const entryOf = (key: AnalysisKey): Entry => ({ key, line: keyLine(key) });
const textOf = (entries: Entries): string => printKeyFile([...entries.values()].map(({ line }) => line));

/** What is on the disk, for whoever does not own the file; it is replaced whole, so it can be read at any moment. */
export async function readKeys({ path, nowMs }: AnalysisKeysOptions): Promise<readonly AnalysisKey[]> {
  const { text } = await inWords(path, () => readText(path));
  return text === undefined ? [] : understood(path, text, Math.floor(nowMs() / MS_PER_S));
}

function understood(path: string, text: string, nowS: number): readonly AnalysisKey[] {
  try {
    return readKeyFile(text, nowS);
  } catch (error) {
    if (error instanceof DamagedKeyRecord) throw damaged(path, error.message);
    throw error;
  }
}

/** Brings the file into today's layout, for its owner only; a folder that cannot be written shows itself here already. */
async function takeOver(path: string, file: OwnedFile, found: FoundText, wanted: string): Promise<void> {
  // Left behind by a crash in the middle of a write; the file itself is whole.
  await rm(besideOf(path), { force: true });
  if (found.text !== wanted || !found.ownerOnly) await file.replace(wanted);
  else await access(dirname(path), constants.W_OK);
}

interface OpenedFile {
  readonly path: string;
  readonly entries: Entries;
  readonly file: OwnedFile;
  readonly maxKeys: number;
  readonly nowMs: () => number;
  readonly unlock: () => void;
}

async function storeOver({ path, entries, file, maxKeys, nowMs, unlock }: OpenedFile): Promise<AnalysisKeyStore> {
  const { read, change, close } = createChangeQueue<Entries>({
    path,
    content: entries,
    copy: (content) => new Map(content),
    write: (content) => inWords(path, () => file.replace(textOf(content))),
  });
  const add = (key: AnalysisKey): Promise<void> =>
    change((draft) => {
      if (draft.has(key.keyHash) || withId(draft, key.keyId) !== undefined)
        throw new StorageError(`${path} holds a key with the id ${key.keyId} already; make another`);
      if (draft.size >= maxKeys)
        throw new StorageError(`${path} holds ${maxKeys} keys already; revoke some, or set STORE_BACKEND=sqlite`);
      draft.set(key.keyHash, entryOf(key));
      return { changed: true, result: undefined };
    });
  const revoke = (keyIds: readonly string[]): Promise<void> => change((draft) => without(draft, keyIds));
  const notes = await openNotes({ path, add, revoke, nowMs });
  return {
    find: (keyHash) => notes.before(() => read().get(keyHash)?.key),
    add,
    count: (keyHash, call) => notes.before(() => change((draft) => counted(draft, keyHash, call))),
    revoke: (keyId) =>
      change((draft) => {
        const result = withId(draft, keyId);
        return { changed: result !== undefined && draft.delete(result.keyHash), result };
      }),
    list: (limit) =>
      notes.before(() =>
        oldestFirst(
          Array.from(read().values(), ({ key }) => key),
          limit,
        ),
      ),
    probe: () => change(() => ({ changed: true, result: undefined })),
    async close() {
      await notes.close();
      await close();
      unlock();
    },
  };
}

function counted(draft: Entries, keyHash: string, call: CountedCall): { changed: boolean; result: CountResult } {
  const before = draft.get(keyHash);
  if (before === undefined) return { changed: false, result: { counted: false, reason: 'missing' } };
  const key = countCall(before.key, call);
  if (key === undefined) return { changed: false, result: { counted: false, reason: 'at-limit' } };
  draft.set(keyHash, entryOf(key));
  return { changed: true, result: { counted: true, key } };
}

export const oldestFirst = (keys: readonly AnalysisKey[], limit: number): readonly AnalysisKey[] =>
  keys.toSorted((a, b) => a.createdAtS - b.createdAtS || (a.keyId < b.keyId ? -1 : 1)).slice(0, limit);

function without(draft: Entries, keyIds: readonly string[]): { changed: boolean; result: undefined } {
  let changed = false;
  for (const keyId of keyIds) {
    const key = withId(draft, keyId);
    if (key !== undefined) changed = draft.delete(key.keyHash);
  }
  return { changed, result: undefined };
}

function withId(entries: Entries, keyId: string): AnalysisKey | undefined {
  for (const { key } of entries.values()) if (key.keyId === keyId) return key;
  return undefined;
}
