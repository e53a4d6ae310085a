// `signalbox replay`: what it asks for, how the difference is shown, and how it ends.

import { describe, expect, test } from 'vitest';
import { performanceOf } from '../../trading/books/performance.ts';
import { decimal } from '../../trading/decimal.ts';
import type { ReplayReport } from '../host.ts';
import { run } from '../testing/fake-host.ts';

const nothing = performanceOf([], { by: 'day', fromMs: 0, toMs: 0 }).total;
const earned = { ...nothing, trades: 2, wins: 1, pnl: decimal('12.9'), fees: decimal('4.8'), funding: decimal('-0.5') };
const halved = { ...nothing, trades: 2, wins: 1, pnl: decimal('6.2'), fees: decimal('2.4'), funding: decimal('0') };
const ofStrategy = { ...earned, pnl: decimal('12.4'), funding: undefined };
const atMs = Date.UTC(2026, 10, 9, 14, 5);
const outcome = (words: string) => ({
  atMs,
  requestId: 'r-1',
  what: 'LONG 0.01 BTCUSDT on binance',
  words,
  facts: words,
});

const SAME: ReplayReport = {
  comparison: {
    ...{ fromMs: 0, toMs: 1 },
    total: { group: '', past: earned, replayed: earned },
    groups: [{ by: 'strategy', group: '', past: ofStrategy, replayed: ofStrategy }],
    outcomes: [{ past: outcome('filled'), replayed: outcome('filled'), isSame: true }],
    holdings: [],
  },
  unreadable: 0,
  stopsLeftOut: 0,
  troubles: [],
};
const OTHER: ReplayReport = {
  ...SAME,
  comparison: {
    ...SAME.comparison,
    total: { group: '', past: earned, replayed: halved },
    outcomes: [
      { past: outcome('filled'), replayed: outcome('filled'), isSame: true },
      { past: outcome('refused: KILL_SWITCH_ACTIVE'), replayed: outcome('filled 0.01 at 68000'), isSame: false },
    ],
    holdings: [{ name: 'binance', past: '100007.6', replayed: '100003.8' }],
  },
  unreadable: 2,
  stopsLeftOut: 0,
};

test('a stretch and changes are asked for as they are written', async () => {
  const size = ['replay', '--from', '2026-11-09', '--to', '2026-11-16', '--size', '0.5', '--data-dir', 'folder'];
  expect((await run(size, { replayed: SAME })).replays).toMatchObject([
    {
      dataDir: 'folder',
      fromMs: Date.UTC(2026, 10, 9),
      toMs: Date.UTC(2026, 10, 16),
      changes: { size: { factor: decimal('0.5') } },
    },
  ]);
  const limits = [
    'replay',
    '--from',
    '2026-11-09',
    '--set',
    'strategy:ema.entriesPerDay=3',
    '--set',
    'key:a.rate=none',
  ];
  expect((await run(limits, { replayed: SAME })).replays).toMatchObject([
    { set: ['strategy:ema.entriesPerDay=3', 'key:a.rate=none'] },
  ]);
  const stops = ['replay', '--from', '2026-11-09', '--stop-loss', '2%', '--take-profit', '40ticks', '--trail', '1.5%'];
  expect((await run(stops, { replayed: SAME })).replays).toMatchObject([
    {
      changes: {
        stops: {
          stopLoss: { unit: 'percent', value: decimal('2') },
          takeProfit: { unit: 'ticks', value: decimal('40') },
          trail: { unit: 'percent', value: decimal('1.5') },
        },
      },
    },
  ]);
  const risk = ['replay', '--from', '2026-11-09', '--quantity', '1', '--quantity-type', 'risk_percent', '--no-refused'];
  expect((await run(risk, { replayed: SAME })).replays).toMatchObject([
    {
      toMs: undefined,
      changes: { size: { quantity: decimal('1'), quantityType: 'risk_percent' }, withoutRefused: true },
    },
  ]);
});

describe('what came of it', () => {
  test('is one line where nothing differs, and ends with 0 also with --check', async () => {
    const { out, code } = await run(['replay', '--from', '2026-11-09', '--check'], { replayed: SAME });
    expect(out).toContain('All 1 signals, closes and stops end as they did.');
    expect(out).toMatch(/no strategy +same +2 +1 +12\.4 +4\.8 +- +7\.6/);
    expect(out).not.toContain('difference');
    expect(code).toBe(0);
  });

  test('is then, now and the difference, with what ends otherwise and what was left out', async () => {
    const { out, code } = await run(['replay', '--from', '2026-11-09'], { replayed: OTHER });
    expect(out).toMatch(/in all +then +2 +1 +12\.9 +4\.8 +-0\.5 +7\.6/);
    expect(out).toMatch(/now +2 +1 +6\.2 +2\.4 +0 +3\.8/);
    expect(out).toMatch(/difference +0 +0 +-6\.7 +-2\.4 +0\.5 +-3\.8/);
    expect(out).toContain('1 of 2 signals, closes and stops end otherwise.');
    expect(out).toMatch(/2026-11-09 14:05:00 UTC .*refused: KILL_SWITCH_ACTIVE +filled 0\.01 at 68000/);
    expect(out).toMatch(/binance +100007\.6 +100003\.8/);
    expect(out).toContain('2 refused signals were left out');
    expect(out.match(/14:05:00/g)).toHaveLength(1);
    expect(code).toBe(0);
  });

  test('lists every signal with --all, and ends with 1 with --check', async () => {
    const { out, code } = await run(['replay', '--from', '2026-11-09', '--all', '--check'], { replayed: OTHER });
    expect(out.match(/14:05:00/g)).toHaveLength(2);
    expect(code).toBe(1);
  });

  test.each([
    ['a holding', { holdings: OTHER.comparison.holdings }],
    ['an outcome', { outcomes: OTHER.comparison.outcomes }],
    ['a figure', { total: OTHER.comparison.total }],
  ])('differs by %s alone', async (_, part) => {
    const replayed = { ...SAME, comparison: { ...SAME.comparison, ...part } };
    expect((await run(['replay', '--from', '2026-11-09', '--check'], { replayed })).code).toBe(1);
  });

  test('is one JSON document with --json', async () => {
    const { out } = await run(['replay', '--from', '2026-11-09', '--json'], { replayed: OTHER });
    expect(JSON.parse(out)).toMatchObject({
      same: false,
      total: { past: { net: '7.6' }, replayed: { net: '3.8' }, difference: { net: '-3.8' } },
      signals: [{ same: true }, { same: false, past: 'refused: KILL_SWITCH_ACTIVE', replayed: 'filled 0.01 at 68000' }],
      unreadable: 2,
      stopsLeftOut: 0,
    });
  });
});

test.each([
  [['replay'], '--from is missing'],
  [['replay', '--from', 'yesterday'], 'is no moment'],
  [['replay', '--from', '2026-11-16', '--to', '2026-11-09'], 'lies after --to'],
  [['replay', '--from', '2026-11-09', '--size', '0'], 'more than 0'],
  [['replay', '--from', '2026-11-09', '--size', '2', '--quantity', '1'], 'not both'],
  [['replay', '--from', '2026-11-09', '--quantity-type', 'quote'], 'belongs to --quantity'],
  [['replay', '--from', '2026-11-09', '--quantity', '1', '--quantity-type', 'percent_position'], 'use one of'],
  [['replay', '2026-11-09'], 'one word too many'],
  [['replay', '--from', '2026-11-09', '--stop-loss', '60000'], 'is no distance'],
  [['replay', '--from', '2026-11-09', '--trail', 'tight'], 'is no distance'],
])('%j is a wrong command line', async (argv, reason) => {
  const { code, err, replays } = await run(argv, { replayed: SAME });
  expect(code).toBe(2);
  expect(err).toContain(reason);
  expect(replays).toEqual([]);
});
