// Steps one after the other over one connection, each a SERIALIZABLE transaction: whole or not at all, and durable when it
// is returned. Where another transaction was in the way, or the connection was lost before the commit, it is run again.

import { randomUUID } from 'node:crypto';
import { FencedError, StorageError } from '../../../errors/storage-error.ts';
import { backoffMs } from '../../../timing/backoff.ts';
import { SerialQueue } from '../../../timing/serial-queue.ts';
import { foregroundTimers } from '../../../timing/timers.ts';
import { wait } from '../../../timing/wait.ts';
import type { Sql } from '../sql/sql.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { isConflict, isWithoutAnswer, postgresFault } from './postgres-faults.ts';
import { Transaction } from './transaction.ts';
import { FORGET, isCommitted, SETTLE_MS } from './writer-marks.ts';

const TRIES = 5;
const RETRY = { firstMs: 5, longestMs: 80 };

export class Steps {
  readonly #options: ConnectionOptions;
  readonly #settleMs: number;
  readonly #turns = new SerialQueue();
  readonly #writer = randomUUID();
  #connection: Connection | undefined;
  #lastStep = 0;
  /** Why the database was not there for the last step that asked for it. */
  #outage: { readonly fault: StorageError; readonly atMs: number } | undefined;
  #isClosed = false;

  constructor(options: ConnectionOptions, settleMs = SETTLE_MS) {
    this.#options = options;
    this.#settleMs = settleMs;
  }

  run<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const askedAtMs = performance.now();
    return this.#turns.run(() => {
      if (this.#isClosed) throw new StorageError('storage is closed');
      // Those who have waited for one that found the database away are told so with it, not each after a time of its own.
      if (this.#outage !== undefined && this.#outage.atMs > askedAtMs) throw this.#outage.fault;
      return this.#untilDone(work);
    });
  }

  async close(): Promise<void> {
    await this.#turns.idle();
    this.#isClosed = true;
    if (this.#connection?.loss === undefined)
      await this.#connection?.ask(FORGET, [this.#writer]).catch(() => undefined);
    await this.#connection?.close();
  }

  async #untilDone<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const connection = await this.#connected();
      try {
        return await this.#once(connection, work);
      } catch (error) {
        const isHanging = isWithoutAnswer(error);
        const mayTryAgain = isConflict(error) || (connection.loss !== undefined && !isHanging);
        if (mayTryAgain && !(error instanceof StorageError) && attempt < TRIES) {
          await wait(backoffMs(RETRY, attempt, Math.random), { timers: foregroundTimers });
          continue;
        }
        const fault = postgresFault(this.#options.address.where, error);
        if (isHanging) this.#outage = { fault, atMs: performance.now() };
        throw fault;
      }
    }
  }

  async #once<T>(connection: Connection, work: (sql: Sql) => Promise<T>): Promise<T> {
    this.#lastStep += 1;
    const mark = { writer: this.#writer, step: this.#lastStep };
    const transaction = new Transaction(connection, mark);
    let result: T;
    try {
      result = await work(transaction.sql);
      await transaction.finish();
      if (transaction.failure !== undefined) throw transaction.failure;
    } catch (error) {
      await transaction.finish();
      // Whoever was overtaken is told so, whatever else has failed because of it.
      const cause = error instanceof FencedError ? error : (transaction.failure ?? error);
      await connection.command('ROLLBACK').catch(() => connection.cut());
      throw cause;
    }
    try {
      const { command } = await connection.command('COMMIT');
      // PostgreSQL answers so, and without a fault, where it has given the transaction up before.
      if (command !== 'COMMIT') throw new Error(`the commit was answered by ${command}`);
    } catch (error) {
      if (connection.loss === undefined || !transaction.hasWritten) throw error;
      const { where } = this.#options.address;
      const search = { mark, where, connect: () => this.#reconnected(), settleMs: this.#settleMs };
      if (!(await isCommitted(search))) throw error;
    }
    return result;
  }

  async #connected(): Promise<Connection> {
    if (this.#connection?.loss === undefined && this.#connection !== undefined) return this.#connection;
    try {
      return await this.#reconnected();
    } catch (error) {
      const fault = postgresFault(this.#options.address.where, error);
      this.#outage = { fault, atMs: performance.now() };
      throw fault;
    }
  }

  async #reconnected(): Promise<Connection> {
    this.#connection?.cut();
    this.#connection = await Connection.open(this.#options);
    return this.#connection;
  }
}
