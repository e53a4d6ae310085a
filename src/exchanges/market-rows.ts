// The large perpetual futures of each exchange as it publishes them: on paper they are traded by these rules, and a backtest
// that only names a market is described by them.

import type { Exchange } from './exchange.ts';

/** Market, tick, step (also the least quantity), least notional of an opening order, greatest leverage. */
export type MarketRow = readonly [market: string, tick: string, step: string, minNotional: string, maxLeverage: number];

const BINANCE: readonly MarketRow[] = [
  ['BTCUSDT', '0.1', '0.001', '100', 125],
  ['ETHUSDT', '0.01', '0.001', '20', 125],
  ['SOLUSDT', '0.01', '0.01', '5', 100],
  ['XRPUSDT', '0.0001', '0.1', '5', 100],
  ['BNBUSDT', '0.01', '0.01', '5', 75],
  ['DOGEUSDT', '0.00001', '1', '5', 75],
  ['ADAUSDT', '0.0001', '1', '5', 75],
  ['TRXUSDT', '0.00001', '1', '5', 75],
  ['AVAXUSDT', '0.001', '1', '5', 75],
  ['LINKUSDT', '0.001', '0.01', '20', 75],
  ['SUIUSDT', '0.0001', '0.1', '5', 75],
  ['DOTUSDT', '0.001', '0.1', '5', 75],
  ['LTCUSDT', '0.01', '0.001', '20', 75],
  ['BCHUSDT', '0.01', '0.001', '20', 75],
  ['1000SHIBUSDT', '0.000001', '1', '5', 75],
  ['1000PEPEUSDT', '0.0000001', '1', '5', 75],
  ['1000BONKUSDT', '0.000001', '1', '5', 50],
  ['NEARUSDT', '0.001', '1', '5', 75],
  ['APTUSDT', '0.001', '0.1', '5', 75],
  ['ARBUSDT', '0.0001', '0.1', '5', 75],
  ['OPUSDT', '0.0001', '0.1', '5', 75],
  ['ATOMUSDT', '0.001', '0.01', '5', 75],
  ['UNIUSDT', '0.001', '1', '5', 75],
  ['AAVEUSDT', '0.01', '0.1', '5', 75],
  ['ETCUSDT', '0.001', '0.01', '20', 75],
  ['FILUSDT', '0.001', '0.1', '5', 75],
];

const BYBIT: readonly MarketRow[] = [
  ['BTCUSDT', '0.1', '0.001', '5', 100],
  ['ETHUSDT', '0.01', '0.01', '5', 100],
  ['SOLUSDT', '0.01', '0.1', '5', 100],
  ['XRPUSDT', '0.0001', '0.1', '5', 75],
  ['BNBUSDT', '0.1', '0.01', '5', 50],
  ['DOGEUSDT', '0.00001', '1', '5', 75],
  ['ADAUSDT', '0.0001', '1', '5', 75],
  ['TRXUSDT', '0.00001', '1', '5', 75],
  ['AVAXUSDT', '0.001', '0.1', '5', 75],
  ['LINKUSDT', '0.001', '0.1', '5', 75],
  ['SUIUSDT', '0.0001', '10', '5', 75],
  ['DOTUSDT', '0.001', '0.1', '5', 75],
  ['LTCUSDT', '0.01', '0.1', '5', 50],
  ['BCHUSDT', '0.1', '0.01', '5', 50],
  ['SHIB1000USDT', '0.000001', '10', '5', 50],
  ['1000PEPEUSDT', '0.0000001', '100', '5', 50],
  ['1000BONKUSDT', '0.000001', '100', '5', 50],
  ['NEARUSDT', '0.001', '0.1', '5', 75],
  ['APTUSDT', '0.001', '0.01', '5', 50],
  ['ARBUSDT', '0.0001', '0.1', '5', 75],
  ['OPUSDT', '0.0001', '0.1', '5', 75],
  ['UNIUSDT', '0.001', '0.1', '5', 50],
  ['AAVEUSDT', '0.01', '0.01', '5', 50],
];

/** Steps are the contract sizes: MEXC counts whole contracts and has no least notional. */
const MEXC: readonly MarketRow[] = [
  ['BTCUSDT', '0.1', '0.0001', '0', 200],
  ['ETHUSDT', '0.01', '0.01', '0', 200],
  ['SOLUSDT', '0.01', '0.1', '0', 100],
  ['XRPUSDT', '0.0001', '1', '0', 100],
  ['BNBUSDT', '0.1', '0.01', '0', 75],
  ['DOGEUSDT', '0.00001', '100', '0', 75],
  ['ADAUSDT', '0.0001', '1', '0', 75],
  ['TRXUSDT', '0.00001', '10', '0', 75],
  ['AVAXUSDT', '0.001', '0.1', '0', 75],
  ['LINKUSDT', '0.001', '0.1', '0', 75],
  ['SUIUSDT', '0.0001', '1', '0', 75],
  ['DOTUSDT', '0.001', '0.1', '0', 75],
  ['LTCUSDT', '0.01', '0.01', '0', 75],
  ['BCHUSDT', '0.01', '0.01', '0', 75],
  ['NEARUSDT', '0.001', '1', '0', 75],
  ['ARBUSDT', '0.0001', '1', '0', 75],
  ['UNIUSDT', '0.001', '0.1', '0', 75],
];

export const MARKET_ROWS: Readonly<Record<Exchange, readonly MarketRow[]>> = {
  binance: BINANCE,
  bybit: BYBIT,
  mexc: MEXC,
};
