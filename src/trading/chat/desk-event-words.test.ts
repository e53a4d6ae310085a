// Desk events in words: each setting of the audit, and rows that make no sense.

import { expect, test } from 'vitest';
import type { DeskEvent } from '../books/desk-events.ts';
import { tellDeskEvent } from './desk-event-words.ts';

const event = (kind: string, facts: Record<string, unknown>): DeskEvent => ({ seq: 1, atMs: 5, kind, facts });
const change = (setting: string, before: unknown, after: unknown) =>
  tellDeskEvent(
    event('change', {
      ...{ actor: 'cli 127.0.0.1', setting },
      before: before === null ? null : JSON.stringify(before),
      after: after === null ? null : JSON.stringify(after),
    }),
  ).text;

const OFF = { active: false, scope: 'all' };
const ON = { active: true, scope: 'all', flatten: true, reason: 'news' };
const EMA = { kind: 'strategy', name: 'ema', limits: { largestOrder: 1000 } };

const CHANGES: readonly [setting: string, before: unknown, after: unknown, words: string][] = [
  [
    'killSwitch',
    OFF,
    ON,
    'The kill switch is ON (all): every signal is refused, every position is closed (news). Turned',
  ],
  ['killSwitch', ON, OFF, 'The kill switch is off: signals trade. Turned'],
  ['queueMode', 'direct', 'async', 'The queue mode is async. Changed'],
  ['restriction', null, EMA, 'strategy:ema: trades. Limits: largestOrder 1000. Changed'],
  ['restriction', EMA, null, 'strategy:ema: trades. Limits: none. Changed'],
  [
    'restriction',
    EMA,
    { ...EMA, pause: { sinceMs: 1, reason: 'x' } },
    'strategy:ema: PAUSED (x). Limits: largestOrder 1000. Changed',
  ],
  [
    'restriction',
    EMA,
    { ...EMA, killSwitch: { active: true, scope: 'entries' } },
    'The kill switch of strategy "ema" is ON (entries): no new positions, closing works. Turned',
  ],
  [
    'restriction',
    { ...EMA, killSwitch: { active: true, scope: 'all' } },
    EMA,
    'The kill switch of strategy "ema" is off: its signals trade. Turned',
  ],
  ['allowlist', [], ['1.2.3.4'], 'The allowlist was changed'],
  ['login', null, { refused: 3, limited: 12 }, 'Logins failed: 3 refused, 12 not looked at. Tried'],
  ['login', null, { limited: 1 }, 'Logins failed: 1 not looked at. Tried'],
  ['session', null, { id: 'a' }, 'A browser was logged in'],
  ['session', { id: 'a' }, null, 'A session was ended'],
  ['session', { id: 'a' }, { ended: 'by time' }, 'A session was ended (by time)'],
  ['password', null, { isSet: true }, 'The password was set'],
  ['password', { isSet: true }, { isSet: true, isNew: true }, 'The password was changed'],
  ['password', { isSet: true }, null, 'The password was removed'],
  ['totp', null, { isOn: true }, 'One-time codes were turned on'],
  ['totp', { isOn: true }, null, 'One-time codes were turned off'],
  ['totp', { recoveryCodesLeft: 10 }, { recoveryCodesLeft: 9 }, 'A recovery code was used, 9 are left. Logged in'],
  ['somethingNew', null, {}, 'somethingNew changed'],
];

test.each(CHANGES)('a change of %s', (setting, before, after, words) => {
  expect(change(setting, before, after)).toBe(`${words} by cli 127.0.0.1`);
});

test('of a note it tells which trade', () => {
  const facts = { actor: 'api', setting: 'tradeNote', before: null, after: '{"requestId":"r1","note":"x","tags":[]}' };
  expect(tellDeskEvent(event('change', facts))).toMatchObject({ requestId: 'r1', setting: 'tradeNote' });
});

test.each([
  event('change', { actor: 'a', setting: 'killSwitch', before: null, after: 'no JSON' }),
  event('change', { actor: 'a', setting: 'restriction', before: null, after: null }),
  event('change', {}),
  event('position', {}),
  event('protection', {}),
  event('equity', { equity: 'much' }),
  event('refusal', {}),
  event('filled', {}),
  event('of a later version', {}),
])('a row that makes no sense is told all the same, and holds up no other: %j', (odd) => {
  const told = tellDeskEvent(odd);
  expect(told.at).toBe(5);
  expect(told.text.length).toBeGreaterThan(0);
});

test('what a sender wrote cannot turn around how a sentence is read', () => {
  const facts = { id: 'r', door: '/webhook', keyLabel: 'tv', code: 'X', error: 'no \u202emarket' };
  expect(tellDeskEvent(event('refusal', facts)).text).toBe('Refused: a signal of tv at /webhook: no market (X)');
});
