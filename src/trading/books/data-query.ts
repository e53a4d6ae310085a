// The port behind POST /query: one checked SQL statement over the trading database, answered or declined in words.

export const STATEMENT_KINDS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'REPLACE'] as const;
export type StatementKind = (typeof STATEMENT_KINDS)[number];

export type QueryValue = string | number | boolean | null;

export interface QueryDone {
  readonly kind: 'done';
  readonly statement: StatementKind;
  /**
   * A JSON array of row objects, in pieces, encoded where it was read: the event loop must neither pay for megabytes of
   * text nor carry them all at once.
   */
  readonly resultsJson: readonly Uint8Array[];
  readonly rows: number;
  readonly changes: number;
  /** The row number of the last inserted row; 0 when none was inserted. */
  readonly lastRowId: bigint;
}

/** Nothing was changed, and the reason holds the remedy. */
export interface QueryDeclined {
  /** `refused`: not allowed here. `invalid`: a fault in the SQL. `timeout`, `too-large`, `busy`: a limit. */
  readonly kind: 'refused' | 'invalid' | 'timeout' | 'too-large' | 'busy';
  readonly reason: string;
}

export type QueryOutcome = QueryDone | QueryDeclined;

export interface QueryTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly isWritable: boolean;
}

export interface DataQueries {
  /** What a statement may name. */
  readonly tables: readonly QueryTable[];
  /** Throws a StorageError when the database itself fails. */
  run(query: string, params: readonly QueryValue[]): Promise<QueryOutcome>;
  close(): Promise<void>;
}
