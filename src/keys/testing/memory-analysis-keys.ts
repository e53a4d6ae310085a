// An analysis key store in memory for tests of the rules: every step may take its time, before and after it happens.

import { type AnalysisKey, type AnalysisKeyStore, countCall } from '../analysis-key-store.ts';

export interface MemoryAnalysisKeys extends AnalysisKeyStore {
  readonly keys: Map<string, AnalysisKey>;
}

/** `pause` is awaited on both sides of each step, so that answers may arrive late and out of order. */
export function openMemoryAnalysisKeys(pause: () => Promise<void> = async () => undefined): MemoryAnalysisKeys {
  const keys = new Map<string, AnalysisKey>();
  const step = async <T>(work: () => T): Promise<T> => {
    await pause();
    const result = work();
    await pause();
    return result;
  };
  return {
    keys,
    find: (keyHash) => step(() => keys.get(keyHash)),
    add: (key) => step(() => void keys.set(key.keyHash, key)),
    count: (keyHash, call) =>
      step(() => {
        const before = keys.get(keyHash);
        if (before === undefined) return { counted: false, reason: 'missing' };
        const key = countCall(before, call);
        if (key === undefined) return { counted: false, reason: 'at-limit' };
        keys.set(keyHash, key);
        return { counted: true, key };
      }),
    revoke: (keyId) =>
      step(() => {
        const key = [...keys.values()].find((each) => each.keyId === keyId);
        if (key !== undefined) keys.delete(key.keyHash);
        return key;
      }),
    list: (limit) => step(() => [...keys.values()].slice(0, limit)),
    probe: () => step(() => undefined),
    close: async () => undefined,
  };
}
