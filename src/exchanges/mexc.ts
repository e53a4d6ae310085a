// MEXC: USDT perpetuals, as the table of exchanges knows it; how it is asked stands in its folders of adapters.

import type { ExchangeRow } from './exchange-row.ts';

export const MEXC: ExchangeRow = {
  title: 'MEXC',
  hasTestnet: false,
  tellsKeyRights: false,
  fees: { maker: '0', taker: '0.0002' },
  paper: { defaultLeverage: 20, minNotional: '0', maxLeverage: 50 },
  /** Steps are the contract sizes: MEXC counts whole contracts and has no least notional. */
  markets: [
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
  ],
};
