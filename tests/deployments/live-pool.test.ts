// The live thread from outside: history is asked for once, and again when the thread was ended by somebody's script.

import { expect, it } from 'vitest';
import { createLivePool } from '../../src/adapters/scripts/live-pool.ts';
import type { LiveDone, LiveRequest } from '../../src/library/live-runner.ts';
import { barColumns } from '../../src/pine/index.ts';
import { closeAtEnd } from '../support/close-at-end.ts';

const QUIET =
  '//@version=6\nindicator("Q")\nvar n = 0\nn += 1\nalert(str.tostring(n), alert.freq_once_per_bar_close)\n';
const ENDLESS =
  '//@version=6\nindicator("E")\nfloat x = 0\nfor i = 0 to 90000\n    for j = 0 to 100\n        x += math.sin(i * j)\nplot(x)\n';

const barAt = (index: number) => ({ time: index * 1000, open: 1, high: 1, low: 1, close: 1, volume: 1 });
const request = (index: number, more: Partial<LiveRequest> = {}): LiveRequest => ({
  runId: 'quiet',
  source: QUIET,
  anchorMs: 0,
  afterMs: (index - 1) * 1000,
  bar: barAt(index),
  isClosed: true,
  ...more,
});

it('history is asked for when a run is not open, and a script that outgrows its time loses nobody a bar', async () => {
  const pool = createLivePool({ timeoutMs: 1500 });
  closeAtEnd(() => pool.close());
  const asked: number[] = [];
  const advance = async (index: number, more: Partial<LiveRequest> = {}) =>
    pool.advance(request(index, more), () => {
      asked.push(index);
      return barColumns(Array.from({ length: index }, (_, each) => barAt(each)));
    });
  for (const index of [2, 3]) expect(await advance(index)).toMatchObject({ alerts: [{ message: String(index + 1) }] });
  expect(asked).toEqual([2]);
  const many = { runId: 'endless', source: ENDLESS, afterMs: 499_000 };
  expect(await advance(500, many)).toMatchObject({ kind: 'timeout' });
  expect(await advance(4)).toMatchObject({ alerts: [{ message: '5' }], isReplayed: true });
  expect(asked).toEqual([2, 500, 4]);
}, 20_000);

it('a strategy goes on live in a thread, and its fills come back as plain data', async () => {
  const pool = createLivePool();
  closeAtEnd(() => pool.close());
  const source =
    '//@version=6\nstrategy("S", margin_long = 0)\nif bar_index == 2\n    strategy.entry("L", strategy.long, 3)\n';
  const history = barColumns([barAt(0), barAt(1)]);
  const advance = (index: number, isClosed: boolean) =>
    pool.advance(request(index, { source, runId: 'strategy', isClosed }), () => history);
  expect(await advance(2, true)).toMatchObject({ scriptType: 'strategy', fills: [], position: 0, awaitsTicks: true });
  const { fills, position } = (await advance(3, false)) as LiveDone;
  expect(fills).toMatchObject([{ id: 'L', direction: 1, quantity: 3, price: 1, before: 0, after: 3, moment: 'open' }]);
  expect(position).toBe(3);
}, 20_000);

it('a quick run has a second and a thread of its own, on which no slow one holds it up', async () => {
  const pool = createLivePool({ timeoutMs: 6000 });
  closeAtEnd(() => pool.close());
  const history = () => barColumns(Array.from({ length: 500 }, (_, each) => barAt(each)));
  const quick = (more: Partial<LiveRequest> = {}) => pool.advance(request(500, { isQuick: true, ...more }), history);
  // The threads are up before anything is measured.
  await quick();
  await pool.advance(request(500, { runId: 'other' }), history);
  let isSlowDone = false;
  const slow = pool.advance(request(500, { runId: 'endless', source: ENDLESS }), history);
  void slow.then(() => {
    isSlowDone = true;
  });
  expect(await quick({ afterMs: 500_000, bar: barAt(501) })).toMatchObject({ kind: 'live', isReplayed: false });
  expect(await quick({ runId: 'endless too', source: ENDLESS })).toMatchObject({ kind: 'timeout' });
  expect(isSlowDone).toBe(false);
  expect(await slow).toMatchObject({ kind: 'timeout' });
}, 30_000);
