// The paper venue's one write: a step of its books, whole or not at all.

import type { Sql } from './database.ts';

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
  fills: readonly (readonly [
    fillId: string,
    quantity: string,
    price: string,
    fee: string,
    realizedPnl: string,
    atMs: number,
  ])[],
  position: readonly [market: string, side: string, quantity: string, entryPrice: string, cost: Text] | null,
  leverage: readonly [market: string, leverage: number] | null,
];

type OrderArgs = NonNullable<PaperCommitArgs[1]>;
type FillArgs = PaperCommitArgs[2];

/** `stale`: the books this entry was made on are not the ones on disk. In both refusals nothing else is written. */
export function paperCommit(
  sql: Sql,
  [account, order, fills, position, leverage]: PaperCommitArgs,
): 'committed' | 'duplicate' | 'stale' {
  const [exchange] = account;
  const isNew = order !== null && order[14] === 1;
  if (isNew && !insertOrder(sql, exchange, order, fills)) return 'duplicate';
  if (!writeAccount(sql, account)) {
    if (isNew) sql('DELETE FROM paper_orders WHERE client_order_id = ? AND exchange = ?').run(order[0], exchange);
    return 'stale';
  }
  if (order !== null && !isNew) updateOrder(sql, exchange, order, fills);
  if (position !== null) writePosition(sql, exchange, position);
  if (leverage !== null) {
    sql(`INSERT INTO paper_leverages (exchange, market, leverage) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET leverage = excluded.leverage`).run(exchange, ...leverage);
  }
  return 'committed';
}

/** False when the entry was not made on the account's present version. */
function writeAccount(sql: Sql, account: PaperCommitArgs[0]): boolean {
  const [exchange, version] = account;
  const present = sql('SELECT version FROM paper_accounts WHERE exchange = ?').get(exchange)?.version ?? 0;
  if (present !== version - 1) return false;
  sql(`INSERT INTO paper_accounts (exchange, version, balance, next_order_number, matched_until)
    VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET version = excluded.version, balance = excluded.balance,
      next_order_number = excluded.next_order_number, matched_until = excluded.matched_until`).run(...account);
  return true;
}

/** One line per fill, so that a later fill is added without reading the earlier ones. */
const fillLines = (fills: FillArgs): string => fills.map((fill) => `${JSON.stringify(fill)}\n`).join('');

function insertOrder(sql: Sql, exchange: string, order: OrderArgs, fills: FillArgs): boolean {
  const [clientOrderId, orderId, market, side, positionSide, reduceOnly, status, quantity, price] = order;
  const [, , , , , , , , , executed, average, reason, createdAt, updatedAt] = order;
  const { changes } = sql(`INSERT INTO paper_orders (client_order_id, exchange, order_id, market, side, position_side,
      reduce_only, status, quantity, price, executed_quantity, average_price, reason, fills, created_at, updated_at,
      submissions)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT DO NOTHING`).run(
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
    fillLines(fills),
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

function updateOrder(sql: Sql, exchange: string, order: OrderArgs, fills: FillArgs): void {
  const [clientOrderId, , , , , , status, , , executed, average, reason, , updatedAt] = order;
  sql(`UPDATE paper_orders SET status = ?, executed_quantity = ?, average_price = ?, reason = ?, fills = fills || ?,
      updated_at = ? WHERE client_order_id = ? AND exchange = ?`).run(
    status,
    executed,
    average,
    reason,
    fillLines(fills),
    updatedAt,
    clientOrderId,
    exchange,
  );
}

function writePosition(
  sql: Sql,
  exchange: string,
  [market, side, quantity, entry, cost]: NonNullable<PaperCommitArgs[3]>,
): void {
  if (quantity === '0') {
    sql('DELETE FROM paper_positions WHERE exchange = ? AND market = ? AND side = ?').run(exchange, market, side);
    return;
  }
  sql(`INSERT INTO paper_positions (exchange, market, side, quantity, entry_price, cost)
    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET quantity = excluded.quantity,
      entry_price = excluded.entry_price, cost = excluded.cost`).run(exchange, market, side, quantity, entry, cost);
}
