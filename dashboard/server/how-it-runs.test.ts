// How it runs, in words: what is well is said briefly, what is not is named.

import { describe, expect, test } from 'vitest';
import { conditionsOf, type RunningFacts } from './how-it-runs.ts';
import type { Notifier, Reconciliation } from './setup-answers.ts';

const FACTS = {
  nowMs: 1_000_000,
  switches: {
    result: { active: false, scope: 'all', cancelEntries: true, flatten: false, reason: null },
    ...{ since: null, others: [] },
  },
  health: {
    ...{ release: '1.0.0', environment: 'production', mode: 'live', prices: 'binance' },
    venues: { binance: 'live', mexc: 'off' },
  },
  ready: { status: 'ready', checks: { journal: 'ok', 'script keys': 'off' }, warnings: [] },
  compared: [],
  notifiers: [],
} satisfies RunningFacts;
const READY = { status: 'ready', checks: { journal: 'ok' }, warnings: [] };
const compared = (over: object): Reconciliation => ({
  ...{ exchange: 'binance', account: 'main', mode: 'live', agrees: true, comparedAt: 990_000, error: null },
  ...{ positions: 1, orders: 0, differences: [], earlier: [] },
  ...over,
});
const notifier = (state: 'working' | 'failing' | 'refused' | 'idle'): Notifier => ({
  ...{ channel: 'telegram', notices: [], state, waiting: 0 },
  ...{ oldestWaitingAt: null, lastDeliveredAt: null, lastFailureAt: null, lastFailure: null },
});
const wordsOf = (title: string, over: Partial<RunningFacts> = {}): string => {
  const condition = conditionsOf({ ...FACTS, ...over }).find((each) => each.title === title);
  return `${condition?.isUnwell ? '! ' : ''}${condition?.words}`;
};

test('everything has its place', () => {
  const titles = conditionsOf(FACTS).map(({ title }) => title);
  expect(titles).toEqual(['Trading', 'binance', 'mexc', 'Prices', 'Parts', 'Told']);
});

test.each([
  ['Books and venues', { compared: 'The disk has gone away.' }],
  ['Told', { notifiers: 'The disk has gone away.' }],
])('%s is not called well where the server does not say how it is', (title, over) => {
  expect(wordsOf(title, over)).toBe('! not known: The disk has gone away.');
  const unwell = conditionsOf({ ...FACTS, ...over }).filter(({ isUnwell }) => isUnwell);
  expect(unwell.map((each) => each.title)).toEqual([title]);
  expect(wordsOf('binance', over)).toBe('live');
});

test.each([
  ['Trading', { switches: 'no' }],
  ['Venues and prices', { health: 'no' }],
  ['Parts', { ready: 'no' }],
])('%s is not known where nobody tells', (title, over) => expect(wordsOf(title, over)).toBe('! not known: no'));

test.each([
  ['The market data of binance does not answer: 502', ['Prices']],
  ['The live stream of BTCUSDT at binance is lost: no reason given', ['Prices']],
  ['An entry was refused: the prices of BTCUSDT at mexc are 12 s old', ['Prices']],
  ['mexc cannot be reached: it did not answer', ['mexc']],
  ['Nothing is opened at Binance:main until the next start', ['binance']],
  ['BINANCE_MODE is not what it was', []],
  ['the disk is nearly full', []],
])('“%s” marks the row that it is about, and counts once', (warning, titles) => {
  const seen = conditionsOf({ ...FACTS, ready: { ...READY, warnings: [warning] } });
  const marked = seen.filter(({ isWarned }) => isWarned);
  expect(marked.map(({ title }) => title)).toEqual(titles);
  for (const { words, isUnwell } of marked)
    expect([words.endsWith(', see the warning'), isUnwell]).toEqual([true, false]);
});

describe('trading', () => {
  const { switches } = FACTS;
  const thrown = (over: object) => ({ ...switches, result: { ...switches.result, active: true, ...over } });
  const other = { kind: 'account', name: 'binance:main', scope: 'entries' as const, reason: 'a loss' };
  test.each([
    ['every signal may pass', switches],
    ['! All trading is stopped', thrown({})],
    ['! Entries are stopped: the news', thrown({ scope: 'entries', reason: 'the news' })],
    ['! stopped for account binance:main (a loss)', { ...switches, others: [other] }],
  ])('%s', (words, given) => expect(wordsOf('Trading', { switches: given })).toBe(words));

  test('since when, in the time of the reader', () => {
    const since = new Date(2026, 10, 18, 14, 2, 11).getTime();
    const given = { ...thrown({ reason: 'the news' }), since };
    expect(wordsOf('Trading', { switches: given, nowMs: since + 60_000 })).toBe(
      '! All trading is stopped since 14:02:11: the news',
    );
    expect(wordsOf('Trading', { switches: given, nowMs: since + 86_400_000 })).toBe(
      '! All trading is stopped since 2026-11-18 14:02: the news',
    );
  });
});

describe('a venue', () => {
  test.each([
    ['live', []],
    ['live, agreed 10 s ago', [compared({})]],
    ['live', [compared({ agrees: false, comparedAt: null })]],
    ['! live: main could not be compared', [compared({ error: 'no answer', agrees: false })]],
    ['! live: differs from our books at main', [compared({ agrees: false })]],
    ['live, agreed 1 min ago', [compared({}), compared({ account: 'two', comparedAt: 900_000 })]],
    ['live', [compared({ exchange: 'mexc' })]],
  ])('%s', (words, list) => expect(wordsOf('binance', { compared: list })).toBe(words));
});

test('parts that are well or off are counted, others are named with what is wrong', () => {
  expect(wordsOf('Parts')).toBe('all 2 are well');
  const ready = { ...FACTS.ready, checks: { journal: 'the disk is full', settings: 'ok' } };
  expect(wordsOf('Parts', { ready })).toBe('! journal: the disk is full');
});

test.each([
  ['nobody yet', []],
  ['telegram', [notifier('idle')]],
  ['telegram', [notifier('working')]],
  ['! telegram does not arrive', [notifier('failing')]],
  ['! telegram does not arrive', [notifier('refused')]],
])('who is told: %s', (words, notifiers) => expect(wordsOf('Told', { notifiers })).toBe(words));
