// Whose money a command moves, in words: the accounts, and in capitals whether they are LIVE, TESTNET or PAPER.

import { cell, type Fields, rowsOf, shownMode } from './table.ts';

/** The most serious first. */
const MONEY = { live: 'LIVE', testnet: 'TESTNET', paper: 'PAPER' } as const;

const accountName = ({ exchange, account }: Fields): string => `${cell(exchange)}:${cell(account)}`;

/** `LIVE money on binance:main and PAPER money on bybit:main`; undefined where nobody can tell. */
export function moneyOf({ tradesOn }: Fields): string | undefined {
  if (!Array.isArray(tradesOn)) return undefined;
  const accounts = rowsOf(tradesOn);
  const namesOf = (found: readonly Fields[]): string => found.map(accountName).join(', ');
  const parts = Object.entries(MONEY).flatMap(([mode, money]) => {
    const found = accounts.filter((account) => account.mode === mode);
    return found.length === 0 ? [] : [`${money} money on ${namesOf(found)}`];
  });
  const missing = accounts.filter(({ mode }) => mode === null);
  if (missing.length > 0) parts.push(`nothing on ${namesOf(missing)}, which is not traded as things are set`);
  return parts.length === 0 ? 'nothing on any account' : parts.join(' and ');
}

/** `LIVE` where any of it is; undefined where nobody can tell. */
export function seriousMoney({ tradesOn }: Fields): string | undefined {
  const accounts = rowsOf(tradesOn);
  return Object.entries(MONEY).find(([mode]) => accounts.some((account) => account.mode === mode))?.[1];
}

/** ` on binance:main (LIVE)`; of paper nothing, as its account is in the key of its position. */
export const onRealAccount = (row: Fields): string =>
  row.mode === 'live' || row.mode === 'testnet' ? ` on ${accountName(row)} (${shownMode(row.mode)})` : '';
