// backtest, and what run says of strategies, through the command line's front door: every flag, every form, every file.

import { existsSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RunDone, RunRequest, ScriptRunner } from '../../library/script-runner.ts';
import { answerOf, compile, strategyReport } from '../../pine/index.ts';
import { run as cli, type Given } from '../testing/fake-host.ts';

const MINUTE_S = 60;
/** Opens at 1, 2, 3… and closes one above. */
const BARS = [
  'time,open,high,low,close',
  ...Array.from({ length: 10 }, (_, i) => `${i * MINUTE_S},${i + 1},${i + 3},${i},${i + 2}`),
];
const STRATEGY = `//@version=6
strategy("Two \\"ups\\"", initial_capital = 100)
size = input.float(2, "Size")
if bar_index % 4 == 0
    strategy.entry("L", strategy.long, size)
if bar_index % 4 == 2
    strategy.close("L", comment = "out")
`;

let folder: string;
const at = (name: string): string => join(folder, name);
const text = (name: string): string => readFileSync(at(name), 'utf8');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-backtest-'));
  writeFileSync(at('bars.csv'), `${BARS.join('\n')}\n`);
  writeFileSync(at('strategy.pine'), STRATEGY);
  writeFileSync(at('plain.pine'), '//@version=6\nindicator("x")\nplot(close)\n');
  writeFileSync(at('market.json'), '{"ticker": "ABC", "currency": "EUR"}');
});

const here = (words: readonly string[]) =>
  words.map((word) => (/^[\w-]+\.(?:pine|csv|json|html)$/.test(word) ? at(word) : word));

/** The engine itself, without a thread around it. */
function engine(): Given & { readonly asked: RunRequest[] } {
  const asked: RunRequest[] = [];
  const done = (request: RunRequest, recordsOrders: boolean): RunDone & { readonly json: Uint8Array } => {
    asked.push(request);
    const { program } = compile(request.source, { libraries: request.libraries ?? [] });
    const { bars, inputs = {}, symbol = {}, tradeFromMs, tradeToMs, initialCapital } = request;
    const range = {
      ...(tradeFromMs === undefined ? {} : { tradeFromMs }),
      ...(tradeToMs === undefined ? {} : { tradeToMs }),
    };
    const account = initialCapital === undefined ? range : { ...range, initialCapital };
    const result = program!.run(bars, { inputs, symbol, recordsOrders, ...account });
    const json = new TextEncoder().encode(JSON.stringify(answerOf(result, bars)));
    return {
      kind: 'result',
      result: { ...result, broker: null },
      report: strategyReport(result, bars),
      warnings: [],
      runMs: 1,
      ...(request.checksRepaint ? { repaint: { kind: 'checked', compared: bars.count - 1, lines: [] } } : {}),
      json,
    };
  };
  const scripts: ScriptRunner = {
    run: async (request) => done(request, false),
    evaluate: async (request) => {
      const { json, report, warnings } = done(request, true);
      return { kind: 'answer', json, warnings, ...(request.wantsReport ? { report } : {}) };
    },
    check: () => Promise.reject(new Error('nobody checks')),
    close: async () => {},
  };
  return { scripts, asked };
}

const backtest = (words: readonly string[], given: Given = engine()) => cli(['backtest', ...here(words)], given);
const TESTED = ['strategy.pine', '--bars', 'bars.csv'] as const;

describe('the forms of backtest', () => {
  const [script, bars] = [() => at('strategy.pine'), () => at('bars.csv')];

  it('are a file with bars, and more of the market', async () => {
    const market = [
      'backtest',
      script(),
      '--bars',
      bars(),
      '--symbol-info',
      at('market.json'),
      '--timeframe',
      '1',
      '--capital',
      '9',
    ];
    expect(await cli(market, engine())).toMatchObject({ code: 0, out: expect.stringMatching(/market +ABC/) });
  });

  it('are inputs and libraries', async () => {
    const inputs = ['backtest', script(), '--bars', bars(), '--input', 'Size=3'];
    expect(await cli(inputs, engine())).toMatchObject({ code: 0, out: expect.stringContaining('12.00 USD') });
  });

  it('are a market whose bars Signalbox has', async () => {
    const asked = [
      'backtest',
      script(),
      '--symbol',
      'BTCUSDT',
      '--timeframe',
      '1h',
      '--bars',
      '10',
      '--data-dir',
      folder,
    ];
    const given = { ...engine(), connectError: new Error('nobody is there') };
    expect(await cli(asked, given)).toMatchObject({ code: 1, err: 'nobody is there' });
  });
});

describe('backtest', () => {
  it('shows what the strategy made, the equity in a line and the newest trades', async () => {
    const { code, out, err } = await backtest([...TESTED]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('Two "ups"\n');
    expect(out).toMatch(/profit {4}8\.00 USD \(8\.00 %\) with 2 trades/);
    expect(out).toMatch(/equity {4}▁.*█/);
    expect(out).toMatch(/^Net profit +8\.00 \(8\.00 %\) +8\.00 \(8\.00 %\) +0\.00 \(0\.00 %\)$/m);
    expect(out).toMatch(/^Final equity +110\.00$/m);
    expect(out).toMatch(/^1970-01 +8\.00 +8\.00 %$/m);
    expect(out).toMatch(
      /^long {2}L +1970-01-01 00:01:00 UTC +2 {2}1970-01-01 00:03:00 UTC +4 +2 +4\.00 \(100\.00 %\)$/m,
    );
    expect(out).toMatch(/^long {2}L +1970-01-01 00:09:00 UTC +10 {2}open +- +2 +2\.00 \(10\.00 %\)$/m);
  });

  it('prints the summary, the curve and the trades with --json and nothing else', async () => {
    const { code, out, err } = await backtest([...TESTED, '--json']);
    expect([code, err]).toEqual([0, '']);
    const answer = JSON.parse(out);
    expect(Object.keys(answer)).toEqual(['status', 'summary', 'equity_curve', 'trades', 'meta']);
    expect(answer).toMatchObject({
      summary: { net_profit: 8 },
      trades: [{ profit: 4 }, { profit: 4 }, { exit_time: null }],
    });
    expect(answer.meta).toMatchObject({ script_name: 'Two "ups"', bars: 10 });
  });

  it('says whether it was looked at for repainting, everywhere, without being asked', async () => {
    const { out } = await backtest([...TESTED, '--report', 'report.html']);
    expect(out).toMatch(/^repaint {2}no repainting found over 9 cuts$/m);
    expect(text('report.html')).toContain('<p class="badge none_found">no repainting found over 9 cuts</p>');
    const { out: json } = await backtest([...TESTED, '--json']);
    expect(JSON.parse(json).meta.repaint).toEqual({ status: 'none_found', bars_compared: 9, lines: [] });
  });

  it.each([
    [50_000, [], true],
    [50_001, [], false],
    [50_001, ['--repaint'], true],
  ])('of %d bars with %j looks for repainting: %j', async (count, more, isChecked) => {
    const rows = Array.from({ length: count }, (_, i) => `${i * MINUTE_S},1,1,1,1`);
    writeFileSync(at('long.csv'), ['time,open,high,low,close', ...rows].join('\n'));
    const given = engine();
    const { out } = await backtest(['strategy.pine', '--bars', 'long.csv', ...more], given);
    expect(given.asked.map(({ checksRepaint }) => checksRepaint)).toEqual([isChecked]);
    if (!isChecked) expect(out).toContain('not checked: there are many bars; --repaint checks any number');
  });

  it('takes the capital, the range, inputs, libraries, the market, the timeframe and a time limit', async () => {
    const given = engine();
    writeFileSync(at('lib.pine'), '//@version=6\nlibrary("Lib")\nexport one() => 1\n');
    writeFileSync(at('uses.pine'), STRATEGY.replace('size = ', 'import me/Lib/1 as lib\nx = lib.one()\nsize = '));
    const words = ['uses.pine', '--bars', 'bars.csv', '--capital', '500', '--trade-from', '1970-01-01T00:04:00Z'];
    const more = ['--trade-to', '1970-01-01T00:08:00Z', '--input', 'Size=3', '--library', `me/Lib/1=${at('lib.pine')}`];
    const market = ['--symbol-info', 'market.json', '--timeframe', '1', '--timeout', '60'];
    const { code, out } = await backtest([...words, ...more, ...market], given);
    expect(code).toBe(0);
    expect(given.asked).toMatchObject([
      { initialCapital: 500, tradeFromMs: 240_000, tradeToMs: 480_000, inputs: { Size: '3' }, timeframe: '1' },
    ]);
    expect(out).toMatch(/profit {4}6\.00 EUR \(1\.20 %\) with 1 trade$/m);
    expect(out).toContain('traded    from 1970-01-01 00:04:00 UTC to 1970-01-01 00:07:00 UTC');
  });

  it('tells the drawdown from closed trades apart from that of the equity curve, which the chart draws', async () => {
    // Ten contracts from 10 up to 50 and back to 10: nothing is lost of what closed trades made, and much of the curve.
    const closes = [10, 10, 30, 50, 30, 10, 10];
    const rows = closes.map((close, i) => {
      const open = closes[i - 1] ?? 10;
      return [i * MINUTE_S, open, Math.max(open, close), Math.min(open, close), close].join(',');
    });
    writeFileSync(at('hill.csv'), `time,open,high,low,close\n${rows.join('\n')}\n`);
    const held = 'if bar_index == 0\n    strategy.entry("L", strategy.long, 10)\n';
    writeFileSync(at('held.pine'), `//@version=6\nstrategy("H", initial_capital = 100)\n${held}`);
    const { out } = await backtest(['held.pine', '--bars', 'hill.csv', '--report', 'page.html']);
    expect(out).toMatch(
      /^drawdown +0\.00 USD \(0\.00 %\) from closed trades\n +400\.00 USD \(80\.00 %\) on the equity curve$/m,
    );
    expect(out).toMatch(/^Max drawdown \(from closed trades\) +0\.00 \(0\.00 %\)$/m);
    expect(out).toMatch(/^Max drawdown \(equity curve\) +400\.00 \(80\.00 %\)$/m);
    expect(text('page.html')).toContain('<span>Drawdown (from closed trades)</span><b class="">0.00</b>');
    expect(text('page.html')).toContain(
      '<span>Drawdown (equity curve)</span><b class="">400.00</b><small>USD, 80.00 %',
    );
  });

  it('takes the bars of a market from the instance that is named', async () => {
    const rows = Array.from({ length: 11 }, (_, i) => {
      const prices = { open: i + 1, high: i + 3, low: i, close: i + 2, volume: 1 };
      return { time: i * 3_600_000, ...prices, closed: i < 10 };
    });
    const body = { success: true, result: { symbol: 'BTCUSDT', bars: rows } };
    const words = [
      'strategy.pine',
      '--symbol',
      'BTCUSDT',
      '--timeframe',
      '1h',
      '--bars',
      '10',
      '--url',
      'http://x',
      '--token',
      't',
    ];
    const ran = await backtest(words, { ...engine(), answer: { status: 200, body } });
    expect(ran.connects).toEqual([{ url: 'http://x', token: 't' }]);
    expect(ran.out).toMatch(/profit {4}8\.00 USDT? \(8\.00 %\) with 2 trades/);
    expect(ran.calls[0]?.path).toMatch(/^\/bars\?.*symbol=BTCUSDT/);
  });

  describe('over bars of a market', () => {
    const rows = Array.from({ length: 11 }, (_, i) => {
      const prices = { open: i + 1, high: i + 3, low: i, close: i + 2, volume: 1 };
      return { time: i * 3_600_000, ...prices, closed: i < 10 };
    });
    const ofSource = (source: string | undefined): Given => ({
      ...engine(),
      answer: { status: 200, body: { success: true, result: { symbol: 'BTCUSDT', source, bars: rows } } },
    });
    const words = ['strategy.pine', '--symbol', 'BTCUSDT', '--timeframe', '1h', '--bars', '10', '--url', 'http://x'];

    it('says in every form that prices are simulated', async () => {
      const shown = await backtest([...words, '--report', 'page.html'], ofSource('simulated'));
      expect(shown.out).toMatch(/^prices +simulated prices: made up by Signalbox, not those of a market$/m);
      expect(text('page.html')).toContain('<p class="badge simulated">simulated prices: made up by Signalbox');
      const { meta } = JSON.parse((await backtest([...words, '--json'], ofSource('simulated'))).out);
      expect(meta.price_source).toBe('simulated');
      for (const form of ['--json', '--csv', '--chart'])
        expect((await cli(['run', ...here(words), form], ofSource('simulated'))).err).toContain('simulated prices');
      expect((await cli(['run', ...here(words)], ofSource('simulated'))).out).toMatch(/^prices +simulated prices/m);
    });

    it('names the exchange of real prices, and nothing where the instance says nothing', async () => {
      const real = await backtest([...words, '--report', 'page.html'], ofSource('binance'));
      expect(real.out).toMatch(/^prices +of binance$/m);
      expect(text('page.html')).toContain('<p class="badge">prices of binance</p>');
      expect((await cli(['run', ...here(words), '--chart'], ofSource('binance'))).err).not.toMatch(/prices/);
      expect((await backtest(words, ofSource(undefined))).out).not.toMatch(/^prices/m);
      expect(JSON.parse((await backtest([...TESTED, '--json'])).out).meta.price_source).toBeNull();
    });

    it('keeps with a kept run where its prices came from', async () => {
      const runs = ['--runs', join(folder, 'kept')];
      await backtest([...words, '--save', ...runs], ofSource('simulated'));
      expect((await cli(['runs', 'show', '1', ...runs])).out).toMatch(/^prices +simulated prices/m);
    });
  });

  it.each([
    [['strategy.pine', 'bars.csv'], 'write it like: signalbox backtest strategy.pine --bars bars.csv.'],
    [[...TESTED, '--capital', '0'], '--capital 0 is nothing to begin with'],
    [[...TESTED, '--capital=-5'], '--capital -5 is no plain number'],
    [[...TESTED, '--trade-from', 'soon'], '--trade-from soon is no moment; write it like 2026-01-01'],
    [[...TESTED, '--trade-to', '2024-02-30'], '--trade-to 2024-02-30 is no moment'],
    [[...TESTED, '--trade-from', '2024-01-02', '--trade-to', '2024-01-02'], '--trade-from lies after --trade-to'],
    [[...TESTED, '--trades', 'bars.csv'], 'is a file of this command already; write into another one'],
    [[...TESTED, '--report', 'strategy.pine'], 'is a file of this command already'],
    [[...TESTED, '--symbol-info', 'market.json', '--report', 'market.json'], 'is a file of this command already'],
    [[...TESTED, '--trades', 'out.html', '--report', 'out.html'], 'is a file of this command already'],
    [[...TESTED, '--trades', '-'], '--trades needs the name of a file'],
    [[...TESTED, '--report', ''], '--report needs the name of a file'],
  ])('%j is a wrong command line', async (words, message) => {
    const ran = await backtest(words);
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain(message);
    expect(text('bars.csv')).toBe(`${BARS.join('\n')}\n`);
    expect(text('strategy.pine')).toBe(STRATEGY);
  });

  it.each(['./bars.csv', 'link.csv'])('never writes over its bars, also not as %s', async (name) => {
    symlinkSync(at('bars.csv'), at('link.csv'));
    const ran = await cli(
      ['backtest', at('strategy.pine'), '--bars', at('bars.csv'), '--trades', `${folder}/${name}`],
      engine(),
    );
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining('is a file of this command already') });
    expect(text('bars.csv')).toBe(`${BARS.join('\n')}\n`);
  });

  it('refuses a script that is no strategy, and writes nothing', async () => {
    const ran = await backtest(['plain.pine', '--bars', 'bars.csv', '--trades', 'trades.csv']);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain('plain.pine: it is no strategy and makes no trades; declare it with strategy(...)');
    expect(existsSync(at('trades.csv'))).toBe(false);
  });

  it('of a range without bars says so', async () => {
    const { code, out } = await backtest([...TESTED, '--trade-from', '2030-01-01', '--report', 'report.html']);
    expect([code, out]).toEqual([0, expect.stringContaining('traded    no bar is in the range')]);
    expect(out).toContain('It made no trades.');
    expect(text('report.html')).toContain('No bar is in the range that it may trade in.');
  });
});

describe('the files of a backtest', () => {
  it('--trades has two rows a trade, and what was written is told on standard error', async () => {
    const { code, err } = await backtest([...TESTED, '--trades', 'trades.csv']);
    expect([code, err]).toEqual([0, `${at('trades.csv')} was written.`]);
    const rows = text('trades.csv').trim().split('\n');
    expect(rows).toHaveLength(1 + 2 * 3);
    expect(rows[1]).toBe('1,Entry long,60000,L,2,2,4,4,100,6,150,-2,-50,4,4');
    expect(rows[2]).toBe('1,Exit long,180000,out,4,2,4,4,100,6,150,-2,-50,4,4');
    expect(rows[6]).toMatch(/^3,Exit long,540000,Open,11,/);
  });

  it('--report is one page that asks nobody for anything', async () => {
    expect((await backtest([...TESTED, '--report', 'report.html'])).code).toBe(0);
    const page = text('report.html');
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).not.toMatch(/\b(?:src|href)=|url\(|@import|https?:/);
    expect(page).toContain("default-src 'none'");
    expect(page).toContain('<h1>Two &quot;ups&quot;</h1>');
  });

  it('replaces a file of before', async () => {
    writeFileSync(at('trades.csv'), 'old\n'.repeat(10_000));
    await backtest([...TESTED, '--trades', 'trades.csv']);
    expect(text('trades.csv')).not.toContain('old');
  });

  it.each([
    ['missing/trades.csv', 'its folder does not exist; make it first'],
    ['.', 'this is a folder; name a file in it'],
  ])('that cannot be written (%s) is told with the remedy', async (name, message) => {
    const ran = await cli(['backtest', at('strategy.pine'), '--bars', at('bars.csv'), '--trades', at(name)], engine());
    expect(ran.code).toBe(1);
    expect(ran.err).toContain(message);
  });
});

describe('run of a strategy', () => {
  const run = (...words: readonly string[]) => cli(['run', ...here([...TESTED, ...words])], engine());

  it('adds what the strategy made to the summary', async () => {
    const { code, out } = await run('--capital', '50');
    expect(code).toBe(0);
    expect(out).toContain('script  strategy, Pine v6');
    expect(out).toMatch(/profit {4}8\.00 USD \(16\.00 %\)/);
  });

  it('--json has events, trades, equity and metrics, and the files are written besides', async () => {
    const range = ['--trade-from', '1970-01-01T00:04:00Z', '--trade-to', '480'];
    const { code, out } = await run('--json', '--trades', 'trades.csv', '--report', 'report.html', ...range);
    expect(code).toBe(0);
    const answer = JSON.parse(out);
    expect(answer).toMatchObject({
      status: 'success',
      trades: [{ profit: 4 }],
      metrics: { net_profit: 4, total_trades: 1 },
    });
    expect(answer.events).toMatchObject([
      { kind: 'entry', bar_index: 4 },
      { kind: 'close', bar_index: 6 },
    ]);
    expect(answer.equity.length).toBeGreaterThan(1);
    expect(text('trades.csv').trim().split('\n')).toHaveLength(3);
    expect(text('report.html')).toContain('List of trades');
  });

  it('needs a strategy only for the files', async () => {
    expect((await cli(['run', at('plain.pine'), '--bars', at('bars.csv')], engine())).code).toBe(0);
    const ran = await cli(
      ['run', at('plain.pine'), '--bars', at('bars.csv'), '--json', '--report', at('r.html')],
      engine(),
    );
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain('it is no strategy');
  });
});
