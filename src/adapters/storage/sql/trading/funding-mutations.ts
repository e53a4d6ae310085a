// Funding of real venues as it is written inside the writer's transaction: each payment once, with the sum of all.

import { decimal, plus, toText, ZERO } from '../../../../trading/decimal.ts';
import type { Sql } from '../sql.ts';

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

const INSERT = `INSERT INTO venue_funding (exchange, mode, account, funding_id, market, at, amount)
  VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;

export async function keepFunding(
  sql: Sql,
  { exchange, mode, account, payments, readToMs }: KeepFundingArgs,
): Promise<void> {
  let added = ZERO;
  for (const { fundingId, market, atMs, amount } of payments) {
    const changes = await sql.run(INSERT, exchange, mode, account, fundingId, market, atMs, amount);
    if (changes === 1) added = plus(added, decimal(amount));
  }
  const stored = await sql.get(
    'SELECT total FROM venue_funding_read WHERE exchange = ? AND mode = ? AND account = ?',
    ...[exchange, mode, account],
  );
  const total = plus(stored === undefined ? ZERO : decimal(stored.total as string), added);
  await sql.run(
    `INSERT INTO venue_funding_read (exchange, mode, account, read_to, total) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (exchange, mode, account) DO UPDATE SET total = excluded.total,
      read_to = CASE WHEN excluded.read_to > venue_funding_read.read_to THEN excluded.read_to ELSE venue_funding_read.read_to END`,
    ...[exchange, mode, account, readToMs, toText(total)],
  );
}
