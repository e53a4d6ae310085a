// Identifiers of symbols: plain ones, and those that carry modifiers.

import { describe, expect, it } from 'vitest';
import { tickerEntry } from './tickers.ts';

function call(name: string, ...values: unknown[]): unknown {
  const entry = tickerEntry(name);
  if (entry?.kind !== 'function') throw new Error(`there is no ${name}`);
  return entry.call(...(values as never[]));
}

describe('a plain identifier', () => {
  it.each([
    ['BINANCE:BTCUSDT', 'BINANCE', 'BTCUSDT'],
    ['BTCUSDT', '', 'BTCUSDT'],
    ['', '', ''],
    ['A:B:C', 'A', 'B:C'],
  ])('%j has the prefix %j and the ticker %j', (symbol, prefix, ticker) => {
    expect([call('syminfo.prefix', symbol), call('syminfo.ticker', symbol)]).toEqual([prefix, ticker]);
  });

  it('of na is na', () => {
    expect([call('syminfo.prefix', null), call('syminfo.ticker', null)]).toEqual([null, null]);
  });

  it('is made of a prefix and a ticker', () => {
    expect(call('ticker.new', 'NASDAQ', 'AAPL')).toBe('NASDAQ:AAPL');
    expect(call('ticker.new', '', 'AAPL')).toBe('AAPL');
  });
});

describe('an identifier with modifiers', () => {
  const extended = call('ticker.new', 'NASDAQ', 'AAPL', 'extended', 'splits') as string;

  it('names them beside the symbol, and is still found by its parts', () => {
    expect(extended).toBe('={"symbol":"NASDAQ:AAPL","session":"extended","adjustment":"splits"}');
    expect([call('syminfo.prefix', extended), call('syminfo.ticker', extended)]).toEqual(['NASDAQ', 'AAPL']);
  });

  it('loses them, hands them on, and takes more', () => {
    expect(call('ticker.standard', extended)).toBe('NASDAQ:AAPL');
    expect(call('ticker.inherit', extended, 'NYSE:IBM')).toBe(
      '={"symbol":"NYSE:IBM","session":"extended","adjustment":"splits"}',
    );
    expect(call('ticker.heikinashi', extended)).toContain('"type":"heikinashi"');
    expect(call('ticker.modify', 'A:B', 'regular')).toBe('={"symbol":"A:B","session":"regular"}');
  });

  it.each([
    ['ticker.renko', ['A:B', 'ATR', 10, false, 'Close'], '"style":"ATR"'],
    ['ticker.kagi', ['A:B', 3], '"reversal":3'],
    ['ticker.linebreak', ['A:B', 3], '"lines":3'],
    ['ticker.pointfigure', ['A:B', 'hl', 'ATR', 14, 3], '"reversal":3'],
  ])('%s keeps its settings', (name, values, part) => {
    expect(call(name, ...values)).toContain(part);
  });

  it('that is none is taken as it stands', () => {
    expect(call('ticker.standard', '={broken')).toBe('={broken');
  });
});
