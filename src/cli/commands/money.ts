// The commands that show money: what accounts are worth and have earned.

import { type Command, noWords, queryOf } from '../command.ts';
import { accountColumn, column, rowsOf, table } from '../table.ts';
import { paintMoney } from './reports.ts';

const ACCOUNT_COLUMNS = [
  accountColumn,
  column('mode', 'mode'),
  column('equity', 'equity', { right: true }),
  column('balance', 'balance', { right: true }),
  column('free', 'freeMargin', { right: true }),
  column('used', 'usedMargin', { right: true }),
  column('unrealised', 'unrealizedPnl', { right: true, tint: paintMoney }),
  column('today', 'realizedToday', { right: true, tint: paintMoney }),
  column('fees', 'feesToday', { right: true }),
  column('in all', 'realizedTotal', { right: true, tint: paintMoney }),
  column('fees', 'feesTotal', { right: true }),
  column('leverage', 'leverageInUse', { right: true }),
  column('prices', 'prices'),
];

export const account: Command = {
  name: 'account',
  summary: 'what each account is worth and has earned',
  usage: ['[--exchange …] [--account …]'],
  flags: { exchange: 'only this exchange', account: 'only accounts with this name' },
  plan({ words, flags }) {
    noWords(words);
    return {
      method: 'GET',
      path: `/account${queryOf(flags, ['exchange', 'account'])}`,
      show: ({ result }, paint) => table(ACCOUNT_COLUMNS, rowsOf(result), paint),
    };
  },
};
