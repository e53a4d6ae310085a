// Testnet and live accounts in the owner's database, their credentials sealed.

import type { Exchange } from '../../../exchanges/exchange.ts';
import type { StoredAccount, StoredAccountStore } from '../../../keys/stored-accounts.ts';
import type { Row } from './database.ts';
import type { RestrictionStoreParts } from './restrictions.ts';

export const createStoredAccountStore = ({
  sql,
  all,
  inOneStep,
  appendAudit,
}: RestrictionStoreParts): StoredAccountStore => ({
  list: () => all('SELECT * FROM stored_accounts ORDER BY created_at, exchange, account').map(accountOf),
  insert: ({ exchange, account, mode, positionMode, keyStart, sealedCredentials, createdAtMs }, audit) =>
    inOneStep(() => {
      sql(`INSERT INTO stored_accounts (exchange, account, mode, position_mode, key_start, sealed_credentials, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)`).run(
        ...[exchange, account, mode, positionMode ?? null, keyStart, sealedCredentials, createdAtMs],
      );
      appendAudit(audit);
    }),
  remove: ({ exchange, account }, audit) =>
    inOneStep(() => {
      sql('DELETE FROM stored_accounts WHERE exchange = ? AND account = ?').run(exchange, account);
      appendAudit(audit);
    }),
});

const accountOf = (row: Row): StoredAccount => ({
  exchange: row.exchange as Exchange,
  account: row.account as string,
  mode: row.mode as StoredAccount['mode'],
  ...(row.position_mode !== null && { positionMode: row.position_mode as 'one-way' | 'hedge' }),
  keyStart: row.key_start as string,
  sealedCredentials: row.sealed_credentials as string,
  createdAtMs: row.created_at as number,
});
