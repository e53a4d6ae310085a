// The agent's usage ledger on SQLite, in the owner's database: a call is on disk when adding it resolves.

import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { ProviderName } from '../../../../agent/model-provider.ts';
import type { LastOutcome, UsageEntry, UsageLedger, UsageRow } from '../../../../agent/usage-ledger.ts';
import { openMigrated, queries, type Row, type Sql, statements } from '../database.ts';
import { OWNER } from '../database-files.ts';
import { heartbeat, steps } from '../transaction.ts';

/** More than three thousand calls a day for a month; to sum them up holds the process for some 40 ms. */
const KEPT_CALLS = 100_000;

export interface UsageStorageOptions {
  readonly dataDir: string;
  readonly keptCalls?: number;
}

export interface UsageStorage {
  readonly ledger: UsageLedger;
  readonly path: string;
  /** Really reads and writes; for readiness. */
  probe(): Promise<void>;
  close(): void;
}

export function openUsageStorage({ dataDir, keptCalls = KEPT_CALLS }: UsageStorageOptions): UsageStorage {
  const path = join(dataDir, OWNER.name);
  const db = openMigrated(path, OWNER.migrations);
  const beat = heartbeat(db, path);
  return {
    ledger: new SqliteUsageLedger(db, path, keptCalls),
    path,
    probe: async () => beat(),
    close: () => {
      if (db.isOpen) db.close();
    },
  };
}

class SqliteUsageLedger implements UsageLedger {
  readonly #sql: Sql;
  readonly #all: ReturnType<typeof queries>;
  readonly #inOneStep: ReturnType<typeof steps>;
  readonly #keptCalls: number;

  constructor(db: DatabaseSync, path: string, keptCalls: number) {
    this.#sql = statements(db);
    this.#all = queries(db, path);
    this.#inOneStep = steps(db, path);
    this.#keptCalls = keptCalls;
  }

  async add(entry: UsageEntry): Promise<void> {
    this.#inOneStep(() => {
      const number = this.#insert(entry);
      // By number and not by age: a clock that once went wrong must not wipe the ledger.
      this.#sql('DELETE FROM model_calls WHERE number <= ?').run(number - this.#keptCalls);
    });
  }

  async usage(sinceMs: number): Promise<readonly UsageRow[]> {
    return this.#all(
      `SELECT date(at / 1000, 'unixepoch') AS day, provider, model, count(*) AS requests,
        sum(tokens_in + tokens_out) AS tokens, sum(coalesce(cost_nano, 0)) AS cost_nano,
        sum(outcome NOT IN ('ok', 'canceled')) AS errors, sum(estimated) AS estimated,
        max(cost_nano IS NULL AND tokens_in + tokens_out > 0) AS unpriced
      FROM model_calls WHERE at >= ? GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
      sinceMs,
    ).map(usageOf);
  }

  async lastOutcomes(sinceMs: number): Promise<readonly LastOutcome[]> {
    // With max() SQLite takes the other columns from the row that holds it.
    const rows = this.#all(
      `SELECT provider, outcome, at, max(number) FROM model_calls
      WHERE at >= ? AND outcome != 'canceled' GROUP BY provider`,
      sinceMs,
    );
    return rows.map((row) => ({
      provider: row.provider as ProviderName,
      outcome: row.outcome as UsageEntry['outcome'],
      atMs: row.at as number,
    }));
  }

  #insert(entry: UsageEntry): number {
    const { lastInsertRowid } = this.#sql(`INSERT INTO model_calls
        (at, request_id, door, provider, model, outcome, tokens_in, tokens_out, cost_nano, estimated, ms)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
      entry.atMs,
      entry.requestId,
      entry.door,
      entry.provider,
      entry.model,
      entry.outcome,
      entry.tokensIn,
      entry.tokensOut,
      entry.costNanoUsd,
      entry.estimated ? 1 : 0,
      entry.ms,
    );
    return Number(lastInsertRowid);
  }
}

const usageOf = (row: Row): UsageRow => ({
  day: row.day as string,
  provider: row.provider as ProviderName,
  model: row.model as string,
  requests: row.requests as number,
  tokens: row.tokens as number,
  costNanoUsd: row.cost_nano as number,
  errors: row.errors as number,
  estimatedRequests: row.estimated as number,
  isUnpriced: row.unpriced === 1,
});
