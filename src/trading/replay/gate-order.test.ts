// A signal and a switch in the same moment: what became of the signal tells which came first.

import { expect, test } from 'vitest';
import type { AuditEntry } from '../intake/controls.ts';
import type { RefusedSignal } from '../intake/refusals.ts';
import type { SignalOrder } from '../signal.ts';
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
