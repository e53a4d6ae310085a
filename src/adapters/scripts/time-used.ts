// How much time of the threads each caller has used lately: what was used fades by half every ten seconds, and what is
// under way counts as it goes.

/**
 * Long enough that the slowest runs weigh when they end, and short enough that whoever filled the threads has a turn again
 * before others, who come anew, have made him wait for longer than a job may wait.
 */
export const HALF_LIFE_MS = 10_000;
/** Far more callers than can have used anything worth counting; the one that was here longest ago is forgotten first. */
const MAX_CALLERS = 1_000;

interface Usage {
  /** What had been used at that moment, faded. */
  readonly usedMs: number;
  readonly atMs: number;
  /** Jobs under way since then. */
  readonly running: number;
}

const NOTHING: Usage = { usedMs: 0, atMs: 0, running: 0 };

export class TimeUsed {
  readonly #monotonicMs: () => number;
  /** Those who began or ended a job last stand last. */
  readonly #callers = new Map<string, Usage>();

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  of(name: string): number {
    const { usedMs, atMs, running } = this.#callers.get(name) ?? NOTHING;
    const left = 0.5 ** ((this.#monotonicMs() - atMs) / HALF_LIFE_MS);
    // The second part is what jobs under way have used since, each moment of it faded by its own age.
    return usedMs * left + (running * HALF_LIFE_MS * (1 - left)) / Math.LN2;
  }

  running(name: string): number {
    return this.#callers.get(name)?.running ?? 0;
  }

  begin(name: string): void {
    this.#set(name, this.running(name) + 1);
  }

  end(name: string): void {
    this.#set(name, this.running(name) - 1);
  }

  #set(name: string, running: number): void {
    const usage: Usage = { usedMs: this.of(name), atMs: this.#monotonicMs(), running };
    this.#callers.delete(name);
    this.#callers.set(name, usage);
    if (this.#callers.size <= MAX_CALLERS) return;
    for (const [old, { running: busy }] of this.#callers) {
      if (busy > 0) continue;
      this.#callers.delete(old);
      return;
    }
  }
}
