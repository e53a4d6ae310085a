// POST /query with everything about trading in a real PostgreSQL: a fresh database for each gateway.

import { createHash } from 'node:crypto';
import pg from 'pg';
import { openPostgresQueries } from '../../src/adapters/storage/postgres/query/open-queries.ts';
import { openTradingStorage } from '../../src/adapters/storage/postgres/trading.ts';
import { type AskedGateway, askedOver, CANARIES, type QueryEngineOfTests } from '../query/asking.ts';
import type { GatewayOptions } from './gateway.ts';
import type { PostgresServer } from './postgres-server.ts';

export interface QueryOnPostgres extends QueryEngineOfTests {
  /** The address of the database of a gateway. */
  urlOf(gateway: AskedGateway): string;
}

export function queryOnPostgres(server: () => PostgresServer): QueryOnPostgres {
  const urls = new WeakMap<AskedGateway, string>();
  const urlOf = (gateway: AskedGateway): string => urls.get(gateway) ?? '';
  return {
    name: 'PostgreSQL',
    urlOf,
    async open(options: GatewayOptions = {}) {
      const url = await server().newDatabase();
      const trading: GatewayOptions['trading'] = async ({ nowMs, limits = {} }) => {
        const data = await openTradingStorage({ url, nowMs, onDeath: () => {} });
        const queries = await openPostgresQueries({ url, limits });
        return { data: { ...data, path: '' }, queries };
      };
      const gateway = await askedOver({ ...options, trading }, () => digestOf(url));
      urls.set(gateway, url);
      return gateway;
    },
    async plantCanaries(gateway) {
      const canaries = CANARIES.replaceAll(/x'01'/g, "'\\x01'");
      await server().query(`SET search_path = trading; ${canaries}`, urlOf(gateway));
    },
  };
}

/** Every table of Signalbox with its rows, and every view and function, as one short text. */
export async function digestOf(url: string, except: readonly string[] = []): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const hash = createHash('sha256');
    const schemas = "('trading', 'query')";
    const tables = await client.query(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname IN ${schemas} ORDER BY 1`,
    );
    for (const { name } of tables.rows as { name: string }[]) {
      if (except.includes(name)) continue;
      const { rows } = await client.query(`SELECT CAST(t AS text) AS row FROM ${name} AS t ORDER BY 1`);
      hash.update(JSON.stringify([name, rows]));
    }
    const made = await client.query(
      `SELECT pg_get_functiondef(p.oid) AS text FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace
         WHERE nspname IN ${schemas} ORDER BY 1`,
    );
    const views = await client.query(`SELECT * FROM pg_views WHERE schemaname IN ${schemas} ORDER BY viewname`);
    hash.update(JSON.stringify([made.rows, views.rows]));
    return hash.digest('hex');
  } finally {
    await client.end();
  }
}
