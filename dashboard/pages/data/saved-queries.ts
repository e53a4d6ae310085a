// Queries that this browser keeps, and a few to begin with.

export interface SavedQuery {
  readonly name: string;
  readonly sql: string;
}

const KEY = 'signalbox.queries';

export const EXAMPLES: readonly SavedQuery[] = [
  {
    name: 'Trades by market',
    sql: "SELECT market, count(*) AS trades\nFROM trades\nWHERE state = 'filled'\nGROUP BY market\nORDER BY trades DESC",
  },
  {
    name: 'Profit and fees by day',
    sql: "SELECT strftime('%Y-%m-%d', at / 1000, 'unixepoch') AS day,\n  sum(CAST(realized_pnl AS REAL)) AS pnl,\n  sum(CAST(fee AS REAL)) AS fees\nFROM fills\nGROUP BY day\nORDER BY day",
  },
  {
    name: 'Latest trades',
    sql: 'SELECT received_at, key_label, strategy, action, market, quantity, state, average_price, error\nFROM trades\nORDER BY seq DESC\nLIMIT 100',
  },
  {
    name: 'Signals by source and decision',
    sql: 'SELECT source, decision, count(*) AS signals\nFROM trade_signals\nGROUP BY source, decision',
  },
];

/** What cannot be read counts as nothing: it is a convenience and no record. */
export function savedQueries(stored = localStorage.getItem(KEY)): readonly SavedQuery[] {
  try {
    const list: unknown = JSON.parse(stored ?? '[]');
    return Array.isArray(list) ? list.filter(isSaved) : [];
  } catch {
    return [];
  }
}

const isSaved = (value: unknown): value is SavedQuery =>
  typeof value === 'object' && value !== null && 'name' in value && 'sql' in value && typeof value.sql === 'string';

/** A query of the same name is replaced. */
export const withQuery = (saved: readonly SavedQuery[], query: SavedQuery): readonly SavedQuery[] =>
  [...saved.filter(({ name }) => name !== query.name), query].sort((a, b) => a.name.localeCompare(b.name));

export const keepQueries = (saved: readonly SavedQuery[]): void => localStorage.setItem(KEY, JSON.stringify(saved));
