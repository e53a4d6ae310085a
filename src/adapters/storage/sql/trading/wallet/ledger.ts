// The wallet's ledger in SQL, on either engine, in the trading database: each step is one transaction of the writer thread, on
// disk when it resolves, so that a payment never makes the event loop wait for a signal's commit, nor the other way round.

import type { Address } from '../../../../../wallet/chain.ts';
import { type Ledger, LIVE_STATES } from '../../../../../wallet/ledger.ts';
import type { SqlReads } from '../../sql.ts';
import type { Writer } from '../writer.ts';
import { entryReads } from './mutations.ts';
import { attemptColumns, entryColumns, minedText } from './rows.ts';

const LIVE = LIVE_STATES.map((state) => `'${state}'`).join(', ');

export interface WalletLedgerOptions {
  readonly writer: Pick<Writer, 'run'>;
  readonly reads: SqlReads;
}

export function createWalletLedger({ writer, reads }: WalletLedgerOptions): Ledger {
  const { all } = reads;
  const { many, byClaim, spentWei } = entryReads(reads);
  return {
    reserve: (entry, dailyLimitWei) =>
      writer.run('walletReserve', [entryColumns(entry), dailyLimitWei?.toString() ?? null]),
    signed: (id, attempt) => writer.run('walletSigned', [id, attemptColumns(attempt)]),
    step: ({ mined, ...step }) =>
      writer.run('walletStep', [
        { ...step, ...(mined === undefined ? {} : { mined: mined === null ? null : minedText(mined) }) },
      ]),
    live: async (chain, from) =>
      many(`WHERE chain = ? AND sender = ? AND state IN (${LIVE}) ORDER BY nonce`, chain, from),
    async liveSenders(chain) {
      const rows = await all(
        `SELECT DISTINCT sender FROM wallet_entries WHERE chain = ? AND state IN (${LIVE})`,
        chain,
      );
      return rows.map(({ sender }) => sender as Address);
    },
    byHash: async (chain, hash) =>
      (
        await many(
          `JOIN wallet_attempts ON wallet_attempts.entry_id = wallet_entries.id
        WHERE wallet_entries.chain = ? AND wallet_attempts.hash = ? ORDER BY wallet_attempts.number DESC LIMIT 1`,
          chain,
          hash,
        )
      )[0],
    byClaim: async (key) => byClaim(key),
    list: async ({ chain, limit, belowSeq = Number.MAX_SAFE_INTEGER }) =>
      many('WHERE chain = ? AND seq < ? ORDER BY seq DESC LIMIT ?', chain, belowSeq, limit),
    spentWei: async (chain, from, day) => spentWei(chain, from, day),
  };
}
