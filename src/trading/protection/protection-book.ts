// The protections in memory, and how they reach the store: decisions with the end of the turn, peaks once a second.
//
// Everything that is decided in one turn of the event loop shares one write, because a hundred stops may be reached in
// the same second, and signals must still be answered then. Nobody waits for the write of a peak: it is stored together
// with the moment up to which the market was seen, so a process that starts from an older pair reads the same prices
// again and comes to the same peak, or finds the same level reached.

import { type ShortShareName, shareInWords } from '../books/strategy-book.ts';
import type { Protection } from './protection.ts';
import type { ProtectionStore } from './protection-store.ts';

/** While the peak stays where it is only the moment changes, and a minute of prices is quickly read again. */
const SAVE_MOMENT_EVERY_MS = 60_000;

export class ProtectionBook {
  readonly #store: Pick<ProtectionStore, 'write'>;
  readonly #onTrouble: (what: string, error: unknown) => void;
  readonly #current = new Map<string, Protection>();
  /** As the store has them. */
  readonly #saved = new Map<string, Protection>();
  /** Keys of what is decided and not on disk: it is in force from memory, and is written as soon as it can be. */
  readonly #decided = new Set<string>();
  readonly #removed = new Map<string, Protection>();
  /** Request ids of pending stops that have become protections. */
  readonly #settled = new Set<string>();
  #writing: Promise<void> | undefined;

  constructor(store: Pick<ProtectionStore, 'write'>, onTrouble: (what: string, error: unknown) => void) {
    this.#store = store;
    this.#onTrouble = onTrouble;
  }

  get(name: ShortShareName): Protection | undefined {
    return this.#current.get(shareInWords(name));
  }

  all(): readonly Protection[] {
    return [...this.#current.values()];
  }

  /** In force at once, on disk with the end of the turn. The pending stop that it was made of goes in the same write. */
  put(protection: Protection, settledRequestId?: string): void {
    const key = shareInWords(protection);
    this.#current.set(key, protection);
    this.#decided.add(key);
    this.#removed.delete(key);
    if (settledRequestId !== undefined) this.#settled.add(settledRequestId);
    void this.written();
  }

  remove(protection: Protection): void {
    const key = shareInWords(protection);
    this.forget(protection);
    this.#removed.set(key, protection);
    void this.written();
  }

  /** The market was seen; nothing is written yet. False when the protection was changed or removed in the meantime. */
  move(before: Protection, after: Protection): boolean {
    const key = shareInWords(before);
    if (this.#current.get(key) !== before) return false;
    this.#current.set(key, after);
    return true;
  }

  /** Takes over what the store already has. */
  restore(protection: Protection): void {
    const key = shareInWords(protection);
    this.#current.set(key, protection);
    this.#saved.set(key, protection);
    this.#decided.delete(key);
    this.#removed.delete(key);
  }

  /** Lets go of what the store no longer has. */
  forget(protection: Protection): void {
    const key = shareInWords(protection);
    this.#current.delete(key);
    this.#saved.delete(key);
    this.#decided.delete(key);
  }

  /** Resolves when what was decided in this turn is on disk, or could not be written. */
  written(): Promise<void> {
    this.#writing ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#writing = undefined;
        resolve(this.#write([...this.#decided]));
      });
    });
    return this.#writing;
  }

  /** Writes what has moved enough, and what could not be written before; or everything. Resolves also when it fails. */
  flush(how: 'due' | 'all'): Promise<void> {
    if (how === 'all') return this.#write([...this.#current.keys()]);
    const moved = [...this.#current].filter(([key, now]) => this.#saved.get(key) !== now && this.#isDue(key, now));
    return this.#write([...new Set([...moved.map(([key]) => key), ...this.#decided])]);
  }

  #isDue(key: string, now: Protection): boolean {
    const before = this.#saved.get(key);
    if (before === undefined || before.peak !== now.peak) return true;
    return Math.abs(now.seenUntilMs - before.seenUntilMs) >= SAVE_MOMENT_EVERY_MS;
  }

  /** Takes what is decided out of the lists; what cannot be written goes back, unless something later was decided. */
  async #write(keys: readonly string[]): Promise<void> {
    const save = keys.flatMap((key) => this.#current.get(key) ?? []);
    const [remove, settled, tried] = [[...this.#removed.values()], [...this.#settled], [...this.#decided]];
    if (save.length + remove.length + settled.length === 0) return;
    for (const list of [this.#decided, this.#removed, this.#settled]) list.clear();
    try {
      await this.#store.write({ save, remove, settled });
    } catch (error) {
      this.#onTrouble('the stops are not on disk yet', error);
      for (const key of tried) if (this.#current.has(key)) this.#decided.add(key);
      for (const gone of remove) {
        const key = shareInWords(gone);
        if (!this.#current.has(key)) this.#removed.set(key, gone);
      }
      for (const requestId of settled) this.#settled.add(requestId);
      return;
    }
    for (const protection of save) {
      const key = shareInWords(protection);
      if (this.#current.has(key)) this.#saved.set(key, protection);
    }
  }
}
