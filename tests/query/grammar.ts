// Random SQL for property tests: statements that may be allowed, statements that may not, and both of them damaged.

import fc from 'fast-check';

const pick = (...words: string[]): fc.Arbitrary<string> => fc.constantFrom(...words);
const join = (...parts: (string | fc.Arbitrary<string>)[]): fc.Arbitrary<string> =>
  fc.tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part))).map((made) => made.join(' '));

/** Mostly allowed words: a statement has many, and the single wrong one is the test. */
const mostly = (allowed: string[], others: string[]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 9, arbitrary: pick(...allowed) }, { weight: 1, arbitrary: pick(...others) });

const TABLES = mostly(
  [
    'trade_signals',
    'trades',
    'trades',
    'current_trades',
    'TRADES',
    '"trades"',
    'orders',
    'fills',
    'positions',
    'events',
  ],
  [
    ...['outbox', 'paper_orders', 'paper_positions', 'resend_guards', 'sqlite_master', 'sqlite_schema', 'main.outbox'],
    ...['temp.outbox', 'json_each(?)', 'pragma_table_info(?)', 'refusals', 'dbstat', '[outbox]', 'main.trades'],
  ],
);
const COLUMNS = mostly(
  ['symbol', 'symbol', 'source', '"symbol"', 'exchange', '?', '1', 'NULL'],
  [
    ...[
      'payload',
      'kind',
      'order_id',
      'fills',
      'request_id',
      'name',
      'sql',
      '"x"',
      "'text'",
      'a.symbol',
      'outbox.payload',
    ],
    ...['rowid', 'fee', 'detail', 'market', '*'],
  ],
);
const FUNCTIONS = pick(
  ...['count', 'max', 'upper', 'group_concat', 'length', 'hex', 'coalesce', 'json_extract', 'json_group_array'],
  ...['load_extension', 'zeroblob', 'printf', 'char', 'quote', 'last_insert_rowid', 'sqlite_version', 'replace'],
);
const OPERATORS = pick(
  '=',
  '<',
  '||',
  '+',
  'LIKE',
  'GLOB',
  'AND',
  'OR',
  'IS',
  'IS NOT',
  'MATCH',
  '->>',
  '->',
  'COLLATE',
);

type Trees = { expression: string; source: string; query: string };

const { expression, query } = fc.letrec<Trees>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    COLUMNS,
    join(tie('expression'), OPERATORS, tie('expression')),
    join(FUNCTIONS, '(', tie('expression'), ')'),
    join('(', tie('query'), ')'),
    join('EXISTS (', tie('query'), ')'),
    join(tie('expression'), 'IN (', tie('query'), ')'),
    join(COLUMNS, 'IN', TABLES),
    join('CASE WHEN', tie('expression'), 'THEN', tie('expression'), 'END'),
    join('CAST (', tie('expression'), 'AS', pick('TEXT', 'INTEGER', 'BLOB'), ')'),
    join('sum(', tie('expression'), ') OVER (ORDER BY', tie('expression'), ')'),
  ),
  source: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    join(TABLES, pick('', 'a', 'AS fills', 'AS outbox', 'NOT INDEXED')),
    join(TABLES, pick(',', 'JOIN', 'LEFT JOIN', 'NATURAL JOIN', 'CROSS JOIN'), TABLES),
    join('(', tie('query'), ')', pick('', 'fills', 'a')),
  ),
  query: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    join('SELECT', tie('expression'), 'FROM', tie('source'), pick('', 'LIMIT 5', 'GROUP BY 1', 'ORDER BY 1')),
    join('SELECT', tie('expression'), 'FROM', tie('source'), 'WHERE', tie('expression')),
    join('SELECT', pick('*', 'count(*)', 'DISTINCT *'), 'FROM', tie('source')),
    join(tie('query'), pick('UNION', 'UNION ALL', 'EXCEPT'), tie('query')),
    join('WITH', pick('fills', 'a', 'outbox'), 'AS (', tie('query'), ')', tie('query')),
  ),
}));

const returning = fc.oneof(fc.constant(''), join('RETURNING', expression), fc.constant('RETURNING *'));
const write = fc.oneof(
  join('UPDATE', TABLES, 'SET', pick('symbol', 'source', 'seq', 'payload', 'state'), '=', expression, returning),
  join('UPDATE', TABLES, 'SET symbol =', expression, 'FROM', TABLES, 'WHERE', expression),
  join('DELETE FROM', TABLES, 'WHERE', expression, returning),
  join('INSERT INTO', TABLES, '(signal_id, timestamp, symbol, signal_type, source, decision)', query),
  join(
    pick('INSERT INTO', 'REPLACE INTO', 'INSERT OR IGNORE INTO'),
    TABLES,
    '(signal_id, timestamp, symbol, signal_type, source, decision) VALUES (',
    expression,
    ', 1, ?,',
    expression,
    ', ?, ?)',
    pick('', 'ON CONFLICT DO NOTHING', 'ON CONFLICT (signal_id) DO UPDATE SET symbol = excluded.symbol'),
    returning,
  ),
);
const other = join(
  pick(
    'PRAGMA',
    'ATTACH ? AS',
    'DROP TABLE',
    'ALTER TABLE',
    'VACUUM',
    'ANALYZE',
    'REINDEX',
    'EXPLAIN',
    'CREATE TABLE x AS',
  ),
  fc.oneof(TABLES, query),
);

export const statement: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: query },
  { weight: 4, arbitrary: write },
  { weight: 1, arbitrary: other },
);

const DAMAGE = fc.oneof(
  // Much of this keeps the statement whole, so that it is not the first quote that is always refused.
  pick(' ', '\n', '\t', '/**/', "/* ' */", ' -- "\n', '1', '_', '(', ')'),
  pick("'", '"', '`', '[', ']', ';', '--', '/*', '*/', '?', '\u0000', '\\', '.', '@', '\ufeff'),
  pick(' UNION SELECT payload FROM outbox ', '; DELETE FROM trades', ' FROM outbox ', ' outbox ', ',outbox'),
);

/** A statement with a few things put in, and a few characters taken out, anywhere. */
export const damagedStatement: fc.Arbitrary<string> = fc
  .tuple(statement, fc.array(fc.tuple(fc.nat(), fc.nat(1), DAMAGE), { minLength: 1, maxLength: 2 }))
  .map(([text, wounds]) =>
    wounds.reduce((sql, [at, length, put]) => {
      const place = at % (sql.length + 1);
      return sql.slice(0, place) + put + sql.slice(place + length);
    }, text),
  );
