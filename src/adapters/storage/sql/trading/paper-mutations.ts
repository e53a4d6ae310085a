// The paper venue's one write: a step of its books, whole or not at all.

import type {
  PaperAccountRow,
  PaperEntry,
  PaperFillRow,
  PaperFundingRow,
  PaperOrderRow,
  PaperPositionRow,
} from '../../../venues/paper/ledger.ts';
import type { Sql } from '../sql.ts';

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
export async function paperCommit(sql: Sql, entry: PaperEntry): Promise<'committed' | 'duplicate' | 'stale'> {
  const { account, order, fills = [], position, leverage, funding = [] } = entry;
  if (order?.insert && !(await insertOrder(sql, order.row, fills))) return 'duplicate';
  if (!(await writeAccount(sql, account))) {
    if (order?.insert) await sql.run(`DELETE FROM paper_orders WHERE ${ORDER_KEY}`, ...keyOf(order.row));
    return 'stale';
  }
  if (order && !order.insert) await updateOrder(sql, order.row, fills);
  if (position) await writePosition(sql, position);
  if (leverage) {
    await sql.run(
      `INSERT INTO paper_leverages (exchange, account, market, leverage) VALUES (?, ?, ?, ?)
      ON CONFLICT (exchange, account, market) DO UPDATE SET leverage = excluded.leverage`,
      leverage.exchange,
      leverage.account,
      leverage.market,
      leverage.leverage,
    );
  }
  for (const paid of funding) await writeFunding(sql, paid);
  return 'committed';
}

async function writeFunding(sql: Sql, row: PaperFundingRow): Promise<void> {
  const { exchange, account, market, side, atMs, quantity, price, rate, amount } = row;
  await sql.run(
    `INSERT INTO paper_funding (exchange, account, at, market, side, quantity, price, rate, amount)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    exchange,
    account,
    atMs,
    market,
    side,
    quantity,
    price,
    rate,
    amount,
  );
}

const keyOf = ({ clientOrderId, exchange, account }: PaperOrderRow): [string, string, string] => [
  clientOrderId,
  exchange,
  account,
];

/** False when the entry was not made on the account's present version. */
async function writeAccount(sql: Sql, row: PaperAccountRow): Promise<boolean> {
  const { exchange, account, version, balance, nextOrderNumber, matchedUntilMs } = row;
  const stored = await sql.get(
    'SELECT version FROM paper_accounts WHERE exchange = ? AND account = ?',
    exchange,
    account,
  );
  const present = stored?.version ?? 0;
  if (present !== version - 1) return false;
  const changes = await sql.run(
    `INSERT INTO paper_accounts (exchange, account, version, balance, next_order_number, matched_until)
    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (exchange, account) DO UPDATE SET version = excluded.version,
      balance = excluded.balance, next_order_number = excluded.next_order_number, matched_until = excluded.matched_until
      WHERE paper_accounts.version = excluded.version - 1`,
    exchange,
    account,
    version,
    balance,
    nextOrderNumber,
    matchedUntilMs,
  );
  return changes === 1;
}

/** One line per fill, so that a later fill is added without reading the earlier ones. */
function fillLines(fills: Fills): string {
  const stored = fills.map((fill): StoredFill => {
    const { fillId, quantity, price, fee, realizedPnl, atMs } = fill;
    return [fillId, quantity, price, fee, realizedPnl, atMs];
  });
  return stored.map((fill) => `${JSON.stringify(fill)}\n`).join('');
}

async function insertOrder(sql: Sql, order: PaperOrderRow, fills: Fills): Promise<boolean> {
  const changes = await sql.run(
    `INSERT INTO paper_orders (client_order_id, exchange, account, order_id, market, side, position_side,
      reduce_only, status, quantity, price, executed_quantity, average_price, reason, fills, created_at, updated_at,
      submissions)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT DO NOTHING`,
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
  await sql.run(`UPDATE paper_orders SET submissions = submissions + 1 WHERE ${ORDER_KEY}`, ...keyOf(order));
  return false;
}

async function updateOrder(sql: Sql, order: PaperOrderRow, fills: Fills): Promise<void> {
  await sql.run(
    `UPDATE paper_orders SET status = ?, executed_quantity = ?, average_price = ?, reason = ?, fills = fills || ?,
      updated_at = ? WHERE ${ORDER_KEY}`,
    order.status,
    order.executedQuantity,
    order.averagePrice,
    order.reason,
    fillLines(fills),
    order.updatedAtMs,
    ...keyOf(order),
  );
}

async function writePosition(sql: Sql, row: PaperPositionRow): Promise<void> {
  const { exchange, account, market, side, quantity, entryPrice, cost } = row;
  if (quantity === '0') {
    await sql.run(
      `DELETE FROM paper_positions WHERE exchange = ? AND account = ? AND market = ? AND side = ?`,
      exchange,
      account,
      market,
      side,
    );
    return;
  }
  await sql.run(
    `INSERT INTO paper_positions (exchange, account, market, side, quantity, entry_price, cost)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (exchange, account, market, side) DO UPDATE SET quantity = excluded.quantity,
      entry_price = excluded.entry_price, cost = excluded.cost`,
    exchange,
    account,
    market,
    side,
    quantity,
    entryPrice,
    cost,
  );
}
