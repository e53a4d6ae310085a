// The protections in memory, and how they reach the store: what is decided at the end of the turn, peaks once a second.
//
// What is decided in one turn of the event loop is one write: on the day on which a hundred stops are reached at once,
// signals must still be answered. Nobody waits for the write of a peak, because it is stored together with the moment up
// to which the market was seen. An older pair is still a true pair: whoever starts from it sees the same prices again and
// comes to the same peak, or to the same shot.

import { type PositionName, type Protection, protectionKey } from './protection.ts';
import type { ProtectionStore } from './protection-store.ts';

/** With an unmoved peak only the moment changes; a minute of prices is quickly seen again. */
const SAVE_MOMENT_EVERY_MS = 60_000;

type Where = Omit<PositionName, 'account'>;

export interface Shelf {
  get(name: Where): Protection | undefined;
  all(): readonly Protection[];
  /** In force at once, on disk with the end of the turn; the wish it grants goes with the same step. */
  put(protection: Protection, grantedWish?: string): void;
  remove(protection: Protection): void;
  /** The market was seen; nothing is written yet. False when the protection was changed or removed in the meantime. */
  move(before: Protection, after: Protection): boolean;
  /** Takes over what the store already has. */
  restore(protection: Protection): void;
  /** Lets go of what the store no longer has. */
  forget(protection: Protection): void;
  /** Resolves when what was decided in this turn is on disk, or could not be written. */
  written(): Promise<void>;
  /** Writes what has moved enough, and what could not be written before; or everything. Resolves also when it fails. */
  flush(how: 'due' | 'all'): Promise<void>;
}

export function createShelf(
  store: Pick<ProtectionStore, 'write'>,
  onTrouble: (what: string, error: unknown) => void,
): Shelf {
  const current = new Map<string, Protection>();
  /** As the store has them. */
  const saved = new Map<string, Protection>();
  /** Decided and not on disk: it works from memory, and is written as soon as it can be. */
  const decided = new Set<string>();
  const removed = new Map<string, Protection>();
  const granted = new Set<string>();
  let writing: Promise<void> | undefined;

  /** Takes what is decided out of the lists; what cannot be written goes back, unless something later was decided. */
  const write = async (keys: readonly string[]): Promise<void> => {
    const save = keys.flatMap((key) => current.get(key) ?? []);
    const [remove, wishesOver, tried] = [[...removed.values()], [...granted], [...decided]];
    if (save.length + remove.length + wishesOver.length === 0) return;
    for (const list of [decided, removed, granted]) list.clear();
    try {
      await store.write({ save, remove, wishesOver });
    } catch (error) {
      onTrouble('the stops are not on disk yet', error);
      for (const key of tried) if (current.has(key)) decided.add(key);
      for (const gone of remove) if (!current.has(protectionKey(gone))) removed.set(protectionKey(gone), gone);
      for (const requestId of wishesOver) granted.add(requestId);
      return;
    }
    for (const protection of save)
      if (current.has(protectionKey(protection))) saved.set(protectionKey(protection), protection);
  };
  const written = (): Promise<void> => {
    writing ??= new Promise((resolve) => {
      setImmediate(() => {
        writing = undefined;
        resolve(write([...decided]));
      });
    });
    return writing;
  };

  const isDue = (key: string, now: Protection): boolean => {
    const before = saved.get(key);
    if (before === undefined || before.peak !== now.peak) return true;
    return Math.abs(now.seenUntilMs - before.seenUntilMs) >= SAVE_MOMENT_EVERY_MS;
  };

  return {
    get: (name) => current.get(protectionKey(name)),
    all: () => [...current.values()],
    put(protection, grantedWish) {
      const key = protectionKey(protection);
      current.set(key, protection);
      decided.add(key);
      removed.delete(key);
      if (grantedWish !== undefined) granted.add(grantedWish);
      void written();
    },
    remove(protection) {
      const key = protectionKey(protection);
      current.delete(key);
      saved.delete(key);
      decided.delete(key);
      removed.set(key, protection);
      void written();
    },
    move(before, after) {
      const key = protectionKey(before);
      if (current.get(key) !== before) return false;
      current.set(key, after);
      return true;
    },
    restore(protection) {
      const key = protectionKey(protection);
      current.set(key, protection);
      saved.set(key, protection);
      decided.delete(key);
      removed.delete(key);
    },
    forget(protection) {
      const key = protectionKey(protection);
      current.delete(key);
      saved.delete(key);
      decided.delete(key);
    },
    written,
    flush(how) {
      if (how === 'all') return write([...current.keys()]);
      const moved = [...current].filter(([key, now]) => saved.get(key) !== now && isDue(key, now));
      return write([...new Set([...moved.map(([key]) => key), ...decided])]);
    },
  };
}
