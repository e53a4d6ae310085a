// A gateway with something to ask about, something to protect, and a way to see that nothing of that was touched.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { GatewayOptions, Sent, TestGateway } from '../support/gateway.ts';
import { eventually, freshGateway } from '../webhook/answers.ts';

/** Stands in every table that must not be read. */
export const CANARY = 'canary-7f3a';

export const CANARIES = `
  INSERT INTO outbox (trade_seq, kind, payload, attempts, next_attempt_at, created_at)
    VALUES (1, '${CANARY}', '${CANARY}', 0, 9000000000000, 0);
  INSERT INTO resend_guards (body_digest, request_id, until) VALUES (x'01', '${CANARY}', 9000000000000);
  INSERT INTO paper_leverages (exchange, account, market, leverage) VALUES ('${CANARY}', '${CANARY}', '${CANARY}', 1);
  INSERT INTO paper_positions (exchange, account, market, side, quantity, entry_price)
    VALUES ('${CANARY}', 'main', 'a', 'b', '1', '1');
  INSERT INTO paper_orders (client_order_id, exchange, account, order_id, market, side, position_side, reduce_only, status,
    quantity, executed_quantity, fills, created_at, updated_at, submissions)
    VALUES ('${CANARY}', '${CANARY}', 'main', 'a', 'a', 'a', 'a', 0, 'filled', '1', '1', '', 0, 0, 1);`;

export function plantCanaries(path: string): void {
  const db = new DatabaseSync(path, { timeout: 2000 });
  db.exec(CANARIES);
  db.close();
}

export interface AskedGateway extends TestGateway {
  ask(query: string, ...params: unknown[]): Promise<Sent>;
  digest(): Promise<string>;
}

/** What the same tests need to run on one engine and on the other. */
export interface QueryEngineOfTests {
  readonly name: 'SQLite' | 'PostgreSQL';
  open(options?: GatewayOptions): Promise<AskedGateway>;
  /** Puts a text into tables that must not be read. */
  plantCanaries(gateway: AskedGateway): Promise<void>;
}

export const openAsked = (options: GatewayOptions = {}): Promise<AskedGateway> =>
  askedOver(options, async ({ data }) => digestOf(data.path));

export const ON_SQLITE: QueryEngineOfTests = {
  name: 'SQLite',
  open: openAsked,
  plantCanaries: ({ data }) => data.exclusively(async () => plantCanaries(data.path)),
};

/** `digest` is of the trading database. */
export async function askedOver(
  options: GatewayOptions,
  digest: (gateway: TestGateway) => Promise<string>,
): Promise<AskedGateway> {
  const gateway = await freshGateway(options);
  return {
    ...gateway,
    ask: (query, ...params) => gateway.request('POST', '/query', { query, params }),
    digest: async () => `${await digest(gateway)} ${digestOf(join(gateway.dataDir, 'settings.db'))}`,
  };
}

/** Every table of a database with its rows, and the schema itself, as one short text. */
export function digestOf(path: string, except: readonly string[] = []): string {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 2000 });
  const hash = createHash('sha256');
  const add = (rows: unknown): void =>
    void hash.update(JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value)));
  try {
    const schema = db.prepare('SELECT name, type, sql FROM sqlite_schema ORDER BY name').all();
    add(schema);
    for (const { name, type } of schema) {
      if (type === 'table' && !except.includes(String(name))) add(db.prepare(`SELECT * FROM "${name}"`).all());
    }
    add(db.prepare('PRAGMA user_version').all());
    return hash.digest('hex');
  } finally {
    db.close();
  }
}

/** A value for every placeholder. */
export const valuesFor = (query: string): string[] => Array.from(query.match(/\?/g) ?? [], () => 'x');

export const SIGNAL_COLUMNS = '(signal_id, timestamp, symbol, signal_type, source, decision)';

/** Five signals: ids s1 to s5, timestamps 1000 to 5000. */
export const FIVE_SIGNALS = [
  ['s1', 1000, 'BTCUSDT', 'LONG', 'webhook', 'accepted'],
  ['s2', 2000, 'ETHUSDT', 'SHORT', 'webhook', 'RATE_LIMITED'],
  ['s3', 3000, 'BTCUSDT', 'CLOSE_LONG', 'api', 'stored'],
  ['s4', 4000, 'SOLUSDT', 'LONG', 'api', 'stored'],
  ['s5', 5000, 'BTCUSDT', 'LONG', 'email', 'accepted'],
];

/**
 * Into files past the limits that are tested: on a busy machine a write under a limit of some milliseconds may never be done in time.
 * Into PostgreSQL by a statement, which is repeated if it meets its limit.
 */
export async function storeFive(gateway: AskedGateway): Promise<void> {
  const rows = FIVE_SIGNALS.map(() => '(?, ?, ?, ?, ?, ?)').join();
  const insert = `INSERT INTO trade_signals ${SIGNAL_COLUMNS} VALUES ${rows}`;
  if (gateway.data.path !== '') return gateway.data.exclusively(async () => storeInFile(gateway.data.path, insert));
  await eventually(
    async () => (await gateway.ask(insert, ...FIVE_SIGNALS.flat())).status,
    (status) => status === 200,
  );
}

function storeInFile(path: string, insert: string): void {
  const db = new DatabaseSync(path, { timeout: 2000 });
  db.prepare(insert).run(...FIVE_SIGNALS.flat());
  db.close();
}
