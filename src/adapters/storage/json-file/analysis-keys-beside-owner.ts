// The analysis keys of a JSON file for a command beside the server: the file itself where nobody owns it, else what can be
// done without owning it, which is reading, and making and ending keys by a note to the owner.

import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { StorageError } from '../../../errors/storage-error.ts';
import { type AnalysisKey, type AnalysisKeyStore, KeysUnavailable } from '../../../keys/analysis-key-store.ts';
import { FileIsOwned } from '../file-is-owned.ts';
import { type AnalysisKeysOptions, oldestFirst, openAnalysisKeys, readKeys } from './analysis-keys.ts';
import { otherHolder } from './file-lock.ts';
import { addByNote } from './new-key-notes.ts';
import { inWords } from './owned-file.ts';
import { revokeByNote } from './revocation-notes.ts';

export async function openAnalysisKeysBeside(options: AnalysisKeysOptions): Promise<AnalysisKeyStore> {
  try {
    return await openAnalysisKeys(options);
  } catch (error) {
    if (!(error instanceof FileIsOwned)) throw error;
    return besideOwner(options);
  }
}

async function besideOwner({ path: given, nowMs, dataDir }: AnalysisKeysOptions): Promise<AnalysisKeyStore> {
  const path = await inWords(given, () => realpath(given));
  const keys = (): Promise<readonly AnalysisKey[]> => readKeys({ path, nowMs });
  return {
    find: async (keyHash) => (await keys()).find((key) => key.keyHash === keyHash),
    async add(key) {
      assertOurs(path, dataDir);
      await addByNote(path, key);
      if ((await keys()).some(({ keyHash }) => keyHash === key.keyHash)) return;
      throw new StorageError(
        `the Signalbox that owns ${path} could not add the key: the file may hold as many as it can, or the disk is full; ` +
          'revoke keys, free some space, or set STORE_BACKEND=sqlite',
      );
    },
    async count() {
      throw new StorageError(`the running Signalbox owns ${path} and counts the calls in it`);
    },
    async revoke(keyId) {
      const key = (await keys()).find((each) => each.keyId === keyId);
      if (key !== undefined) await revokeByNote(path, keyId);
      return key;
    },
    list: async (limit) => oldestFirst(await keys(), limit),
    probe: async () => void (await keys()),
    close: async () => undefined,
  };
}

/** A key in the file of another instance would work there, and never in the one it was meant for. */
function assertOurs(path: string, dataDir: string | undefined): void {
  const holder = otherHolder(path, dataDir);
  if (holder === undefined) return;
  throw new KeysUnavailable(
    `another Signalbox, which runs on ${holder}, holds ${path}, so no key was made; for a key of that one add ` +
      `--data-dir ${holder}, for one of this one set API_KEY_STORE=${join(dataDir ?? '', 'api_keys.json')} and start it again`,
  );
}
