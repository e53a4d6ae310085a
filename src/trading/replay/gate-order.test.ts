// A signal and a switch in the same moment: what became of the signal tells which came first.

import { expect, test } from 'vitest';
import type { AuditEntry } from '../intake/controls.ts';
import type { RefusedSignal } from '../intake/refusals.ts';
import type { SignalOrder } from '../signal.ts';
import { stoppedHalfWay } from './gate-order.ts';
import { recordedOrder, recordedPast, recordedTrade } from './testing/recorded.ts';
import { timelineOf } from './timeline.ts';

const ON = { active: true, scope: 'entries' };
const OFF = { active: false, scope: 'all' };
const overall = (atMs: number, isOn: boolean): AuditEntry => ({
  ...{ atMs, actor: 'cli', setting: 'killSwitch' },
  ...{ before: JSON.stringify(isOn ? OFF : ON), after: JSON.stringify(isOn ? ON : OFF) },
});
const paused = (atMs: number, name: string): AuditEntry => ({
  ...{ atMs, actor: 'cli', setting: 'restriction', before: null },
  after: JSON.stringify({ kind: 'symbol', name, limits: {}, pause: { sinceMs: atMs } }),
});
const traded = (receivedAtMs: number, createdAtMs: number, order: Partial<SignalOrder> = {}) =>
  recordedTrade({ receivedAtMs, order }, [recordedOrder({ createdAtMs })]);
const refused = (code: string, fromMs: number, toMs: number, action: SignalOrder['action'] = 'LONG'): RefusedSignal => {
  const { order } = recordedTrade({ order: { action } }).trade;
  const id = `${fromMs.toString(16).padStart(12, '0')}-7000`;
  const told = { status: 503, code, error: code, faults: [], body: '' };
  return {
    id,
    receivedAtMs: toMs,
    keyLabel: 'key',
    door: 'webhook',
    ...told,
    signal: { keyId: 'k', source: 'webhook', order },
  };
};
const order = (past: Parameters<typeof recordedPast>[0]): string =>
  timelineOf(recordedPast(past))
    .map((event) =>
      event.kind === 'control'
        ? event.entry.after?.includes('true') || event.entry.setting === 'restriction'
          ? 'on'
          : 'off'
        : event.kind,
    )
    .join(' ');

test.each([
  ['accepted and sent in the millisecond of the throw', 100, 100, 'signal turn on'],
  ['accepted before, sent a moment later', 99, 102, 'signal turn on'],
  ['received after the switch was thrown by its clock', 101, 102, 'on signal turn'],
])('a signal that was %s', (_, receivedAtMs, createdAtMs, expected) => {
  expect(order({ audit: [overall(100, true)], trades: [traded(receivedAtMs, createdAtMs)] })).toBe(expected);
});

test('a signal that was accepted, and stopped at its turn, stands around the switch', () => {
  const error = 'trading is disabled by the kill switch; switch it off';
  const trade = recordedTrade({ receivedAtMs: 100, state: 'canceled', error }, [], { updatedAtMs: 100 });
  expect(order({ audit: [overall(100, true)], trades: [trade] })).toBe('signal on turn');
});

test('a signal that came while the switch was on, and was let through, came after it was lifted', () => {
  expect(order({ audit: [overall(90, true), overall(101, false)], trades: [traded(100, 103)] })).toBe(
    'on off signal turn',
  );
});

test('a close passes a switch over entries, and stays where it was', () => {
  const trades = [traded(100, 102, { action: 'CLOSE_LONG' })];
  expect(order({ audit: [overall(100, true), overall(101, false)], trades })).toBe('on signal off turn');
});

test.each([
  ['KILL_SWITCH_ACTIVE', 'on refused'],
  ['LIMIT_RATE', 'refused on'],
])('a signal that was refused with %s while the switch was thrown', (code, expected) => {
  expect(order({ audit: [overall(102, true)], refusals: [refused(code, 100, 105)] })).toBe(expected);
});

test('only what a pause concerns is moved by it', () => {
  expect(order({ audit: [paused(100, 'BTCUSDT')], trades: [traded(100, 100)] })).toBe('signal turn on');
  expect(order({ audit: [paused(100, 'ETHUSDT')], trades: [traded(100, 100)] })).toBe('on signal turn');
});

const halfWay = (requestId: string, createdAtMs: number, endedAtMs: number, market = 'BTCUSDT') =>
  recordedTrade(
    {
      ...{ requestId, receivedAtMs: createdAtMs - 1, state: 'canceled' },
      error: 'trading is disabled by the kill switch; the opposite position was closed, the new one was not opened',
      order: { action: 'SHORT', market },
    },
    [recordedOrder({ clientOrderId: `${requestId}c`, createdAtMs, reduceOnly: true })],
    { updatedAtMs: endedAtMs },
  );
const stoppedIn = (trades: readonly ReturnType<typeof halfWay>[], audit: readonly AuditEntry[]) => {
  const past = recordedPast({ trades, audit });
  return stoppedHalfWay(past, timelineOf(past)).map(({ change, stopped }) => [
    change.atMs,
    ...stopped.map(({ order: behind }) => behind),
  ]);
};

test('a trade that was stopped half way has its turn right before its switch, behind all that came meanwhile', () => {
  const meanwhile = recordedTrade({ requestId: 'other', receivedAtMs: 101, order: { market: 'ETHUSDT' } }, [
    recordedOrder({ createdAtMs: 102 }),
  ]);
  const past = recordedPast({
    trades: [halfWay('first', 100, 105), meanwhile],
    audit: [paused(101, 'SOLUSDT'), overall(103, true)],
  });
  const row = timelineOf(past).map((event) => {
    if (event.kind === 'turn') return `turn of ${event.requestId}`;
    return event.kind === 'control' ? event.entry.setting : event.kind;
  });
  expect(row).toEqual(['signal', 'restriction', 'signal', 'turn of other', 'turn of first', 'killSwitch']);
});

test('of the changes between its orders, the first that stops it is its switch', () => {
  const audit = [
    overall(90, true),
    overall(95, false),
    paused(101, 'SOLUSDT'),
    overall(103, true),
    overall(104, false),
  ];
  expect(stoppedIn([halfWay('first', 100, 105)], audit)).toEqual([[103, 'firstc']]);
});

test('one switch stops trades of several markets, but of one market only that whose turn it was', () => {
  const trades = [halfWay('a', 100, 103), halfWay('b', 101, 104, 'ETHUSDT'), halfWay('c', 103, 103)];
  expect(stoppedIn(trades, [overall(103, true)])).toEqual([[103, 'ac', 'bc']]);
});

test('whoever ended before the switch, or filled, was not stopped by it', () => {
  const filled = recordedTrade({ receivedAtMs: 99 }, [recordedOrder({ createdAtMs: 100 })], { updatedAtMs: 105 });
  expect(stoppedIn([halfWay('early', 100, 102), filled], [overall(103, true)])).toEqual([]);
});
