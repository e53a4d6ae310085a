// Which trades of the past a replay lets happen again as they were, and which the desk decides anew.

import { expect, test } from 'vitest';
import { OWNER, type SignalSource } from '../signal.ts';
import { recordedOrder, recordedPast, recordedTrade } from './testing/recorded.ts';
import { isOwnDecision, timelineOf } from './timeline.ts';

test.each<[SignalSource, string, boolean]>([
  [OWNER, 'kill switch', true],
  [OWNER, 'kill switch of strategy:ema', true],
  [OWNER, 'kill switch of account:binance:main', true],
  [OWNER, 'telegram', false],
  [OWNER, 'kill switches', false],
  ['stop-loss', 'stop-loss', true],
  ['webhook', 'kill switch', false],
  ['webhook', 'kill switch of strategy:ema', false],
])('a trade of %s under %j: its own decision %s', (source, keyLabel, isOwn) => {
  expect(isOwnDecision({ source, keyLabel })).toBe(isOwn);
});

test('every close of the owner, and of a kill switch, has the moment of its own turn', () => {
  const close = (requestId: string, keyLabel: string, createdAtMs: number) =>
    recordedTrade({ requestId, source: OWNER, keyLabel, receivedAtMs: 5 }, [recordedOrder({ createdAtMs })]);
  const trades = [close('a', 'telegram', 9), close('a.2', 'telegram', 7), close('b', 'kill switch', 8)];
  expect(timelineOf(recordedPast({ trades })).map(({ kind, atMs }) => [kind, atMs])).toEqual([
    ['close', 7],
    ['close', 8],
    ['close', 9],
  ]);
});
