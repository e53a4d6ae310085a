// Why signals were refused, kept for whoever looks later: charting platforms show nobody the answer.
//
// A refusal is remembered in memory and written a moment later, many at once, so that nobody's answer waits for it and a
// flood of garbage costs no disk sync per request. What was refused under a known key is written within a quarter of a
// second and kept for 30 days; of all the rest only the last 1,000 are kept, and they are written every few seconds.

import type { Exchange } from '../../exchanges/exchange.ts';
import { SerialQueue } from '../../timing/serial-queue.ts';
import type { Timers } from '../../timing/timers.ts';
import type { Action, SignalOrder, SignalSource } from '../signal.ts';

export interface RefusedSignal {
  /** The request's id, which the answer had too. */
  readonly id: string;
  readonly receivedAtMs: number;
  /** The way it came: a path, or `smtp`. */
  readonly door: string;
  /** Whose key it was; undefined for a key nobody knows and for a body in which none could be read. */
  readonly keyLabel?: string | undefined;
  readonly address?: string | undefined;
  readonly status: number;
  readonly code: string;
  readonly error: string;
  readonly faults: readonly string[];
  /** The fields of a signal that were in it, with the values that can be no secret; empty where there was none. */
  readonly body: string;
  /** What it asked for, where that could be read and its sender is known; without it nothing can be sent again. */
  readonly signal?: RefusedOrder | undefined;
  /** The request under which it was sent again and accepted. */
  readonly resentAs?: string | undefined;
}

/** A refused signal as it can be sent again: under the id of its key, never with the key itself. */
export interface RefusedOrder {
  readonly keyId: string;
  readonly source: SignalSource;
  readonly order: SignalOrder;
  /**
   * What only the symbol map can tell of it: the market, because its name is none (`NQ1!`), or the exchange too. Until
   * then `order` holds a stand-in for it, which is never traded.
   */
  readonly unmapped?: 'market' | 'place' | undefined;
  /** Of a body that carries neither an idempotency key nor an alert's name. */
  readonly bodyDigest?: Uint8Array | undefined;
}

/** Whether it came under a key that there was. */
export const REFUSED_SENDERS = ['known', 'unknown'] as const;
export type RefusedSender = (typeof REFUSED_SENDERS)[number];

export interface RefusalFilter {
  readonly limit: number;
  readonly code?: string | undefined;
  readonly keyLabel?: string | undefined;
  readonly door?: string | undefined;
  readonly sender?: RefusedSender | undefined;
  /** Of what it asked for, where that could be read. */
  readonly exchange?: Exchange | undefined;
  readonly account?: string | undefined;
  readonly market?: string | undefined;
  readonly strategy?: string | undefined;
  readonly action?: Action | undefined;
  readonly source?: string | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Letters that occur, in any case, in what a person would look for. */
  readonly search?: string | undefined;
  /** The last one seen: the list goes on after it. */
  readonly beforeId?: string | undefined;
}

export interface RefusalBounds {
  /** Of those under no known key. */
  readonly maxOthers: number;
  /** Of those under a known key; a sender whose alerts are refused without end must not fill the disk. */
  readonly maxOfKeys: number;
  /** Of those under a known key nothing older is kept. Only where it is given anything is looked for. */
  readonly keptAfterMs?: number | undefined;
}

/** The port. */
export interface RefusalStore {
  add(refused: readonly RefusedSignal[], bounds: RefusalBounds): Promise<void>;
  /** Newest first; undefined when none has the id to go on from. */
  list(filter: RefusalFilter): Promise<readonly RefusedSignal[] | undefined>;
  find(id: string): Promise<RefusedSignal | undefined>;
}

export interface Refusals {
  record(refused: RefusedSignal): void;
  list(filter: RefusalFilter): ReturnType<RefusalStore['list']>;
  find(id: string): ReturnType<RefusalStore['find']>;
  /** Writes what waits. */
  close(): Promise<void>;
}

const SOON_MS = 250;
const LATER_MS = 5000;
const KEPT_MS = 30 * 24 * 60 * 60_000;
const SWEEP_MS = 60 * 60_000;
const MAX_OTHERS = 1000;
const MAX_OF_KEYS = 100_000;
/** So many wait of those under a known key, and as many of the rest, which can so never push them out. */
const MAX_WAITING = 1000;

export function createRefusals(options: {
  readonly store: RefusalStore;
  readonly nowMs: () => number;
  readonly timers: Timers;
  readonly onTrouble: (what: string, error: unknown) => void;
}): Refusals {
  const { store, nowMs, timers, onTrouble } = options;
  const ofKeys: RefusedSignal[] = [];
  const others: RefusedSignal[] = [];
  let cancel = (): void => {};
  let dueMs = Number.POSITIVE_INFINITY;
  let sweptMs = Number.NEGATIVE_INFINITY;
  const writes = new SerialQueue();

  const flush = (): Promise<void> => {
    cancel();
    dueMs = Number.POSITIVE_INFINITY;
    const rows = [...ofKeys.splice(0), ...others.splice(0)].sort((a, b) => a.receivedAtMs - b.receivedAtMs);
    if (rows.length === 0) return writes.idle();
    const isSweep = nowMs() - sweptMs >= SWEEP_MS;
    if (isSweep) sweptMs = nowMs();
    const bounds = {
      maxOthers: MAX_OTHERS,
      maxOfKeys: MAX_OF_KEYS,
      keptAfterMs: isSweep ? nowMs() - KEPT_MS : undefined,
    };
    return writes
      .run(() => store.add(rows, bounds))
      .catch((error) => onTrouble(`${rows.length} refusals were not written down`, error));
  };
  const flushWithin = (waitMs: number): void => {
    const atMs = nowMs() + waitMs;
    if (atMs >= dueMs) return;
    cancel();
    dueMs = atMs;
    cancel = timers.after(waitMs, () => void flush());
  };

  return {
    record(refused) {
      const isOfKey = refused.keyLabel !== undefined;
      const waiting = isOfKey ? ofKeys : others;
      // Only the last ones of a flood are kept anyway, here as on the disk.
      if (waiting.length >= MAX_WAITING) waiting.splice(0, waiting.length - MAX_WAITING + 1);
      waiting.push(refused);
      flushWithin(isOfKey ? SOON_MS : LATER_MS);
    },
    async list(filter) {
      await flush();
      return store.list(filter);
    },
    async find(id) {
      await flush();
      return store.find(id);
    },
    close: flush,
  };
}
