// Real accounts beside simulated prices: they trade by the prices of their own venue, and whoever looks at the chart sees others, so
// a start and the doctor say it.

import type { Config } from '../config.ts';
import { EXCHANGE_ROWS } from '../exchanges/exchange.ts';
import { type AccountName, modeInWords } from '../trading/accounts.ts';

export interface MadeUpPrices {
  readonly detail: string;
  readonly remedy: string;
}

/** Undefined where prices are those of an exchange, or where everything is on paper. One account stands for all, a live one first. */
export function madeUpPrices(
  accounts: readonly AccountName[],
  marketData: Config['marketData'],
): MadeUpPrices | undefined {
  const inMode = (wanted: AccountName['mode']): AccountName | undefined => accounts.find(({ mode }) => mode === wanted);
  const real = inMode('live') ?? inMode('testnet');
  if (marketData !== 'simulated' || real === undefined) return undefined;
  const { exchange, account, mode } = real;
  const name = `${exchange}:${account} (${modeInWords(mode)})`;
  return {
    detail: `charts and backtests go by simulated prices, made up by Signalbox, while ${name} trades at those of ${EXCHANGE_ROWS[exchange].title}`,
    remedy: `set MARKET_DATA=${exchange} and start again`,
  };
}
