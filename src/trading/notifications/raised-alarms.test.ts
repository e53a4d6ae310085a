// Raised alarms: logged at once and once a minute, shown while they last, over when told or after a long silence.

import { beforeEach, expect, test } from 'vitest';
import { createRaisedAlarms, type RaisedAlarms } from './raised-alarms.ts';

const MINUTE_MS = 60_000;
let nowMs = 0;
let lines: string[] = [];
let alarms: RaisedAlarms;
beforeEach(() => {
  nowMs = 1000;
  lines = [];
  alarms = createRaisedAlarms({
    nowMs: () => nowMs,
    log: { warn: (_, text) => lines.push(text), info: (_, text) => lines.push(text) },
  });
});

test('an alarm is logged, shown since its beginning, and sent to whoever listens', () => {
  const sent: string[] = [];
  alarms.sendTo((kind, text) => sent.push(`${kind}: ${text}`));
  alarms.raise('venue bybit', 'bybit cannot be reached');
  nowMs += 5000;
  alarms.raise('venue bybit', 'bybit cannot be reached');
  expect(lines).toEqual(['bybit cannot be reached']);
  expect(alarms.current()).toEqual([{ kind: 'venue bybit', text: 'bybit cannot be reached', sinceMs: 1000 }]);
  expect(sent).toHaveLength(2);
});

test('the same words are logged again after a minute, other words at once', () => {
  alarms.raise('a', 'one');
  nowMs += MINUTE_MS - 1;
  alarms.raise('a', 'one');
  nowMs += 1;
  alarms.raise('a', 'one');
  alarms.raise('a', 'two');
  expect(lines).toEqual(['one', 'one', 'two']);
});

test('an alarm that is over is no longer shown, and the log says so once', () => {
  alarms.raise('a', 'one');
  alarms.over('a');
  alarms.over('a');
  alarms.over('never raised');
  expect(alarms.current()).toEqual([]);
  expect(lines).toEqual(['one', 'over: one']);
});

test('an alarm nobody raises again is over after ten minutes, not before', () => {
  alarms.raise('a', 'one');
  nowMs += 10 * MINUTE_MS - 1;
  expect(alarms.current()).toHaveLength(1);
  nowMs += 1;
  expect(alarms.current()).toEqual([]);
});

test('there are never more than 200, and the oldest gives way', () => {
  for (let i = 0; i < 201; i++) alarms.raise(`kind ${i}`, 'x');
  expect(alarms.current()).toHaveLength(200);
  expect(alarms.current()[0]?.kind).toBe('kind 1');
});

test('those who watch hear of a beginning, of other words once a minute, and of every end', () => {
  const heard: string[] = [];
  alarms.watch(({ kind, text }, state) => heard.push(`${kind} ${state}: ${text}`));
  alarms.raise('a', 'one');
  alarms.raise('a', 'one');
  alarms.raise('a', 'two');
  nowMs += MINUTE_MS;
  alarms.raise('a', 'two');
  alarms.over('a');
  alarms.over('a');
  expect(heard.splice(0)).toEqual(['a raised: one', 'a raised: two', 'a over: two']);
  alarms.raise('b', 'silent');
  nowMs += 10 * MINUTE_MS;
  alarms.current();
  expect(heard).toEqual(['b raised: silent', 'b over: silent']);
});
