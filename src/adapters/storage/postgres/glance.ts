// A copy in memory of what gates read without waiting. Whoever changes it adds one to its version and tells all processes,
// each of which then reads it anew. Where such a word is lost, as with its connection, a look at the version each second
// finds the change.

import { UnseenChangeError } from '../../../errors/storage-error.ts';
import { SerialQueue } from '../../../timing/serial-queue.ts';
import { backgroundTimers, foregroundTimers } from '../../../timing/timers.ts';
import { wait } from '../../../timing/wait.ts';
import type { Glance, GlanceTable, GlanceWhere } from '../sql/owner/glance.ts';
import type { Row, Sql } from '../sql/sql.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { postgresFault } from './postgres-faults.ts';

const CHANNEL = 'sb_controls';
const LOOK_EVERY_MS = 1000;
/** So long a change waits until it can be read, which needs a connection. */
const PATIENCE_MS = 4000;
const PAUSE_MS = 100;

const TABLES: readonly GlanceTable[] = ['settings', 'webhook_keys', 'restrictions', 'stored_accounts'];
/** One statement, so that all of it is of one moment. */
const EVERYTHING = [
  `SELECT 'version' AS "table", CAST(version AS text) AS "row" FROM controls_version`,
  ...TABLES.map((table) => `SELECT '${table}', CAST(row_to_json(${table}) AS text) FROM ${table}`),
].join(' UNION ALL ');
const MARK = `WITH next AS (UPDATE controls_version SET version = version + 1 RETURNING version)
  SELECT pg_notify('${CHANNEL}', CAST(version AS text)) FROM next`;

interface Copy {
  readonly version: number;
  readonly tables: Readonly<Record<string, readonly Row[]>>;
}

export class PostgresGlance implements Glance {
  readonly #options: ConnectionOptions;
  readonly #reading = new SerialQueue();
  /** One that has not begun: it will see everything that is committed now. */
  #next: Promise<void> | undefined;
  /** Listens, looks and reads. */
  #connection: Connection | undefined;
  #copy: Copy = { version: -1, tables: {} };
  readonly #listeners: (() => void)[] = [];
  #cancelLook: () => void = () => {};
  #isClosed = false;

  private constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  static async open(options: ConnectionOptions): Promise<PostgresGlance> {
    const glance = new PostgresGlance(options);
    try {
      await glance.#readAnew();
    } catch (error) {
      glance.#connection?.cut();
      throw postgresFault(options.address.where, error);
    }
    glance.#lookLater();
    return glance;
  }

  rows(table: GlanceTable, where?: GlanceWhere): readonly Row[] {
    const rows = this.#copy.tables[table] ?? [];
    return where === undefined ? rows : rows.filter((row) => row[where.column] === where.value);
  }

  /** Of what `rows` gives. */
  version(): number {
    return this.#copy.version;
  }

  /** Resolves when the copy is no older than a version that somebody has seen in the database. */
  async whenAtLeast(version: number): Promise<void> {
    if (this.#copy.version < version) await this.refresh();
  }

  watch(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async mark(sql: Sql): Promise<void> {
    await sql.get(MARK);
  }

  /** A change that cannot be read is stored all the same; it is not known here, and in force from the next look on. */
  async refresh(): Promise<void> {
    const deadlineMs = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await this.#soonAnew();
      } catch (error) {
        const { message } = postgresFault(this.#options.address.where, error);
        if (this.#isClosed || performance.now() > deadlineMs)
          throw new UnseenChangeError(`${message} (what was stored just now could not be read)`, { cause: error });
        await wait(PAUSE_MS, { timers: foregroundTimers });
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelLook();
    await this.#reading.idle();
    await this.#connection?.close();
  }

  #soonAnew(): Promise<void> {
    this.#next ??= this.#reading.run(() => {
      this.#next = undefined;
      return this.#readAnew();
    });
    return this.#next;
  }

  async #readAnew(): Promise<void> {
    const rows = await this.#ask(EVERYTHING);
    const of = (table: string): string[] => rows.flatMap((row) => (row.table === table ? [String(row.row)] : []));
    const tables = TABLES.map((table) => [table, of(table).map((row) => JSON.parse(row) as Row)]);
    this.#copy = { version: Number(of('version')[0]), tables: Object.fromEntries(tables) };
    // In the same turn: whoever goes by the version must go by what it stands for.
    for (const listener of this.#listeners) listener();
  }

  /** A connection that has failed once is not trusted again: it might hear nothing. */
  async #ask(text: string): Promise<Row[]> {
    const connection = await this.#listening();
    try {
      return (await connection.ask(text)).rows;
    } catch (error) {
      connection.cut();
      throw error;
    }
  }

  async #listening(): Promise<Connection> {
    if (this.#connection !== undefined && this.#connection.loss === undefined) return this.#connection;
    if (this.#isClosed) throw new Error('storage is closed');
    const connection = await Connection.open(this.#options);
    this.#connection = connection;
    try {
      await connection.listen(CHANNEL, (version) => this.#heard(Number(version)));
      return connection;
    } catch (error) {
      connection.cut();
      throw error;
    }
  }

  /** Own changes are heard too, and are mostly read by then. */
  #heard(version: number): void {
    if (version > this.#copy.version) void this.#soonAnew().catch(ignored);
  }

  #lookLater(): void {
    this.#cancelLook = backgroundTimers.after(LOOK_EVERY_MS, () => {
      void this.#look()
        .catch(ignored)
        .finally(() => {
          if (!this.#isClosed) this.#lookLater();
        });
    });
  }

  async #look(): Promise<void> {
    const [row] = await this.#reading.run(() => this.#ask('SELECT version FROM controls_version'));
    if (row?.version !== this.#copy.version) await this.#soonAnew();
  }
}

/** The next look tries again; that the database is away is told by the probe, and by everything that writes. */
const ignored = (): void => {};
