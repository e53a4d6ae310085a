// Which trades of the past a replay lets happen again as they were, and which the desk decides anew.

import { expect, test } from 'vitest';
import { OWNER, type SignalSource } from '../signal.ts';
import { recordedPast, recordedTrade } from './testing/recorded.ts';
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

test('the closes of a kill switch are no event: the switch closes again when it is thrown again', () => {
  const kindsOf = (keyLabel: string) =>
    timelineOf(recordedPast({ trades: [recordedTrade({ source: OWNER, keyLabel })] })).map(({ kind }) => kind);
  expect(kindsOf('kill switch')).toEqual([]);
  expect(kindsOf('kill switch of symbol:BTCUSDT')).toEqual([]);
  expect(kindsOf('telegram')).toEqual(['close']);
});
