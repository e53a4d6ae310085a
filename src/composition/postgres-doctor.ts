// What `signalbox doctor` says of DATABASE_URL: whether that server can be used, and whether the rows of this folder are there.

import type { DoctorCheck } from '../cli/host.ts';
import type { Config } from '../config.ts';
import { errorText } from '../errors/error-text.ts';
import { assertRowsWhereTheyWere } from './where-rows-are.ts';

const NAME = 'database';

export async function checkDatabase(config: Pick<Config, 'dataDir' | 'databaseUrl'>): Promise<readonly DoctorCheck[]> {
  const { databaseUrl } = config;
  try {
    assertRowsWhereTheyWere(config);
    if (databaseUrl === undefined) return [];
    const { checkPostgres } = await import('../adapters/storage/postgres/check-postgres.ts');
    const { where, version, isMade } = await checkPostgres(databaseUrl);
    const state = isMade ? '' : '; its tables will be made at the first start';
    return [{ name: NAME, ok: 'ok', detail: `PostgreSQL ${version} at ${where}${state}` }];
  } catch (error) {
    return [{ name: NAME, ok: 'fail', detail: errorText(error) }];
  }
}
