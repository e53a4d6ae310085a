// Kept runs through the command line's front door: kept, listed, shown, compared, noted, made again, removed, and what is refused.

import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_KEPT_RUNS } from '../../library/runs/kept-run.ts';
import type { RunRequest, ScriptRunner } from '../../library/script-runner.ts';
import { compile, strategyReport } from '../../pine/index.ts';
import { run as cli, type Given } from '../testing/fake-host.ts';

const BARS = [
  'time,open,high,low,close',
  ...Array.from({ length: 10 }, (_, i) => `${i * 60},${i + 1},${i + 3},${i},${i + 2}`),
];
const STRATEGY = `//@version=6
strategy("Ups", initial_capital = 100)
size = input.float(2, "Size")
if bar_index % 4 == 0
    strategy.entry("L", strategy.long, size)
if bar_index % 4 == 2
    strategy.close("L")
`;

let folder: string;
const at = (name: string): string => join(folder, name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-runs-'));
  writeFileSync(at('bars.csv'), `${BARS.join('\n')}\n`);
  writeFileSync(at('strategy.pine'), STRATEGY);
});

/** The engine itself, without a thread around it. */
const scripts: ScriptRunner = {
  async run({ source, bars, inputs = {}, symbol = {}, initialCapital }: RunRequest) {
    const { program } = compile(source);
    if (program === null) return { kind: 'input-fault', reason: 'it does not compile' };
    const result = program.run(bars, { inputs, symbol, ...(initialCapital === undefined ? {} : { initialCapital }) });
    const report = strategyReport(result, bars);
    return { kind: 'result', result: { ...result, broker: null }, report, warnings: [], runMs: 1 };
  },
  evaluate: () => Promise.reject(new Error('nobody evaluates')),
  check: () => Promise.reject(new Error('nobody checks')),
  close: async () => {},
};

const kept = (): string => at('kept');
const runs = (...words: string[]) => cli(['runs', ...words, '--runs', kept()], { scripts });
const keep = (more: readonly string[] = [], given: Given = {}) =>
  cli(['backtest', at('strategy.pine'), '--bars', at('bars.csv'), '--save', '--runs', kept(), ...more], {
    scripts,
    ...given,
  });

describe('the forms of runs', () => {
  it('are these', async () => {
    await keep(['--note', 'the first']);
    await keep();
    const at = kept();
    expect((await cli(['runs', 'list', '--runs', at, '--json'])).code).toBe(0);
    expect((await cli(['runs', 'show', '1', '--runs', at])).code).toBe(0);
    expect((await cli(['runs', 'compare', '1', '2', '--runs', at])).code).toBe(0);
    expect((await cli(['runs', 'note', '1', 'words', '--runs', at])).code).toBe(0);
    expect((await cli(['runs', 'check', '1', '--timeout', '60', '--runs', at], { scripts })).code).toBe(0);
    expect((await cli(['runs', 'remove', '1', '--runs', at])).code).toBe(0);
  });
});

describe('backtest --save', () => {
  it('keeps what decided the run and what came of it, and says where', async () => {
    const { code, err } = await keep([
      '--note',
      ' with fees ',
      '--input',
      'Size=3',
      '--capital',
      '500',
      '--timeout',
      '9',
    ]);
    expect([code, err]).toEqual([0, `Kept as run 1 in ${kept()}.`]);
    const run = JSON.parse((await runs('show', '1', '--json')).out);
    expect(run).toMatchObject({
      ...{ id: '1', atMs: 1_700_000_000_000, note: 'with fees', engine: '9.8.7', tradeCount: 3 },
      script: { title: 'Ups', name: at('strategy.pine'), revision: null, libraries: [] },
      inputs: { Size: '3' },
      settings: { initialCapital: 500, commissionType: 'percent', pyramiding: 1, tradeFromMs: null },
      market: { fromMs: 0, toMs: 540_000, bars: 10, others: [] },
      metrics: { net_profit: 12 },
      repaint: { status: 'not_checked' },
    });
    expect(run.trades[0]).toEqual({
      ...{ direction: 'long', entryTimeMs: 60_000, entryPrice: 2, exitTimeMs: 180_000, exitPrice: 4 },
      ...{ quantity: 3, profit: 6 },
    });
    expect(run.command.flags).toEqual({ capital: '500' });
  });

  it('keeps no token and no address', async () => {
    const rows = Array.from({ length: 11 }, (_, i) => {
      const prices = { open: i + 1, high: i + 3, low: i, close: i + 2, volume: 1 };
      return { time: i * 3_600_000, ...prices, closed: i < 10 };
    });
    const body = { success: true, result: { symbol: 'BTCUSDT', bars: rows } };
    const words = [
      '--symbol',
      'BTCUSDT',
      '--timeframe',
      '1h',
      '--bars',
      '10',
      '--url',
      'http://x',
      '--token',
      'very-secret',
    ];
    const given = { scripts, answer: { status: 200, body } };
    await cli(['backtest', at('strategy.pine'), ...words, '--save', '--runs', kept()], given);
    const text = readFileSync(join(kept(), '1.json'), 'utf8');
    expect(text).not.toMatch(/very-secret|http:/);
    // Made again it asks for bars up to the last one it had.
    const again = await cli(['runs', 'check', '1', '--runs', kept(), '--url', 'http://x', '--token', 't'], given);
    expect(again.calls.map(({ path }) => path)).toEqual([expect.stringContaining('to=1970-01-01T09%3A00%3A00.001Z')]);
    expect(again).toMatchObject({ code: 0, connects: [{ url: 'http://x', token: 't' }] });
  });

  it.each([
    [['--note', 'x'], '--note and --runs are for --save'],
    [['--runs', 'x'], '--note and --runs are for --save'],
    [['--save', '--note', 'a\nb'], 'A note is one line'],
    [['--save', '--note', 'x'.repeat(1001)], 'A note is one line of at most 1000'],
    [['--save', '--runs', ''], '--runs needs the name of a folder'],
  ])('%j is a wrong command line, and nothing is kept', async (more, message) => {
    const ran = await cli(['backtest', at('strategy.pine'), '--bars', at('bars.csv'), ...more], { scripts });
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining(message) });
    expect(readdirSync(folder).sort()).toEqual(['bars.csv', 'strategy.pine']);
  });

  it('keeps nothing of a run that failed', async () => {
    writeFileSync(at('strategy.pine'), '//@version=6\nindicator("x")\nplot(close)');
    expect((await keep()).code).toBe(1);
    expect(existsSync(kept())).toBe(false);
  });

  it('beyond the limit lets the oldest without a note go, and refuses when all have one', async () => {
    await keep(['--note', 'wanted']);
    for (let number = 2; number <= MAX_KEPT_RUNS; number += 1)
      cpSync(join(kept(), '1.json'), join(kept(), `${number}.json`));
    const full = await keep();
    expect(full).toMatchObject({ code: 1, err: expect.stringContaining('all of them have a note; remove one') });
    await runs('note', '3', '');
    expect(await keep()).toMatchObject({ code: 0, err: expect.stringContaining(`Kept as run ${MAX_KEPT_RUNS + 1}`) });
    expect(existsSync(join(kept(), '3.json'))).toBe(false);
    expect(readdirSync(kept())).toHaveLength(MAX_KEPT_RUNS);
  });
});

describe('runs', () => {
  it('of a folder that is not there are none, and none is made', async () => {
    expect(await runs('list')).toMatchObject({ code: 0, out: expect.stringContaining('No runs are kept here') });
    expect(await runs('show', '1')).toMatchObject({ code: 1, err: expect.stringContaining('There is no run 1') });
    expect(existsSync(kept())).toBe(false);
  });

  it('are listed newest first, with profit, data and note', async () => {
    await keep(['--note', 'the first']);
    await keep();
    const lines = (await runs('list')).out.split('\n');
    expect(lines.map((line) => line.trim().slice(0, 1))).toEqual(['r', '2', '1']);
    expect(lines[2]).toMatch(/Ups +.* 3 +8\.00 % .* the first$/);
  });

  it('of the same script over the same bars are the same', async () => {
    await keep();
    await keep();
    const { out } = await runs('compare', '1', '2', '--json');
    expect(JSON.parse(out)).toMatchObject({
      ...{ sameResult: true, sameScript: true, sameData: true, sameEngine: true, firstDifferentTrade: null },
      ...{ inputs: [], settings: [], market: [], script: [], partsLater: false },
    });
    expect((await runs('compare', '1', '2')).out).toMatch(/^trades {2}all the same$/m);
  });

  it('that differ are compared by inputs, settings, data, figures and the first trade that is another', async () => {
    await keep();
    writeFileSync(at('bars.csv'), `${BARS.join('\n').replace('420,8,', '420,9,')}\n`);
    await keep(['--capital', '50']);
    const found = JSON.parse((await runs('compare', '1', '2', '--json')).out);
    expect(found).toMatchObject({ sameResult: false, sameScript: true, sameData: false });
    expect(found.settings).toEqual([{ name: 'initialCapital', a: 100, b: 50 }]);
    expect(found.market.map(({ name }: { name: string }) => name)).toEqual(['data']);
    // The first trade is as it was; the second leaves at the open that was changed.
    expect(found.firstDifferentTrade).toMatchObject({ number: 2, a: { exitPrice: 8 }, b: { exitPrice: 9 } });
    expect(found.metrics).toContainEqual({ name: 'net_profit', a: 8, b: 10, difference: 2 });
    const { out } = await runs('compare', '1', '2');
    expect(out).toMatch(/^data +different$/m);
    expect(out).toMatch(/part at trade 2: long 2 from 1970-01-01 00:05:00 UTC at 6 to .* at 8 here, .* at 9 there/);
    expect(out).toMatch(/^net_profit +8 +10 +2$/m);
  });

  it('made again from the same files come out the same', async () => {
    await keep(['--input', 'Size=3', '--capital', '77']);
    expect(await runs('check', '1')).toMatchObject({ code: 0, out: 'Run 1 comes out the same with Signalbox 9.8.7.' });
  });

  it('made again say what is different, and end with 1', async () => {
    await keep();
    writeFileSync(at('strategy.pine'), STRATEGY.replace('% 4 == 2', '% 4 == 3'));
    const { code, out } = await runs('check', '1');
    expect(code).toBe(1);
    expect(out).toContain('Run 1 comes out different');
    expect(out).toMatch(/^script +different$/m);
    expect(out).toMatch(/^data +the same$/m);
    writeFileSync(at('strategy.pine'), 'no script');
    expect(await runs('check', '1')).toMatchObject({ code: 1, err: expect.stringContaining('cannot be made again') });
  });

  it('keep a note until it is taken away', async () => {
    await keep();
    expect((await runs('note', '1', 'better with fees')).out).toBe('Run 1: better with fees');
    expect((await runs('show', '1')).out).toContain('better with fees');
    expect((await runs('note', '1', '')).out).toBe('Run 1 has no note now.');
    expect(JSON.parse((await runs('note', '1', 'x', '--json')).out)).toEqual({ id: '1', note: 'x' });
  });

  it('are removed one by one', async () => {
    await keep();
    await keep();
    expect((await runs('remove', '1')).out).toBe('Run 1 was removed.');
    expect(readdirSync(kept())).toEqual(['2.json']);
    expect(await runs('remove', '1')).toMatchObject({ code: 1, err: expect.stringContaining('There is no run 1') });
  });

  it.each([
    [['shw', '1'], 'Did you mean "runs show"?'],
    [['constructor'], 'runs cannot "constructor"'],
    [['show'], 'The number of the run is missing'],
    [['compare', '1'], 'Two runs are needed'],
    [['compare', '1', '2', '3'], 'one word too many'],
    [['note', '1'], 'Run and note are needed'],
    [['note', '1', 'two', 'words'], 'put the note in quotes'],
    [['note', '1', 'a\u202eb'], 'A note is one line'],
    [['list', 'all'], 'one word too many'],
  ])('%j is a wrong command line', async (words, message) => {
    await keep();
    expect(await runs(...words)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });

  it.each(['0', '01', '-1', '../1', '1.json', '1e1'])('%j is no run', async (id) => {
    await keep();
    expect(await cli(['runs', '--runs', kept(), '--', 'show', id])).toMatchObject({ code: 1 });
  });

  it('that were changed by hand are told, hide no other, and can be removed', async () => {
    await keep();
    const whole = readFileSync(join(kept(), '1.json'), 'utf8');
    const faults = [
      '{',
      '[]',
      whole.replace('"direction": "long"', '"direction": "up"'),
      whole.replace('"bars": 10', '"bars": "many"'),
      ' '.repeat(3_000_000),
    ];
    for (const [place, text] of faults.entries()) writeFileSync(join(kept(), `${place + 2}.json`), text);
    mkdirSync(join(kept(), '9.json'));
    writeFileSync(join(kept(), 'README.md'), 'notes');
    const { code, out, err } = await runs('list', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toHaveLength(1);
    expect(err.match(/it is no kept run/g)).toHaveLength(faults.length + 1);
    expect(await runs('show', '2')).toMatchObject({ code: 1, err: expect.stringContaining('it is no kept run') });
    expect((await runs('remove', '2')).code).toBe(0);
  });
});
