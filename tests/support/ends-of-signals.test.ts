// What the harness knows of clocks that it moved and switches that it threw: which end of a signal it takes for explained, and which not.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { checkEnds } from './chaos/check-ends.ts';
import { ClockHistory } from './chaos/clock-history.ts';
import { SwitchHistory } from './chaos/switch-history.ts';
import type { MovedClock } from './moved-clock/index.ts';

const BEGAN_MS = 1_790_000_000_000;
const MINUTE_MS = 60_000;
const CLOCK: MovedClock = { env: {}, move: () => {}, close: () => {} };

interface End {
  readonly state: string;
  readonly receivedMs: number;
  readonly endedMs: number;
  readonly error?: string;
}

/** A history of ten minutes, in which the clock is eleven minutes ahead from the fifth on, and a switch is on for the ninth. */
function happened() {
  let nowMs = BEGAN_MS;
  const clocks = new ClockHistory([CLOCK], () => nowMs);
  const switches = new SwitchHistory(() => nowMs);
  const at = (minutes: number): void => {
    nowMs = BEGAN_MS + minutes * MINUTE_MS;
  };
  at(5);
  clocks.move(CLOCK, 11 * MINUTE_MS);
  at(8);
  switches.asked('entries');
  switches.on();
  at(9);
  switches.lifted();
  switches.off();
  at(10);
  return { clocks, switches };
}

const minute = (minutes: number): number => BEGAN_MS + minutes * MINUTE_MS;

/** What is found about one acknowledged entry that was sent in minute 4. */
function foundAbout({ state, receivedMs, endedMs, error = 'why' }: End, action = 'LONG'): number {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
  const db = new DatabaseSync(join(folder, 'signalbox.db'));
  db.exec(`CREATE TABLE trades (seq INTEGER, request_id TEXT, idempotency_key TEXT, exchange TEXT, action TEXT, state TEXT, error TEXT,
      received_at INTEGER);
    CREATE TABLE orders (trade_seq INTEGER, state TEXT);
    CREATE TABLE events (trade_seq INTEGER, kind TEXT, at INTEGER)`);
  db.prepare("INSERT INTO trades VALUES (1, 'r', 'k', 'binance', ?, ?, ?, ?)").run(action, state, error, receivedMs);
  db.prepare('INSERT INTO events VALUES (1, ?, ?)').run(state, endedMs);
  db.close();
  const answer = { status: 202, body: { requestId: 'r' } };
  const sent = { body: '{}', idempotencyKey: 'k', answer, sentAtMs: minute(4), answeredAtMs: minute(4) };
  return checkEnds(folder, [sent], { ...happened(), live: [] }).findings.length;
}

test('a signal may expire by a clock that jumped while it waited, and by nothing else', () => {
  const expired = (receivedMs: number, endedMs: number) => foundAbout({ state: 'expired', receivedMs, endedMs });
  // Received by the right time of day, ended two minutes later by a clock that is eleven ahead: thirteen minutes old.
  expect(expired(minute(4), minute(6 + 11))).toBe(0);
  // At once, or minutes later by the same clock.
  expect(expired(minute(4), minute(4))).toBe(1);
  expect(expired(minute(4), minute(4.5))).toBe(1);
  expect(expired(minute(6 + 11), minute(9.9 + 11))).toBe(1);
  // With times that no clock has shown then.
  expect(expired(minute(4), minute(4.5 + 11))).toBe(1);
  expect(expired(minute(3), minute(6 + 11))).toBe(1);
});

test('it may be canceled while a switch for it was on', () => {
  const error = 'the kill switch is on';
  const canceled = (endedMs: number, action?: string) =>
    foundAbout({ state: 'canceled', receivedMs: minute(4), endedMs, error }, action);
  expect(canceled(minute(8.5 + 11))).toBe(0);
  expect(canceled(minute(8.5 + 11), 'CLOSE_LONG')).toBe(1);
  expect(canceled(minute(7.5 + 11))).toBe(1);
  expect(canceled(minute(9.5 + 11))).toBe(1);
});

test('a trade that filled is no finding, and one whose venue could not be reached is', () => {
  const times = { receivedMs: minute(4), endedMs: minute(4) };
  expect(foundAbout({ state: 'filled', ...times })).toBe(0);
  expect(foundAbout({ state: 'rejected', error: 'binance cannot be reached', ...times })).toBe(1);
});

test('a signal that is taken while the switch is on is a finding', () => {
  const { switches } = happened();
  const taken = (sent: number, answered: number, action = 'LONG', status = 202) =>
    switches.check([
      {
        ...{ body: JSON.stringify({ action }), idempotencyKey: 'k', answer: { status, body: {} } },
        ...{ sentAtMs: minute(sent), answeredAtMs: minute(answered) },
      },
    ]).length;
  expect(taken(8.1, 8.9)).toBe(1);
  expect(taken(8.1, 8.9, 'CLOSE_LONG')).toBe(0);
  expect(taken(8.1, 8.9, 'LONG', 503)).toBe(0);
  // Sent before it was answered that the switch is on, or answered after somebody asked for it to be lifted.
  expect(taken(7.9, 8.9)).toBe(0);
  expect(taken(8.1, 9.1)).toBe(0);
});
