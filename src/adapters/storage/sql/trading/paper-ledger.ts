// The paper venue's books in SQL, on either engine, sharing the journal's group commit.

import { decimal, plus, toText } from '../../../../trading/decimal.ts';
import type {
  PaperAccountName,
  PaperAccountRow,
  PaperBooks,
  PaperFillRow,
  PaperFundingRow,
  PaperLedger,
  PaperLeverageRow,
  PaperOrderRow,
  PaperPositionRow,
} from '../../../venues/paper/ledger.ts';
import type { SqlReads } from '../sql.ts';
import type { StoredFill } from './paper-mutations.ts';
import type { Writer } from './writer.ts';

const ORDER_COLUMNS = `exchange, account, client_order_id AS "clientOrderId", order_id AS "orderId", market, side,
  position_side AS "positionSide", reduce_only AS "reduceOnly", status, quantity, price,
  executed_quantity AS "executedQuantity", average_price AS "averagePrice", reason,
  created_at AS "createdAtMs", updated_at AS "updatedAtMs"`;

/** Order ids count upward: of two of one millisecond the longer one is the later one, and of two of one length the greater one. */
const BY_AGE = 'created_at, length(order_id), order_id';
const NEWEST_FIRST = 'created_at DESC, length(order_id) DESC, order_id DESC';

const FUNDING = `SELECT exchange, account, at AS "atMs", market, side, quantity, price, rate, amount FROM paper_funding
  WHERE exchange = ? AND account = ? AND at >= ? AND at < ? ORDER BY at, market, side`;

/**
 * Whole numbers are added exactly everywhere, and no others, so an amount is taken apart at its point: what stands before it, and
 * twelve places behind it. As text, because the sums may be longer than a double is exact; the second one has room for
 * nine million payments.
 */
const FUNDING_TOTAL = `
  SELECT CAST(coalesce(sum(sign * CAST(whole AS BIGINT)), 0) AS TEXT) AS whole,
    CAST(coalesce(sum(sign * CAST(substr(fraction || '000000000000', 1, 12) AS BIGINT)), 0) AS TEXT) AS units
  FROM (
    SELECT iif(amount LIKE '-%', -1, 1) AS sign,
      iif(instr(amount, '.') = 0, ltrim(amount, '-'), ltrim(substr(amount, 1, instr(amount, '.') - 1), '-')) AS whole,
      iif(instr(amount, '.') = 0, '', substr(amount, instr(amount, '.') + 1)) AS fraction
    FROM paper_funding WHERE exchange = ? AND account = ?
  ) AS parts`;

type Rows = <T>(text: string, ...params: (string | number)[]) => Promise<T[]>;

export function createPaperLedger(options: { writer: Pick<Writer, 'run'>; reads: SqlReads }): PaperLedger {
  const { writer } = options;
  const { all } = options.reads;
  const rows: Rows = async <T>(text: string, ...params: (string | number)[]): Promise<T[]> =>
    (await all(text, ...params)) as T[];

  return {
    accounts: async () =>
      rows<PaperAccountName>('SELECT exchange, account FROM paper_accounts ORDER BY exchange, account'),
    load: (name) => load(rows, name),
    commit: (entry) => writer.run('paperCommit', entry),
    ordersNamed: async ({ exchange, account }, prefix) =>
      (
        await rows<PaperOrderRow & { fills: string }>(
          `SELECT ${ORDER_COLUMNS}, fills FROM paper_orders
          WHERE client_order_id >= ? AND client_order_id < ? AND exchange = ? AND account = ?
          ORDER BY ${NEWEST_FIRST} LIMIT 1000`,
          prefix,
          `${prefix}\u{10ffff}`,
          exchange,
          account,
        )
      )
        .reverse()
        .map((row) => ({ row: orderRow(row), fills: fillRows(row) })),
    funding: async ({ exchange, account }, fromMs, toMs) =>
      rows<PaperFundingRow>(FUNDING, exchange, account, fromMs, toMs),
    async fundingTotal({ exchange, account }) {
      const [{ whole, units }] = (await rows<{ whole: string; units: string }>(FUNDING_TOTAL, exchange, account)) as [
        { whole: string; units: string },
      ];
      return toText(plus(decimal(whole), decimal(`${units}e-12`)));
    },
    async findOrder({ exchange, account }, clientOrderId) {
      const [row] = await rows<PaperOrderRow & { fills: string }>(
        `SELECT ${ORDER_COLUMNS}, fills FROM paper_orders WHERE client_order_id = ? AND exchange = ? AND account = ?`,
        clientOrderId,
        exchange,
        account,
      );
      if (!row) return undefined;
      return { row: orderRow(row), fills: fillRows(row) };
    },
  };
}

async function load(rows: Rows, { exchange, account: name }: PaperAccountName): Promise<PaperBooks> {
  const [account] = await rows<PaperAccountRow>(
    `SELECT exchange, account, version, balance, next_order_number AS "nextOrderNumber", matched_until AS "matchedUntilMs"
      FROM paper_accounts WHERE exchange = ? AND account = ?`,
    exchange,
    name,
  );
  return {
    account,
    positions: await rows<PaperPositionRow>(
      `SELECT exchange, account, market, side, quantity, entry_price AS "entryPrice", cost FROM paper_positions
        WHERE exchange = ? AND account = ?`,
      exchange,
      name,
    ),
    leverages: await rows<PaperLeverageRow>(
      'SELECT exchange, account, market, leverage FROM paper_leverages WHERE exchange = ? AND account = ?',
      exchange,
      name,
    ),
    openOrders: (
      await rows<PaperOrderRow>(
        `SELECT ${ORDER_COLUMNS} FROM paper_orders
        WHERE exchange = ? AND account = ? AND status IN ('submitted', 'partially_filled')
        ORDER BY ${BY_AGE}`,
        exchange,
        name,
      )
    ).map(orderRow),
  };
}

const fillRows = ({ exchange, account, clientOrderId, fills }: PaperOrderRow & { fills: string }): PaperFillRow[] =>
  fills
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [fillId, quantity, price, fee, realizedPnl, atMs] = JSON.parse(line) as StoredFill;
      return { exchange, account, clientOrderId, fillId, quantity, price, fee, realizedPnl, atMs };
    });

function orderRow({ ...row }: PaperOrderRow & { fills?: string }): PaperOrderRow {
  delete row.fills;
  return { ...row, reduceOnly: Boolean(row.reduceOnly) };
}
