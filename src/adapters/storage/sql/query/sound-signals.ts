// What the rest of Signalbox relies on in trade_signals, looked at before a write of POST /query is committed.

/** From 1970 to the end of the year 9999, as POST /signals has it; numbers past 2^53 could not even be listed. */
const LAST_MS = BigInt(Date.UTC(10_000, 0, 1) - 1);

export interface Extremes {
  readonly firstSeq: bigint;
  readonly lastSeq: bigint;
  readonly earliestMs: bigint;
  readonly latestMs: bigint;
}

/** Each is one step down an index, however many rows there are. */
export const EXTREMES = `SELECT coalesce((SELECT min(seq) FROM trade_signals), 1), coalesce((SELECT max(seq) FROM trade_signals), 0),
  coalesce((SELECT min(timestamp) FROM trade_signals), 0), coalesce((SELECT max(timestamp) FROM trade_signals), 0)`;

export function extremesOf(row: readonly [bigint, bigint, bigint, bigint]): Extremes {
  const [firstSeq, lastSeq, earliestMs, latestMs] = row;
  return { firstSeq, lastSeq, earliestMs, latestMs };
}

/** Undefined, or in words what the write has spoiled. What was so before is nobody's fault now. */
export function spoiledTimes(before: Extremes, after: Extremes): string | undefined {
  const early = after.earliestMs < 0n && after.earliestMs < before.earliestMs;
  const late = after.latestMs > LAST_MS && after.latestMs > before.latestMs;
  return early || late ? `timestamp must be 0 to ${LAST_MS}, in milliseconds` : undefined;
}

/** On SQLite, where a new row gets the number behind the largest. */
export function spoiledNumbers(before: Extremes, after: Extremes, changes: number): string | undefined {
  const chosen = after.lastSeq > before.lastSeq + BigInt(changes) || after.firstSeq < 1n;
  return chosen ? 'seq is given by the database; leave it out' : undefined;
}
