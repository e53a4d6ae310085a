// A connection for one statement, as the restricted role: rows are handed on as they come, and nothing is left behind.

import { Socket } from 'node:net';
import pg from 'pg';
import type { ResultValue } from '../../sql/query/encode-rows.ts';
import { clientConfig } from '../connection.ts';
import type { PostgresAddress } from '../postgres-address.ts';
import { Statements } from '../statements.ts';
import { QUERY_SCHEMA } from './query-schema.ts';

/** Only another program can be in the way. */
const LOCK_TIMEOUT_MS = 500;

const { builtins } = pg.types;

/** Whole numbers as bigint; JSON has no word for what is no number, and SQLite none either. */
const real = (text: string): ResultValue => {
  const number = Number(text);
  return Number.isNaN(number) ? null : number;
};
const PARSERS: Readonly<Record<number, (text: string) => ResultValue>> = {
  [builtins.INT2]: BigInt,
  [builtins.INT4]: BigInt,
  [builtins.INT8]: BigInt,
  [builtins.FLOAT4]: real,
  [builtins.FLOAT8]: real,
  [builtins.NUMERIC]: (text) => (/^-?\d+$/.test(text) ? BigInt(text) : real(text)),
  [builtins.BOOL]: (text) => (text === 't' ? 1n : 0n),
  [builtins.BYTEA]: (text) => Uint8Array.from(Buffer.from(text.slice('\\x'.length), 'hex')),
};
const AS_TEXT = (text: string): ResultValue => text;
const TYPES = { getTypeParser: (type: number) => PARSERS[type] ?? AS_TEXT } as pg.CustomTypesConfig;

/** Returned by whoever takes the rows: no more of them. */
export type Stop = { readonly stop: true };

export class StatementSession {
  readonly #client: pg.Client;
  readonly #socket = new Socket();

  static async open(address: PostgresAddress, statementTimeoutMs: number): Promise<StatementSession> {
    const session = new StatementSession(address, statementTimeoutMs);
    try {
      await session.#client.connect();
    } catch (error) {
      session.end();
      throw error;
    }
    return session;
  }

  private constructor(address: PostgresAddress, statementTimeoutMs: number) {
    const options = { address, schema: QUERY_SCHEMA, statements: new Statements(), statementTimeoutMs };
    const config = clientConfig({ ...options, lockTimeoutMs: LOCK_TIMEOUT_MS }, this.#socket);
    // With a limit of its own the library would keep all rows in memory. Whoever started this process has one.
    const { query_timeout: _, ...unlimited } = config;
    this.#client = new pg.Client({ ...unlimited, types: TYPES, pipeline: false });
    // Whoever asks is told; nobody else needs to know.
    this.#client.on('error', () => {});
  }

  async command(text: string): Promise<{ command: string; row: readonly ResultValue[] | undefined }> {
    const { command, rows } = await this.#client.query<ResultValue[]>({ text, rowMode: 'array' });
    return { command, row: rows[0] };
  }

  /** How many rows were returned or changed; undefined when it was stopped, which ends the session. */
  run(
    text: string,
    values: readonly (string | number)[],
    take: (row: ResultValue[]) => Stop | undefined,
  ): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      // Not the simple kind of query, which may hold several statements.
      const config = { text, values: [...values], rowMode: 'array', queryMode: 'extended' };
      const query = new pg.Query(config as pg.QueryConfig);
      query.on('row', (row: unknown) => {
        if (take(row as ResultValue[]) === undefined) return;
        this.end();
        resolve(undefined);
      });
      query.on('end', ({ rowCount }) => resolve(rowCount ?? 0));
      query.on('error', reject);
      this.#client.query(query);
    });
  }

  /** Whatever is not committed is undone. */
  end(): void {
    this.#socket.destroy();
  }
}
