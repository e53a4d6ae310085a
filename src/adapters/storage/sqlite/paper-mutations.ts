// The paper venue's one write: a step of its books, whole or not at all.

import type {
  PaperAccountRow,
  PaperEntry,
  PaperFillRow,
  PaperFundingRow,
  PaperOrderRow,
  PaperPositionRow,
} from '../../venues/paper/ledger.ts';
import type { Sql } from './database.ts';

/** One fill in its order's row; these lines are on disk, so their places stay. */
export type StoredFill = readonly [
  fillId: string,
  quantity: string,
  price: string,
  fee: string,
  realizedPnl: string,
  atMs: number,
];

type Fills = readonly PaperFillRow[];

const ORDER_KEY = 'client_order_id = ? AND exchange = ? AND account = ?';

/** `stale`: the books this entry was made on are not the ones on disk. In both refusals nothing else is written. */
export function paperCommit(sql: Sql, entry: PaperEntry): 'committed' | 'duplicate' | 'stale' {
  const { account, order, fills = [], position, leverage, funding = [] } = entry;
  if (order?.insert && !insertOrder(sql, order.row, fills)) return 'duplicate';
  if (!writeAccount(sql, account)) {
    if (order?.insert) sql(`DELETE FROM paper_orders WHERE ${ORDER_KEY}`).run(...keyOf(order.row));
    return 'stale';
  }
  if (order && !order.insert) updateOrder(sql, order.row, fills);
  if (position) writePosition(sql, position);
  if (leverage) {
    sql(`INSERT INTO paper_leverages (exchange, account, market, leverage) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET leverage = excluded.leverage`).run(
      leverage.exchange,
      leverage.account,
      leverage.market,
      leverage.leverage,
    );
  }
  for (const paid of funding) writeFunding(sql, paid);
  return 'committed';
}

function writeFunding(sql: Sql, row: PaperFundingRow): void {
  const { exchange, account, market, side, atMs, quantity, price, rate, amount } = row;
  sql(`INSERT INTO paper_funding (exchange, account, at, market, side, quantity, price, rate, amount)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(exchange, account, atMs, market, side, quantity, price, rate, amount);
}

const keyOf = ({ clientOrderId, exchange, account }: PaperOrderRow): [string, string, string] => [
  clientOrderId,
  exchange,
  account,
];

/** False when the entry was not made on the account's present version. */
function writeAccount(sql: Sql, row: PaperAccountRow): boolean {
  const { exchange, account, version, balance, nextOrderNumber, matchedUntilMs } = row;
  const stored = sql('SELECT version FROM paper_accounts WHERE exchange = ? AND account = ?').get(exchange, account);
  const present = stored?.version ?? 0;
  if (present !== version - 1) return false;
  sql(`INSERT INTO paper_accounts (exchange, account, version, balance, next_order_number, matched_until)
    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET version = excluded.version, balance = excluded.balance,
      next_order_number = excluded.next_order_number, matched_until = excluded.matched_until`).run(
    exchange,
    account,
    version,
    balance,
    nextOrderNumber,
    matchedUntilMs,
  );
  return true;
}

/** One line per fill, so that a later fill is added without reading the earlier ones. */
function fillLines(fills: Fills): string {
  const stored = fills.map((fill): StoredFill => {
    const { fillId, quantity, price, fee, realizedPnl, atMs } = fill;
    return [fillId, quantity, price, fee, realizedPnl, atMs];
  });
  return stored.map((fill) => `${JSON.stringify(fill)}\n`).join('');
}

function insertOrder(sql: Sql, order: PaperOrderRow, fills: Fills): boolean {
  const { changes } =
    sql(`INSERT INTO paper_orders (client_order_id, exchange, account, order_id, market, side, position_side,
      reduce_only, status, quantity, price, executed_quantity, average_price, reason, fills, created_at, updated_at,
      submissions)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT DO NOTHING`).run(
      ...keyOf(order),
      order.orderId,
      order.market,
      order.side,
      order.positionSide,
      order.reduceOnly ? 1 : 0,
      order.status,
      order.quantity,
      order.price,
      order.executedQuantity,
      order.averagePrice,
      order.reason,
      fillLines(fills),
      order.createdAtMs,
      order.updatedAtMs,
    );
  if (changes === 1) return true;
  sql(`UPDATE paper_orders SET submissions = submissions + 1 WHERE ${ORDER_KEY}`).run(...keyOf(order));
  return false;
}

function updateOrder(sql: Sql, order: PaperOrderRow, fills: Fills): void {
  sql(`UPDATE paper_orders SET status = ?, executed_quantity = ?, average_price = ?, reason = ?, fills = fills || ?,
      updated_at = ? WHERE ${ORDER_KEY}`).run(
    order.status,
    order.executedQuantity,
    order.averagePrice,
    order.reason,
    fillLines(fills),
    order.updatedAtMs,
    ...keyOf(order),
  );
}

function writePosition(sql: Sql, row: PaperPositionRow): void {
  const { exchange, account, market, side, quantity, entryPrice, cost } = row;
  if (quantity === '0') {
    sql(`DELETE FROM paper_positions WHERE exchange = ? AND account = ? AND market = ? AND side = ?`).run(
      exchange,
      account,
      market,
      side,
    );
    return;
  }
  sql(`INSERT INTO paper_positions (exchange, account, market, side, quantity, entry_price, cost)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET quantity = excluded.quantity,
      entry_price = excluded.entry_price, cost = excluded.cost`).run(
    exchange,
    account,
    market,
    side,
    quantity,
    entryPrice,
    cost,
  );
}
