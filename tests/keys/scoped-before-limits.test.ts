// Keys that were scoped before there were limits: in a folder of then they may trade what they could trade, and nothing else.

import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { openMigrated } from '../../src/adapters/storage/sqlite/database.ts';
import { OWNER } from '../../src/adapters/storage/sqlite/database-files.ts';
import { digestOf } from '../../src/keys/webhook-keys.ts';
import type { TestGateway } from '../support/gateway.ts';
import { freshDataDir } from '../support/process.ts';
import { expectFilled, expectRefusal, freshGateway } from '../webhook/answers.ts';

const BEFORE_LIMITS = 3;
const rawKey = (name: string): string => `whk_${name.padEnd(43, '0')}`;

interface Row {
  readonly name: string;
  readonly label?: string;
  readonly exchanges?: readonly string[];
  readonly symbols?: readonly string[];
  readonly previous?: string;
  readonly isRevoked?: boolean;
}
const ROWS: readonly Row[] = [
  { name: 'free' },
  { name: 'venues', exchanges: ['bybit', 'mexc'] },
  { name: 'symbols', symbols: ['ETHUSDT', 'SOLUSDT'] },
  { name: 'both', exchanges: ['bybit'], symbols: ['ETHUSDT'] },
  { name: 'rotated', symbols: ['ETHUSDT'], previous: 'earlier' },
  // The label of one that is revoked may be used again: what the old one might trade says nothing of the new one.
  { name: 'gone', label: 'twice', symbols: ['ETHUSDT'], isRevoked: true },
  { name: 'again', label: 'twice' },
];

function folderOfThen(): string {
  const dataDir = freshDataDir();
  const earlier = join(dataDir, 'migrations');
  mkdirSync(earlier);
  for (const name of readdirSync(OWNER.migrations).sort().slice(0, BEFORE_LIMITS))
    copyFileSync(new URL(name, OWNER.migrations), join(earlier, name));
  const db = openMigrated(join(dataDir, OWNER.name), pathToFileURL(`${earlier}/`));
  const insert = db.prepare(`INSERT INTO webhook_keys (key_id, label, exchanges, symbols, digest, previous_digest,
    previous_valid_until, created_at, revoked_at) VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?)`);
  for (const { name, label = name, exchanges, symbols, previous, isRevoked } of ROWS) {
    const list = (values?: readonly string[]): string | null => (values ? JSON.stringify(values) : null);
    const before = previous === undefined ? null : digestOf(rawKey(previous));
    const validUntil = previous === undefined ? null : Date.now() + 3_600_000;
    const digest = digestOf(rawKey(name));
    insert.run(
      ...[digest.slice(0, 12), label, list(exchanges), list(symbols), digest],
      ...[before, validUntil, isRevoked ? 2 : null],
    );
  }
  db.close();
  return dataDir;
}

const EVERYTHING = ['binance BTCUSDT', 'binance ETHUSDT', 'bybit ETHUSDT', 'bybit SOLUSDT', 'mexc BTCUSDT'];

describe('after the update', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await freshGateway({ dataDir: folderOfThen() });
  });

  it.each([
    ['free', EVERYTHING],
    ['again', EVERYTHING],
    ['venues', ['bybit ETHUSDT', 'bybit SOLUSDT', 'mexc BTCUSDT']],
    ['symbols', ['binance ETHUSDT', 'bybit ETHUSDT', 'bybit SOLUSDT']],
    ['both', ['bybit ETHUSDT']],
    ['rotated', ['binance ETHUSDT', 'bybit ETHUSDT']],
    ['earlier', ['binance ETHUSDT', 'bybit ETHUSDT']],
  ])('the key %s trades %j and nothing else', async (name, allowed) => {
    for (const market of EVERYTHING) {
      const [exchange, symbol] = market.split(' ');
      const sent = await gateway.send({ apiKey: rawKey(name), exchange, symbol, quantity: 0.1 });
      if (allowed.includes(market)) expectFilled(sent);
      else expectRefusal(sent, 'KEY_OUT_OF_SCOPE');
    }
  });

  it('a revoked one is still revoked, and the lists are shown with the other limits', async () => {
    expectRefusal(await gateway.send({ apiKey: rawKey('gone') }), 'AUTHENTICATION_FAILED');
    const { body } = await gateway.request('GET', '/admin/restrictions');
    const rows = body.result.map(({ kind, name, limits }: Record<string, unknown>) => [kind, name, limits]);
    expect(rows).toEqual([
      ['key', 'both', { venues: ['bybit'], symbols: ['ETHUSDT'] }],
      ['key', 'rotated', { symbols: ['ETHUSDT'] }],
      ['key', 'symbols', { symbols: ['ETHUSDT', 'SOLUSDT'] }],
      ['key', 'venues', { venues: ['bybit', 'mexc'] }],
    ]);
  });
});
