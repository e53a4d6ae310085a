// A dry run that begins to trade keeps everything it was set to.

import { expect, test } from 'vitest';
import type { Deployment } from '../../server/deployments.ts';
import { sendingTarget, tradingPlan } from './trading-plan.ts';

const DRY = {
  ...{ id: 'd1', scriptId: 's', revision: 3, name: 'Trend', symbol: 'BTCUSDT', interval: '1h', inputs: { Length: 30 } },
  ...{ mode: 'dry-run', orderMessage: 'x', initialCapital: 5000 },
  targets: [
    { type: 'telegram' },
    { type: 'signals', signalType: 'LONG' },
    { type: 'webhook', url: 'https://a.example/hook', signed: false, body: 'message' },
    { type: 'trade', keyId: 'k1', exchange: 'bybit', strategy: 'mine' },
  ],
} as unknown as Deployment;

test('its settings, and every target with its fields', () => {
  expect(tradingPlan(DRY, 'whk_x')).toEqual({
    plan: {
      ...{ scriptId: 's', revision: 3, name: 'Trend', symbol: 'BTCUSDT', interval: '1h', inputs: { Length: 30 } },
      ...{ mode: 'trade', orderMessage: 'x', initialCapital: 5000, replaces: 'd1' },
      targets: [
        { type: 'telegram' },
        { type: 'signals', signalType: 'LONG' },
        { type: 'webhook', url: 'https://a.example/hook', body: 'message' },
        { type: 'trade', apiKey: 'whk_x', exchange: 'bybit', strategy: 'mine' },
      ],
    },
    leftOut: [],
  });
});

test('what cannot be taken along is named', () => {
  const targets = [
    { type: 'webhook', url: 'https://a.example/hook', signed: true },
    { type: 'trade', keyId: 'k1' },
  ];
  const { plan, leftOut } = tradingPlan({ ...DRY, targets }, 'whk_x');
  expect(plan.targets).toEqual([{ type: 'trade', apiKey: 'whk_x' }]);
  expect(leftOut).toEqual(['its signed web address https://a.example/hook']);
});

test('a second opinion goes on with everything it was set to', () => {
  const opinion = {
    exchange: 'bybit',
    alertName: 'mine',
    sendMissing: true,
    lateAfterSeconds: 9,
    fields: { leverage: 2 },
  };
  const targets = [{ type: 'second-opinion', keyId: 'k2', keyLabel: 'tv', ...opinion }];
  const { plan, leftOut } = tradingPlan({ ...DRY, targets }, 'whk_x');
  expect(plan.targets).toEqual([{ type: 'second-opinion', apiKey: 'whk_x', ...opinion }]);
  expect(leftOut).toEqual([]);
});

test('what needs a key is what trades, and a second opinion only where it sends', () => {
  const of = (...targets: Deployment['targets']) => sendingTarget({ targets })?.type;
  expect(of({ type: 'telegram' }, { type: 'trade' })).toBe('trade');
  expect(of({ type: 'second-opinion', sendMissing: true })).toBe('second-opinion');
  expect(of({ type: 'second-opinion', sendMissing: false })).toBeUndefined();
});
