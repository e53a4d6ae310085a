// What gates read without waiting: four small tables of the owner's database.
//
// On SQLite it is a look into the file, so that what another process has changed is seen at once. An engine behind a network
// answers from a copy in memory, which is told of changes by whoever makes them.

import type { Row, Sql } from '../sql.ts';

/** Each with at most some thousand rows. */
export type GlanceTable = 'settings' | 'webhook_keys' | 'restrictions' | 'stored_accounts';

export interface GlanceWhere {
  readonly column: string;
  readonly value: string;
}

export interface Glance {
  /** In no order. */
  rows(table: GlanceTable, where?: GlanceWhere): readonly Row[];
  /** The last part of every step that has changed what others must see: tells them, when the step is committed. */
  mark(sql: Sql): Promise<void>;
  /** Resolves when everything is seen that was committed before it was called. */
  refresh(): Promise<void>;
  /** Called when `rows` may have changed, in the same turn; absent where another process' change is seen by looking alone. */
  watch?(listener: () => void): void;
}
