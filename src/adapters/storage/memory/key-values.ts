// Key values in memory: for demos and tests, gone with the process.

import { StorageError } from '../../../errors/storage-error.ts';
import { type KeyValueStore, MAX_KEY_VALUES } from '../../../keys/key-value-store.ts';

interface Entry {
  readonly value: string;
  readonly expiresAtMs: number;
}

export interface MemoryKeyValuesOptions {
  readonly nowMs: () => number;
  readonly maxEntries?: number;
}

export function openMemoryKeyValues({ nowMs, maxEntries = MAX_KEY_VALUES }: MemoryKeyValuesOptions): KeyValueStore {
  const entries = new Map<string, Entry>();
  let closed = false;
  const assertOpen = (): void => {
    if (closed) throw new StorageError('the key store in memory is closed; start Signalbox again');
  };
  const makeRoom = (): void => {
    const now = nowMs();
    for (const [name, { expiresAtMs }] of entries) if (expiresAtMs <= now) entries.delete(name);
    if (entries.size >= maxEntries)
      throw new StorageError(`the key store holds ${maxEntries} keys already; delete some, or set API_KEYS=redis`);
  };

  return {
    async get(name) {
      assertOpen();
      const entry = entries.get(name);
      return entry !== undefined && nowMs() < entry.expiresAtMs ? entry.value : undefined;
    },
    async put(name, value, ttlMs) {
      assertOpen();
      if (!entries.has(name) && entries.size >= maxEntries) makeRoom();
      entries.set(name, { value, expiresAtMs: nowMs() + ttlMs });
    },
    async delete(name) {
      assertOpen();
      entries.delete(name);
    },
    async names() {
      assertOpen();
      return [...entries].filter(([, { expiresAtMs }]) => nowMs() < expiresAtMs).map(([name]) => name);
    },
    async probe() {
      assertOpen();
    },
    async close() {
      closed = true;
    },
  };
}
