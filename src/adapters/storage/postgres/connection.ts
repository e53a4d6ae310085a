// One connection to PostgreSQL. Whatever happens to it, each question gets an answer within its time, and once it is lost
// it stays so: whoever needs one opens another.

import { Socket } from 'node:net';
import pg from 'pg';
import { foregroundTimers } from '../../../timing/timers.ts';
import { withTimeout } from '../../../timing/with-timeout.ts';
import type { Row, SqlValue } from '../sql/sql.ts';
import type { PostgresAddress } from './postgres-address.ts';
import { codeOf, isOutdated, LostConnection } from './postgres-faults.ts';
import type { Statements } from './statements.ts';
import { toPostgres, VALUE_TYPES } from './value-types.ts';

/** Shorter than a charting platform's patience (3 s). */
const CONNECT_TIMEOUT_MS = 2000;
const CLOSE_TIMEOUT_MS = 1000;
/** The server ends a statement itself, if it can; if it hangs, so much later nobody waits for it any more. */
const GRACE_MS = 500;
/** How soon a peer that vanished without a word is noticed. */
const KEEP_ALIVE_MS = 3000;
/** A transaction whose client was cut off holds its locks so long. */
const IDLE_IN_TRANSACTION_MS = 3000;
const LOCK_TIMEOUT_MS = 2000;

export interface ConnectionOptions {
  readonly address: PostgresAddress;
  readonly schema: string;
  readonly statements: Statements;
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs?: number;
}

export interface Answer {
  readonly rows: Row[];
  /** How many rows were changed. */
  readonly changes: number;
  /** What was done, such as COMMIT. */
  readonly command: string;
}

export class Connection {
  readonly #client: pg.Client;
  readonly #socket: Socket;
  readonly #statements: Statements;
  #loss: unknown;

  /** Rejects with the library's own errors, as its questions do: whoever asks knows what their codes mean to him. */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const connection = new Connection(options);
    try {
      await connection.#client.connect();
    } catch (error) {
      connection.cut();
      throw codeOf(error) === undefined ? new LostConnection(error) : error;
    }
    return connection;
  }

  private constructor(options: ConnectionOptions) {
    this.#socket = new Socket();
    this.#client = new pg.Client(clientConfig(options, this.#socket));
    this.#statements = options.statements;
    this.#client.on('error', (error) =>
      this.#lose(error instanceof pg.DatabaseError ? error : new LostConnection(error)),
    );
    this.#client.on('end', () => this.cut());
  }

  /** Why it can be used no longer; undefined as long as it can. */
  get loss(): unknown {
    return this.#loss;
  }

  #lose(error: unknown): void {
    this.#loss ??= error;
  }

  /** Questions may be asked without waiting for the answer to the one before; they are carried out in order. */
  async ask(text: string, values: readonly SqlValue[] = []): Promise<Answer> {
    const { text: numbered, name } = this.#statements.of(text);
    const named = name === undefined ? {} : { name };
    return this.#query({ text: numbered, ...named, values: values.map(toPostgres) });
  }

  /** One or several statements without values. */
  command(text: string): Promise<Answer> {
    return this.#query({ text });
  }

  /** What is told on the channel from now on, as long as the connection lasts. */
  async listen(channel: string, hear: (text: string) => void): Promise<void> {
    this.#client.on('notification', (told) => {
      if (told.channel === channel) hear(told.payload ?? '');
    });
    await this.command(`LISTEN ${channel}`);
  }

  async #query(query: pg.QueryConfig): Promise<Answer> {
    try {
      const { rows, rowCount, command } = await this.#client.query<Row>(query);
      return { rows, changes: rowCount ?? 0, command };
    } catch (error) {
      throw this.#lossOf(error) ?? error;
    }
  }

  /** The server ends a connection with its last answer; of one that ends without, the library says it in words only. */
  #lossOf(error: unknown): unknown {
    if (error instanceof pg.DatabaseError) {
      if (/^(?:FATAL|PANIC)$/.test(error.severity ?? '') || isOutdated(error)) this.#lose(error);
      return error;
    }
    if (!this.#socket.destroyed && this.#loss === undefined) return undefined;
    this.#lose(new LostConnection(error));
    return this.#loss;
  }

  async close(): Promise<void> {
    if (this.#loss === undefined)
      await withTimeout(this.#client.end(), CLOSE_TIMEOUT_MS, () => undefined, foregroundTimers);
    this.cut();
  }

  cut(): void {
    this.#lose(new LostConnection('the connection was closed'));
    this.#socket.destroy();
  }
}

export function clientConfig(options: ConnectionOptions, socket: Socket): pg.ClientConfig {
  const { address, schema, statementTimeoutMs, lockTimeoutMs = LOCK_TIMEOUT_MS } = options;
  return {
    host: address.host,
    port: address.port,
    database: address.database,
    user: address.user,
    // As a function: an empty one would be looked for in the environment and in files.
    password: () => address.password,
    ssl: address.tls,
    stream: () => socket,
    types: VALUE_TYPES,
    pipeline: true,
    application_name: 'signalbox',
    options: `-c search_path=${schema} -c tcp_keepalives_idle=${KEEP_ALIVE_MS / 1000}`,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + GRACE_MS,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  };
}
