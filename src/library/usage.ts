// How often each key was used: counted in memory at once, and stored in batches beside the work.

/** The calls of one user, which is of one key: the user id is made from it. */
export interface Usage {
  readonly calls: number;
  readonly firstUsedAtMs: number;
  readonly lastUsedAtMs: number;
}

export interface UsageStore {
  usage(userId: string): Promise<Usage | undefined>;
  /** Adds the calls to what is there; all of them or, when it fails, none. */
  addUsage(added: ReadonlyMap<string, Usage>): Promise<void>;
}

export interface UsageCounter {
  /** Returns at once: counting must not delay or fail the call that is counted. */
  count(userId: string): void;
  /** With the calls that are not stored yet; undefined before the first. */
  read(userId: string): Promise<Usage | undefined>;
  /** Resolves when everything counted so far is stored, and throws when it cannot be; call it before closing the store. */
  settle(): Promise<void>;
}

export interface UsageCounterOptions {
  readonly store: UsageStore;
  readonly nowMs: () => number;
  /** Told when counts could not be stored. They stay in memory and go with the next ones. */
  readonly onFault: (error: unknown) => void;
  /**
   * How long calls gather before they are stored together; at once when left out. A commit waits for the disk on the
   * thread that answers, so a burst of runs should cost one and not one each. A crash loses what was gathering.
   */
  readonly gather?: () => Promise<void>;
}

const atOnce = async (): Promise<void> => {};

export function createUsageCounter({ store, nowMs, onFault, gather = atOnce }: UsageCounterOptions): UsageCounter {
  let waiting = new Map<string, Usage>();
  let writing: Promise<void> | undefined;
  let isGathering = false;
  /** How many batches have left for the store. */
  let batches = 0;

  /** One write at a time takes along everything that gathered while the one before it was under way. */
  async function write(): Promise<void> {
    while (waiting.size > 0) {
      const batch = waiting;
      waiting = new Map();
      batches += 1;
      try {
        await store.addUsage(batch);
      } catch (error) {
        for (const [userId, usage] of batch) waiting.set(userId, usageSum(usage, waiting.get(userId)));
        throw error;
      }
    }
  }

  function start(): Promise<void> {
    writing ??= Promise.resolve()
      .then(write)
      .finally(() => {
        writing = undefined;
      });
    return writing;
  }

  async function startSoon(): Promise<void> {
    if (isGathering || writing !== undefined) return;
    isGathering = true;
    await gather().finally(() => {
      isGathering = false;
    });
    await start();
  }

  return {
    count(userId) {
      const now = nowMs();
      waiting.set(userId, usageSum({ calls: 1, firstUsedAtMs: now, lastUsedAtMs: now }, waiting.get(userId)));
      startSoon().catch(onFault);
    },
    async read(userId) {
      for (;;) {
        // A batch under way may be stored or not when the read happens; only without one there is no doubt.
        while (writing !== undefined) await writing.catch(() => undefined);
        const before = batches;
        const stored = await store.usage(userId);
        if (batches !== before) continue;
        const more = waiting.get(userId);
        return more === undefined ? stored : usageSum(more, stored);
      }
    },
    async settle() {
      while (waiting.size > 0 || writing !== undefined) await start();
    },
  };
}

export const usageSum = (one: Usage, other: Usage | undefined): Usage => ({
  calls: one.calls + (other?.calls ?? 0),
  firstUsedAtMs: Math.min(one.firstUsedAtMs, other?.firstUsedAtMs ?? one.firstUsedAtMs),
  lastUsedAtMs: Math.max(one.lastUsedAtMs, other?.lastUsedAtMs ?? one.lastUsedAtMs),
});
