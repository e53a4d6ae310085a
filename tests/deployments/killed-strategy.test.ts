// A deployed strategy whose process is killed again and again with kill -9: its signals are those of the one that lives on.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { closeAtEnd } from '../support/close-at-end.ts';
import { liveUntil, signalsOf } from '../support/killed-strategy.ts';
import { liveThrough, STEPS_OF_A_BAR } from './run-strategy.ts';

/** Three days of quarters of an hour; the whole week is in `npm run soak strategy`. */
const BARS = 288;
/** A life is so many bars long, and ends on another step of a bar each time. */
const BARS_OF_A_LIFE = 24;

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-strategy-'));
  closeAtEnd(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it('every signal is sent, with the same id and words, and none beside them', async () => {
  const whole = freshFolder();
  await liveThrough(whole, BARS);
  const broken = freshFolder();
  let kills = 0;
  const isEnd = ({ bar, move }: { bar: number; move: number }) =>
    bar >= (kills + 1) * BARS_OF_A_LIFE && move === kills % STEPS_OF_A_BAR;
  while ((await liveUntil(broken, BARS, isEnd)) === 'killed') kills += 1;
  expect(kills).toBeGreaterThan(10);
  const [found, wanted] = [signalsOf(broken), signalsOf(whole)];
  expect(found.faults).toEqual([]);
  expect(wanted.signals.size).toBeGreaterThan(20);
  expect([...found.signals]).toEqual([...wanted.signals]);
}, 240_000);
