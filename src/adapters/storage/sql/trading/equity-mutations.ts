// Equity samples as they are written and thinned out inside the writer's transaction.

import type { Sql } from '../sql.ts';
import { addDeskEvent, type Batch } from './desk-event-mutations.ts';

export interface EquityRecord {
  readonly exchange: string;
  readonly mode: string;
  readonly account: string;
  readonly atMs: number;
  readonly equity: string;
  readonly balance: string;
}

export interface KeepEquityArgs {
  readonly samples: readonly EquityRecord[];
  readonly keep: readonly { readonly beforeMs: number; readonly everyMs: number }[];
}

const INSERT = `INSERT INTO equity_samples (exchange, mode, account, at, equity, balance) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (exchange, mode, account, at) DO UPDATE SET equity = excluded.equity, balance = excluded.balance`;

export async function keepEquity(sql: Sql, { samples, keep }: KeepEquityArgs, batch: Batch): Promise<void> {
  for (const { exchange, mode, account, atMs, equity, balance } of samples) {
    await sql.run(INSERT, exchange, mode, account, atMs, equity, balance);
    addDeskEvent(batch, { atMs, kind: 'equity', facts: { exchange, mode, account, equity, balance } });
  }
  for (const { beforeMs, everyMs } of keep) {
    if (everyMs === 0) await sql.run('DELETE FROM equity_samples WHERE at < ?', beforeMs);
    else
      await sql.run(
        `DELETE FROM equity_samples WHERE at < ?1 AND EXISTS (SELECT 1 FROM equity_samples AS later
        WHERE later.exchange = equity_samples.exchange AND later.mode = equity_samples.mode
          AND later.account = equity_samples.account AND later.at > equity_samples.at AND later.at < ?1
          AND later.at < (equity_samples.at / CAST(?2 AS BIGINT) + 1) * CAST(?2 AS BIGINT))`,
        beforeMs,
        everyMs,
      );
  }
}
