// Live runs in a thread: the next bar costs one bar; whatever is not the next bar is opened again, with the same result.

import { describe, expect, it } from 'vitest';
import { type Bar, barColumns, compile, type Program } from '../../pine/index.ts';
import { LiveRuns } from './live-runs.ts';
import type { LiveJob } from './messages.ts';

const SOURCE = `//@version=6
indicator("Counting")
var seen = 0
seen += 1
if close < 0
    runtime.error("below zero")
alert(str.tostring(seen), alert.freq_once_per_bar_close)
`;
const { program } = compile(SOURCE) as { program: Program };
const barAt = (index: number, close = 100): Bar => ({
  time: index * 1000,
  open: 100,
  high: 100,
  low: 0,
  close,
  volume: 1,
});
const columns = (from: number, to: number) =>
  barColumns(Array.from({ length: to - from }, (_, index) => barAt(from + index)));

const job = (index: number, more: Partial<LiveJob> = {}): LiveJob => ({
  kind: 'live',
  runId: 'one',
  source: SOURCE,
  anchorMs: 0,
  afterMs: (index - 1) * 1000,
  bar: barAt(index),
  isClosed: true,
  ...more,
});
/** The heap of a test run is that of all its files. */
const roomy = (): LiveRuns => new LiveRuns(Number.POSITIVE_INFINITY);
const openedAt = (index: number, runs = roomy()): LiveRuns => {
  runs.advance(job(index, { history: columns(0, index) }), program);
  return runs;
};
const NOT_OPEN = { kind: 'not-open' };
const saying = (message: string) => expect.objectContaining({ alerts: [expect.objectContaining({ message })] });

describe('a run', () => {
  it('is opened with its history, and then goes on bar by bar and tick by tick without it', () => {
    const runs = roomy();
    expect(runs.advance(job(3), program)).toEqual(NOT_OPEN);
    const first = runs.advance(job(3, { history: columns(0, 3) }), program);
    expect(first).toEqual(saying('4'));
    expect(first).toMatchObject({ isReplayed: true, bars: 4, scriptType: 'indicator', position: null });
    for (let tick = 0; tick < 3; tick += 1)
      expect(runs.advance(job(4, { isClosed: false }), program)).toMatchObject({ alerts: [], isReplayed: false });
    expect(runs.advance(job(4), program)).toEqual(saying('5'));
  });

  it.each([
    ['a bar was left out', job(5)],
    ['the bar was closed before', job(3)],
    ['its history begins elsewhere', job(4, { anchorMs: 1000 })],
    ['it is another one', job(4, { runId: 'two' })],
  ])('is not gone on with when %s', (_, next) => {
    const runs = openedAt(3);
    expect(runs.advance(next, program)).toEqual(NOT_OPEN);
    const from = next.anchorMs / 1000;
    const replayed = runs.advance({ ...next, history: columns(from, next.bar.time / 1000) }, program);
    expect(replayed).toEqual(saying(String(next.bar.time / 1000 - from + 1)));
  });

  it('ends with an error of its script, and is opened again at the next bar', () => {
    const runs = openedAt(3);
    expect(() => runs.advance(job(4, { bar: barAt(4, -1) }), program)).toThrow('below zero');
    expect(runs.advance(job(5, { afterMs: 4000 }), program)).toEqual(NOT_OPEN);
  });

  it('makes room when the thread holds too much, the one not used for the longest time first', () => {
    const runs = new LiveRuns(0);
    openedAt(3, runs);
    runs.advance(job(3, { runId: 'two', history: columns(0, 3) }), program);
    expect(runs.size).toBe(1);
    expect(runs.advance(job(4, { runId: 'two' }), program)).toEqual(saying('5'));
    expect(runs.advance(job(4), program)).toEqual(NOT_OPEN);
  });

  it('sees the newest bars of other symbols that come with each bar', () => {
    const source = `//@version=6
indicator("Other")
other = request.security("ETHUSDT", "1S", close)
alert(str.tostring(other), alert.freq_once_per_bar_close)
`;
    const requesting = (compile(source) as { program: Program }).program;
    const others = (upTo: number) => ({
      symbol: 'ETHUSDT',
      timeframe: '1S',
      bars: barColumns(Array.from({ length: upTo + 1 }, (_, index) => barAt(index, 10 + index))),
    });
    const asked = (index: number, more: Partial<LiveJob> = {}) =>
      job(index, { source, timeframe: '1S', symbolBars: [others(index)], ...more });
    const runs = roomy();
    expect(runs.advance(asked(3, { history: columns(0, 3) }), requesting)).toEqual(saying('13'));
    expect(runs.advance(asked(4), requesting)).toEqual(saying('14'));
    expect(runs.advance(asked(5), requesting)).toEqual(saying('15'));
  });
});
