// Bybit: USDT perpetuals, as the table of exchanges knows it; how it is asked stands in its folders of adapters.

import type { ExchangeRow } from './exchange-row.ts';

export const BYBIT: ExchangeRow = {
  title: 'Bybit',
  hasTestnet: true,
  tellsKeyRights: true,
  fees: { maker: '0.0002', taker: '0.00055' },
  paper: { defaultLeverage: 10, minNotional: '5', maxLeverage: 25 },
  markets: [
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
  ],
};
