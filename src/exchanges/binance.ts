// Binance: USDⓈ-M futures, as the table of exchanges knows it; how it is asked stands in its folders of adapters.

import type { ExchangeRow } from './exchange-row.ts';

export const BINANCE: ExchangeRow = {
  title: 'Binance',
  hasTestnet: true,
  tellsKeyRights: true,
  fees: { maker: '0.0002', taker: '0.0005' },
  paper: { defaultLeverage: 20, minNotional: '5', maxLeverage: 50 },
  markets: [
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
  ],
};
