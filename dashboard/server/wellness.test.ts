// One word for how it is doing: the worst that is known counts, and nothing is called well before everything is known.

import { expect, test } from 'vitest';
import { type WellnessFacts, wellnessOf } from './wellness.ts';

const OFF = {
  result: { active: false, scope: 'all', cancelEntries: true, flatten: false, reason: null },
  ...{ since: null, others: [] },
} as const;
const STOPPED = { ...OFF, result: { ...OFF.result, active: true, reason: 'the news' } };
const READY = { status: 'ready', checks: {}, warnings: [] };
const CONDITION = { title: 'Told', words: 'telegram does not arrive', isUnwell: true, link: '#/settings' };
const FACTS: WellnessFacts = {
  ...{ nowMs: 0, connection: 'live', ready: READY, isNotReady: false, switches: OFF, conditions: [] },
};
const wordsOf = (over: Partial<WellnessFacts>): string | undefined => {
  const found = wellnessOf({ ...FACTS, ...over });
  return found && `${found.tone}: ${found.words}`;
};

test.each<[string | undefined, Partial<WellnessFacts>]>([
  ['up: All systems well', {}],
  [undefined, { ready: undefined }],
  [undefined, { switches: undefined }],
  [undefined, { conditions: undefined }],
  ['warn: All trading is stopped: the news', { switches: STOPPED }],
  ['down: Not ready · All trading is stopped: the news', { switches: STOPPED, isNotReady: true }],
  ['warn: Entries are stopped', { switches: { ...OFF, result: { ...OFF.result, active: true, scope: 'entries' } } }],
  ['down: Not ready', { isNotReady: true }],
  ['down: Connection lost, trying again…', { connection: 'lost', switches: STOPPED }],
  ['warn: 1 to look at', { ready: { ...READY, warnings: ['the disk is nearly full'] } }],
  ['warn: 2 to look at', { ready: { ...READY, warnings: ['the disk is nearly full'] }, conditions: [CONDITION] }],
])('%s', (words, over) => expect(wordsOf(over)).toBe(words));

test('what has to be looked at is named', () => {
  const ready = { ...READY, warnings: ['the disk is nearly full'] };
  const troubles = ['Told: telegram does not arrive', 'the disk is nearly full'];
  expect(wellnessOf({ ...FACTS, ready, conditions: [CONDITION, { ...CONDITION, isUnwell: false }] })?.troubles).toEqual(
    troubles,
  );
});
