// Tells whoever keeps something open for a session, such as a WebSocket, that the session has ended.
//
// A session ends by a change in this process, by a command beside it, or by time. The store is the only truth of it, so it is
// looked at after every change here and once a second: one question for all sessions, and none while nobody waits.

import { every } from '../timing/every.ts';
import type { Timers } from '../timing/timers.ts';
import type { AccessStore } from './access-store.ts';
import { endOf } from './session.ts';

/** `unknown`: the store cannot be read, so nobody can say that it still lives. */
export type SessionEnd = 'ended' | 'unknown';

export interface SessionWatchParts {
  readonly store: AccessStore;
  readonly nowMs: () => number;
  readonly timers: Timers;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** How long a command beside this process, or the end of its time, goes unseen. */
const LOOK_EVERY_MS = 1000;

interface Watcher {
  readonly sessionId: string;
  readonly onEnd: (end: SessionEnd) => void;
}

export class SessionWatch {
  readonly #parts: SessionWatchParts;
  readonly #watchers = new Set<Watcher>();
  #stopLooking: (() => void) | undefined;

  constructor(parts: SessionWatchParts) {
    this.#parts = parts;
  }

  /** The same store, whose changes are looked at here as soon as they are stored. */
  get store(): AccessStore {
    const { store } = this.#parts;
    return {
      ...store,
      change: async (work) => {
        const done = await store.change(work);
        await this.#look();
        return done;
      },
    };
  }

  /** Calls back once; soon for a session that has ended already. Returns how to stop. */
  watch(sessionId: string, onEnd: Watcher['onEnd']): () => void {
    const watcher = { sessionId, onEnd };
    this.#watchers.add(watcher);
    this.#stopLooking ??= every(LOOK_EVERY_MS, () => void this.#look(), this.#parts.timers);
    void this.#look();
    return () => this.#forget(watcher);
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    // Who comes while the store is read may have a session that the answer does not know yet.
    const watchers = [...this.#watchers];
    if (watchers.length === 0) return;
    const living = await this.#livingIds();
    for (const watcher of watchers) {
      if (!this.#watchers.has(watcher) || living?.has(watcher.sessionId)) continue;
      this.#forget(watcher);
      watcher.onEnd(living === undefined ? 'unknown' : 'ended');
    }
  }

  async #livingIds(): Promise<ReadonlySet<string> | undefined> {
    const { store, nowMs, onTrouble } = this.#parts;
    try {
      const sessions = (await store.password()) === undefined ? [] : await store.sessions();
      return new Set(sessions.filter((session) => endOf(session) > nowMs()).map(({ id }) => id));
    } catch (error) {
      onTrouble('the sessions of open sockets could not be looked at', error);
      return undefined;
    }
  }

  #forget(watcher: Watcher): void {
    this.#watchers.delete(watcher);
    if (this.#watchers.size > 0) return;
    this.#stopLooking?.();
    this.#stopLooking = undefined;
  }
}
