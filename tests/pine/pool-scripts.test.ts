// Real scripts through the pool: results as without it, every kind of runaway, and a pool that is whole afterwards.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createScriptPool } from '../../src/adapters/scripts/script-pool.ts';
import type { ScriptRunner } from '../../src/library/script-runner.ts';
import { answerOf, type BarColumns, barColumns, compile } from '../../src/pine/index.ts';

/** For the scripts that end by themselves: a busy machine takes its time. */
const PATIENCE_MS = 60_000;
/** For those that do not. */
const TIMEOUT_MS = 1500;
const MEMORY_MB = 128;

let pool: ScriptRunner;
beforeAll(() => {
  pool = createScriptPool({ size: 2, timeoutMs: PATIENCE_MS, memoryMb: MEMORY_MB });
});
afterAll(() => pool.close());

const script = (...lines: string[]) => ['//@version=6', 'indicator("test")', ...lines].join('\n');
const GOOD = script('length = input.int(3, "Length", minval = 1)', 'plot(ta.sma(close, length), "SMA")');

function barsOf(count: number): BarColumns {
  const bar = (i: number) => ({ time: i * 60_000, open: i, high: i + 2, low: i - 2, close: i + 1, volume: 10 });
  return barColumns(Array.from({ length: count }, (_, i) => bar(i)));
}
const BARS = barsOf(50);
const run = (source: string, more: object = {}) => pool.run({ source, bars: BARS, ...more });

describe('a script', () => {
  it('gives what it gives without the pool, again and again', async () => {
    const { program } = compile(GOOD);
    const expected = program?.run(BARS);
    for (let i = 0; i < 3; i += 1) {
      const outcome = await run(GOOD);
      expect(outcome).toMatchObject({ kind: 'result', warnings: [] });
      if (outcome.kind === 'result') expect(outcome.result).toEqual(expected);
    }
  });

  it('leaves the bars of the caller as they were, shared ones too', async () => {
    const before = structuredClone(BARS);
    await run(GOOD);
    expect(BARS).toEqual(before);
    const shared = new Float64Array(new SharedArrayBuffer(BARS.count * 8));
    shared.set(BARS.close);
    expect(await run(GOOD, { bars: { ...BARS, close: shared } })).toMatchObject({ kind: 'result' });
    expect([...shared]).toEqual([...BARS.close]);
  });

  it('runs beside another', async () => {
    const lengths = [1, 2, 3, 4, 5, 6];
    const outcomes = await Promise.all(lengths.map((Length) => run(GOOD, { inputs: { Length } })));
    const last = outcomes.map((outcome) => (outcome.kind === 'result' ? outcome.result.plots.at(-1) : outcome.kind));
    expect(last).toEqual([50, 49.5, 49, 48.5, 48, 47.5]);
  });

  it('tells how far it is', async () => {
    const progress = new Int32Array(new SharedArrayBuffer(4));
    await run(GOOD, { progress });
    expect(progress[0]).toBe(BARS.count);
  });

  it('gets the market, with the timeframe above the symbol’s own', async () => {
    const source = script('plot(timeframe.in_seconds(), "seconds")', 'plot(syminfo.mintick, "tick")');
    const outcome = await run(source, { symbol: { mintick: 0.25, period: '5' }, timeframe: '60' });
    if (outcome.kind !== 'result') throw new Error(outcome.kind);
    expect([...outcome.result.series.values()].map((values) => values[0])).toEqual([3600, 0.25]);
  });

  it('may import libraries, and the cache tells their versions apart', async () => {
    const library = (factor: number) => ({
      namespace: 'me',
      name: 'Lib',
      version: 1,
      source: `//@version=6\nlibrary("Lib")\nexport twice(float x) =>\n    x * ${factor}`,
    });
    const source = script('import me/Lib/1 as lib', 'plot(lib.twice(2))');
    for (const factor of [2, 3, 2]) {
      const outcome = await run(source, { libraries: [library(factor)] });
      expect(outcome.kind === 'result' ? outcome.result.plots[0] : outcome).toBe(2 * factor);
    }
  });

  it('is evaluated to the JSON of the contract where it ran', async () => {
    const outcome = await pool.evaluate({ source: GOOD, bars: BARS, runId: 'run-7' });
    if (outcome.kind !== 'answer') throw new Error(outcome.kind);
    const { run_id, script_id, ...answer } = JSON.parse(new TextDecoder().decode(outcome.json));
    expect(run_id).toBe('run-7');
    expect(script_id).toMatch(/^[0-9a-f]{16}$/);
    const { program } = compile(GOOD);
    expect(answer).toEqual(JSON.parse(JSON.stringify(answerOf(program!.run(BARS), BARS))));
  });

  it('is checked without being run', async () => {
    expect(await pool.check({ source: GOOD })).toMatchObject({
      kind: 'checked',
      ok: true,
      diagnostics: [],
      inputs: [{ title: 'Length', kind: 'int', defaultValue: 3, min: 1 }],
    });
    expect(await pool.check({ source: script('plot(clos)') })).toMatchObject({
      ok: false,
      inputs: [],
      diagnostics: [{ line: 3, column: 6, endLine: 3, endColumn: 10, severity: 'error', message: expect.any(String) }],
    });
  });
});

describe('a script at fault', () => {
  it.each([
    ['does not compile', script('plot(clos)'), { kind: 'compile-failed', diagnostics: [{ line: 3 }] }],
    ['is no script', '\0\ufffd}{', { kind: 'compile-failed' }],
    ['is empty', '', { kind: 'compile-failed' }],
    ['calls itself', script('f(x) => f(x - 1) + 1', 'plot(f(5))'), { kind: 'compile-failed' }],
    ['is nested deeply', script(`plot(${'('.repeat(5000)}close${')'.repeat(5000)})`), { kind: 'compile-failed' }],
    ['is one endless sum', script(`plot(close${' + close'.repeat(20_000)})`), { kind: 'compile-failed' }],
    [
      'ends with an error of its own',
      script('if bar_index == 7', '    runtime.error("enough")', 'plot(close)'),
      { kind: 'runtime-error', message: 'enough', barIndex: 7, line: 4 },
    ],
    [
      'wants an array of a billion',
      script('a = array.new<float>(1000000000)', 'plot(a.size())'),
      { kind: 'runtime-error', message: expect.stringContaining('Maximum size is 100000'), barIndex: 0, line: 3 },
    ],
    [
      'makes a string of megabytes',
      script('s = "x"', 'for i = 0 to 40', '    s += s', 'plot(str.length(s))'),
      { kind: 'runtime-error', message: expect.stringContaining('String is too long') },
    ],
    [
      'lets a map grow',
      script('var m = map.new<int, float>()', 'for i = 0 to 100000', '    m.put(m.size(), 1.0)', 'plot(m.size())'),
      { kind: 'runtime-error', message: expect.stringContaining('Map is too large') },
    ],
    [
      'loops for ever',
      script('while true', '    x = 1', 'plot(close)'),
      { kind: 'runtime-error', message: expect.stringContaining('loops') },
    ],
  ])('that %s is told so', async (_, source, expected) => {
    expect(await run(source)).toMatchObject(expected);
    expect((await run(GOOD)).kind).toBe('result');
  });

  it.each([
    [{ inputs: { Lenght: 5 } }, 'did you mean "Length"?'],
    [{ inputs: { Length: 0 } }, '"Length" cannot be'],
    [{ inputs: { Length: { toString: 'x' } } }, '"Length" cannot be'],
    [{ symbol: { mintick: -1 } }, 'mintick'],
    [{ timeframe: 'soon' }, 'Invalid timeframe "soon"'],
  ])('or was given something it cannot use: %j', async (more, reason) => {
    const outcome = await run(GOOD, more);
    expect(outcome).toMatchObject({ kind: 'input-fault', reason: expect.stringContaining(reason) });
  });
});

const ENDLESS = script('s = str.repeat("a", 60) + "b"', 'plot(str.length(str.match(s, "^(a+)+$")))');

describe('a runaway is stopped with the remedy, and the next script runs', () => {
  const boxes = (field: string, fresh: string) => [
    'type Box',
    `    ${field} content`,
    'var boxes = array.new<Box>()',
    'for i = 0 to 1000',
    `    boxes.push(Box.new(${fresh}))`,
  ];
  const remedies = { timeout: 'stopped after 1.5 s; shorten its loops', 'too-large': 'stopped at 128 MiB of memory' };

  it.each([
    ['an expression that goes back for ever', 'timeout', ENDLESS],
    [
      'work without end inside built-ins',
      'timeout',
      script('a = array.new<float>(100000, close)', 'for i = 0 to 100000', '    a.sort()', 'plot(a.get(0))'),
    ],
    [
      'a matrix that grows row by row',
      'timeout',
      script(
        // A large one would be a race between its copies and the clock: this one begins anew when it has grown a little.
        'var m = matrix.new<float>(1, 1, 0.0)',
        'for i = 0 to 9500000',
        '    m.add_row(m.rows(), array.new<float>(1, 0.0))',
        '    m.add_row(m.rows(), array.new<float>(1, 0.0))',
        '    m.add_row(m.rows(), array.new<float>(1, 0.0))',
        '    if m.rows() > 20',
        '        m := matrix.new<float>(1, 1, 0.0)',
        'plot(m.rows())',
      ),
    ],
    [
      'arrays in objects, outside the heap',
      'too-large',
      script(...boxes('array<float>', 'array.new<float>(100000, 1.0)'), 'plot(boxes.size())'),
    ],
    [
      'matrices in objects',
      'too-large',
      script(...boxes('matrix<float>', 'matrix.new<float>(300, 300, 1.0)'), 'plot(boxes.size())'),
    ],
    [
      'maps in objects',
      'too-large',
      script(
        ...boxes('map<int, float>', 'map.new<int, float>()'),
        '    for k = 0 to 40000',
        '        boxes.last().content.put(k, k)',
        'plot(boxes.size())',
      ),
    ],
  ] as const)('%s', async (_, kind, source) => {
    const more = kind === 'timeout' ? { timeoutMs: TIMEOUT_MS } : {};
    const [outcome, beside] = await Promise.all([run(source, more), run(GOOD)]);
    expect(outcome).toMatchObject({ kind, reason: expect.stringContaining(remedies[kind]) });
    expect(beside.kind).toBe('result');
    const after = await Promise.all([run(GOOD), run(GOOD), run(GOOD)]);
    expect(after.map((one) => one.kind)).toEqual(['result', 'result', 'result']);
  });

  it('but garbage is nobody’s fault', async () => {
    const source = script('a = array.new<float>(100000, close)', 'plot(a.get(5))');
    expect((await run(source, { bars: barsOf(300) })).kind).toBe('result');
  });

  it('and none of them holds the event loop up', async () => {
    const before = process.threadCpuUsage();
    const deep = script(`plot(close${' + close'.repeat(20_000)})`);
    await Promise.all([pool.check({ source: deep }), run(ENDLESS, { timeoutMs: TIMEOUT_MS })]);
    // By the clock of this thread, which a busy machine does not move; the endless one took all of its time in its own.
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(TIMEOUT_MS / 3);
  });
});
