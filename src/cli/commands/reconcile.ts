// `signalbox reconcile`: compares our books with the venues now, and tells for each account whether they agree.

import { type Command, noWords } from '../command.ts';
import type { Paint } from '../paint.ts';
import { cell, column, type Fields, rowsOf, shownMode, table, timeColumn, wordsColumn } from '../table.ts';

const DIFFERENCE_COLUMNS = [
  column('what', 'kind'),
  column('market', 'market'),
  column('outcome', 'outcome'),
  wordsColumn('difference', 'detail'),
];
const EARLIER_COLUMNS = [timeColumn('found', 'at'), ...DIFFERENCE_COLUMNS];

export const reconcile: Command = {
  name: 'reconcile',
  summary: 'compare the books with the venues now: positions, orders, balances',
  usage: [''],
  flags: {},
  plan({ words }) {
    noWords(words);
    return {
      method: 'POST',
      path: '/reconciliation',
      body: {},
      show({ result }, paint) {
        const accounts = rowsOf(result);
        if (accounts.length === 0) return 'Every account is on paper, where nobody else can trade: nothing to compare.';
        return accounts.map((account) => accountInWords(account, paint)).join('\n\n');
      },
      isDone: ({ result }) => rowsOf(result).every(({ agrees }) => agrees === true),
    };
  },
};

function accountInWords(account: Fields, paint: Paint): string {
  const { exchange, account: name, mode, agrees, error, positions, orders } = account;
  const title = `${cell(exchange)}:${cell(name)} (${shownMode(mode)})`;
  const differences = rowsOf(account.differences);
  const earlier = rowsOf(account.earlier);
  const before = earlier.length > 0 ? `\nEarlier, since the start:\n${table(EARLIER_COLUMNS, earlier, paint)}` : '';
  if (typeof error === 'string') return `${title}: could not be compared: ${error}${before}`;
  const found = `${count(positions, 'position')}, ${count(orders, 'resting order')}`;
  if (agrees === true) return `${title}: agrees (${found})${before}`;
  return `${title}: differs (${found})\n${table(DIFFERENCE_COLUMNS, differences, paint)}${before}`;
}

const count = (number: unknown, noun: string): string => `${cell(number)} ${noun}${number === 1 ? '' : 's'}`;
