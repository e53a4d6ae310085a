// One transaction on one connection. Statements are sent without waiting for the answers to those before them, and the
// first one that may write takes with it the mark by which the outcome of an unclear commit is found (writer-marks.ts).

import type { Row, Sql, SqlValue } from '../sql/sql.ts';
import type { Answer, Connection } from './connection.ts';
import { codeOf, isAftermath } from './postgres-faults.ts';
import { MARK, type StepMark } from './writer-marks.ts';

const READS = /^\s*SELECT\b/i;

/** What an INSERT returns has one column. */
const numberOf = (row: Row | undefined): number | undefined =>
  row === undefined ? undefined : (Object.values(row)[0] as number);

export class Transaction {
  readonly #connection: Connection;
  readonly #mark: StepMark;
  /** The answer to the last statement; answers come in order. */
  #last: Promise<unknown>;
  #hasWritten = false;
  #isOver = false;
  /** The statement by which the server has given the transaction up, until it goes back to a savepoint before it. */
  #failed: unknown;

  readonly sql: Sql = {
    all: async (text, ...values) => (await this.#ask(text, values)).rows,
    get: async (text, ...values) => (await this.#ask(text, values)).rows[0],
    insert: async (text, ...values) => numberOf((await this.#ask(text, values)).rows.at(-1)),
    run: async (text, ...values) => (await this.#ask(text, values)).changes,
  };

  constructor(connection: Connection, mark: StepMark) {
    this.#connection = connection;
    this.#mark = mark;
    this.#last = this.#noted(connection.command('BEGIN ISOLATION LEVEL SERIALIZABLE'));
  }

  /** Whether there may be something to commit. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  /** Why nothing of it can be committed any more, whatever the work has made of that. */
  get failure(): unknown {
    return this.#connection.loss ?? this.#failed;
  }

  /** No more statements; resolves when all that were asked for are answered. */
  async finish(): Promise<void> {
    this.#isOver = true;
    await this.#last;
  }

  #ask(text: string, values: readonly SqlValue[]): Promise<Answer> {
    if (this.#isOver) throw new Error('a statement came after the end of its step; wait for each one inside of it');
    if (!this.#hasWritten && !READS.test(text)) {
      this.#hasWritten = true;
      this.#last = this.#noted(this.#connection.ask(MARK, [this.#mark.writer, this.#mark.step, Date.now()]));
    }
    const answer = this.#connection.ask(text, values);
    this.#last = this.#noted(answer);
    return answer;
  }

  #noted(answer: Promise<Answer>): Promise<unknown> {
    return answer.then(
      ({ command }) => {
        if (command === 'ROLLBACK') this.#failed = undefined;
      },
      (error: unknown) => {
        if (codeOf(error) !== undefined && !isAftermath(error)) this.#failed = error;
      },
    );
  }
}
