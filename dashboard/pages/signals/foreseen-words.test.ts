// What a dry run costs and risks, in words: what is not known is said so, and a refusal is never said to have passed.

import { describe, expect, test } from 'vitest';
import type { Checked } from '../../server/answers.ts';
import { costFacts, gatesWords, orderWords } from './foreseen-words.ts';

type Foreseen = Checked['accounts'][number];
const NO_STOPS = {
  ...{ stopLoss: null, takeProfit: null, targets: [], trailPercent: null, trailAmount: null },
  ...{ activationPrice: null, breakEvenAfter: null, maxHoldSeconds: null },
};
const account = (fields: Partial<Foreseen>): Foreseen =>
  ({
    ...{ action: 'LONG', price: 50_000, leverage: null, leverageInForce: 20, margin: 500, freeMargin: 99_000 },
    ...{ fee: 5, protection: null, risk: null },
    ...fields,
  }) as unknown as Foreseen;
const facts = (fields: Partial<Foreseen>, asked = {}) => Object.fromEntries(costFacts(account(fields), asked));

describe('costs', () => {
  test('of an entry', () => {
    expect(facts({})).toEqual({
      Margin: 'about 500.00 USDT at 20×; 99,000.00 USDT are free',
      Fee: 'about 5.00 USDT',
      Stops: 'none',
      'Lost at the stop': 'no stop of its own limits it',
    });
  });

  test('with stops, and how far they are', () => {
    const protection = { ...NO_STOPS, stopLoss: 49_000, takeProfit: 55_000 };
    const risk = { loss: 200, percentOfEquity: 0.2, stopDistancePercent: 2 };
    expect(facts({ protection, risk, leverage: 5, leverageInForce: 5 })).toMatchObject({
      Margin: 'about 500.00 USDT at 5×, which is set first; 99,000.00 USDT are free',
      Stops: 'stop 49,000 (−2.00 %) · target 55,000 (+10.00 %)',
      'Lost at the stop': 'about 200.00 USDT, 0.20 % of the account, before fees',
    });
  });

  test('that nobody knows, and a trail that waits', () => {
    const protection = { ...NO_STOPS, trailPercent: 2, activationPrice: 60_000 };
    expect(facts({ margin: null, leverageInForce: null, fee: null, protection })).toMatchObject({
      Margin: 'not known: the venue does not tell it beforehand',
      Fee: '–',
      'Lost at the stop': 'no stop limits it until the trail begins',
    });
  });

  test.each([
    ['none', 'no stop of its own limits it', {}],
    ['not known yet: the market has no price', 'not known yet: the market has no price', { stopLoss: '2%' }],
    ['not known yet: the market has no price', 'not known yet: the market has no price', { trail: '2%' }],
    ['not known yet: the market has no price', 'no stop of its own limits it', { takeProfit: '60000' }],
    [
      'not known yet: the market has no price',
      'no stop limits it until the trail begins',
      { trail: '2%', activationPrice: '60000' },
    ],
    [
      'not known yet: the market has no price',
      'not known yet: the market has no price',
      { stopLoss: '40000', trail: '2%', activationPrice: '60000' },
    ],
  ])('without a price: %s, %s', (stops, lost, asked) => {
    const told = facts({ price: null, margin: null, fee: null }, asked);
    expect(told).toMatchObject({
      Margin: 'not known yet: the market has no price',
      Stops: stops,
      'Lost at the stop': lost,
    });
  });

  test('of a close are its fee', () => {
    expect(Object.keys(facts({ action: 'CLOSE_LONG' }))).toEqual(['Fee']);
  });
});

test.each([
  ['would_trade', 'passed', 'All 2 gates passed'],
  ['would_refuse', 'passed', 'Let in by the gates, refused as an order'],
  ['would_refuse', 'refused', '1 gate passed, then refused: kill switch'],
] as const)('%s where the last gate is %s', (outcome, last, words) => {
  const gate = (name: string, verdict: string) => ({ gate: name, outcome: verdict, code: null, error: null });
  const gates = [gate('market', 'passed'), gate('kill_switch', last)] as unknown as Checked['gates'];
  expect(gatesWords({ outcome, gates })).toBe(words);
});

test('orders are told one by one, with what each is for', () => {
  const order: Foreseen['orders'][number] = {
    ...{ leg: 'open', side: 'BUY', positionSide: 'LONG', reduceOnly: false, type: 'market', quantity: 0.01 },
    ...{ price: null, timeInForce: null, postOnly: false },
  };
  expect(orderWords(order)).toBe('BUY 0.01 at the market, opens long');
  expect(orderWords({ ...order, leg: 'flatten', positionSide: 'SHORT', reduceOnly: true })).toBe(
    'BUY 0.01 at the market, closes the other side first',
  );
  expect(orderWords({ ...order, type: 'limit', price: 60_000, timeInForce: 'IOC', postOnly: true })).toBe(
    'BUY 0.01 limit 60,000 IOC post only, opens long',
  );
});
