// Protections in memory: a write is there a turn of the event loop later, as one that waits for a disk, and can be made to fail.

import { shareInWords } from '../../books/strategy-book.ts';
import type { Protection } from '../protection.ts';
import type { PendingStop, ProtectionStore } from '../protection-store.ts';

export interface MemoryProtectionStore extends ProtectionStore {
  /** While set, every write fails. */
  failing: boolean;
  /** How often it was written. */
  writes: number;
  /** As the journal does when it accepts an entry. */
  addPending(stop: PendingStop): void;
}

export function memoryProtectionStore(): MemoryProtectionStore {
  const protections = new Map<string, Protection>();
  const pending = new Map<string, PendingStop>();
  const store: MemoryProtectionStore = {
    failing: false,
    writes: 0,
    load: async () => ({ protections: [...protections.values()], pending: [...pending.values()] }),
    async write({ save = [], remove = [], pending: changed = [], settled = [] }) {
      await new Promise((resolve) => setImmediate(resolve));
      if (store.failing) throw new Error('disk full');
      for (const name of remove) protections.delete(shareInWords(name));
      for (const protection of save) protections.set(shareInWords(protection), protection);
      for (const stop of changed) pending.set(stop.requestId, stop);
      for (const requestId of settled) pending.delete(requestId);
      store.writes++;
    },
    addPending: (stop) => void pending.set(stop.requestId, stop),
  };
  return store;
}
