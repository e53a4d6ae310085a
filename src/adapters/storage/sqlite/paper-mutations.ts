// The paper venue's one write: a step of its books, whole or not at all.

import type { Sql } from './database.ts';

type Text = string | null;

export type PaperCommitArgs = readonly [
  account: readonly [
    exchange: string,
    account: string,
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
type Owner = readonly [exchange: string, account: string];

const ORDER_KEY = 'client_order_id = ? AND exchange = ? AND account = ?';

/** `stale`: the books this entry was made on are not the ones on disk. In both refusals nothing else is written. */
export function paperCommit(
  sql: Sql,
  [account, order, fills, position, leverage]: PaperCommitArgs,
): 'committed' | 'duplicate' | 'stale' {
  const [exchange, name] = account;
  const of: Owner = [exchange, name];
  const isNew = order !== null && order[14] === 1;
  if (isNew && !insertOrder(sql, of, order, fills)) return 'duplicate';
  if (!writeAccount(sql, account)) {
    if (isNew) sql(`DELETE FROM paper_orders WHERE ${ORDER_KEY}`).run(order[0], ...of);
    return 'stale';
  }
  if (order !== null && !isNew) updateOrder(sql, of, order, fills);
  if (position !== null) writePosition(sql, of, position);
  if (leverage !== null) {
    sql(`INSERT INTO paper_leverages (exchange, account, market, leverage) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET leverage = excluded.leverage`).run(...of, ...leverage);
  }
  return 'committed';
}

/** False when the entry was not made on the account's present version. */
function writeAccount(sql: Sql, account: PaperCommitArgs[0]): boolean {
  const [exchange, name, version] = account;
  const stored = sql('SELECT version FROM paper_accounts WHERE exchange = ? AND account = ?').get(exchange, name);
  const present = stored?.version ?? 0;
  if (present !== version - 1) return false;
  sql(`INSERT INTO paper_accounts (exchange, account, version, balance, next_order_number, matched_until)
    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET version = excluded.version, balance = excluded.balance,
      next_order_number = excluded.next_order_number, matched_until = excluded.matched_until`).run(...account);
  return true;
}

/** One line per fill, so that a later fill is added without reading the earlier ones. */
const fillLines = (fills: FillArgs): string => fills.map((fill) => `${JSON.stringify(fill)}\n`).join('');

function insertOrder(sql: Sql, of: Owner, order: OrderArgs, fills: FillArgs): boolean {
  const [clientOrderId, orderId, market, side, positionSide, reduceOnly, status, quantity, price] = order;
  const [, , , , , , , , , executed, average, reason, createdAt, updatedAt] = order;
  const { changes } =
    sql(`INSERT INTO paper_orders (client_order_id, exchange, account, order_id, market, side, position_side,
      reduce_only, status, quantity, price, executed_quantity, average_price, reason, fills, created_at, updated_at,
      submissions)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT DO NOTHING`).run(
      clientOrderId,
      ...of,
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
  sql(`UPDATE paper_orders SET submissions = submissions + 1 WHERE ${ORDER_KEY}`).run(clientOrderId, ...of);
  return false;
}

function updateOrder(sql: Sql, of: Owner, order: OrderArgs, fills: FillArgs): void {
  const [clientOrderId, , , , , , status, , , executed, average, reason, , updatedAt] = order;
  sql(`UPDATE paper_orders SET status = ?, executed_quantity = ?, average_price = ?, reason = ?, fills = fills || ?,
      updated_at = ? WHERE ${ORDER_KEY}`).run(
    status,
    executed,
    average,
    reason,
    fillLines(fills),
    updatedAt,
    clientOrderId,
    ...of,
  );
}

function writePosition(
  sql: Sql,
  of: Owner,
  [market, side, quantity, entry, cost]: NonNullable<PaperCommitArgs[3]>,
): void {
  if (quantity === '0') {
    sql(`DELETE FROM paper_positions WHERE exchange = ? AND account = ? AND market = ? AND side = ?`).run(
      ...of,
      market,
      side,
    );
    return;
  }
  sql(`INSERT INTO paper_positions (exchange, account, market, side, quantity, entry_price, cost)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET quantity = excluded.quantity,
      entry_price = excluded.entry_price, cost = excluded.cost`).run(...of, market, side, quantity, entry, cost);
}
