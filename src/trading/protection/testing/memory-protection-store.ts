// Protections in memory: a write is there a turn of the event loop later, as one that waits for a disk, and can be made to fail.

import { type Protection, protectionKey } from '../protection.ts';
import type { ProtectionStore, Wish } from '../protection-store.ts';

export interface MemoryProtectionStore extends ProtectionStore {
  /** While set, every write fails. */
  failing: boolean;
  /** How often it was written. */
  writes: number;
  /** As the journal does when it accepts an entry. */
  addWish(wish: Wish): void;
}

export function memoryProtectionStore(): MemoryProtectionStore {
  const protections = new Map<string, Protection>();
  const wishes = new Map<string, Wish>();
  const store: MemoryProtectionStore = {
    failing: false,
    writes: 0,
    load: () => ({ protections: [...protections.values()], wishes: [...wishes.values()] }),
    async write({ save = [], remove = [], wishesOver = [] }) {
      await new Promise((resolve) => setImmediate(resolve));
      if (store.failing) throw new Error('disk full');
      for (const name of remove) protections.delete(protectionKey(name));
      for (const protection of save) protections.set(protectionKey(protection), protection);
      for (const requestId of wishesOver) wishes.delete(requestId);
      store.writes++;
    },
    addWish: (wish) => void wishes.set(wish.requestId, wish),
  };
  return store;
}
