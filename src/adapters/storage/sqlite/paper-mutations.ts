// The paper venue's one write: a step of its books, whole or not at all.

import type { StatementSync } from 'node:sqlite';

type Sql = (text: string) => StatementSync;
type Text = string | null;

export type PaperCommitArgs = readonly [
  account: readonly [
    exchange: string,
    version: number,
    balance: string,
    nextOrderNumber: number,
    matchedUntilMs: number,
  ],
  order:
    | readonly [
        clientOrderId: string,
        orderId: string,
        market: string,
        side: string,
        positionSide: string,
        reduceOnly: number,
        status: string,
        quantity: string,
        price: Text,
        executedQuantity: string,
        averagePrice: Text,
        reason: Text,
        createdAtMs: number,
        updatedAtMs: number,
        insert: number,
      ]
    | null,
  fills: readonly (readonly [string, string, string, string, string, string, number])[],
  position: readonly [market: string, side: string, quantity: string, entryPrice: string] | null,
  leverage: readonly [market: string, leverage: number] | null,
];

/** `stale`: the books this entry was made on are not the ones on disk. In both refusals nothing else is written. */
export function paperCommit(
  sql: Sql,
  [account, order, fills, position, leverage]: PaperCommitArgs,
): 'committed' | 'duplicate' | 'stale' {
  const [exchange, version] = account;
  const onDisk = sql('SELECT version FROM paper_accounts WHERE exchange = ?').get(exchange)?.version ?? 0;
  if (onDisk !== version - 1) return 'stale';
  if (order !== null && !writeOrder(sql, exchange, order)) return 'duplicate';
  sql(`INSERT INTO paper_accounts (exchange, version, balance, next_order_number, matched_until) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET version = excluded.version, balance = excluded.balance,
      next_order_number = excluded.next_order_number, matched_until = excluded.matched_until`).run(...account);
  for (const fill of fills) {
    sql(`INSERT INTO paper_fills (exchange, client_order_id, fill_id, quantity, price, fee, realized_pnl, at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`).run(exchange, ...fill);
  }
  if (position !== null) writePosition(sql, exchange, position);
  if (leverage !== null) {
    sql(`INSERT INTO paper_leverages (exchange, market, leverage) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET leverage = excluded.leverage`).run(exchange, ...leverage);
  }
  return 'committed';
}

function writeOrder(sql: Sql, exchange: string, order: NonNullable<PaperCommitArgs[1]>): boolean {
  const [clientOrderId, orderId, market, side, positionSide, reduceOnly, status, quantity, price] = order;
  const [executed, average, reason, createdAt, updatedAt, insert] = [
    order[9],
    order[10],
    order[11],
    order[12],
    order[13],
    order[14],
  ];
  if (insert === 0) {
    sql(`UPDATE paper_orders SET status = ?, executed_quantity = ?, average_price = ?, reason = ?, updated_at = ?
      WHERE client_order_id = ? AND exchange = ?`).run(
      status,
      executed,
      average,
      reason,
      updatedAt,
      clientOrderId,
      exchange,
    );
    return true;
  }
  const { changes } = sql(`INSERT INTO paper_orders (client_order_id, exchange, order_id, market, side, position_side,
      reduce_only, status, quantity, price, executed_quantity, average_price, reason, created_at, updated_at, submissions)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT DO NOTHING`).run(
    clientOrderId,
    exchange,
    orderId,
    market,
    side,
    positionSide,
    reduceOnly,
    status,
    quantity,
    price,
    executed,
    average,
    reason,
    createdAt,
    updatedAt,
  );
  if (changes === 1) return true;
  sql('UPDATE paper_orders SET submissions = submissions + 1 WHERE client_order_id = ? AND exchange = ?').run(
    clientOrderId,
    exchange,
  );
  return false;
}

function writePosition(
  sql: Sql,
  exchange: string,
  [market, side, quantity, entry]: NonNullable<PaperCommitArgs[3]>,
): void {
  if (quantity === '0') {
    sql('DELETE FROM paper_positions WHERE exchange = ? AND market = ? AND side = ?').run(exchange, market, side);
    return;
  }
  sql(`INSERT INTO paper_positions (exchange, market, side, quantity, entry_price) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET quantity = excluded.quantity, entry_price = excluded.entry_price`).run(
    exchange,
    market,
    side,
    quantity,
    entry,
  );
}
