// `signalbox markets`: the markets there are, with the rules of each exchange and what they trade at.

import { type Command, noWords, queryOf } from '../command.ts';
import { column, rowsOf, table } from '../table.ts';

const COLUMNS = [
  column('exchange', 'exchange'),
  column('market', 'symbol'),
  column('last price', 'lastPrice', { right: true }),
  column('tick', 'tickSize', { right: true }),
  column('step', 'stepSize', { right: true }),
  column('least value', 'minNotional', { right: true }),
  column('leverage', 'maxLeverage', { right: true }),
  column('prices of', 'source'),
];

export const markets: Command = {
  name: 'markets',
  summary: 'the markets there are, with their rules and last prices',
  usage: ['[--exchange binance] [--symbol BTCUSDT]'],
  flags: { exchange: 'only this exchange', symbol: 'only this market' },
  plan({ words, flags }) {
    noWords(words);
    return {
      method: 'GET',
      path: `/markets${queryOf(flags, ['exchange', 'symbol'])}`,
      show: ({ result }, paint) => table(COLUMNS, rowsOf(result), paint),
    };
  },
};
