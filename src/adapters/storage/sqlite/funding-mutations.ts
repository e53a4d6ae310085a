// Funding of real venues as it is written inside the writer's transaction: each payment once, with the sum of all.

import { decimal, plus, toText, ZERO } from '../../../trading/decimal.ts';
import type { Sql } from './database.ts';

export interface KeepFundingArgs {
  readonly exchange: string;
  readonly mode: string;
  readonly account: string;
  readonly payments: readonly {
    readonly fundingId: string;
    readonly market: string;
    readonly atMs: number;
    readonly amount: string;
  }[];
  readonly readToMs: number;
}

export function keepFunding(sql: Sql, { exchange, mode, account, payments, readToMs }: KeepFundingArgs): void {
  const insert = sql(`INSERT INTO venue_funding (exchange, mode, account, funding_id, market, at, amount)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`);
  let added = ZERO;
  for (const { fundingId, market, atMs, amount } of payments) {
    const { changes } = insert.run(exchange, mode, account, fundingId, market, atMs, amount);
    if (changes === 1) added = plus(added, decimal(amount));
  }
  const stored = sql('SELECT total FROM venue_funding_read WHERE exchange = ? AND mode = ? AND account = ?').get(
    ...[exchange, mode, account],
  );
  const total = plus(stored === undefined ? ZERO : decimal(stored.total as string), added);
  sql(`INSERT INTO venue_funding_read (exchange, mode, account, read_to, total) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET read_to = max(read_to, excluded.read_to), total = excluded.total`).run(
    ...[exchange, mode, account, readToMs, toText(total)],
  );
}
