// Statements that reach for what is not theirs: other tables, functions with power, rows of the journal.

import { attacksOf } from './attacks.ts';

const COLUMNS = '(signal_id, timestamp, symbol, signal_type, source, decision)';
const INTO = `INSERT INTO trade_signals ${COLUMNS}`;
const UPSERT = `${INTO} VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (signal_id) DO UPDATE SET`;

const FORBIDDEN_TABLES = [
  ...['sqlite_master', 'sqlite_schema', 'SQLITE_MASTER', '"sqlite_master"', '[sqlite_schema]', '`sqlite_schema`'],
  ...['sqlite_temp_master', 'sqlite_temp_schema', 'sqlite_sequence', 'sqlite_stat1', 'sqlite_dbpage', 'dbstat'],
  ...['outbox', 'heartbeat', 'open_trades', 'resend_guards', 'refusals', 'OutBox'],
  ...['paper_accounts', 'paper_orders', 'paper_positions', 'paper_leverages', 'schema_migrations'],
  ...['webhook_keys', 'settings', 'audit', 'trades_by_claim', 'sqlite_autoindex_trades_1'],
  ...['main.trades', 'temp.trades', 'main.sqlite_master', 'temp.sqlite_schema', '"main"."trades"', 'other.trades'],
  ...['constructor', '__proto__', 'toString', 'hasOwnProperty', 'nowhere', '"a;b"', '[trades; DROP TABLE trades]'],
];

const FUNCTION_CALLS = [
  ...['load_extension(?)', 'load_extension(?, ?)', 'LOAD_EXTENSION(?)', '"load_extension"(?)', 'load_extension/**/(?)'],
  ...['`load_extension`(?)', '[load_extension](?)', 'readfile(?)', 'writefile(?, ?)', 'edit(?)', 'eval(?)'],
  ...['fts3_tokenizer(?)', 'sqlite_log(1, ?)', 'sqlite_version()', 'sqlite_source_id()', 'sqlite_compileoption_get(1)'],
  ...['sqlite_compileoption_used(?)', 'last_insert_rowid()', 'changes()', 'total_changes()', 'printf(?, 1)'],
  ...['format(?, 1)', 'printf(?)', 'zeroblob(1000000000)', 'hex(zeroblob(1000000))', 'randomblob(1000000000)'],
  ...['char(65, 66)', 'unistr(?)', 'unhex(?)', 'quote(?)', 'jsonb(?)', 'json_patch(?, ?)', 'json_set(?, ?, ?)'],
  ...[
    'likelihood(1, 0.5)',
    'subtype(?)',
    'nosuchfunction(1)',
    'json_each(?)',
    'pragma_table_info(?)',
    'constructor(1)',
  ],
  ...['replace(hex(zeroblob(1000)), ?, ?)', 'count(load_extension(?))', 'max(1, zeroblob(9))', 'raise(IGNORE)'],
  ...['? MATCH ?', '? REGEXP ?', '? NOT REGEXP ?', 'match(?, ?)', 'regexp(?, ?)', 'raise(ABORT, ?)'],
];

const ofTable = (table: string): string => `SELECT * FROM ${table}`;

const PLACES_FOR_A_TABLE = [
  'SELECT * FROM sqlite_master AS trades',
  'SELECT * FROM trades, outbox',
  ...['wallet_entries', 'wallet_attempts', 'wallet_claims', 'wallet_spending', 'moved_databases'].map(ofTable),
  ...['protections', 'pending_stops', 'drawdown_days'].map(ofTable),
  'SELECT * FROM trades JOIN outbox ON outbox.trade_seq = trades.seq',
  'SELECT * FROM trades NATURAL LEFT OUTER JOIN paper_orders',
  'SELECT * FROM (trades JOIN outbox)',
  'SELECT * FROM (SELECT * FROM (SELECT * FROM outbox))',
  'SELECT (SELECT payload FROM outbox)',
  'SELECT EXISTS (SELECT 1 FROM outbox)',
  'SELECT 1 IN outbox',
  'SELECT 1 NOT IN main.heartbeat',
  'SELECT 1 IN (SELECT id FROM heartbeat)',
  'SELECT * FROM trades ORDER BY (SELECT payload FROM outbox)',
  'SELECT * FROM trades GROUP BY (SELECT payload FROM outbox)',
  'SELECT * FROM trades LIMIT (SELECT id FROM heartbeat)',
  'SELECT * FROM trades LIMIT 1 OFFSET (SELECT id FROM heartbeat)',
  'SELECT CASE WHEN (SELECT 1 FROM outbox) THEN 1 END',
  'SELECT CASE (SELECT 1 FROM outbox) WHEN 1 THEN 1 END',
  'SELECT max(seq) FILTER (WHERE seq > (SELECT id FROM heartbeat)) FROM trades',
  'SELECT sum(seq) OVER (ORDER BY (SELECT id FROM heartbeat)) FROM trades',
  'SELECT sum(seq) OVER w FROM trades WINDOW w AS (PARTITION BY (SELECT id FROM heartbeat))',
  'SELECT group_concat(symbol ORDER BY (SELECT payload FROM outbox)) FROM trades',
  'SELECT ? LIKE (SELECT payload FROM outbox)',
  'SELECT ? BETWEEN (SELECT payload FROM outbox) AND ?',
  'SELECT -(SELECT id FROM heartbeat)',
  'SELECT CAST((SELECT payload FROM outbox) AS TEXT)',
  'SELECT main.trades.symbol FROM trades',
  'SELECT temp.trades.symbol FROM trades',
  `${INTO} SELECT sql, 1, name, type, tbl_name, 1 FROM sqlite_schema`,
  `${INTO} SELECT payload, 1, 1, 1, 1, 1 FROM outbox`,
  `${INTO} VALUES ((SELECT payload FROM outbox), 1, ?, ?, ?, ?)`,
  `${UPSERT} symbol = (SELECT payload FROM outbox)`,
  `${UPSERT} symbol = ? WHERE (SELECT 1 FROM outbox)`,
  `${INTO} VALUES (?, ?, ?, ?, ?, ?) RETURNING (SELECT sql FROM sqlite_schema)`,
  'UPDATE trade_signals SET symbol = (SELECT payload FROM outbox)',
  'UPDATE trade_signals SET (symbol, source) = (SELECT payload, kind FROM outbox)',
  'UPDATE trade_signals SET symbol = outbox.payload FROM outbox',
  'UPDATE trade_signals SET symbol = ? WHERE seq = (SELECT id FROM heartbeat)',
  'UPDATE trade_signals SET symbol = ? RETURNING (SELECT sql FROM sqlite_schema)',
  'DELETE FROM trade_signals WHERE seq IN (SELECT id FROM outbox)',
  'DELETE FROM trade_signals RETURNING (SELECT name FROM sqlite_master)',
];

const TABLE_FUNCTIONS = [
  'SELECT * FROM json_each(?)',
  'SELECT * FROM json_each',
  'SELECT * FROM json_tree(?)',
  'SELECT * FROM trades, json_each(trades.notify)',
  'SELECT 1 IN json_each(?)',
  'SELECT 1 IN trades(1)',
  'SELECT * FROM trades(1)',
  'SELECT * FROM pragma_table_info(?)',
  'SELECT * FROM pragma_table_list',
  'SELECT * FROM pragma_database_list()',
  'SELECT * FROM pragma_function_list',
  'SELECT * FROM pragma_writable_schema(1)',
  'SELECT * FROM generate_series(1, 1000000000)',
  'SELECT * FROM fts5vocab(?, ?)',
  'SELECT * FROM main.pragma_table_info(?)',
  'DELETE FROM trade_signals WHERE seq IN (SELECT value FROM json_each(?))',
];

const READ_ONLY = ['trades', 'orders', 'fills', 'positions', 'events', 'current_trades', 'paper_orders', 'outbox'];

const WRITES = [
  ...READ_ONLY.flatMap((table) => [`DELETE FROM ${table}`, `UPDATE ${table} SET quantity = 1`]),
  ...READ_ONLY.map((table) => `INSERT INTO ${table} (quantity) VALUES (?)`),
  'REPLACE INTO trades (symbol) VALUES (?)',
  'REPLACE INTO positions (exchange, account, market, side) VALUES (?, ?, ?, ?)',
  'INSERT OR REPLACE INTO trades (symbol) VALUES (?)',
  'INSERT OR IGNORE INTO orders (leg) VALUES (?)',
  'INSERT INTO trades (symbol) VALUES (?) ON CONFLICT DO NOTHING',
  'INSERT INTO trades (symbol) VALUES (?) ON CONFLICT (request_id) DO UPDATE SET state = ?',
  'INSERT INTO trades AS trade_signals (symbol) VALUES (?)',
  'INSERT INTO events SELECT * FROM events',
  'INSERT INTO trades DEFAULT VALUES',
  'UPDATE trades AS trade_signals SET state = ?',
  'UPDATE OR REPLACE trades SET state = ?',
  'UPDATE trades SET state = ? FROM trade_signals WHERE trade_signals.seq = trades.seq',
  'UPDATE trades SET state = ? RETURNING *',
  'DELETE FROM "trades"',
  'DELETE FROM main.trades',
  'DELETE FROM TRADES WHERE 1 = 1 RETURNING *',
  'DELETE FROM main.trade_signals',
  'UPDATE sqlite_master SET sql = ?',
  'DELETE FROM sqlite_sequence',
  'DELETE FROM refusals',
  'UPDATE open_trades SET seq = 0',
  'INSERT INTO json_each (value) VALUES (1)',
];

const ROW_NUMBERS = [
  'INSERT INTO trade_signals (seq, signal_id) VALUES (9223372036854775807, ?)',
  'INSERT INTO trade_signals (SEQ, signal_id) VALUES (1, ?)',
  'INSERT INTO trade_signals (rowid, signal_id) VALUES (1, ?)',
  'INSERT INTO trade_signals (oid, signal_id) VALUES (1, ?)',
  'INSERT INTO trade_signals ("_rowid_", signal_id) VALUES (1, ?)',
  'INSERT INTO trade_signals VALUES (9223372036854775807, ?, ?, ?, ?, ?, ?)',
  'INSERT INTO trade_signals SELECT * FROM trade_signals',
  'UPDATE trade_signals SET seq = 9223372036854775807',
  'UPDATE trade_signals SET "rowid" = seq + 1',
  'UPDATE trade_signals SET (symbol, oid) = (?, 9)',
  `${UPSERT} seq = 1`,
  `${UPSERT} symbol = ?, _rowid_ = 1`,
];

export const REACH_ATTACKS = attacksOf({
  'a table that is not there for it': [
    ...FORBIDDEN_TABLES.map((table) => `SELECT * FROM ${table}`),
    ...FORBIDDEN_TABLES.slice(0, 20).map((table) => `SELECT count(*) FROM ${table}`),
    ...PLACES_FOR_A_TABLE,
  ],
  'a function that is not on the list': FUNCTION_CALLS.map((call) => `SELECT ${call}`),
  'a function as a table': TABLE_FUNCTIONS,
  'a write outside trade_signals': WRITES,
  'a row number of its own': ROW_NUMBERS,
});
