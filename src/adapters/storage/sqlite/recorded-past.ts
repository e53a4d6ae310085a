// Reads what a replay needs to know of the past: from copies of the databases, so that the instance they belong to goes on.

import { join } from 'node:path';
import type { Exchange } from '../../../exchanges/exchange.ts';
import { type Decimal, decimal, minus, plus, ZERO } from '../../../trading/decimal.ts';
import type { AuditEntry } from '../../../trading/intake/controls.ts';
import type {
  RecordedAccount,
  RecordedOrder,
  RecordedPast,
  RecordedTrade,
} from '../../../trading/replay/recorded-past.ts';
import type { ProtectRequest } from '../../../trading/signal.ts';
import type { Row } from '../sql/sql.ts';
import { fromExactJson } from '../sql/trading/exact-json.ts';
import { STOPS_ASKED } from '../sql/trading/journal-mutations.ts';
import { fillsOf, orderOf, positionOf, strategyBookOf, tradeOf } from '../sql/trading/journal-rows.ts';
import { refusedOf } from '../sql/trading/refusal-store.ts';
import { openMigrated, queries } from './database.ts';
import { OWNER, TRADING } from './database-files.ts';
import { STOPS, stopChangeOf } from './stop-changes.ts';

/** Of copies: they are brought up to date where an older version wrote them. */
export function readRecordedPast(dataDir: string): RecordedPast {
  const trading = join(dataDir, TRADING.name);
  const owner = join(dataDir, OWNER.name);
  const [db, ownerDb] = [openMigrated(trading, TRADING.migrations), openMigrated(owner, OWNER.migrations)];
  try {
    const all = queries(db, trading);
    const audit = queries(
      ownerDb,
      owner,
    )('SELECT at AS atMs, actor, setting, before, after FROM audit ORDER BY seq') as unknown as AuditEntry[];
    return {
      trades: tradesOf(all),
      refusals: all('SELECT * FROM refusals ORDER BY seq').map(refusedOf),
      audit,
      stopChanges: audit.filter(({ setting }) => setting === STOPS).map(stopChangeOf),
      accounts: accountsOf(all),
      positions: all('SELECT * FROM positions').map(positionOf),
      books: all('SELECT * FROM strategy_books').map(strategyBookOf),
    };
  } finally {
    db.close();
    ownerDb.close();
  }
}

type Read = ReturnType<typeof queries>;

function tradesOf(all: Read): readonly RecordedTrade[] {
  const orders = grouped(
    all(`SELECT orders.*, paper.created_at AS placed_at FROM orders LEFT JOIN paper_orders AS paper
      ON paper.client_order_id = orders.client_order_id AND paper.exchange = orders.exchange AND paper.account = orders.account
      ORDER BY orders.trade_seq, orders.leg NOT LIKE 'catch_up_%', orders.leg <> 'flatten', orders.created_at, orders.leg`),
  );
  const events = grouped(
    all(`SELECT trade_seq, at, kind, detail FROM stored_events WHERE kind IN ('cancel-asked', '${STOPS_ASKED}')
      ORDER BY trade_seq, step`),
  );
  let asked: string | undefined;
  return all('SELECT * FROM current_trades ORDER BY seq').map((row) => {
    const trade = tradeOf(row);
    const own = events.get(trade.seq) ?? [];
    // Written once for a signal, whose trades stand one behind the other.
    if (!trade.requestId.includes('.'))
      asked = own.find(({ kind }) => kind === STOPS_ASKED)?.detail as string | undefined;
    const order =
      asked === undefined ? trade.order : { ...trade.order, protect: fromExactJson(asked) as ProtectRequest };
    return {
      trade: { ...trade, order },
      orders: (orders.get(trade.seq) ?? []).map(recordedOrder),
      cancels: own.flatMap(({ kind, at, detail }) =>
        kind === STOPS_ASKED ? [] : [{ atMs: Number(at), detail: String(detail) }],
      ),
      updatedAtMs: Number(row.updated_at),
    };
  });
}

function grouped(rows: readonly Row[]): ReadonlyMap<number, readonly Row[]> {
  const groups = new Map<number, Row[]>();
  for (const row of rows) {
    const seq = Number(row.trade_seq);
    const group = groups.get(seq);
    if (group) group.push(row);
    else groups.set(seq, [row]);
  }
  return groups;
}

const recordedOrder = (row: Row): RecordedOrder => ({
  ...orderOf(row),
  createdAtMs: Number(row.created_at),
  updatedAtMs: Number(row.updated_at),
  ...(row.placed_at !== null && { placedAtMs: Number(row.placed_at) }),
  fills: fillsOf(row),
});

/** What an account began with is what it has now, less everything that its fills and its funding have brought and cost. */
function accountsOf(all: Read): readonly RecordedAccount[] {
  const earned = new Map<string, Decimal>();
  for (const { exchange, account, fills } of all(
    `SELECT exchange, account, fills FROM paper_orders WHERE fills <> ''`,
  )) {
    const name = `${exchange} ${account}`;
    for (const line of String(fills).split('\n').slice(0, -1)) {
      const [, , , fee, realizedPnl] = JSON.parse(line) as [string, string, string, string, string];
      earned.set(name, plus(earned.get(name) ?? ZERO, minus(decimal(realizedPnl), decimal(fee))));
    }
  }
  const firstTradeMs = firstTrades(all);
  return all('SELECT exchange, account, balance FROM paper_accounts ORDER BY exchange, account').map((row) => {
    const balance = decimal(String(row.balance));
    // What was paid on positions of archived trades is a part of what it begins with now.
    const funding = fundingOf(all, row).filter(
      ({ market, atMs }) =>
        atMs >= (firstTradeMs.get(`${row.exchange} ${row.account} ${market}`) ?? Number.POSITIVE_INFINITY),
    );
    const held = funding.map(({ amount }) => amount).reduce(plus, ZERO);
    const startingBalance = minus(minus(balance, earned.get(`${row.exchange} ${row.account}`) ?? ZERO), held);
    const name = { exchange: row.exchange as Exchange, mode: 'paper' as const, account: String(row.account) };
    return { ...name, startingBalance, balance, funding };
  });
}

/** When the first trade came that is still there, by exchange, account and market. */
const firstTrades = (all: Read): ReadonlyMap<string, number> =>
  new Map(
    all(
      `SELECT exchange, account, market, min(received_at) AS first FROM trades WHERE mode = 'paper' GROUP BY exchange, account, market`,
    ).map(({ exchange, account, market, first }) => [`${exchange} ${account} ${market}`, Number(first)]),
  );

const fundingOf = (all: Read, { exchange, account }: Row): RecordedAccount['funding'] =>
  all(
    'SELECT market, at, amount FROM paper_funding WHERE exchange = ? AND account = ? ORDER BY at',
    String(exchange),
    String(account),
  ).map(({ market, at, amount }) => ({ market: String(market), atMs: Number(at), amount: decimal(String(amount)) }));
