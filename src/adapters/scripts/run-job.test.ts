// What goes wrong in a thread, as an outcome: whose fault it is, and what to do.

import { describe, expect, it } from 'vitest';
import { InputFault, ScriptRuntimeError, SymbolInfoFault } from '../../pine/index.ts';
import { createJobRunner, outcomeOf } from './run-job.ts';

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

const deeper = (n: number): number => deeper(n + 1) + 1;

describe('an error', () => {
  it('of the script is told with its place', () => {
    const error = new ScriptRuntimeError('no more', { barIndex: 7, line: 3, column: 5 });
    expect(outcomeOf(error)).toEqual({ kind: 'runtime-error', message: 'no more', barIndex: 7, line: 3, column: 5 });
  });

  it.each([new InputFault(['"Length" is wrong.']), new SymbolInfoFault(['mintick is wrong.'])])(
    'of the caller: %s',
    (error) => {
      expect(outcomeOf(error)).toEqual({ kind: 'input-fault', reason: error.message });
    },
  );

  it.each([
    ['a stack that ends', () => deeper(0), 'nested too deeply'],
    ['a text that is too long', () => 'x'.repeat(2 ** 29).concat('x'.repeat(2 ** 29)), 'do not fit into memory'],
    ['an array that is too long', () => new Float64Array(2 ** 40), 'do not fit into memory'],
    ['a list that is too long', () => new Array(-1), 'do not fit into memory'],
  ])('of size: %s', (_, work, reason) => {
    expect(outcomeOf(thrownBy(work))).toMatchObject({ kind: 'too-large', reason: expect.stringContaining(reason) });
  });

  it.each([[new TypeError('x is not a function')], ['x is not a function']])('of ours: %s', (error) => {
    expect(outcomeOf(error)).toMatchObject({
      kind: 'failed',
      reason: 'the script engine failed: x is not a function; this is a fault of ours, report it please',
      detail: expect.stringContaining('x is not a function'),
    });
  });
});

describe('a run of which only new alerts are wanted', () => {
  const source = '//@version=6\nindicator("x")\nplot(close)\nalert("bar " + str.tostring(bar_index))';
  const columns = (values: readonly number[]) => Float64Array.from(values);
  const bars = {
    count: 3,
    time: columns([60_000, 120_000, 180_000]),
    ...{ open: columns([1, 2, 3]), high: columns([1, 2, 3]), low: columns([1, 2, 3]) },
    ...{ close: columns([1, 2, 3]), volume: columns([1, 1, 1]) },
  };

  it('brings back those from the given bar on, the number of bars, and nothing else', () => {
    const outcome = createJobRunner('command')({ kind: 'run', source, bars, alertsSinceMs: 120_000 });
    if (outcome.kind !== 'result') throw new Error(outcome.kind);
    const { count, alerts, series, plots, plotMeta, drawings, logs } = outcome.result;
    expect(alerts.map(({ message }) => message)).toEqual(['bar 1', 'bar 2']);
    expect([count, series.size, plots.length, plotMeta.size, drawings, logs]).toEqual([3, 0, 0, 0, [], []]);
  });

  it('is whole when nobody says so', () => {
    const outcome = createJobRunner('command')({ kind: 'run', source, bars });
    expect(outcome).toMatchObject({ kind: 'result', result: { count: 3, alerts: [{}, {}, {}] } });
  });
});

describe('a run that is looked at for repainting', () => {
  const column = (value: (place: number) => number) => Float64Array.from({ length: 6 }, (_, place) => value(place));
  const prices = { open: column((i) => i), high: column((i) => i + 2), low: column((i) => i - 1) };
  const bars = {
    ...{ count: 6, time: column((i) => i * 60_000), volume: column(() => 1), close: column((i) => i + 1) },
    ...prices,
  };
  const ran = (body: string, checksRepaint = true) =>
    createJobRunner('command')({ kind: 'run', source: `//@version=6\nindicator("x")\n${body}`, bars, checksRepaint });

  it('says over how many bars nothing was found', () => {
    expect(ran('plot(ta.sma(close, 2))')).toMatchObject({
      ...{ kind: 'result', warnings: [] },
      repaint: { kind: 'checked', compared: 5, lines: [] },
    });
  });

  it('names the lines of what repaints, and warns', () => {
    expect(ran('x = barstate.islast ? 1 : 0\nplot(x)')).toMatchObject({
      repaint: { kind: 'checked', compared: 5, lines: [3] },
      warnings: [{ code: 'PE401', line: 4 }],
    });
  });

  it('has its result also where it fails bar by bar, and says why nobody could look', () => {
    expect(ran('if barstate.isrealtime\n    runtime.error("not live")\nplot(close)')).toMatchObject({
      ...{ kind: 'result', warnings: [] },
      repaint: { kind: 'not-checked', reason: 'bar by bar it fails on bar 1, line 4: not live' },
    });
  });

  it('says nothing of it where nobody asked', () => {
    expect(ran('plot(close)', false)).not.toHaveProperty('repaint');
  });
});
