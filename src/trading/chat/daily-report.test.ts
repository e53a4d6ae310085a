// The report of the day: at its hour, once a day over any number of starts, late within the day, never for a day that has passed.

import { beforeEach, describe, expect, test } from 'vitest';
import { createHandClock, type HandClock } from '../../timing/testing/hand-clock.ts';
import type { PerformanceRange } from '../books/performance.ts';
import { type PerformanceOfMode, TooManyFills } from '../books/performance-reports.ts';
import { decimal, ZERO } from '../decimal.ts';
import type { RefusedSignal } from '../intake/refusals.ts';
import { createMemoryChannelOutbox, type MemoryChannelOutbox } from '../testing/memory-channel-outbox.ts';
import { type DailyReportParts, DailyReports } from './daily-report.ts';

const HOUR_MS = 3_600_000;
const SIX = 18 * 60;
const utc = (text: string): number => Date.parse(text);

let clock: HandClock;
let outbox: MemoryChannelOutbox;
let ranges: PerformanceRange[];
let troubles: string[];
let refused: Pick<RefusedSignal, 'id' | 'receivedAtMs' | 'keyLabel' | 'code'>[];

const NO_RESULT = {
  ...{ trades: 2, wins: 1, winRate: 0.5, profitFactor: undefined, pnl: decimal('12.5'), fees: decimal('0.5') },
  ...{ net: decimal('12'), maxDrawdown: decimal('3'), expectancy: undefined, averageHoldMs: undefined },
};
const open = (changes: Partial<DailyReportParts> = {}): DailyReports =>
  new DailyReports({
    ...{ atMinutes: SIX, zone: 'Europe/Berlin', outbox, channels: ['mail'], forChat: false },
    ...{
      nowMs: clock.nowMs,
      timers: clock.timers,
      onTrouble: (what, error) => void troubles.push(`${what}: ${error}`),
    },
    accountReports: async () => [],
    performanceReports: async (_, range) => {
      ranges.push(range);
      return [{ mode: 'paper', total: NO_RESULT, groups: [] }] as unknown as PerformanceOfMode[];
    },
    journal: { positions: async () => [] },
    refusals: {
      list: async ({ limit, beforeId }) => {
        const from = beforeId === undefined ? 0 : refused.findIndex(({ id }) => id === beforeId) + 1;
        return refused.slice(from, from + limit) as RefusedSignal[];
      },
    },
    venues: [{ exchange: 'binance', mode: 'paper', tickOf: () => undefined }],
    pricesOf: () => ({ label: 'simulated', lastPrice: async () => '1' }),
    ...changes,
  });
const startAt = (text: string): void => {
  clock = createHandClock(utc(text));
};
const told = (): string[] => outbox.rows.map(({ message }) => message.summary);
const firstLines = (): string[] => told().map((text) => text.split('\n', 1)[0] as string);

beforeEach(() => {
  startAt('2026-11-16T12:00:00Z');
  outbox = createMemoryChannelOutbox();
  [ranges, troubles, refused] = [[], [], []];
});

test('comes at its hour, by the clock of its zone, and not before', async () => {
  const reports = open();
  reports.start();
  await clock.advance(5 * HOUR_MS - 20_000);
  expect(told()).toEqual([]);
  await clock.advance(20_000);
  expect(told()).toEqual([
    [
      'Daily report of 2026-11-16, 18:00 (Europe/Berlin), in USDT, prices: simulated',
      'Since 2026-11-15, 18:00: result after fees: +12, 2 trades, 50 % won, fees 0.5, drawdown 3',
      'Accounts: none',
      'Open positions: none',
      'Refused signals: none',
    ].join('\n'),
  ]);
  expect(outbox.rows[0]).toMatchObject({ channel: 'mail', message: { topic: 'report' } });
  await reports.stop();
});

test('tells real money and play money apart', async () => {
  startAt('2026-11-16T20:00:00Z');
  const performanceReports = async () =>
    [
      { mode: 'live', total: { ...NO_RESULT, pnl: decimal('-40') }, groups: [] },
      { mode: 'paper', total: NO_RESULT, groups: [] },
    ] as unknown as PerformanceOfMode[];
  await open({ performanceReports }).look();
  const live = 'result after fees (LIVE): −40.5, 2 trades, 50 % won, fees 0.5, drawdown 3';
  const paper = 'result after fees (paper): +12, 2 trades, 50 % won, fees 0.5, drawdown 3';
  expect(told()[0]?.split('\n')[1]).toBe(`Since 2026-11-15, 18:00: ${live}; ${paper}`);
});

test('comes once a day, over days and starts', async () => {
  for (let start = 0; start < 4; start++) {
    const reports = open();
    reports.start();
    await clock.advance(12 * HOUR_MS);
    await reports.stop();
  }
  expect(firstLines().map((line) => line.slice(16, 26))).toEqual(['2026-11-16', '2026-11-17']);
});

test('two that start together send one', async () => {
  startAt('2026-11-16T20:00:00Z');
  await Promise.all([open().look(), open().look()]);
  expect(told()).toHaveLength(1);
});

describe('whoever was off at the hour', () => {
  test('sends it late within the day', async () => {
    startAt('2026-11-16T22:59:59Z');
    await open().look();
    expect(firstLines()).toEqual(['Daily report of 2026-11-16, 18:00 (Europe/Berlin), in USDT, prices: simulated']);
  });

  test('leaves it out after midnight', async () => {
    startAt('2026-11-16T23:00:00Z');
    await open().look();
    expect(told()).toEqual([]);
  });
});

test('one that is worked out over midnight is left out with its day', async () => {
  startAt('2026-11-16T22:59:59Z');
  const accountReports = async () => {
    clock.jump(1000);
    return [];
  };
  await open({ accountReports }).look();
  expect(told()).toEqual([]);
});

test('covers the time since the report before it, so that no moment is in two or in none', async () => {
  for (const day of ['2026-10-24', '2026-10-25', '2026-10-26']) {
    startAt(`${day}T19:00:00Z`);
    await open().look();
  }
  const hours = ranges.map(({ fromMs, toMs }) => (toMs - fromMs) / HOUR_MS);
  expect(hours).toEqual([24, 25, 24]);
  expect(ranges[1]?.fromMs).toBe(ranges[0]?.toMs);
  expect(ranges[2]?.fromMs).toBe(ranges[1]?.toMs);
});

test('an hour that is left out in spring is told when clocks are put forward, and covers up to then', async () => {
  startAt('2026-03-29T00:59:59Z');
  const reports = open({ atMinutes: 150 });
  await reports.look();
  expect(told()).toEqual([]);
  clock.jump(1000);
  await reports.look();
  expect(told()).toHaveLength(1);
  expect(ranges[0]?.toMs).toBe(utc('2026-03-29T01:00:00Z'));
});

test('an hour that comes twice in autumn is told once', async () => {
  startAt('2026-10-25T00:30:00Z');
  const reports = open({ atMinutes: 150 });
  await reports.look();
  clock.jump(HOUR_MS);
  await reports.look();
  await open({ atMinutes: 150 }).look();
  expect(told()).toHaveLength(1);
});

test('counts the refusals of that time under a key, by their reason', async () => {
  startAt('2026-11-16T17:00:00Z');
  const at = (text: string, code: string, keyLabel: string | undefined, id = `${refused.length}`) =>
    refused.push({ id, receivedAtMs: utc(text), code, keyLabel });
  at('2026-11-16T17:00:00Z', 'TOO_LATE', 'tv');
  for (let n = 0; n < 150; n++) at('2026-11-16T10:00:00Z', 'KILL_SWITCH_ACTIVE', 'tv');
  at('2026-11-16T09:00:00Z', 'RATE_LIMITED', 'tv');
  at('2026-11-16T09:00:00Z', 'AUTHENTICATION_FAILED', undefined);
  at('2026-11-15T17:00:00Z', 'RATE_LIMITED', 'tv');
  at('2026-11-15T16:59:59Z', 'TOO_EARLY', 'tv');
  await open().look();
  expect(told()[0]).toContain('Refused signals: 152 (150 KILL_SWITCH_ACTIVE, 2 RATE_LIMITED)');
});

test('shows positions without markup, also where a price is missing', async () => {
  startAt('2026-11-16T17:00:00Z');
  const position = {
    ...{ exchange: 'binance', mode: 'paper', account: 'main', market: 'BTCUSDT', side: 'LONG' },
    ...{ quantity: decimal('0.5'), entryPrice: decimal('100'), cost: decimal('50'), realizedPnl: ZERO, fees: ZERO },
  };
  const lastPrice = async (): Promise<string> => {
    throw new Error('no price');
  };
  const journal = { positions: async () => Array.from({ length: 17 }, () => position) as never };
  await open({ journal, pricesOf: () => ({ label: 'simulated', lastPrice }) }).look();
  expect(told()[0]).toContain('Open positions:\nBTCUSDT LONG 0.5 on binance (paper), in at 100\n');
  expect(told()[0]).toContain('… and 2 more');
});

test('a result that cannot be worked out does not hold up the rest', async () => {
  startAt('2026-11-16T17:00:00Z');
  const performanceReports = async (): Promise<never> => {
    throw new TooManyFills('there are more than 300000 fills');
  };
  await open({ performanceReports }).look();
  expect(told()[0]).toContain('not worked out, there are more than 300000 fills');
});

test('what cannot be stored is told and tried again', async () => {
  startAt('2026-11-16T17:00:00Z');
  outbox.diskFull = true;
  const reports = open();
  reports.start();
  await clock.settle();
  expect(troubles).toEqual(['the daily report is late: Error: disk full']);
  outbox.diskFull = false;
  await clock.advance(20_000);
  expect(told()).toHaveLength(1);
  await reports.stop();
});
