// The usage of analysis and script keys.

import { expect, test } from 'vitest';
import { usageFacts, usagePathOf } from './key-usage.ts';

test('each service is asked of its own keys alone', () => {
  expect([usagePathOf('pyn_1'), usagePathOf('pn_1'), usagePathOf('whk_1')]).toEqual([
    '/auth/usage',
    '/api/usage',
    undefined,
  ]);
});

test('calls stand against the quota where there is one', () => {
  const usage = { calls_used: 12, calls_limit: 1000, calls_remaining: 988, last_used: null, reset_at: null };
  expect(usageFacts({ tier: 'hobby', usage }, 0)).toEqual([
    ['Tier', 'hobby'],
    ['Calls', '12 of 1,000'],
    ['Left', '988'],
    ['Last used', 'never'],
  ]);
  expect(usageFacts({ tier: 'free', usage: { calls_used: 3, calls_limit: 0, calls_remaining: 0 } }, 0)[1]).toEqual([
    'Calls',
    '3, without a cap',
  ]);
});

test('seconds of the one and milliseconds of the other are the same time', () => {
  const nowMs = new Date(2026, 5, 1, 12).getTime();
  const factsOf = (usage: object) => usageFacts({ tier: 'free', usage: { calls_used: 1, ...usage } }, nowMs).at(-1);
  expect(factsOf({ last_used: nowMs / 1000 })).toEqual(['Last used', '12:00:00']);
  expect(factsOf({ last_used_at: nowMs })).toEqual(['Last used', '12:00:00']);
});
