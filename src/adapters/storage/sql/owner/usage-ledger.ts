// The agent's usage ledger in the owner's database: a call is on disk when adding it resolves.

import type { ProviderName } from '../../../../agent/model-provider.ts';
import type { LastOutcome, UsageEntry, UsageLedger, UsageRow } from '../../../../agent/usage-ledger.ts';
import type { Row, Sql, SqlDatabase } from '../sql.ts';

/** More than three thousand calls a day for a month; to sum them up holds the process for some 40 ms. */
const KEPT_CALLS = 100_000;

const DAY_MS = 86_400_000;

export interface UsageStorage {
  readonly ledger: UsageLedger;
  /** Where it is kept, for words. */
  readonly path: string;
  /** Really reads and writes; for readiness. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

export const usageStorageOn = (database: SqlDatabase, keptCalls: number = KEPT_CALLS): UsageStorage => ({
  ledger: new SqlUsageLedger(database, keptCalls),
  path: database.name,
  async probe() {
    await database.inOneStep((sql) =>
      sql.run(
        'INSERT INTO heartbeat (id, beats) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET beats = heartbeat.beats + 1',
      ),
    );
  },
  close: () => database.close(),
});

class SqlUsageLedger implements UsageLedger {
  readonly #database: SqlDatabase;
  readonly #keptCalls: number;

  constructor(database: SqlDatabase, keptCalls: number) {
    this.#database = database;
    this.#keptCalls = keptCalls;
  }

  async add(entry: UsageEntry): Promise<void> {
    await this.#database.inOneStep(async (sql) => {
      const number = await insert(sql, entry);
      // By number and not by age: a clock that once went wrong must not wipe the ledger.
      await sql.run('DELETE FROM model_calls WHERE number <= ?', number - this.#keptCalls);
    });
  }

  async usage(sinceMs: number): Promise<readonly UsageRow[]> {
    const rows = await this.#database.reads.all(
      `SELECT at / ${DAY_MS} AS day, provider, model, count(*) AS requests,
        sum(tokens_in + tokens_out) AS tokens, sum(coalesce(cost_nano, 0)) AS cost_nano,
        sum(CASE WHEN outcome IN ('ok', 'canceled') THEN 0 ELSE 1 END) AS errors, sum(estimated) AS estimated,
        max(CASE WHEN cost_nano IS NULL AND tokens_in + tokens_out > 0 THEN 1 ELSE 0 END) AS unpriced
      FROM model_calls WHERE at >= ? GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
      sinceMs,
    );
    return rows.map(usageOf);
  }

  async lastOutcomes(sinceMs: number): Promise<readonly LastOutcome[]> {
    const rows = await this.#database.reads.all(
      `SELECT provider, outcome, at FROM model_calls WHERE number IN
        (SELECT max(number) FROM model_calls WHERE at >= ? AND outcome != 'canceled' GROUP BY provider)`,
      sinceMs,
    );
    return rows.map((row) => ({
      provider: row.provider as ProviderName,
      outcome: row.outcome as UsageEntry['outcome'],
      atMs: row.at as number,
    }));
  }
}

/** Its number. */
async function insert(sql: Sql, entry: UsageEntry): Promise<number> {
  const row = await sql.get(
    `INSERT INTO model_calls
      (at, request_id, door, provider, model, outcome, tokens_in, tokens_out, cost_nano, estimated, ms)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number`,
    ...[entry.atMs, entry.requestId, entry.door, entry.provider, entry.model, entry.outcome],
    ...[entry.tokensIn, entry.tokensOut, entry.costNanoUsd, entry.estimated ? 1 : 0, entry.ms],
  );
  return row?.number as number;
}

const usageOf = (row: Row): UsageRow => ({
  day: new Date((row.day as number) * DAY_MS).toISOString().slice(0, 10),
  provider: row.provider as ProviderName,
  model: row.model as string,
  requests: row.requests as number,
  tokens: row.tokens as number,
  costNanoUsd: row.cost_nano as number,
  errors: row.errors as number,
  estimatedRequests: row.estimated as number,
  isUnpriced: row.unpriced === 1,
});
