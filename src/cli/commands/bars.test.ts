// markets, bars and run --symbol through the command line's front door, over the real routes.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { modelBars, openBarsApp, simulatedBars } from '../../../tests/support/bars-app.ts';
import type { EvaluateRequest, ScriptRunner } from '../../library/script-runner.ts';
import { MINUTE_MS } from '../../market-data/testing/model-feed.ts';
import type { Screen } from '../host.ts';
import { run as cli, type Given, ok } from '../testing/fake-host.ts';

/** An archive over a venue of plain numbers, and its routes. */
function openVenue(closedCount = 5000) {
  const model = modelBars(closedCount);
  const { call } = openBarsApp(model.bars, model.clock.nowMs);
  return { ...model, route: (path: string) => call(path) };
}

const simulated = (): Given => {
  const { call } = openBarsApp(simulatedBars());
  return { route: (path) => call(path) };
};

const isoMinute = (minute: number): string => new Date(minute * MINUTE_MS).toISOString();
const inTable = (minute: number): string => `${isoMinute(minute).slice(0, 19).replace('T', ' ')} UTC`;

describe('markets', () => {
  it('asks for what the flags say, and shows rules and prices', async () => {
    const market = { exchange: 'binance', symbol: 'BTCUSDT', tickSize: 0.1, lastPrice: 104210.4, source: 'simulated' };
    const ran = await cli(['markets', '--exchange', 'binance', '--symbol', 'BTCUSDT'], ok([market]));
    expect(ran.calls).toEqual([{ method: 'GET', path: '/markets?exchange=binance&symbol=BTCUSDT' }]);
    expect(ran.out).toMatch(/exchange +market +last price +tick +step/);
    expect(ran.out).toMatch(/binance +BTCUSDT +104210.4 +0.1 +-/);
  });

  it('takes no words', async () => {
    expect((await cli(['markets', 'BTCUSDT'])).code).toBe(2);
  });
});

describe('bars list', () => {
  it('says how to fill an archive that is empty', async () => {
    expect((await cli(['bars', 'list'], openVenue())).out).toContain('Fill it with "signalbox bars download"');
  });

  it('shows what is kept', async () => {
    const venue = openVenue();
    await venue.bars.range('BTCUSDT', MINUTE_MS, { fromMs: 0, toMs: 9 * MINUTE_MS });
    const { out } = await cli(['bars'], venue);
    expect(out).toMatch(new RegExp(`BTCUSDT +1m +${inTable(0)} +${inTable(10)} +binance`));
  });
});

describe('bars gaps', () => {
  const gaps = (given: Given) =>
    cli(
      ['bars', 'gaps', '--symbol', 'BTCUSDT', '--timeframe', '1m', '--from', isoMinute(0), '--to', isoMinute(20)],
      given,
    );

  it('tells what is not kept apart from what the venue has not', async () => {
    const venue = openVenue();
    venue.feed.silent.add(3);
    await venue.bars.range('BTCUSDT', MINUTE_MS, { fromMs: 0, toMs: 9 * MINUTE_MS });
    const { out, code } = await gaps(venue);
    expect(code).toBe(0);
    expect(out).toContain('9 bars are kept.');
    expect(out).toMatch(new RegExp(`${inTable(10)} +${inTable(20)} +10 +not kept yet`));
    expect(out).toMatch(new RegExp(`${inTable(3)} +${inTable(4)} +1 +the venue has none`));
  });

  it('has nothing to tell of the simulated market', async () => {
    expect((await gaps(simulated())).out).toContain('The simulated market computes its bars');
  });
});

describe('bars download', () => {
  const download = (given: Given, ...more: string[]) =>
    cli(
      [
        'bars',
        'download',
        '--symbol',
        'BTCUSDT',
        '--timeframe',
        '1m',
        '--from',
        isoMinute(0),
        '--to',
        isoMinute(4500),
        ...more,
      ],
      given,
    );

  it('fetches what is missing, and nothing twice', async () => {
    const venue = openVenue();
    const first = await download(venue, '--exchange', 'binance');
    expect([first.code, first.out]).toEqual([
      0,
      `BTCUSDT 1m from ${inTable(0)} to ${inTable(4500)}: 4,500 bars are kept, 4,500 of them new.`,
    ]);
    const asked = venue.feed.calls.length;
    const again = await download(venue);
    expect(again.out).toContain('4,500 bars are kept, 0 of them new.');
    expect(venue.feed.calls).toHaveLength(asked);
    expect(again.closed).toBe(1);
  });

  it('fills the gaps between what is there, and tells those that the venue has itself', async () => {
    const venue = openVenue();
    for (const minute of [2000, 2001]) venue.feed.silent.add(minute);
    await venue.bars.range('BTCUSDT', MINUTE_MS, { fromMs: 1000 * MINUTE_MS, toMs: 3999 * MINUTE_MS });
    venue.feed.calls.length = 0;
    const { out } = await download(venue);
    expect(out).toContain('4,498 bars are kept, 1,500 of them new.');
    expect(out).toMatch(new RegExp(`${inTable(2000)} +${inTable(2002)} +2 +the venue has none`));
    for (const { fromMs, toMs } of venue.feed.calls)
      expect(fromMs < 1001 * MINUTE_MS || toMs > 3999 * MINUTE_MS).toBe(true);
  });

  it('is shown while it goes on', async () => {
    const venue = openVenue();
    const lines: string[] = [];
    const screen: Screen = { columns: 80, write: (text) => void lines.push(text), onInterrupt: () => () => {} };
    const slow = async (path: string) => {
      await new Promise((resolve) => setTimeout(resolve, 250));
      return venue.route(path);
    };
    await download({ route: slow, screen });
    expect(lines.join('')).toMatch(/Downloading .*of 4,500 bars/);
    expect(lines.at(-1)).toBe('\r\u001b[2K');
  });

  it('for programs, with every gap', async () => {
    const venue = openVenue();
    venue.feed.silent.add(7);
    const { out } = await download(venue, '--json');
    expect(JSON.parse(out)).toEqual({
      ...{ symbol: 'BTCUSDT', timeframe: '1m', from: 0, to: 4500 * MINUTE_MS, bars: 4499, fetched: 4499, unknown: [] },
      empty: [{ from: 7 * MINUTE_MS, to: 8 * MINUTE_MS, bars: 1 }],
    });
  });

  it('until now, where no end is given', async () => {
    const venue = openVenue();
    const words = ['bars', 'download', '--symbol', 'BTCUSDT', '--timeframe', '1d', '--from', '2026-01-01'];
    const { code, calls } = await cli(words, venue);
    expect([code, calls.length]).toEqual([0, 1]);
  });

  it('says what is kept when the venue goes away meanwhile, and goes on the next time', async () => {
    const venue = openVenue();
    let pages = 0;
    const failing = async (path: string) => {
      if (path.startsWith('/bars?')) pages += 1;
      venue.feed.failures = pages === 2 ? 1 : 0;
      return venue.route(path);
    };
    const first = await download({ route: failing });
    expect(first.code).toBe(1);
    expect(first.err).toContain('Refused (502 MARKET_DATA_UNREACHABLE): the venue does not answer');
    expect(first.err).toContain('2,000 bars were fetched and are kept; run it again to go on.');
    expect((await download(venue)).out).toContain('4,500 bars are kept, 2,499 of them new.');
  });

  it('refuses a market that is not there, with the nearest names', async () => {
    const words = ['bars', 'download', '--symbol', 'BTCUSD', '--timeframe', '1m', '--from', isoMinute(0)];
    const { code, err } = await cli([...words, '--to', isoMinute(5)], openVenue());
    expect([code, err]).toEqual([1, expect.stringContaining('Did you mean BTCUSDT?')]);
  });

  it('has nothing to do on the simulated market', async () => {
    const ran = await download(simulated());
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('The simulated market computes its bars')]);
    expect(JSON.parse((await download(simulated(), '--json')).out)).toEqual({ computed: true, fetched: 0 });
  });

  it('fails where nothing is kept', async () => {
    const model = modelBars(5000, 'none');
    const { call } = openBarsApp(model.bars, model.clock.nowMs);
    const ran = await download({ route: (path) => call(path) });
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('but this Signalbox keeps none')]);
  });

  it.each([
    [[], 'symbol is missing'],
    [['--symbol', 'BTCUSDT'], '--timeframe is missing'],
    [['--symbol', 'BTCUSDT', '--timeframe', '1m'], '--from is missing'],
    [['--symbol', 'BTCUSDT', '--timeframe', '1M', '--from', '2026-01-01'], '--timeframe: not a timeframe: "1M"'],
    [['--symbol', 'BTCUSDT', '--timeframe', '1m', '--from', 'monday'], '--from monday is no moment; write it like'],
    [
      ['--symbol', 'BTCUSDT', '--timeframe', '1m', '--from', '2026-01-02', '--to', '2026-01-01'],
      '--from lies after --to',
    ],
  ])('a wrong command line: %j', async (words, text) => {
    const ran = await cli(['bars', 'download', ...words]);
    expect([ran.code, ran.calls]).toEqual([2, []]);
    expect(ran.err).toContain(text);
  });

  it('a wrong verb is told with the right one', async () => {
    expect((await cli(['bars', 'downlaod'])).err).toContain('Did you mean "bars download"?');
  });
});

describe('run --symbol', () => {
  const BITCOIN = {
    ...{ type: 'crypto', currency: 'USDT', basecurrency: 'BTC', pointvalue: 1 },
    ...{ mintick: 0.1, mincontract: 0.001 },
  };
  let script: string;
  beforeAll(() => {
    script = join(mkdtempSync(join(tmpdir(), 'signalbox-run-')), 'good.pine');
    writeFileSync(script, '//@version=6\nindicator("x")\nplot(close)\n');
  });

  /** Remembers what it was asked, and stops everything. */
  function asking() {
    const asked: EvaluateRequest[] = [];
    const stop = async (request: object) => {
      asked.push(request as EvaluateRequest);
      return { kind: 'timeout', reason: 'stopped' } as const;
    };
    const check: ScriptRunner['check'] = async () => ({ kind: 'checked', ok: true, diagnostics: [], inputs: [] });
    return { asked, scripts: { run: stop, evaluate: stop, check, close: async () => {} } satisfies ScriptRunner };
  }

  it('runs over the newest final bars of a market, in as many pages as it takes', async () => {
    const venue = openVenue(12_000);
    const { asked, scripts } = asking();
    const words = ['run', script, '--symbol', 'BINANCE:BTCUSDT.P', '--timeframe', '1m', '--bars', '11000'];
    const ran = await cli([...words, '--url', 'http://127.0.0.1:9'], { ...venue, scripts });
    const [{ bars, symbol, timeframe }] = asked as [EvaluateRequest];
    expect([bars.count, bars.time[0], bars.time[10_999]]).toEqual([11_000, 1000 * MINUTE_MS, 11_999 * MINUTE_MS]);
    expect([symbol, timeframe]).toEqual([{ ...BITCOIN, ticker: 'BTCUSDT' }, '1']);
    expect(ran.err).toContain('BINANCE:BTCUSDT.P is the perpetual of Binance; assumed: ticks of 0.1');
    expect([ran.connects, ran.closed]).toEqual([[{ url: 'http://127.0.0.1:9' }], 1]);
  });

  it('describes the market of bars in a file, and asks nobody for them', async () => {
    const file = join(dirname(script), 'bars.csv');
    writeFileSync(file, 'time,open,high,low,close\n0,1,1,1,1\n3600000,1,1,1,1\n7200000,1,1,1,1\n');
    const info = join(dirname(script), 'market.json');
    writeFileSync(info, '{"mintick": 0.01, "currency": "USD"}');
    const run = async (symbol: string, ...more: string[]) => {
      const { asked, scripts } = asking();
      const ran = await cli(['run', script, '--symbol', symbol, '--bars', file, ...more], { scripts });
      expect(ran.connects).toEqual([]);
      return { symbol: asked[0]?.symbol, err: ran.err };
    };
    const named = await run('BINANCE:BTCUSDT');
    expect(named.symbol).toEqual({ ...BITCOIN, ticker: 'BINANCE:BTCUSDT' });
    expect(named.err).toContain(
      'BINANCE:BTCUSDT is the perpetual of Binance; assumed: ticks of 0.1, quantities in steps of 0.001, a point value of 1, USDT. --symbol-info says otherwise.',
    );
    const said = await run('BYBIT:BTCUSDT', '--symbol-info', info);
    expect(said.symbol).toEqual({ ...BITCOIN, ticker: 'BYBIT:BTCUSDT', mintick: 0.01, currency: 'USD' });
    expect(said.err).toContain('perpetual of Bybit; assumed: quantities in steps of 0.001, a point value of 1. ');
    const unknown = await run('NASDAQ:AAPL');
    expect(unknown.symbol).toEqual({ ticker: 'NASDAQ:AAPL' });
    expect(unknown.err).toContain(
      'NASDAQ:AAPL is in no table of an exchange; assumed: ticks of 0.01, quantities in steps of 0.000001',
    );
  });

  it('a market with fewer bars gives those', async () => {
    const { asked, scripts } = asking();
    await cli(['run', script, '--symbol', 'BTCUSDT', '--timeframe', '1m', '--bars', '50'], {
      ...openVenue(3),
      scripts,
    });
    expect(asked[0]?.bars.count).toBe(3);
  });

  it('a refusal is told in its words', async () => {
    const { scripts } = asking();
    const words = ['run', script, '--symbol', 'BTCUSD', '--timeframe', '1h', '--bars', '5'];
    const ran = await cli(words, { ...simulated(), scripts });
    expect([ran.code, ran.err]).toEqual([
      1,
      expect.stringMatching(/Refused \(422 UNKNOWN_SYMBOL\).*Did you mean BTCUSDT\?/),
    ]);
    expect(ran.closed).toBe(1);
  });

  it.each([
    [
      ['--symbol', 'BTCUSDT', '--timeframe', '1h', '--bars', '0'],
      '--bars 0 is out of range; with --symbol say how many',
    ],
    [['--symbol', 'BTCUSDT', '--timeframe', '1h', '--bars=-5'], '--bars -5 is out of range'],
    [
      ['--symbol', 'BTCUSDT', '--bars', 'bars.csv', '--url', 'http://127.0.0.1:9'],
      '--url is for bars that Signalbox gives',
    ],
    [['--symbol', 'BTCUSDT', '--timeframe', '1h', '--bars', '500001'], 'say how many, 1 to 500000'],
    [['--symbol', 'BTCUSDT', '--timeframe', '1h'], '--bars is missing; say how many'],
    [['--symbol', 'BTCUSDT', '--bars', '5'], '--timeframe is missing; with --symbol give the length of a bar'],
    [['--symbol', 'BTCUSDT', '--timeframe', '1M', '--bars', '5'], '--timeframe: not a timeframe'],
  ])('a wrong command line: %j', async (words, text) => {
    const ran = await cli(['run', 'good.pine', ...words]);
    expect([ran.code, ran.connects]).toEqual([2, []]);
    expect(ran.err).toContain(text);
  });
});
