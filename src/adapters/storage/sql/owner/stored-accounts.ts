// Testnet and live accounts in the owner's database, their credentials sealed.

import type { Exchange } from '../../../../exchanges/exchange.ts';
import type { StoredAccount, StoredAccountStore } from '../../../../keys/stored-accounts.ts';
import type { Row } from '../sql.ts';
import type { Glance } from './glance.ts';
import type { OwnerSteps } from './owner-steps.ts';

export const createStoredAccountStore = (
  glance: Pick<Glance, 'rows'>,
  steps: Pick<OwnerSteps, 'changeControls'>,
): StoredAccountStore => ({
  ...storedAccountReads(glance),
  insert: ({ exchange, account, mode, positionMode, keyStart, sealedCredentials, createdAtMs }, entry) =>
    steps.changeControls(async ({ sql, audit }) => {
      await sql.run(
        `INSERT INTO stored_accounts (exchange, account, mode, position_mode, key_start, sealed_credentials, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)`,
        ...[exchange, account, mode, positionMode ?? null, keyStart, sealedCredentials, createdAtMs],
      );
      await audit(entry);
    }),
  remove: ({ exchange, account }, entry) =>
    steps.changeControls(async ({ sql, audit }) => {
      await sql.run('DELETE FROM stored_accounts WHERE exchange = ? AND account = ?', exchange, account);
      await audit(entry);
    }),
});

export const storedAccountReads = (glance: Pick<Glance, 'rows'>): Pick<StoredAccountStore, 'list'> => ({
  list: () => glance.rows('stored_accounts').map(accountOf).sort(byAge),
});

const byAge = (a: StoredAccount, b: StoredAccount): number =>
  a.createdAtMs - b.createdAtMs || inOrder(a.exchange, b.exchange) || inOrder(a.account, b.account);

const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const accountOf = (row: Row): StoredAccount => ({
  exchange: row.exchange as Exchange,
  account: row.account as string,
  mode: row.mode as StoredAccount['mode'],
  ...(row.position_mode !== null && { positionMode: row.position_mode as 'one-way' | 'hedge' }),
  keyStart: row.key_start as string,
  sealedCredentials: row.sealed_credentials as string,
  createdAtMs: row.created_at as number,
});
