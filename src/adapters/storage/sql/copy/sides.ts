// The two sides of a copy between engines: a database whose tables are read by pages, and one into which pages are written.

import type { Row, SqlValue } from '../sql.ts';

export type ColumnKind = 'whole number' | 'text' | 'number' | 'bytes';

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** As the catalogue of its database has it. */
export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** By these columns rows are put in order and told apart: the primary key, and without one all columns. */
  readonly key: readonly string[];
  /** The tables whose rows must be there first. */
  readonly refersTo: readonly string[];
  /** The column whose numbers the database gives, if there is one. */
  readonly numbered: string | undefined;
}

/** How far a table is copied. */
export interface TableProgress {
  /** The key of the last row that is there; undefined where there is none. */
  readonly after: readonly SqlValue[] | undefined;
  readonly rows: number;
  readonly isDone: boolean;
}

export interface Page {
  /** Each with the values of the table's columns, in their order. */
  readonly rows: readonly (readonly SqlValue[])[];
  /** How far the table is with this page. */
  readonly progress: TableProgress;
  /** What is in the table goes with the first page: the rows with which a new database begins. */
  readonly isFirst: boolean;
}

export interface ReadSide {
  /** What faults call it: a path, or an address without its password. */
  readonly name: string;
  /** Without those that its engine has for itself. */
  tables(): Promise<readonly Table[]>;
  all(text: string, ...values: readonly SqlValue[]): Promise<Row[]>;
  /** How a statement names a table. */
  reference(table: string): string;
  /** The last number that was given for a row of it, also where that row is gone. */
  lastNumber(table: Table): Promise<number | undefined>;
}

export interface WriteSide extends ReadSide {
  /** Undefined where it was not begun. */
  progressOf(table: string): Promise<TableProgress | undefined>;
  /** Rows and progress in one transaction, on disk when it resolves. */
  write(table: Table, page: Page): Promise<void>;
  /** New rows get larger numbers than this. */
  setLastNumber(table: Table, last: number): Promise<void>;
}
