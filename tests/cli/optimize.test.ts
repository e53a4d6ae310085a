// signalbox optimize through the command line's front door, over real threads: every form, every flag, every file.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createScriptPool, type ScriptPool } from '../../src/adapters/scripts/script-pool.ts';
import { run as cli, type Given } from '../../src/cli/testing/fake-host.ts';
import type { SearchAnswer } from '../../src/library/search/search-answer.ts';

const DAY_S = 86_400;
/** Opens at 1, 2, 3… and closes one above: a trade makes as much as it has bars. */
const rows = (scale = 1) =>
  Array.from({ length: 30 }, (_, i) =>
    [i * DAY_S, (i + 1) * scale, (i + 3) * scale, i * scale, (i + 2) * scale].join(','),
  );
const csv = (lines: readonly string[]): string => `${['time,open,high,low,close', ...lines].join('\n')}\n`;
const SCRIPT = `//@version=6
strategy("Held", initial_capital = 100)
from = input.int(0, "From", minval = 0, maxval = 20)
till = input.int(9, "To", maxval = 25)
side = input.string("long", "Side, or not", options = ["long", "short, or not"])
if from == 3
    runtime.error("not three")
if bar_index == from
    strategy.entry("E", side == "long" ? strategy.long : strategy.short, 1)
if bar_index == till
    strategy.close("E")
`;

let folder: string;
let pool: ScriptPool;
const at = (name: string): string => join(folder, name);
const text = (name: string): string => readFileSync(at(name), 'utf8');

beforeAll(() => {
  pool = createScriptPool({ size: 2, duty: 'command', timeoutMs: 60_000, maxWaitMs: 120_000 });
  folder = mkdtempSync(join(tmpdir(), 'signalbox-optimize-'));
  writeFileSync(at('bars.csv'), csv(rows()));
  writeFileSync(at('half.csv'), csv(rows(0.5)));
  writeFileSync(at('strategy.pine'), SCRIPT);
  writeFileSync(at('plain.pine'), '//@version=6\nindicator("x")\nn = input.int(1)\nplot(n)\n');
  writeFileSync(at('broken.pine'), '//@version=6\nstrategy("x")\nn = inputt.int(1)\n');
  writeFileSync(at('lib.pine'), '//@version=6\nlibrary("Lib")\nexport f() => 1\n');
  writeFileSync(at('uses.pine'), SCRIPT.replace('from =', 'import me/Lib/1\nfrom ='));
  writeFileSync(at('market.json'), '{"ticker": "ABC", "currency": "EUR"}');
});
afterAll(() => pool.close());

/** The pool is the file's: a command line closes its own. */
const over = (more: Given = {}): Given => ({ scripts: { ...pool, close: async () => {} }, ...more });
const here = (words: readonly string[]) =>
  words.map((word) => word.replace(/(^|=)([\w-]+\.(?:pine|csv|json|html))$/, (_, before, name) => before + at(name)));
const optimize = (words: readonly string[], given: Given = over()) => cli(['optimize', ...here(words)], given);
const found = async (...words: string[]): Promise<SearchAnswer> => {
  const { code, out, err } = await optimize(['strategy.pine', ...words, '--json']);
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out);
};
const BARS = ['--bars', 'bars.csv'] as const;

describe('the forms of optimize', () => {
  const [script, bars] = [() => at('strategy.pine'), () => at('bars.csv')];

  it('are inputs to vary and what counts as better', async () => {
    const better = [
      'optimize',
      script(),
      '--bars',
      bars(),
      '--vary',
      'From=0..2',
      '--objective',
      'max_drawdown',
      '--goal',
      'maximize',
      '--min-trades',
      '1',
      '--require',
      'net_profit>=0',
    ];
    const { code, out } = await cli(better, over());
    expect(code).toBe(0);
    expect(out).toContain('max_drawdown, maximized');
  });

  it('are a sample, and files to write', async () => {
    const sample = [
      'optimize',
      script(),
      '--bars',
      bars(),
      '--vary',
      'From=0..2',
      '--samples',
      '2',
      '--seed',
      '7',
      '--top',
      '1',
      '--trials',
      at('trials.csv'),
      '--report',
      at('search.html'),
      '--json',
      '--threads',
      '1',
    ];
    const { code, out, err } = await cli(sample, over());
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ method: 'random', seed: 7, combinations: 2, top: [{ rank: 1 }] });
    expect(err).toBe(`${at('trials.csv')} was written.\n${at('search.html')} was written.`);
  });

  it('are a walk-forward', async () => {
    const walk = [
      'optimize',
      script(),
      '--bars',
      bars(),
      '--vary',
      'To=5..7',
      '--in-sample',
      '10',
      '--out-of-sample',
      '5',
      '--anchored',
      '--trade-from',
      '1970-01-03',
      '--trade-to',
      '1970-01-29',
    ];
    const { code, out } = await cli(walk, over());
    expect(code).toBe(0);
    expect(out).toContain('walk-forward, anchored:');
    expect(out).toContain('1970-01-03 to 1970-01-13');
  });

  it('are several markets', async () => {
    const several = [
      'optimize',
      script(),
      '--market',
      `ABC:1D=${bars()}`,
      '--market',
      `HALF:1D=${at('half.csv')}`,
      '--vary',
      'From=0..2',
      '--combine',
      'worst',
      '--symbol-info',
      at('market.json'),
      '--capital',
      '50',
    ];
    const { code, out } = await cli(several, over());
    expect(code).toBe(0);
    expect(out).toContain('ABC 1D (30 bars), HALF 1D (30 bars)');
    expect(out).toContain('net_profit, maximized, worst of 2 markets');
  });

  it('are a market whose bars Signalbox has', async () => {
    const page = rows().map((row) => {
      const [time, open, high, low, close] = row.split(',').map(Number);
      return { time: time! * 1000, open, high, low, close, volume: 1, closed: true };
    });
    const route = async () => ({
      status: 200,
      body: { success: true, result: { symbol: 'BTCUSDT', source: 'simulated', bars: page } },
    });
    const market = [
      'optimize',
      at('uses.pine'),
      '--symbol',
      'BTCUSDT',
      '--timeframe',
      '1d',
      '--bars',
      '30',
      '--vary',
      'From=0..2',
      '--input',
      'To=12',
      '--library',
      `me/Lib/1=${at('lib.pine')}`,
      '--timeout',
      '60',
    ];
    const { code, out, calls } = await cli(market, over({ route }));
    expect(code).toBe(0);
    expect(calls[0]?.path).toContain('symbol=BTCUSDT');
    expect(out).toContain('BTCUSDT 1D (30 bars)');
    expect(out).toMatch(/^prices +simulated prices: made up by Signalbox/m);
    const named = ['optimize', script(), '--market', 'BTCUSDT:1d', '--bars', '30', '--vary', 'From=0..2'];
    const told = await cli([...named, '--json', '--report', at('made-up.html')], over({ route }));
    expect(JSON.parse(told.out).markets).toEqual([{ market: 'BTCUSDT 1D', bars: 30, price_source: 'simulated' }]);
    expect(text('made-up.html')).toContain('<p class="badge simulated">simulated prices');
  });
});

it('finds what a script imports in a folder', async () => {
  mkdirSync(at('shelf/me/Lib'), { recursive: true });
  writeFileSync(at('shelf/me/Lib/1.pine'), '//@version=6\nlibrary("Lib")\nexport f() => 1\n');
  const search = ['uses.pine', ...BARS, '--vary', 'From=0..2'];
  expect((await optimize([...search, '--libraries', at('shelf')])).code).toBe(0);
  expect((await optimize(search)).code).toBe(1);
});

describe('what is tried', () => {
  it('is a range, by title or variable, with a step of its own', async () => {
    const { inputs } = await found(...BARS, '--vary', 'from=0..2', '--vary', 'To=5..15/5');
    expect(inputs).toEqual([
      { title: 'From', values: [0, 1, 2] },
      { title: 'To', values: [5, 10, 15] },
    ]);
  });

  it('is a list, a list with commas in its values, or all choices', async () => {
    const list = await found(...BARS, '--vary', 'From=2, 1', '--vary', 'Side, or not=["short, or not","long"]');
    expect(list.inputs.map(({ values }) => values)).toEqual([
      [2, 1],
      ['short, or not', 'long'],
    ]);
    expect((await found(...BARS, '--vary', 'side=all')).inputs[0]?.values).toEqual(['long', 'short, or not']);
  });

  it('has the inputs in common that are given once', async () => {
    const { top } = await found(...BARS, '--vary', 'From=1,2', '--input', 'till=20');
    expect(top.map(({ inputs, value }) => [inputs.From, value])).toEqual([
      [1, 19],
      [2, 18],
    ]);
  });

  it('is told with what failed, and the rest goes on', async () => {
    const { code, out } = await optimize(['strategy.pine', ...BARS, '--vary', 'From=2..4']);
    expect(code).toBe(0);
    expect(out).toContain('1 backtest failed, and the search went on:');
    expect(out).toMatch(/From=3 on .*bars\.csv: line 7, bar 0: .*not three/);
  });
});

describe('what is shown', () => {
  it('is the best in a table, a heat map, and a caution', async () => {
    const { out } = await optimize(['strategy.pine', ...BARS, '--vary', 'From=0..2', '--vary', 'To=10,20']);
    expect(out).toContain('#  From  To  net_profit       net profit  drawdown  factor  trades');
    expect(out).toContain('1     0  20          20  20.00 (20.00 %)');
    expect(out).toContain('To (down) by From (across, 0 to 2):');
    expect(out).toMatch(/^20 {2}████▓▓$/m);
    expect(out).toContain('! The best has only 1 closed trade on a market; fewer than 30 say little.');
    expect(out).toContain('! The best value of "From", 0, is at the edge of what was tried; widen the range.');
    expect(out).toContain('The best of 6 looks better than it is');
  });

  it('is every trial as CSV, and a page that stands alone', async () => {
    const files = ['--trials', 'all.csv', '--report', 'page.html'];
    await optimize(['strategy.pine', ...BARS, '--vary', 'From=0..2', '--vary', 'side=all', ...files]);
    const [head, first, ...others] = text('all.csv').trim().split('\n');
    expect(head).toMatch(/^rank,From,"Side, or not",value,meets_constraints,net_profit,/);
    expect(first).toMatch(/^1,0,long,9,true,9,9,/);
    expect(others).toHaveLength(5);
    const page = text('page.html');
    expect(page).toContain('<h1>Held</h1>');
    expect(page).toContain('Side, or not by From');
    expect(page).not.toMatch(/https?:|<script|src=/);
  });

  it('is one table of a walk-forward, and its equity on the page', async () => {
    const walk = ['--in-sample', '10', '--out-of-sample', '5', '--report', 'walk.html'];
    const { out } = await optimize(['strategy.pine', ...BARS, '--vary', 'From=1,12', '--vary', 'To=9,17', ...walk]);
    expect(out).toContain('walk-forward, rolling:');
    expect(out).toContain('out of sample, all windows together:');
    expect(text('walk.html')).toContain('Windows, rolling');
  });
});

describe('a search that is interrupted', () => {
  it('tells the best so far, and says so', async () => {
    const interrupted = new AbortController();
    let jobs = 0;
    const backtests: ScriptPool['backtests'] = (request) => {
      jobs += 1;
      if (jobs === 3) interrupted.abort('interrupted');
      return pool.backtests(request);
    };
    const given = over({ scripts: { ...pool, backtests, close: async () => {} }, interrupt: interrupted.signal });
    const words = ['strategy.pine', ...BARS, '--vary', 'To=-300..20', '--threads', '1'];
    const { code, out, err } = await optimize(words, given);
    expect(code).toBe(1);
    expect(err).toMatch(/^Stopped: interrupted\. \d+ of 321 backtests were run\.$/);
    expect(out).toContain('the best:');
  });
});

describe('a command line that cannot be searched', () => {
  const VARY = ['--vary', 'From=0..2'];
  it.each([
    [[...BARS], '--vary is missing'],
    [VARY, '--bars is missing'],
    [[...BARS, '--vary', 'From'], '--vary From has no values'],
    [[...BARS, '--vary', 'From=[1'], 'is no list'],
    [[...BARS, ...VARY, ...VARY], '--vary "From" is given twice'],
    [[...BARS, ...VARY, '--seed', '3'], '--seed is for a random search'],
    [[...BARS, ...VARY, '--samples', '0'], '--samples 0 is out of range; give 1 to 1000000'],
    [[...BARS, ...VARY, '--samples', '3', '--seed', '4294967296'], '--seed 4294967296 is out of range'],
    [[...BARS, ...VARY, '--top', '1001'], '--top 1001 is out of range; give 1 to 1000'],
    [[...BARS, ...VARY, '--threads', '65'], '--threads 65 is out of range; give 1 to 64'],
    [[...BARS, ...VARY, '--objective', 'luck'], '--objective "luck" is not known; use one of net_profit,'],
    [[...BARS, ...VARY, '--goal', 'up'], '--goal "up" is not known; use one of maximize, minimize'],
    [[...BARS, ...VARY, '--combine', 'best'], '--combine "best" is not known'],
    [[...BARS, ...VARY, '--require', 'cagr=3'], '--require cagr=3 cannot be read'],
    [[...BARS, ...VARY, '--require', 'luck>=3'], '--require "luck" is not known'],
    [[...BARS, ...VARY, '--min-trades', '-1'], '--min-trades'],
    [[...BARS, ...VARY, '--in-sample', '3'], 'needs both --in-sample and --out-of-sample'],
    [[...BARS, ...VARY, '--anchored'], 'needs both --in-sample and --out-of-sample'],
    [[...BARS, ...VARY, '--in-sample', '0', '--out-of-sample', '3'], '--in-sample 0 is out of range'],
    [[...BARS, ...VARY, '--trials', 'bars.csv'], 'is a file of this command already'],
    [[...VARY, '--market', 'ABC'], '--market ABC: it cannot be read'],
    [[...VARY, '--market', 'ABC:1D'], 'names no file; say how many bars with --bars'],
    [[...VARY, '--market', 'ABC:1D=bars.csv', '--symbol', 'X'], 'Give --symbol or --market, not both'],
    [[...VARY, '--market', 'ABC:1D=bars.csv', '--timeframe', '1D'], '--timeframe is part of each --market'],
    [[...VARY, ...Array(17).fill(['--market', 'ABC:1D=bars.csv']).flat()], '16 are allowed'],
  ])('%j', async (words, told) => {
    const { code, err } = await optimize(['strategy.pine', ...words]);
    expect(err).toContain(told);
    expect(code).toBe(2);
  });

  it.each([
    ['plain.pine', ['--vary', 'n=1,2'], 'it is no strategy and makes no trades'],
    ['broken.pine', VARY, 'inputt'],
    ['strategy.pine', ['--vary', 'Form=1'], 'did you mean "From"?'],
    ['strategy.pine', ['--vary', 'From=0..21'], 'a whole number from 0 to 20'],
    ['strategy.pine', [...VARY, '--in-sample', '40', '--out-of-sample', '3'], 'cover 29.0 days'],
    [
      'strategy.pine',
      [
        '--vary',
        'From=0..20',
        '--vary',
        'To=-900..25',
        '--vary',
        'side=all',
        '--trials',
        'no.csv',
        '--in-sample',
        '5',
        '--out-of-sample',
        '1',
      ],
      'and 200000 are allowed',
    ],
  ])('%s %j', async (file, words, told) => {
    const { code, err } = await optimize([file, ...BARS, ...words]);
    expect(err).toContain(told);
    expect(code).toBe(1);
    expect(existsSync(at('no.csv'))).toBe(false);
  });

  it('is told as JSON too where a program asked', async () => {
    const { code, out } = await optimize(['broken.pine', ...BARS, ...VARY, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ status: 'error', code: 'SCRIPT_ERROR' });
  });
});
