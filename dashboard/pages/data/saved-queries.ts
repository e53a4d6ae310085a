// Queries that are saved at the server under names, those that browsers kept before, and a few to begin with.

import { SavedLayouts } from '../../server/layouts.ts';

export interface Query {
  readonly sql: string;
}

export interface NamedQuery extends Query {
  readonly name: string;
}

/** Where browsers kept them before the server did. */
const KEY = 'signalbox.queries';

export const QUERIES = new SavedLayouts<Query>('query');

export const EXAMPLES: readonly NamedQuery[] = [
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

/** The statement in one line. */
export const aboutOf = ({ sql }: Query): string => sql.replace(/[\p{Cc}\p{Cs}\p{Z}]+/gu, ' ').trim();

export const isQuery = (content: unknown): content is Query =>
  typeof content === 'object' && content !== null && 'sql' in content && typeof content.sql === 'string';

type Store = Pick<Storage, 'getItem' | 'setItem'>;

export const moveKept = (store: Store = localStorage): Promise<void> =>
  QUERIES.takeOver(
    keptQueries(store).map(({ name, sql }) => ({ name, about: aboutOf({ sql }), content: { sql } })),
    (moved) => store.setItem(KEY, JSON.stringify(keptQueries(store).filter(({ name }) => name !== moved))),
  );

/** What cannot be read counts as nothing: a page must not stay away because of what it once kept. */
export function keptQueries(store: Store = localStorage): readonly NamedQuery[] {
  try {
    const list: unknown = JSON.parse(store.getItem(KEY) ?? '[]');
    return Array.isArray(list) ? list.filter(isNamed) : [];
  } catch {
    return [];
  }
}

const isNamed = (value: unknown): value is NamedQuery =>
  isQuery(value) && 'name' in value && typeof value.name === 'string';
