// Reads outside of a step, over a few connections of their own; each sees what is committed when it begins.

import { StorageError } from '../../../errors/storage-error.ts';
import { Semaphore } from '../../../timing/semaphore.ts';
import type { Row, SqlReads, SqlValue } from '../sql/sql.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { isWithoutAnswer, postgresFault } from './postgres-faults.ts';

const MAX_WAITING = 1000;
const MAX_WAIT_MS = 5000;

export class ReadPool implements SqlReads {
  readonly #options: ConnectionOptions;
  readonly #turns: Semaphore;
  #idle: Connection[] = [];
  readonly #busy = new Set<Connection>();
  #isClosed = false;

  constructor(options: ConnectionOptions, connections: number) {
    this.#options = options;
    this.#turns = new Semaphore({ atOnce: connections, maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS });
  }

  readonly all: SqlReads['all'] = (text, ...values) => this.#read(text, values);
  readonly get: SqlReads['get'] = async (text, ...values) => (await this.#read(text, values))[0];

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const connection of this.#busy) connection.cut();
    await Promise.all(this.#idle.splice(0).map((connection) => connection.close()));
  }

  async #read(text: string, values: readonly SqlValue[]): Promise<Row[]> {
    const { where } = this.#options.address;
    if (this.#isClosed) throw new StorageError('storage is closed');
    const leave = await this.#turns.enter();
    if (typeof leave === 'string')
      throw new StorageError(`PostgreSQL at ${where} is asked for more than it can answer; try again`);
    try {
      return await this.#tried(text, values);
    } catch (error) {
      throw this.#isClosed ? new StorageError('storage is closed') : postgresFault(where, error);
    } finally {
      leave();
    }
  }

  /** A connection may have died while nobody used it, as at a restart of the server: then another one is asked. */
  async #tried(text: string, values: readonly SqlValue[]): Promise<Row[]> {
    for (let isAgain = false; ; isAgain = true) {
      const connection = await this.#taken();
      try {
        return (await connection.ask(text, values)).rows;
      } catch (error) {
        if (isAgain || connection.loss === undefined || isWithoutAnswer(error)) throw error;
      } finally {
        this.#busy.delete(connection);
        if (connection.loss === undefined) this.#idle.push(connection);
        else connection.cut();
      }
    }
  }

  async #taken(): Promise<Connection> {
    const usable = this.#idle.find(({ loss }) => loss === undefined);
    this.#idle = this.#idle.filter((connection) => connection !== usable && connection.loss === undefined);
    const connection = usable ?? (await Connection.open(this.#options));
    if (this.#isClosed) connection.cut();
    this.#busy.add(connection);
    return connection;
  }
}
