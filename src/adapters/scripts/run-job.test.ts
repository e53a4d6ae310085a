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
