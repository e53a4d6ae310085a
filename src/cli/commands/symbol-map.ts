// `signalbox symbol-map`: which market is traded for the names that charts send.

import { type Command, noWords, oneOf, onlyWord, UsageFault } from '../command.ts';
import { cell, column, type Fields, fieldsOf, rowsOf, table } from '../table.ts';

const COLUMNS = [
  column('symbol', 'symbol'),
  column('market', 'market'),
  column('exchange', 'exchange'),
  column('account', 'account'),
];
const PATH = '/admin/symbol-map';

export const symbolMap: Command = {
  name: 'symbol-map',
  summary: 'which market is traded for the names that charts send',
  usage: ['[list]', 'set <symbol> <market> [--exchange binance] [--account scalp]', 'remove <symbol>'],
  flags: { exchange: 'trade it there, whatever the signal says', account: 'trade it on this account' },
  plan({ words: [verb = 'list', ...words], flags: { exchange, account } }) {
    const wanted = oneOf(verb, ['list', 'set', 'remove'], 'symbol-map');
    if (wanted !== 'set' && (exchange !== undefined || account !== undefined))
      throw new UsageFault('--exchange and --account belong to "symbol-map set".');
    if (wanted === 'remove') {
      const query = new URLSearchParams({ symbol: onlyWord(words, 'the symbol') });
      return {
        method: 'DELETE',
        path: `${PATH}?${query}`,
        show: ({ result }) => `${cell(fieldsOf(result).symbol)} is no longer mapped.`,
      };
    }
    if (wanted === 'list') {
      noWords(words);
      return { method: 'GET', path: PATH, show: ({ result }, paint) => listed(rowsOf(result), paint) };
    }
    const [symbol, ...rest] = words;
    if (symbol === undefined) throw new UsageFault('Missing: the symbol that the chart sends, and the market.');
    const market = onlyWord(rest, 'the market');
    return {
      method: 'PUT',
      path: PATH,
      body: { symbol, market, ...(exchange && { exchange }), ...(account && { account }) },
      show: ({ result }) => `${cell(fieldsOf(result).symbol)} is traded as ${cell(fieldsOf(result).market)}.`,
    };
  },
};

const listed = (rows: readonly Fields[], paint: Parameters<typeof table>[2]): string =>
  rows.length > 0 ? table(COLUMNS, rows, paint) : 'No symbol is mapped.';
