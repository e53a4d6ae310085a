// Tests of the market a script sees: defaults, the three notations of a tick, names, hours, and what is refused.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allEntries } from '../builtins/index.ts';
import type { PineVersion, Shape } from '../builtins/types.ts';
import { TA_KERNELS } from '../ta/index.ts';
import { BAR_FACTS } from './bar-facts.ts';
import { createMarket, type SymbolInfo, SymbolInfoFault } from './market.ts';

const NA = Number.NaN;
const factsOf = (symbol?: SymbolInfo, timeframe?: string, version: PineVersion = 6) =>
  createMarket(symbol, timeframe, version).facts;

/** The faults of a description; anything but a SymbolInfoFault is thrown on. */
function faultsOf(symbol: unknown, timeframe?: string): readonly string[] {
  try {
    createMarket(symbol as SymbolInfo, timeframe, 6);
  } catch (error) {
    if (error instanceof SymbolInfoFault) return error.faults;
    throw error;
  }
  return [];
}

describe('a market nobody describes', () => {
  it('is a coin that trades around the clock in UTC, by the day, in steps of 0.01', () => {
    const { facts, hours, mintick, regular, timeframe } = createMarket(undefined, undefined, 6);
    expect(hours).toEqual({ timezone: 'UTC', session: '24x7', timeframe: '1D' });
    expect([mintick, regular, timeframe]).toEqual([0.01, null, { unit: 'D', multiplier: 1 }]);
    expect(facts).toMatchObject({
      'syminfo.ticker': '',
      'syminfo.tickerid': '',
      'syminfo.prefix': '',
      'syminfo.type': 'crypto',
      'syminfo.timezone': 'Etc/UTC',
      'syminfo.session': 'regular',
      'syminfo.mintick': 0.01,
      'syminfo.pricescale': 100,
      'syminfo.minmove': 1,
      'syminfo.pointvalue': 1,
      'syminfo.currency': 'USD',
      'syminfo.mincontract': 0.000001,
      'timeframe.period': '1D',
      'chart.is_standard': true,
      'chart.is_renko': false,
    });
  });

  it('has na for what nobody knows', () => {
    const facts = factsOf();
    for (const name of ['employees', 'expiration_date', 'recommendations_buy', 'target_price_high'])
      expect(facts[`syminfo.${name}`], name).toBeNaN();
    for (const name of ['ask', 'bid', 'dividends.future_amount', 'earnings.future_eps', 'chart.left_visible_bar_time'])
      expect(facts[name], name).toBeNaN();
    for (const name of ['sector', 'industry', 'country', 'current_contract'])
      expect(facts[`syminfo.${name}`], name).toBeNull();
  });
});

describe('the table of built-ins', () => {
  const PLACES = ['bar_index', 'last_bar_index', 'last_bar_time', 'timenow'];
  const PRICES = ['open', 'high', 'low', 'close', 'volume', 'time', 'hl2', 'hlc3', 'hlcc4', 'ohlc4'];
  const facts = factsOf();

  /** Who answers for a value; several would be a quarrel, none a hole. */
  function answerersOf(name: string): string[] {
    const answerers = {
      fact: Object.hasOwn(facts, name),
      'bar fact': Object.hasOwn(BAR_FACTS, name),
      price: PRICES.includes(name),
      place: PLACES.includes(name) || name.startsWith('barstate.'),
      'running line': Object.hasOwn(TA_KERNELS, name),
      drawings: /^(line|label|box|linefill|polyline|table)\.all$/.test(name),
      strategy: name.startsWith('strategy.'),
      language: name === 'na',
    };
    return Object.entries(answerers).flatMap(([who, answers]) => (answers ? [who] : []));
  }

  it('has nobody or two answering for no value', () => {
    const values = allEntries().filter((entry) => entry.kind === 'variable');
    expect(values.length).toBeGreaterThan(150);
    expect(values.filter(({ name }) => answerersOf(name).length !== 1).map(({ name }) => name)).toEqual([]);
  });

  it('knows every fact and every fact of a bar', () => {
    const names = new Set(allEntries().flatMap((entry) => (entry.kind === 'variable' ? [entry.name] : [])));
    expect([...Object.keys(facts), ...Object.keys(BAR_FACTS)].filter((name) => !names.has(name))).toEqual([]);
  });

  it('finds each fact of the type it promises', () => {
    const fits = (value: unknown, shape: Shape) => {
      if (shape.kind !== 'scalar') return false;
      if (shape.name === 'bool') return typeof value === 'boolean';
      if (shape.name === 'string') return value === null || typeof value === 'string';
      return typeof value === 'number' && (shape.name !== 'int' || Number.isNaN(value) || Number.isInteger(value));
    };
    const wrong = allEntries().filter(
      (entry) =>
        entry.kind === 'variable' && Object.hasOwn(facts, entry.name) && !fits(facts[entry.name], entry.type.shape),
    );
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });
});

describe('the tick', () => {
  const tickOf = (symbol: SymbolInfo) => {
    const facts = factsOf(symbol);
    return ['mintick', 'pricescale', 'minmove'].map((name) => facts[`syminfo.${name}`]);
  };

  it('follows from any of its notations', () => {
    expect(tickOf({ mintick: 0.25 })).toEqual([0.25, 100, 25]);
    expect(tickOf({ mintick: 1e-8 })).toEqual([1e-8, 100_000_000, 1]);
    expect(tickOf({ mintick: 5 })).toEqual([5, 1, 5]);
    expect(tickOf({ mintick: 0.03125 })).toEqual([0.03125, 100_000, 3125]);
    expect(tickOf({ mintick: 1 / 3 })).toEqual([1 / 3, 3, 1]);
    expect(tickOf({ pricescale: 1000 })).toEqual([0.001, 1000, 1]);
    expect(tickOf({ pricescale: 100, minmove: 25 })).toEqual([0.25, 100, 25]);
    expect(tickOf({ pricescale: 1000, mintick: 0.01 })).toEqual([0.01, 1000, 10]);
    expect(tickOf({ pricescale: 100, mintick: 0.25 })).toEqual([0.25, 100, 25]);
    expect(tickOf({ minmove: 25, mintick: 0.25 })).toEqual([0.25, 100, 25]);
    expect(tickOf({ minmove: 5 })).toEqual([0.05, 100, 5]);
    expect(tickOf({ pricescale: 100, minmove: 1, mintick: 0.01 })).toEqual([0.01, 100, 1]);
  });

  it('is refused when it is none, or when its notations disagree', () => {
    for (const mintick of [0, -0.01, Number.POSITIVE_INFINITY])
      expect(faultsOf({ mintick })[0], `${mintick}`).toContain('must be a number above zero');
    for (const pricescale of [0, -1, 1.5, 2 ** 60])
      expect(faultsOf({ pricescale })[0], `${pricescale}`).toContain('must be a whole number');
    expect(faultsOf({ mintick: 0.01, pricescale: 10 })[0]).toContain('Leave out one of them');
    expect(faultsOf({ mintick: 0.3, minmove: 1 })[0]).toContain('Leave out one of them');
  });

  it('of any number of decimals is minmove / pricescale', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 0, max: 10 }), (moves, decimals) => {
        const [mintick, pricescale, minmove] = tickOf({ mintick: moves / 10 ** decimals }) as number[];
        expect(minmove! / pricescale!).toBeCloseTo(mintick!, 12);
        expect(tickOf({ pricescale: pricescale!, minmove: minmove! })[0]).toBeCloseTo(mintick!, 12);
      }),
      { numRuns: 200 },
    );
  });
});

describe('the names of a symbol', () => {
  const namesOf = (symbol: SymbolInfo) => {
    const facts = factsOf(symbol);
    return ['tickerid', 'prefix', 'ticker'].map((name) => facts[`syminfo.${name}`]);
  };

  it('follow from one another', () => {
    const all = ['BINANCE:BTCUSDT', 'BINANCE', 'BTCUSDT'];
    expect(namesOf({ ticker: 'BINANCE:BTCUSDT' })).toEqual(all);
    expect(namesOf({ tickerid: 'BINANCE:BTCUSDT' })).toEqual(all);
    expect(namesOf({ ticker: 'BTCUSDT', prefix: 'BINANCE' })).toEqual(all);
    expect(namesOf({ ticker: 'BTCUSDT' })).toEqual(['BTCUSDT', '', 'BTCUSDT']);
    expect(namesOf({ tickerid: 'A:B', ticker: 'C', prefix: 'D' })).toEqual(['A:B', 'D', 'C']);
  });

  it('of a future have a root, of anything else the ticker itself', () => {
    const rootOf = (ticker: string, type = 'futures') => factsOf({ ticker, type })['syminfo.root'];
    expect(['ES1!', 'ESZ2024', 'ESZ24', 'BTCUSDT.P'].map((ticker) => rootOf(ticker))).toEqual([
      'ES',
      'ES',
      'ES',
      'BTCUSDT.P',
    ]);
    expect(rootOf('ES1!', 'crypto')).toBe('ES1!');
    expect(factsOf({ ticker: 'ES1!', type: 'futures', root: 'E' })['syminfo.root']).toBe('E');
  });

  it('and everything else said arrives', () => {
    const said = {
      description: 'Apple',
      type: 'stock',
      currency: 'USD',
      basecurrency: 'X',
      country: 'US',
      sector: 'Electronic Technology',
      industry: 'Phones',
      isin: 'US0378331005',
      current_contract: 'ESZ2024',
      volumetype: 'base',
      pointvalue: 50,
      mincontract: 0.5,
      expiration_date: 1,
      employees: 2,
      shareholders: 3,
      shares_outstanding_float: 4.5,
      shares_outstanding_total: 5,
    };
    const facts = factsOf(said);
    for (const [name, value] of Object.entries(said)) expect(facts[`syminfo.${name}`], name).toBe(value);
    expect(factsOf({ type: 'stock' })['syminfo.mincontract']).toBe(1);
    expect(factsOf({ type: 'forex' })['syminfo.volumetype']).toBe('tick');
  });
});

describe('the timeframe', () => {
  const periodOf = (timeframe: string, version: PineVersion = 6) => factsOf({}, timeframe, version)['timeframe.period'];

  it('is written as the version of the script writes it', () => {
    expect(['D', '1D', 'W', 'M', '3M', '60', '15S'].map((text) => periodOf(text))).toEqual([
      '1D',
      '1D',
      '1W',
      '1M',
      '3M',
      '60',
      '15S',
    ]);
    expect(['D', '1D', '1W', '1M', '3M', '1', '1S'].map((text) => periodOf(text, 5))).toEqual([
      'D',
      'D',
      'W',
      'M',
      '3M',
      '1',
      '1S',
    ]);
  });

  it('may be written as exchanges do', () => {
    expect(['30s', '1m', '1h', '4h', '24h', '1d', '1w', '1M'].map((text) => periodOf(text))).toEqual([
      '30S',
      '1',
      '60',
      '240',
      '1440',
      '1D',
      '1W',
      '1M',
    ]);
  });

  it('of the call stands above that of the symbol', () => {
    expect(factsOf({ period: '60' })['timeframe.period']).toBe('60');
    expect(factsOf({ period: '60' }, '5')['timeframe.period']).toBe('5');
    expect(factsOf({ period: '60' }, '')['timeframe.period']).toBe('60');
  });

  it('is of exactly one unit', () => {
    const unitsOf = (timeframe: string) => {
      const facts = factsOf({}, timeframe);
      return ['ticks', 'seconds', 'minutes', 'daily', 'weekly', 'monthly', 'intraday', 'dwm'].filter(
        (unit) => facts[`timeframe.is${unit}`],
      );
    };
    expect(['1T', '15S', '60', 'D', '2W', '3M'].map(unitsOf)).toEqual([
      ['ticks', 'intraday'],
      ['seconds', 'intraday'],
      ['minutes', 'intraday'],
      ['daily', 'dwm'],
      ['weekly', 'dwm'],
      ['monthly', 'dwm'],
    ]);
    expect(factsOf({}, '2W')['timeframe.multiplier']).toBe(2);
    expect(factsOf({}, '240')['timeframe.main_period']).toBe('240');
  });

  it('is refused when it is none', () => {
    for (const text of ['0', '-1', '1x', '1441', '25h', '400D', 'x'.repeat(300), '1H'])
      expect(faultsOf({}, text)[0], text).toContain('Invalid timeframe');
  });
});

describe('the hours', () => {
  const hoursOf = (session: string) => createMarket({ session }, undefined, 6).hours.session;

  it('without days are those of Monday to Friday, less days with hours of their own', () => {
    expect(hoursOf('0930-1600')).toBe('0930-1600:23456');
    expect(hoursOf('0900-1630|0900-1400:2')).toBe('0900-1630:3456,0900-1400:2');
    expect(hoursOf('0900-1630|0900-1400:23456')).toBe('0900-1400:23456');
    expect(hoursOf('0930-1400,1430-1700')).toBe('0930-1400,1430-1700:23456');
    expect(hoursOf('1700-1700:23456')).toBe('1700-1700:23456');
  });

  it('are the whole week for a market around the clock, and for one that only names its session', () => {
    for (const text of ['24x7', '24X7', '', '0000-0000', 'regular', 'extended', ' 24x7 '])
      expect(hoursOf(text)).toBe('24x7');
    expect(factsOf({ session: 'extended' })['syminfo.session']).toBe('extended');
    expect(factsOf({ session: 'regular' })['syminfo.session']).toBe('regular');
  });

  it('beyond the regular ones make the session an extended one', () => {
    const market = createMarket({ session: '0400-2000', session_regular: '0930-1600' }, '60', 6);
    expect(market.facts['syminfo.session']).toBe('extended');
    expect(market.regular).not.toBeNull();
    expect(createMarket({ session: '0930-1600', session_regular: '0930-1600' }, '60', 6).regular).toBeNull();
  });

  it('are refused when they are none, and so is an unknown zone', () => {
    for (const session of ['0930', 'nine to five', '0930-1600:89', '|', '0930-1600|', '2500-2600'])
      expect(faultsOf({ session })[0], session).toContain('is not a session');
    expect(faultsOf({ session_regular: 'x' })[0]).toContain('is not a session');
    expect(faultsOf({ timezone: 'Mars/Base' })[0]).toContain('Unknown time zone');
    for (const timezone of ['UTC', 'GMT', 'Etc/UTC', 'America/New_York', 'UTC+5', '+05:30', ''])
      expect(faultsOf({ timezone }), timezone).toEqual([]);
  });
});

describe('a description of a market', () => {
  it('tells all its faults at once', () => {
    const faults = faultsOf({ mintick: 0, timezone: 'Mars', session: 'x', pointvalue: 0, mincontract: -1 }, 'y');
    expect(faults).toHaveLength(6);
    expect(() => createMarket({ mintick: 0, pointvalue: 0 }, undefined, 6)).toThrow(/mintick is 0.*pointvalue is 0/);
  });

  it('may come from somebody with the wrong types in it', () => {
    expect(faultsOf({ ticker: 5, mintick: '0.01', pointvalue: NA, type: {}, sector: 'x'.repeat(401) })).toEqual([
      'ticker must be a text.',
      'type must be a text.',
      'sector is longer than 400 characters.',
      'mintick must be a number.',
      'pointvalue must be a number.',
    ]);
    expect(faultsOf({ ticker: null, mintick: null, unheard_of: 1, sector: 'x'.repeat(400) })).toEqual([]);
  });

  it('is either taken or refused in words, whatever it holds', () => {
    const names = ['ticker', 'timezone', 'session', 'session_regular', 'period', 'mintick', 'pricescale', 'minmove'];
    const value = fc.oneof(fc.string(), fc.double(), fc.integer(), fc.constant(null), fc.boolean(), fc.object());
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), value), (symbol) => {
        for (const fault of faultsOf(symbol)) expect(fault).toMatch(/\w.*\.$/s);
      }),
      { numRuns: 300 },
    );
  });

  it('may say which bars are in view', () => {
    const { facts } = createMarket(undefined, undefined, 6, { firstTimeMs: 1, lastTimeMs: 2 });
    expect([facts['chart.left_visible_bar_time'], facts['chart.right_visible_bar_time']]).toEqual([1, 2]);
  });
});
