// A past that is replayed with unchanged settings is the same past: every trade, order, fill, position, book and balance.

import { expect, test } from 'vitest';
import { commandLineHere } from '../cli/command-line.ts';
import { busyHour, SEED } from './busy-hour.ts';

interface Signal {
  readonly what: string;
  readonly past: string;
  readonly replayed: string;
  readonly same: boolean;
}

test('an hour that is replayed unchanged is the same hour', async () => {
  const { dataDir, startMs, endMs } = await busyHour();
  const cli = commandLineHere({ DATA_DIR: dataDir, MARKET_SEED: SEED });
  const { code, body } = await cli.json('replay', '--from', String(startMs), '--to', String(endMs), '--check');
  const signals = body.signals as readonly Signal[];
  expect(signals.filter(({ same }) => !same)).toEqual([]);
  // Also the reasons, to the word.
  expect(signals.filter(({ past, replayed }) => past !== replayed)).toEqual([]);
  expect(body).toMatchObject({ same: true, holdings: [], troubles: [], unreadable: 0 });
  expect(code).toBe(0);
  const ends = signals.map(({ what, past }) => `${what}: ${past}`).join('\n');
  for (const expected of [
    /trailing-stop|stop-loss|take-profit/,
    /filled/,
    /canceled by the kill switch/,
    /canceled by api/,
    /cancelAfterSeconds has passed/,
    /refused: KILL_SWITCH_ACTIVE/,
    /refused: UNKNOWN_ACCOUNT/,
    /there is no long position/,
    /on binance:scalp of trend/,
  ])
    expect(ends).toMatch(expected);
});
