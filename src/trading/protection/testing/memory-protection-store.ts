// Protections in memory: what was not written durably can be lost, as by a power cut, and every write can be made to fail.

import { type Protection, protectionKey } from '../protection.ts';
import type { ProtectionStore, Wish } from '../protection-store.ts';

export interface MemoryProtectionStore extends ProtectionStore {
  /** While set, every write throws. */
  failing: boolean;
  /** How often it was written, durably and relaxed. */
  readonly writes: { durable: number; relaxed: number };
  /** Takes back every relaxed write since the last durable one. */
  losePower(): void;
}

interface Kept {
  readonly protections: Map<string, Protection>;
  readonly wishes: Map<string, Wish>;
}

const copyOf = ({ protections, wishes }: Kept): Kept => ({
  protections: new Map(protections),
  wishes: new Map(wishes),
});

export function memoryProtectionStore(): MemoryProtectionStore {
  let now: Kept = { protections: new Map(), wishes: new Map() };
  let onDisk = copyOf(now);
  const write = (how: 'durable' | 'relaxed', change: () => void): void => {
    if (store.failing) throw new Error('disk full');
    change();
    store.writes[how]++;
    if (how === 'durable') onDisk = copyOf(now);
  };
  const store: MemoryProtectionStore = {
    failing: false,
    writes: { durable: 0, relaxed: 0 },
    losePower() {
      now = copyOf(onDisk);
    },
    load: () => ({ protections: [...now.protections.values()], wishes: [...now.wishes.values()] }),
    write: ({ save = [], remove = [], wishesOver = [] }, how) =>
      write(how, () => {
        for (const name of remove) now.protections.delete(protectionKey(name));
        for (const protection of save) now.protections.set(protectionKey(protection), protection);
        for (const requestId of wishesOver) now.wishes.delete(requestId);
      }),
    addWish: (wish) => write('durable', () => void now.wishes.set(wish.requestId, wish)),
  };
  return store;
}
