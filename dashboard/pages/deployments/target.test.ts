// What was chosen in the dialog, as the server takes it.

import { expect, test } from 'vitest';
import { type ChosenTarget, isTargetWhole, modeOf, START_TARGET, targetOf } from './target.ts';

const chosen = (fields: Partial<ChosenTarget>): ChosenTarget => ({ ...START_TARGET, ...fields });

test('each target has its own fields and no others', () => {
  expect(targetOf(chosen({ webhookKey: ' whk_1 ', url: 'https://x' }))).toEqual({
    ...{ type: 'trade', apiKey: 'whk_1', exchange: 'binance' },
  });
  expect(targetOf(chosen({ type: 'signals', webhookKey: 'whk_1' }))).toEqual({ type: 'signals' });
  expect(targetOf(chosen({ type: 'webhook', url: ' https://x/y ' }))).toEqual({
    ...{ type: 'webhook', url: 'https://x/y', body: 'event' },
  });
  expect(targetOf(chosen({ type: 'webhook', url: 'https://x', secret: 'long-secret', body: 'message' }))).toEqual({
    ...{ type: 'webhook', url: 'https://x', body: 'message', secret: 'long-secret' },
  });
  expect(targetOf(chosen({ type: 'second-opinion', webhookKey: 'whk_1', exchange: 'bybit' }))).toEqual({
    ...{ type: 'second-opinion', apiKey: 'whk_1', exchange: 'bybit', sendMissing: false },
  });
  expect(
    targetOf(chosen({ type: 'second-opinion', webhookKey: 'whk_1', missing: 'dry-run', strategy: 'ema' })),
  ).toMatchObject({ sendMissing: true, strategy: 'ema' });
});

test('nothing but a second opinion that was told to send begins with trading', () => {
  expect(modeOf(chosen({ missing: 'send' }))).toBe('dry-run');
  expect(modeOf(chosen({ type: 'second-opinion', missing: 'dry-run' }))).toBe('dry-run');
  expect(modeOf(chosen({ type: 'second-opinion', missing: 'send' }))).toBe('trade');
});

test('what a target cannot do without is asked for', () => {
  expect(isTargetWhole(chosen({ webhookKey: ' ' }))).toBe(false);
  expect(isTargetWhole(chosen({ type: 'second-opinion' }))).toBe(false);
  expect(isTargetWhole(chosen({ type: 'webhook', url: 'ftp://x' }))).toBe(false);
  expect(isTargetWhole(chosen({ type: 'webhook', url: 'https://x' }))).toBe(true);
  expect(isTargetWhole(chosen({ type: 'telegram' }))).toBe(true);
});
