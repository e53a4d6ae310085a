// How the script process logs in to PostgreSQL: under a role that the trading process, which alone has DATABASE_URL, makes.

import type { ScriptRole } from '../adapters/storage/postgres/script-role.ts';
import type { Config } from '../config.ts';

export class ScriptLogin {
  readonly #config: Pick<Config, 'databaseUrl' | 'scriptDatabaseUrl'>;
  #role: ScriptRole | undefined;

  constructor(config: Pick<Config, 'databaseUrl' | 'scriptDatabaseUrl'>) {
    this.#config = config;
  }

  /** Asked for by each script process that starts, and only where there is a PostgreSQL. */
  async address(): Promise<string> {
    const { databaseUrl, scriptDatabaseUrl } = this.#config;
    if (databaseUrl === undefined) throw new Error('DATABASE_URL is not set');
    // Loaded only where it is used.
    const { createScriptRole } = await import('../adapters/storage/postgres/script-role.ts');
    this.#role ??= createScriptRole({ url: databaseUrl, givenUrl: scriptDatabaseUrl });
    return this.#role.address();
  }

  async close(): Promise<void> {
    await this.#role?.close();
  }
}
