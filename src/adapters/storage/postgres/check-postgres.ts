// A look at the server of DATABASE_URL for the doctor: can it be used, and by whom is it shared.

import { Connection } from './connection.ts';
import { readPostgresAddress } from './postgres-address.ts';
import { postgresFault } from './postgres-faults.ts';
import { assertServerFits } from './server-check.ts';
import { Statements } from './statements.ts';

const STATEMENT_MS = 3000;

export interface PostgresFacts {
  readonly where: string;
  readonly version: string;
  /** Whether Signalbox has been there. */
  readonly isMade: boolean;
}

/** Throws in words where it cannot be used. */
export async function checkPostgres(url: string): Promise<PostgresFacts> {
  const address = readPostgresAddress(url);
  const { where } = address;
  let connection: Connection | undefined;
  try {
    const options = { address, schema: 'trading', statements: new Statements(), statementTimeoutMs: STATEMENT_MS };
    connection = await Connection.open(options);
    await assertServerFits(connection, where);
    const { rows } = await connection.ask(
      `SELECT current_setting('server_version') AS version, to_regclass('trading.migrations') IS NOT NULL AS "isMade"`,
    );
    return { where, version: String(rows[0]?.version), isMade: rows[0]?.isMade === 1 };
  } catch (error) {
    throw postgresFault(where, error);
  } finally {
    await connection?.close();
  }
}
