// The signal store port: the record of every signal that carried a good key, accepted or not.

export interface SignalRecord {
  readonly signalId: string;
  readonly timestampMs: number;
  readonly symbol: string;
  readonly signalType: string;
  readonly source: string;
  /** `accepted`, or the code of the refusal. */
  readonly decision: string;
}

export interface SignalStore {
  add(record: SignalRecord): Promise<void>;
}
