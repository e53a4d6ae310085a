// run, check and format as a person types them: every form of the outcome, every kind of fault, and the guide's examples.

import { chmodSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { runSignalbox } from '../support/process.ts';
import { examplesIn, isAsShown } from './guide.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const GUIDE = new URL('../../docs/guides/pine-cli.md', import.meta.url);

let folder: string;
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return name;
};
const signalbox = (...words: string[]) => runSignalbox(words, {}, folder);
const pine = (...lines: string[]) => `${['//@version=6', 'indicator("My test")', ...lines].join('\n')}\n`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-pine-'));
  file('bars.csv', 'time,open,high,low,close,volume\n60,1,3,0,2,10\n120,2,4,1,3,20\n180,3,5,2,4,30\n');
  file(
    'good.pine',
    pine('length = input.int(2, "Length")', 'plot(ta.sma(close, length), "SMA")', 'plot(volume, "Vol, all")'),
  );
  file('bad.pine', pine('plot(clos)', 'x = 1 +'));
});

describe('the guide', () => {
  it.each(examplesIn(GUIDE))('is true: signalbox $command', async (example) => {
    const { stdout, stderr } = await runSignalbox(example.words, {}, ROOT);
    expect(isAsShown(stdout + stderr, example), stdout + stderr).toBe(true);
  });

  it('has examples, and its own words are compared, not skipped', () => {
    const [first] = examplesIn(GUIDE);
    expect(examplesIn(GUIDE).length).toBeGreaterThan(4);
    expect(first?.words).toContain('run');
    expect(isAsShown('something else', first!)).toBe(false);
  });
});

describe('run', () => {
  const RUN = ['run', 'good.pine', '--bars', 'bars.csv'];

  it('runs on the last bars only where the script asks for so many', async () => {
    file('last.pine', '//@version=6\nindicator("last", calc_bars_count = 2)\nplot(bar_index, "at")\n');
    const { code, stdout, stderr } = await signalbox('run', 'last.pine', '--bars', 'bars.csv', '--csv');
    expect([code, stderr, stdout]).toEqual([0, '', 'time,at\n60000,\n120000,0\n180000,1\n']);
  });

  it('takes bars of other symbols, one --bars for each, and says how to hand in those that are missing', async () => {
    file('other.pine', pine('plot(request.security("ETHUSDT", "2", close), "eth")'));
    file('eth.csv', 'time,open,high,low,close\n0,1,1,1,7\n60,1,1,1,8\n120,1,1,1,9\n180,1,1,1,5\n');
    const words = ['run', 'other.pine', '--bars', 'bars.csv', '--csv'];
    const { code, stdout, stderr } = await signalbox(...words, '--bars', 'ETHUSDT:1=eth.csv');
    expect([code, stderr, stdout]).toEqual([0, '', 'time,eth\n60000,8\n120000,8\n180000,5\n']);
    const missing = await signalbox(...words);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('--bars ETHUSDT:2=FILE.csv');
    for (const [given, fault] of [
      ['ETHUSDT:7x=eth.csv', 'Invalid timeframe'],
      ['ETHUSDT:=eth.csv', 'timeframe is missing'],
      ['more.csv', 'written like ETHUSDT:60=file.csv'],
    ] as const) {
      const wrong = await signalbox(...words, '--bars', given);
      expect([wrong.code, wrong.stderr.includes(fault)], wrong.stderr).toEqual([2, true]);
    }
    const twice = await signalbox(...words, '--bars', 'ETHUSDT:1=eth.csv', '--bars', 'ETHUSDT:1=eth.csv');
    expect([twice.code, twice.stderr.includes('ETHUSDT:1 is given twice')]).toEqual([2, true]);
  });

  it('--json prints the answer of the evaluate contract and nothing else', async () => {
    const { code, stdout, stderr } = await signalbox(...RUN, '--json', '--input', 'Length=3');
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'success',
      series: { SMA: [null, null, 3], 'Vol, all': [10, 20, 30] },
      plots: [null, null, 3],
      inputs: [{ title: 'Length', value: 3, default: 2 }],
      meta: { script_type: 'indicator', script_name: 'My test', timeframe: '1' },
      count: 3,
      trades: [],
      script_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      run_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it('--csv prints the series and nothing else', async () => {
    const { code, stdout, stderr } = await signalbox(...RUN, '--csv');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe('time,SMA,"Vol, all"\n60000,,10\n120000,2.5,20\n180000,3.5,30\n');
  });

  it('takes the market and the timeframe, the latter above the former', async () => {
    file('market.json', JSON.stringify({ symbol: { ticker: 'ABC', mintick: 0.5, period: '5' } }));
    const script = file('market.pine', pine('plot(timeframe.in_seconds(), "s")', 'plot(syminfo.mintick, "tick")'));
    const words = ['run', script, '--bars', 'bars.csv', '--symbol-info', 'market.json', '--csv'];
    expect((await signalbox(...words)).stdout).toContain('60000,300,0.5\n');
    expect((await signalbox(...words, '--timeframe', '15')).stdout).toContain('60000,900,0.5\n');
  });

  it('takes several inputs and libraries', async () => {
    file('lib.pine', '//@version=6\nlibrary("Lib")\nexport twice(float x) =>\n    x * 2\n');
    const script = file(
      'inputs.pine',
      pine(
        'import me/Lib/1 as lib',
        'a = input.int(1, "A")',
        'b = input.string("x", "B = or not")',
        'plot(lib.twice(a))',
      ),
    );
    const { code, stdout } = await signalbox(
      'run',
      script,
      '--bars',
      'bars.csv',
      '--library',
      'me/Lib/1=lib.pine',
      '--input',
      'A=-4',
      '--csv',
    );
    expect(code).toBe(0);
    expect(stdout).toContain('60000,-8\n');
  });

  it('shows code frames for a script that does not compile, its findings as JSON besides, and exits 1', async () => {
    const { code, stdout, stderr } = await signalbox('run', 'bad.pine', '--bars', 'bars.csv', '--json');
    expect(code).toBe(1);
    const diagnostics = [{ line: 3, column: 6 }, { line: 4 }];
    expect(JSON.parse(stdout)).toMatchObject({ status: 'error', code: 'SCRIPT_ERROR', diagnostics });
    expect(stderr).toMatch(
      /^bad\.pine:3:6: error PE\d+: .*clos.*\n {3}3 \| plot\(clos\)\n {5}\| {6}\^{4}\n {5}= .*close/,
    );
    expect(stderr).toContain('bad.pine:4:');
  });

  it('tells an error of the running script with its bar and its line', async () => {
    const script = file('stops.pine', pine('if bar_index == 1', '    runtime.error("no more")', 'plot(close)'));
    const { code, stdout, stderr } = await signalbox('run', script, '--bars', 'bars.csv', '--json');
    expect(code).toBe(1);
    expect(stderr).toMatch(/stops\.pine:4:\d+: error: no more\n.*runtime\.error/);
    expect(stderr).toContain('It happened on bar 1, 1970-01-01 00:02:00 UTC.');
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'error',
      code: 'RUNTIME_ERROR',
      message: 'no more',
      bar_index: 1,
      line: 4,
    });
  });

  it('stops a script that takes too long', async () => {
    const script = file(
      'slow.pine',
      pine('s = str.repeat("a", 60) + "b"', 'plot(str.length(str.match(s, "^(a+)+$")))'),
    );
    const { code, stderr } = await signalbox('run', script, '--bars', 'bars.csv', '--timeout', '0.5');
    expect(code).toBe(1);
    expect(stderr).toBe('slow.pine: stopped after 0.5 s; shorten its loops, use fewer bars or raise the time limit\n');
  });
});

describe('check', () => {
  it('shows the findings of all files, and exits 1 when one has an error', async () => {
    const good = await signalbox('check', 'good.pine');
    expect(good).toMatchObject({ code: 0, stdout: 'good.pine: ok\n', stderr: '' });
    const { code, stdout, stderr } = await signalbox('check', 'bad.pine', 'good.pine');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^bad\.pine: failed, \d errors\ngood\.pine: ok\n$/);
    expect(stderr).toContain('bad.pine:3:6: error');
  });

  it('--json prints them and nothing else', async () => {
    const { code, stdout, stderr } = await signalbox('check', 'good.pine', 'bad.pine', '--json');
    expect([code, stderr]).toEqual([1, '']);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      files: [
        { file: 'good.pine', ok: true, diagnostics: [] },
        { file: 'bad.pine', ok: false, diagnostics: [{ line: 3, column: 6, severity: 'error' }, { line: 4 }] },
      ],
    });
  });
});

describe('format', () => {
  const UGLY = '//@version=6\nindicator( "x" )\nplot(close   ,color=color.red)\n';
  const NEAT = '//@version=6\nindicator("x")\nplot(close, color = color.red)\n';

  it('writes in place, keeps the mode, and has nothing to do the second time', async () => {
    const script = file('ugly.pine', UGLY);
    chmodSync(join(folder, script), 0o640);
    symlinkSync(script, join(folder, 'link.pine'));
    expect(await signalbox('format', 'link.pine', 'good.pine')).toMatchObject({
      code: 0,
      stdout: 'link.pine: formatted\n',
      stderr: '',
    });
    expect(readFileSync(join(folder, script), 'utf8')).toBe(NEAT);
    expect(statSync(join(folder, script)).mode & 0o777).toBe(0o640);
    expect(await signalbox('format', script)).toMatchObject({ code: 0, stdout: '' });
  });
});

describe('a script that repaints', () => {
  it('fails its check, with the plot and the line to look at; one that does not passes', async () => {
    file('sly.pine', pine('last = barstate.islast', 'plot(last ? 1 : 0, "mark")'));
    const sly = await signalbox('check', 'sly.pine', 'good.pine', '--repaint', '--bars', 'bars.csv');
    expect(sly.code).toBe(1);
    expect(sly.stderr).toContain('sly.pine:4:1: warning PE401: "mark" repaints: on 1 of 2 bars');
    expect(sly.stderr).toContain('Line 3: barstate.islast');
    expect(sly.stdout).toContain('good.pine: ok');
    expect((await signalbox('check', 'good.pine', '--repaint', '--bars', 'bars.csv', '--timeframe', '1')).code).toBe(0);
  });

  it('is warned about by run, which goes on', async () => {
    file('sly.pine', pine('last = barstate.islast', 'plot(last ? 1 : 0, "mark")'));
    const { code, stderr } = await signalbox('run', 'sly.pine', '--bars', 'bars.csv', '--repaint');
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('PE401') });
  });

  it('is warned about by backtest, whose trades are compared too', async () => {
    const orders = ['if barstate.isrealtime ? close > 9 : close > 1', '    strategy.entry("L", strategy.long)', 'else'];
    const source = ['//@version=6', 'strategy("S")', ...orders, '    strategy.close("L")', ''].join('\n');
    file('sly-strategy.pine', source.replace('close > 1', 'close == 3'));
    const traded = 'The strategy repaints: from trade 1 on';
    // Its only trade is still open there.
    const open = await signalbox('backtest', 'sly-strategy.pine', '--bars', 'bars.csv', '--repaint');
    expect(open).toMatchObject({ code: 0, stderr: expect.stringContaining(traded) });
    file('honest-strategy.pine', source.replace('barstate.isrealtime ? close > 9 : close > 1', 'close == 3'));
    const honest = await signalbox('backtest', 'honest-strategy.pine', '--bars', 'bars.csv', '--repaint');
    expect(honest).toMatchObject({ code: 0, stderr: '' });
    file(
      'rows.csv',
      `time,open,high,low,close\n${[1, 3, 1, 3, 1, 1].map((p, i) => `${60 + i * 60},${p},3,1,${p}`).join('\n')}\n`,
    );
    const more = await signalbox('backtest', 'sly-strategy.pine', '--bars', 'rows.csv', '--repaint');
    expect(more).toMatchObject({ code: 0, stderr: expect.stringContaining(traded) });
  });

  it('is only looked for with bars, and bars are only taken for that', async () => {
    const without = await signalbox('check', 'good.pine', '--repaint');
    expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('--bars bars.csv') });
    const alone = await signalbox('check', 'good.pine', '--bars', 'bars.csv');
    expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining('--repaint') });
  });
});
