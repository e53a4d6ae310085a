// What is assumed of a market that is only named: by which table, what stays as it was said, and what the engine makes of it.

import { describe, expect, it } from 'vitest';
import { barColumns, compile, type SymbolInfo } from '../pine/index.ts';
import { marketOf } from '../trading/intake/market-symbol.ts';
import { describeMarket } from './assumed-market.ts';

const described = (info: SymbolInfo) => describeMarket(info, marketOf);
const BITCOIN = {
  ...{ type: 'crypto', currency: 'USDT', basecurrency: 'BTC', pointvalue: 1 },
  ...{ mintick: 0.1, mincontract: 0.001 },
};
const DEFAULTS = { type: 'crypto', currency: 'USD', mintick: 0.01, mincontract: 0.000001, pointvalue: 1 };

describe('a market that a table knows', () => {
  it.each(['BTCUSDT', 'BINANCE:BTCUSDT', 'BINANCE:BTCUSDT.P', 'binance:btcusdt', 'BTC/USDT'])('%s', (ticker) => {
    expect(described({ ticker })).toEqual({
      symbol: { ...BITCOIN, ticker },
      market: { symbol: ticker, source: 'binance', assumed: BITCOIN },
    });
  });

  it('is described by the exchange that is named, before the colon or as prefix', () => {
    expect(described({ ticker: 'MEXC:BTCUSDT.P' }).market).toMatchObject({
      source: 'mexc',
      assumed: { mincontract: 0.0001 },
    });
    expect(described({ ticker: 'ETHUSDT', prefix: 'BYBIT' }).market).toMatchObject({
      source: 'bybit',
      assumed: { mincontract: 0.01 },
    });
    // Binance writes it otherwise, and has no such name.
    expect(described({ ticker: 'SHIB1000USDT' }).market?.source).toBe('bybit');
  });

  it('keeps what was said of it, in any notation of its tick', () => {
    expect(described({ ticker: 'BTCUSDT', mintick: 0.5, currency: 'USD' })).toMatchObject({
      symbol: { mintick: 0.5, currency: 'USD', mincontract: 0.001 },
      market: { assumed: { type: 'crypto', basecurrency: 'BTC', mincontract: 0.001, pointvalue: 1 } },
    });
    const scaled = described({ ticker: 'BTCUSDT', pricescale: 100 });
    expect([scaled.symbol.mintick, scaled.market?.assumed.mintick]).toEqual([undefined, undefined]);
    expect(described({ ticker: 'BTCUSDT', ...BITCOIN })).toEqual({
      symbol: { ticker: 'BTCUSDT', ...BITCOIN },
      market: undefined,
    });
  });
});

describe('a market that no table knows', () => {
  it.each<[string, SymbolInfo, object]>([
    ['by its name', { ticker: 'NOSUCHUSDT' }, DEFAULTS],
    ['by its exchange', { ticker: 'NASDAQ:AAPL' }, DEFAULTS],
    ['though the name is one of ours elsewhere', { ticker: 'KRAKEN:BTCUSDT' }, DEFAULTS],
    ['because it is no coin', { ticker: 'BTCUSDT', type: 'futures' }, { ...DEFAULTS, type: undefined, mincontract: 1 }],
  ])('%s is left as it is, and told with what the engine takes for it', (_, info, assumed) => {
    const { symbol, market } = described(info);
    expect(symbol).toEqual(info);
    expect(market).toEqual({ symbol: info.ticker, source: 'default', assumed });
    const plots = Object.keys(market!.assumed)
      .filter((name) => name !== 'type' && name !== 'currency')
      .map((name) => `plot(syminfo.${name}, "${name}")`);
    const source = `//@version=6\nindicator("i")\nlog.info(syminfo.type + " " + syminfo.currency)\n${plots.join('\n')}\n`;
    const bar = { time: 0, open: 1, high: 1, low: 1, close: 1, volume: 1 };
    const { series, logs } = compile(source).program!.run(barColumns([bar]), { symbol });
    const figures = Object.fromEntries([...series].map(([name, values]) => [name, values[0]]));
    expect({ ...market!.assumed, ...figures }).toEqual(market!.assumed);
    expect(logs[0]?.message).toBe(`${info.type ?? 'crypto'} ${DEFAULTS.currency}`);
  });
});

it('nothing is assumed of a chart that nobody named', () => {
  expect(described({ mintick: 0.25 })).toEqual({ symbol: { mintick: 0.25 }, market: undefined });
});
