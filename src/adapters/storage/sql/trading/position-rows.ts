// The journal's rows of positions and of the strategies' shares in them, written with the fills that made them.

import type { Position } from '../../../../trading/books/position.ts';
import type { StrategyBook } from '../../../../trading/books/strategy-book.ts';
import { productText, toText } from '../../../../trading/decimal.ts';
import type { Sql } from '../sql.ts';

export interface PositionRecord {
  readonly exchange: string;
  readonly mode: string;
  readonly account: string;
  readonly market: string;
  readonly side: string;
  readonly quantity: string;
  readonly entryPrice: string;
  readonly realizedPnl: string;
  readonly fees: string;
  readonly updatedAtMs: number;
  readonly cost: string;
}

export interface StrategyBookRecord extends PositionRecord {
  readonly strategy: string;
}

export function positionRecord(position: Position): PositionRecord {
  const { exchange, mode, account, market, side, updatedAtMs } = position;
  return {
    exchange,
    mode,
    account,
    market,
    side,
    updatedAtMs,
    quantity: toText(position.quantity),
    entryPrice: toText(position.entryPrice),
    realizedPnl: toText(position.realizedPnl),
    fees: toText(position.fees),
    cost: productText(position.cost),
  };
}

export const strategyBookRecord = (book: StrategyBook): StrategyBookRecord => ({
  ...positionRecord(book),
  strategy: book.strategy,
});

export async function writePosition(sql: Sql, position: PositionRecord): Promise<void> {
  await sql.run(
    `INSERT INTO positions (exchange, mode, account, market, side, quantity, entry_price, realized_pnl, fees,
      updated_at, cost)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (exchange, mode, account, market, side) DO UPDATE SET quantity = excluded.quantity, entry_price = excluded.entry_price,
      realized_pnl = excluded.realized_pnl, fees = excluded.fees, updated_at = excluded.updated_at,
      cost = excluded.cost`,
    position.exchange,
    position.mode,
    position.account,
    position.market,
    position.side,
    position.quantity,
    position.entryPrice,
    position.realizedPnl,
    position.fees,
    position.updatedAtMs,
    position.cost,
  );
}

export async function writeStrategyBook(sql: Sql, book: StrategyBookRecord): Promise<void> {
  await sql.run(
    `INSERT INTO strategy_books (exchange, mode, account, market, side, strategy, quantity, entry_price, realized_pnl,
      fees, updated_at, cost)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (exchange, mode, account, market, side, strategy) DO UPDATE SET quantity = excluded.quantity, entry_price = excluded.entry_price,
      realized_pnl = excluded.realized_pnl, fees = excluded.fees, updated_at = excluded.updated_at,
      cost = excluded.cost`,
    book.exchange,
    book.mode,
    book.account,
    book.market,
    book.side,
    book.strategy,
    book.quantity,
    book.entryPrice,
    book.realizedPnl,
    book.fees,
    book.updatedAtMs,
    book.cost,
  );
}
