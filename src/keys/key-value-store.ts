// The port of the script worker's API_KEYS binding: small texts by name, each with a time to live.

/**
 * What a call resolves with is durable as far as the store is (memory is not); a call that rejects (StorageError) has
 * changed nothing. A name past its time is as good as absent from the very millisecond on. A lost
 * connection must reject, because a key that cannot be looked up does not open the door.
 */
export interface KeyValueStore {
  get(name: string): Promise<string | undefined>;
  /** Replaces what is there, its time to live too. */
  put(name: string, value: string, ttlMs: number): Promise<void>;
  /** No fault when there is nothing by that name. */
  delete(name: string): Promise<void>;
  /** All that are there; for a start, not for every call. */
  names(): Promise<readonly string[]>;
  /** Really reads and writes; for readiness. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

/** More keys than one embedded store should serve. What has expired makes room before anything is refused. */
export const MAX_KEY_VALUES = 100_000;
