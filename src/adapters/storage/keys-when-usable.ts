// Analysis keys whose store cannot be opened yet, because another process holds the file or it is damaged: every call is
// refused with the remedy until it can, and then the store is taken up. Whatever needs no such key works meanwhile.

import { StorageError } from '../../errors/storage-error.ts';
import { type AnalysisKeyStore, KeysUnavailable } from '../../keys/analysis-key-store.ts';
import { FileIsOwned } from './file-is-owned.ts';

/** To look whether the file is free costs a lock on the disk, which a flood of calls must not pay for each of them. */
const LOOK_EVERY_MS = 1000;

export interface WhenUsableOptions {
  readonly path: string;
  readonly open: () => Promise<AnalysisKeyStore>;
  readonly monotonicMs: () => number;
  /** Told at each attempt that fails why it did; without a reason, at each probe of a store that was taken up later. */
  readonly onState: (reason: StorageError | undefined) => void;
}

/** What is shown to callers, who may be strangers: no path, and what the operator has to do. */
const HELD =
  'analysis keys are off here, because another Signalbox holds their file; the operator sets API_KEY_STORE=<a file of its own> and starts again, or stops the other one';
const UNUSABLE =
  'analysis keys are off here, because the file they are kept in cannot be used; /ready tells the operator what to do';

/** The store itself where it can be opened, which is nearly always. */
export async function openKeysWhenUsable(options: WhenUsableOptions): Promise<AnalysisKeyStore> {
  try {
    return await options.open();
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    options.onState(error);
    return unopened(options, error);
  }
}

function unopened({ path, open, monotonicMs, onState }: WhenUsableOptions, found: StorageError): AnalysisKeyStore {
  let reason = found;
  let store: AnalysisKeyStore | undefined;
  let looking: Promise<void> | undefined;
  let lookedMs = monotonicMs();
  let isClosed = false;

  async function look(): Promise<void> {
    try {
      store = await open();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      reason = error;
      onState(reason);
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
    if (store === undefined) throw new KeysUnavailable(reason instanceof FileIsOwned ? HELD : UNUSABLE);
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
        const usable = await opened();
        onState(undefined);
        return await usable.probe();
      } catch (error) {
        // Everything else is ready, and an alarm tells of this.
        if (error instanceof KeysUnavailable) return 'off';
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
