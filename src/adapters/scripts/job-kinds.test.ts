// Jobs inside a thread: the picture, what the script says of itself, faults as those of a run, and the answer's bytes.

import { describe, expect, it } from 'vitest';
import * as drawing from '../../chart/index.ts';
import { barsOf, walk } from '../../chart/testing/charts.ts';
import { readPng } from '../../chart/testing/read-png.ts';
import { answerOf } from '../../pine/index.ts';
import type { Job } from './messages.ts';
import { createJobRunner } from './run-job.ts';

const bars = walk(50);
const script = (...lines: string[]) => ['//@version=6', 'indicator("Test")', ...lines].join('\n');
const { DEFAULT_CHART } = drawing;
const answer = createJobRunner('service', drawing);
const draw = (more: Partial<Extract<Job, { kind: 'draw' }>> = {}) =>
  answer({ kind: 'draw', bars, options: DEFAULT_CHART, ...more });
const pngOf = (...parts: Parameters<typeof draw>) => {
  const drawn = draw(...parts);
  if (drawn.kind !== 'drawn') throw new Error(drawn.kind);
  return Buffer.from(drawn.png).toString('base64');
};

describe('a chart', () => {
  it('without a script has its bars', () => {
    const drawn = draw();
    expect(drawn).toMatchObject({ kind: 'drawn', script: null, warnings: [] });
    if (drawn.kind === 'drawn') expect(readPng(drawn.png).width).toBe(800);
  });

  it('is in memory of its own, so that it can change hands', () => {
    const drawn = draw({ options: { ...DEFAULT_CHART, width: 64, height: 48 } });
    if (drawn.kind === 'drawn') expect(drawn.png.buffer.byteLength).toBe(drawn.png.byteLength);
    expect(drawn.kind).toBe('drawn');
  });

  it('tells the outputs of its script with their last values', () => {
    expect(
      draw({ source: script('plot(bar_index, "Index")', 'plot(float(na), "Na")', 'bgcolor(color.red)') }),
    ).toMatchObject({
      kind: 'drawn',
      script: {
        meta: { scriptName: 'Test', overlay: false },
        plots: [
          { title: 'Index', kind: 'plot', last: 49 },
          { title: 'Na', kind: 'plot', last: null },
          { kind: 'bgcolor', last: null },
        ],
      },
    });
  });

  it('puts the outputs where it is told, or by their values', () => {
    const price = script('plot(ta.sma(close, 5))');
    const [onBars, own] = [pngOf({ source: price, pane: 'bars' }), pngOf({ source: price, pane: 'own' })];
    expect(onBars).not.toBe(own);
    expect(pngOf({ source: price })).toBe(own);
    expect(pngOf({ source: price, pane: 'by-values' })).toBe(onBars);
    const index = script('plot(ta.rsi(close, 5) * 1000)');
    expect(pngOf({ source: index, pane: 'by-values' })).toBe(pngOf({ source: index, pane: 'own' }));
    const nothing = script('plot(float(na))');
    expect(pngOf({ source: nothing, pane: 'by-values' })).toBe(pngOf({ source: nothing, pane: 'own' }));
    const shapes = script('plotshape(close > open)');
    expect(pngOf({ source: shapes, pane: 'by-values' })).toBe(pngOf({ source: shapes, pane: 'bars' }));
  });

  it('of flat prices takes the same price on its bars', () => {
    const flat = barsOf(5, () => ({}));
    const source = script('plot(close)');
    expect(pngOf({ bars: flat, source, pane: 'by-values' })).toBe(pngOf({ bars: flat, source, pane: 'bars' }));
  });

  it('of a script at fault is that fault', () => {
    expect(draw({ source: script('plot(clse)') })).toMatchObject({ kind: 'compile-failed' });
    expect(draw({ source: script('runtime.error("no")', 'plot(close)') })).toMatchObject({ kind: 'runtime-error' });
    expect(draw({ source: script('plot(input.int(1, "N", maxval = 5))'), inputs: { N: 6 } })).toMatchObject({
      kind: 'input-fault',
    });
  });
});

it('a thread that does not draw says so', () => {
  const outcome = createJobRunner('command')({ kind: 'draw', bars, options: DEFAULT_CHART });
  expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringContaining('this thread does not draw') });
});

describe('the timeframe', () => {
  const source = script('plot(timeframe.in_seconds(), "s")');
  const hours = barsOf(5, (i) => ({ time: i * 3_600_000 }));
  const seconds = (job: Partial<Extract<Job, { kind: 'run' }>>) => {
    const ran = answer({ kind: 'run', source, bars: hours, isTimeframeMeasured: true, ...job });
    return ran.kind === 'result' ? ran.result.series.get('s')?.at(-1) : ran.kind;
  };

  it('is the one that was named, else that of the market, else the distance between the bars', () => {
    expect(seconds({ timeframe: '5', symbol: { period: '15' } })).toBe(300);
    expect(seconds({ symbol: { period: '15' } })).toBe(900);
    expect(seconds({})).toBe(3600);
    expect(seconds({ isTimeframeMeasured: false })).toBe(86_400);
  });

  it('of a single bar is a day', () => {
    expect(seconds({ bars: { ...hours, count: 1 } })).toBe(86_400);
  });
});

describe('an answer', () => {
  it.each([
    'plot(close, "A \\"quoted\\" é")\nplot(open, "B")',
    'plot(close, "20")\nplot(open, "3")',
    'bgcolor(color.red)',
    'a = plot(close)\nb = plot(open)\nfill(a, b, close > open ? color.red : na)\nbgcolor(color.red, title = "A \\"b\\"")\nbarcolor(na)',
    'line.new(0, close, bar_index, open)\nlabel.new(bar_index, na, "x", yloc = yloc.abovebar)',
    'plot(float(na))',
  ])('is the JSON of the result, with the first series as plots: %s', (lines) => {
    const source = script(lines);
    const [ran, evaluated] = [
      answer({ kind: 'run', source, bars }),
      answer({ kind: 'evaluate', source, bars, runId: 'run-1' }),
    ];
    if (ran.kind !== 'result' || evaluated.kind !== 'answer') throw new Error(`${ran.kind}, ${evaluated.kind}`);
    const text = Buffer.from(evaluated.json).toString();
    const expected = {
      ...answerOf(ran.result, bars),
      script_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      run_id: 'run-1',
    };
    expect(JSON.parse(text)).toEqual(expected);
    expect(Object.keys(JSON.parse(text))).toEqual(Object.keys(expected));
  });
});

describe('a script of an old version', () => {
  const old = '//@version=3\nstudy("x")\nplot(sma(close, 2), "mean")\n';

  it('runs as its converted text, and the answer has the warning', () => {
    const evaluated = answer({ kind: 'evaluate', source: old, bars, runId: 'run-1' });
    if (evaluated.kind !== 'answer') throw new Error(evaluated.kind);
    const parsed = JSON.parse(Buffer.from(evaluated.json).toString());
    expect(Object.keys(parsed.series)).toEqual(['mean']);
    expect(parsed.warnings).toMatchObject([{ code: 'PE041', severity: 'warning', line: 1, column: 1 }]);
    expect(parsed.warnings).toEqual(evaluated.warnings);
  });

  it('is converted when it is asked for, and nothing else is', () => {
    const converted = answer({ kind: 'convert', source: old });
    if (converted.kind !== 'converted') throw new Error(converted.kind);
    expect(converted).toMatchObject({
      version: 3,
      text: '//@version=5\nindicator("x")\nplot(ta.sma(close, 2), "mean")\n',
    });
    expect(structuredClone(converted)).toEqual(converted);
    expect(answer({ kind: 'convert', source: converted.text })).toMatchObject({
      ...{ kind: 'not-old', reason: expect.stringContaining('of version 5') },
    });
    expect(answer({ kind: 'convert', source: '//@version=3\nplot(' })).toMatchObject({
      ...{ kind: 'compile-failed', diagnostics: [{ code: 'PE018', line: 2, column: 5 }] },
    });
  });
});

describe('a check', () => {
  it.each([
    ['indicator("x")\nplot(close)', 'indicator'],
    ['strategy("x")\nplot(close)', 'strategy'],
    ['library("x")\nexport f() => 1', 'library'],
    ['indicator("x")\nplot(clse)', undefined],
  ])('tells what a script declares itself to be: %s', (source, scriptType) => {
    const checked = answer({ kind: 'check', source: `//@version=6\n${source}` });
    expect(checked).toMatchObject({ kind: 'checked', ok: scriptType !== undefined });
    expect('scriptType' in checked ? checked.scriptType : undefined).toBe(scriptType);
  });
});
