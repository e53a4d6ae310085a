// A limit of so many requests in any stretch of time of a given length, counted apart for every key.

export interface Room {
  readonly allowed: boolean;
  /** How many are left after this one. */
  readonly left: number;
  /** When there is room for one again: now, unless none is left. */
  readonly freeAtMs: number;
}

export class RollingLimit {
  readonly limit: number;
  readonly #windowMs: number;
  readonly #taken = new Map<string, number[]>();

  constructor(limit: number, windowMs: number) {
    this.limit = limit;
    this.#windowMs = windowMs;
  }

  /** A request that is not allowed is not counted. */
  take(key: string, nowMs: number): Room {
    const recent = (this.#taken.get(key) ?? []).filter((atMs) => atMs > nowMs - this.#windowMs);
    const allowed = recent.length < this.limit;
    if (allowed) recent.push(nowMs);
    this.#taken.set(key, recent);
    const left = this.limit - recent.length;
    return { allowed, left, freeAtMs: left > 0 ? nowMs : (recent[0] ?? nowMs) + this.#windowMs };
  }

  clear(): void {
    this.#taken.clear();
  }
}
