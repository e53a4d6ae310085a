// The message of an alert: what TradingView fills in, what stays as chosen, and what must be chosen first.

import { describe, expect, test } from 'vitest';
import { type AlertChoice, alertTemplate, KEY_PLACE } from './alert-template.ts';

const STRATEGY: AlertChoice = {
  ...{ kind: 'strategy', apiKey: '', exchange: 'binance', symbol: '', account: '', action: 'LONG' },
  ...{ quantity: '', strategy: '', stopLoss: '', tradesOnce: false },
};
const bodyOf = (choice: AlertChoice) => JSON.parse(alertTemplate(choice).body);

describe('of a strategy', () => {
  test('goes to the door for strategies with all that a reversal needs, and marks the place of the key', () => {
    const { path, missing } = alertTemplate(STRATEGY);
    expect([path, missing]).toEqual(['/webhook/tradingview', undefined]);
    expect(bodyOf(STRATEGY)).toEqual({
      apiKey: KEY_PLACE,
      exchange: 'binance',
      symbol: '{{ticker}}',
      action: '{{strategy.order.action}}',
      quantity: '{{strategy.order.contracts}}',
      marketPosition: '{{strategy.market_position}}',
      prevMarketPosition: '{{strategy.prev_market_position}}',
      marketPositionSize: '{{strategy.market_position_size}}',
      prevMarketPositionSize: '{{strategy.prev_market_position_size}}',
    });
  });

  test('takes what was chosen', () => {
    const chosen = { account: 'scalp', symbol: ' ETHUSDT ', quantity: '0.5', strategy: 'ema', stopLoss: '2 %' };
    expect(bodyOf({ ...STRATEGY, ...chosen, apiKey: 'whk_1', tradesOnce: true })).toMatchObject({
      ...{ apiKey: 'whk_1', account: 'scalp', symbol: 'ETHUSDT', quantity: 0.5, strategy: 'ema' },
      ...{ stopLoss: { percent: 2 }, alertId: expect.stringContaining('-{{timenow}}-{{strategy.order.id}}-') },
    });
  });

  test('with a size of your own says that it is, and sends none of the strategy’s', () => {
    expect(Object.entries(bodyOf({ ...STRATEGY, quantity: '0.02' })).slice(4)).toEqual([
      ['quantity', 0.02],
      ['ownQuantity', true],
      ['marketPosition', '{{strategy.market_position}}'],
      ['prevMarketPosition', '{{strategy.prev_market_position}}'],
    ]);
  });
});

describe('of an indicator', () => {
  const INDICATOR: AlertChoice = { ...STRATEGY, kind: 'indicator', quantity: '0.01', action: 'CLOSE_LONG' };

  test('goes to the strict door: numbers are numbers', () => {
    expect(alertTemplate(INDICATOR).path).toBe('/webhook');
    expect(bodyOf({ ...INDICATOR, action: 'SHORT', stopLoss: '60000' })).toEqual({
      ...{ apiKey: KEY_PLACE, exchange: 'binance', symbol: '{{ticker}}', action: 'SHORT' },
      ...{ quantity: 0.01, stopLoss: 60_000 },
    });
  });

  test.each([
    ['', 'Give a quantity: an indicator has no size of its own.'],
    ['0', 'The quantity is a plain number, such as 0.01.'],
    ['0,5', 'The quantity is a plain number, such as 0.01.'],
    ['.5', undefined],
  ])('with the quantity %j says %j', (quantity, words) => {
    expect(alertTemplate({ ...INDICATOR, quantity }).missing).toBe(words);
  });

  test.each(['CLOSE_LONG', 'CLOSE_SHORT'])(
    'that is a %s carries no stop of an entry chosen before, or it would be refused',
    (action) => {
      expect(bodyOf({ ...INDICATOR, action, stopLoss: '2%' })).not.toHaveProperty('stopLoss');
      expect(alertTemplate({ ...INDICATOR, action, stopLoss: 'tight' }).missing).toBeUndefined();
    },
  );

  test('does not take a stop that is neither a price nor a distance', () => {
    expect(alertTemplate({ ...INDICATOR, action: 'LONG', stopLoss: 'tight' }).missing).toContain('stop loss');
  });
});

describe('the name of an alert', () => {
  const named: AlertChoice = { ...STRATEGY, kind: 'indicator', quantity: '0.01', tradesOnce: true };
  const nameOf = (choice: AlertChoice): string => bodyOf(choice).alertId;

  test('stays as it is for the same choice, whoever’s key is filled in', () => {
    expect(nameOf(named)).toMatch(/^[0-9a-f]{8}-\{\{ticker\}\}-\{\{interval\}\}-\{\{timenow\}\}$/);
    expect(nameOf({ ...named, apiKey: 'whk_1' })).toBe(nameOf(named));
  });

  test.each<Partial<AlertChoice>>([
    { action: 'CLOSE_LONG' },
    { exchange: 'bybit' },
    { account: 'scalp' },
    { strategy: 'ema' },
    { quantity: '0.02' },
    { stopLoss: '2%' },
    { kind: 'strategy' },
  ])('is another one with %j, because both may fire in the same second', (other) => {
    expect(nameOf({ ...named, ...other })).not.toBe(nameOf(named));
  });

  test('tells the fills of one order of a strategy apart by the size after each', () => {
    expect(nameOf({ ...named, kind: 'strategy' })).toContain(
      '-{{strategy.order.id}}-{{strategy.market_position_size}}',
    );
  });
});
