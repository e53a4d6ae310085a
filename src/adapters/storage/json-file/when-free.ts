// The analysis keys of a file that another process may own: refused with the remedy until it is free, and then taken over.

import { StorageError } from '../../../errors/storage-error.ts';
import { type AnalysisKeyStore, KeysHeldElsewhere } from '../../../keys/analysis-key-store.ts';
import { type AnalysisKeysOptions, openAnalysisKeys } from './analysis-keys.ts';
import { FileIsOwned } from './file-lock.ts';

/** To look whether the file is free costs a lock on the disk, which a flood of calls must not pay for each of them. */
const LOOK_EVERY_MS = 1000;

export interface WhenFreeOptions extends AnalysisKeysOptions {
  readonly monotonicMs: () => number;
  /** Told at each look whether another process holds the file. */
  readonly onHeld: (isHeld: boolean) => void;
}

/** What is shown to callers, who may be strangers: no path, and what the operator has to do. */
const HELD =
  'analysis keys are off here, because another Signalbox holds their file; the operator sets API_KEY_STORE=<a file of its own> and starts again, or stops the other one';

/** The store itself where the file is free, which is nearly always. */
export async function openAnalysisKeysWhenFree(options: WhenFreeOptions): Promise<AnalysisKeyStore> {
  try {
    return await openAnalysisKeys(options);
  } catch (error) {
    if (!(error instanceof FileIsOwned)) throw error;
    options.onHeld(true);
    return heldFile(options);
  }
}

function heldFile(options: WhenFreeOptions): AnalysisKeyStore {
  const { path, monotonicMs, onHeld } = options;
  let store: AnalysisKeyStore | undefined;
  let looking: Promise<void> | undefined;
  let lookedMs = monotonicMs();
  let isClosed = false;

  async function look(): Promise<void> {
    try {
      store = await openAnalysisKeys(options);
      onHeld(false);
    } catch (error) {
      if (!(error instanceof FileIsOwned)) throw error;
      onHeld(true);
    }
  }

  async function opened(): Promise<AnalysisKeyStore> {
    if (isClosed) throw new StorageError(`${path} is closed; start Signalbox again`);
    if (store === undefined && looking === undefined && monotonicMs() - lookedMs >= LOOK_EVERY_MS) {
      lookedMs = monotonicMs();
      looking = look().finally(() => {
        looking = undefined;
      });
    }
    await looking;
    if (store === undefined) throw new KeysHeldElsewhere(HELD);
    return store;
  }

  return {
    find: async (keyHash) => (await opened()).find(keyHash),
    add: async (key) => (await opened()).add(key),
    count: async (keyHash, call) => (await opened()).count(keyHash, call),
    revoke: async (keyId) => (await opened()).revoke(keyId),
    list: async (limit) => (await opened()).list(limit),
    async probe() {
      try {
        return await (await opened()).probe();
      } catch (error) {
        // Everything else is ready, and an alarm tells of this.
        if (error instanceof KeysHeldElsewhere) return 'off';
        throw error;
      }
    },
    async close() {
      isClosed = true;
      await looking?.catch(() => undefined);
      await store?.close();
    },
  };
}
