// The signal store port: every signal that carried a good key, accepted or not, and those that were only written down.

export interface SignalRecord {
  readonly signalId: string;
  readonly timestampMs: number;
  /** As the sender spelled it. */
  readonly symbol: string;
  readonly signalType: string;
  readonly source: string;
  /** `accepted`, the code of the refusal, or `stored`. */
  readonly decision: string;
  readonly alertId?: string | undefined;
}

/** The decision on a signal that asked for no trade. */
export const STORED = 'stored';

export interface SignalFilter {
  readonly limit: number;
  /** Any spelling of the market; what names no market must be spelled the same. */
  readonly symbol?: string;
  readonly source?: string;
  readonly alertId?: string;
  readonly decision?: string | undefined;
  readonly signalType?: string | undefined;
  /** Stamped at or after this moment, and before the other. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Letters that occur, in any case, in what a person would look for. */
  readonly search?: string | undefined;
  /** The last record seen: the list goes on after it. */
  readonly beforeSignalId?: string;
}

export interface SignalStore {
  add(record: SignalRecord): Promise<void>;
  /**
   * Newest first by timestamp, of equal ones the later stored first; so a page never repeats and never skips a record
   * that was there when the first page was read. Undefined when no record has the id to go on from.
   */
  list(filter: SignalFilter): Promise<readonly SignalRecord[] | undefined>;
}
