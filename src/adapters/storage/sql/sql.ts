// What stores ask of a database, whichever engine it is. The statements are those that SQLite and PostgreSQL both know:
// conflicts name their columns, names with capitals stand in quotes, and of functions only instr, iif, json_each of a text,
// lower, coalesce and what every engine has. Where an engine lacks one, its migrations bring it.

export type SqlValue = string | number | bigint | Uint8Array | null;

/** Whole numbers are numbers, truth is 0 or 1, bytes are a Uint8Array. */
export type Row = Record<string, SqlValue>;

/** A value's place in a text is `?`, or `?1` where it is used more than once. */
export interface SqlReads {
  all(text: string, ...values: readonly SqlValue[]): Promise<Row[]>;
  get(text: string, ...values: readonly SqlValue[]): Promise<Row | undefined>;
}

/** Reads that may look at every row: they keep nobody waiting who asks for little. */
export type Searches = Pick<SqlReads, 'all'>;

/** Statements of one transaction, carried out in the order in which they are asked for. */
export interface Sql extends SqlReads {
  /**
   * For an INSERT that ends with `RETURNING` and the column of its number: that of the new row, of several the last one's;
   * undefined where a conflict kept it out.
   */
  insert(text: string, ...values: readonly SqlValue[]): Promise<number | undefined>;
  /** How many rows it changed. */
  run(text: string, ...values: readonly SqlValue[]): Promise<number>;
}

/** One transaction, whole or not at all; durable when the promise resolves. The work may be run a second time. */
export type InOneStep = <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;

/** A database that is written step by step. Reads outside of a step see what is committed. */
export interface SqlDatabase {
  /** What faults call it: a path, or an address without its password. */
  readonly name: string;
  readonly reads: SqlReads;
  readonly inOneStep: InOneStep;
  /** As a step, and files keep nothing of what it writes over; left out where the engine cannot do that. */
  readonly overwriting?: InOneStep;
  close(): Promise<void>;
}
