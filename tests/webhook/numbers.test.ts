// The rows of the field tables of POST /webhook that hold numbers, at their boundaries.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { expectFault, expectFaults, expectFilled, expectRefusal } from './answers.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openGateway({ venues: [createScriptedVenue('binance', 'hedge')] });
});
afterAll(() => gateway.close());

describe('quantity', () => {
  it.each([
    ['missing', undefined, 'missing'],
    ['null', null, 'send a number'],
    ['zero', 0, 'more than 0'],
    ['minus zero', -0, 'more than 0'],
    ['negative', -1, 'more than 0'],
    ['a hair below zero', -Number.MIN_VALUE, 'more than 0'],
    ['true', true, 'send a number'],
    ['an array', [1], 'send a number'],
    ['an object', {}, 'send a number'],
    ['a number in quotes', '1', 'drop the quotes'],
    ['a decimal in quotes', ' 0.5 ', 'drop the quotes'],
    ['text', 'all', 'without quotes'],
    ['NaN in quotes', 'NaN', 'without quotes'],
    ['empty text', '', 'without quotes'],
    ['smaller than any market trades', Number.MIN_VALUE, 'smaller than any market trades'],
    ['below the twelfth place', 9e-13, 'smaller than any market trades'],
    ['more than any market trades', 1.1e15, 'at most 1000000000000000'],
    ['the largest number there is', Number.MAX_VALUE, 'at most 1000000000000000'],
  ])('that is %s is 400', (_, value, words) => expectFault(gateway, 'quantity', value, words));

  it.each([
    ['1e400', 'too large for a number'],
    ['-1e400', 'too large for a number'],
    ['1e99999', 'too large for a number'],
  ])('written as %s is 400', async (literal, words) => {
    const sent = await gateway.request('POST', '/webhook', JSON.stringify(gateway.signal()).replace('0.01', literal));
    expectFaults(sent, 'quantity');
    expect(sent.body.error).toContain(words);
  });

  it.each(['NaN', 'Infinity', '-Infinity', '0x10', '01', '+1', '.5', '1.', '1_000'])(
    'written as a bare %s is no JSON',
    async (literal) => {
      const body = JSON.stringify(gateway.signal()).replace('0.01', literal);
      expectRefusal(await gateway.request('POST', '/webhook', body), 'INVALID_JSON');
    },
  );

  it.each(['0.05', '5e-2', '0.5E-1', '50.0e-3', '0.0500000000000000000000'])(
    'may be written as %s',
    async (literal) => {
      const body = JSON.stringify(gateway.signal()).replace('0.01', literal);
      const sent = await gateway.request('POST', '/webhook', body);
      expectFilled(sent);
      expect(sent.body.tradeResult.executedQty).toBe(0.05);
    },
  );

  it('of the smallest size a market trades is traded', async () => {
    expect((await gateway.send({ quantity: 0.05 })).body.tradeResult.executedQty).toBe(0.05);
    expect((await gateway.send({ exchange: 'mexc', quantity: 0.0001 })).body.tradeResult.executedQty).toBe(0.0001);
  });

  it('of the largest size that is read can be read back', async () => {
    const sent = await gateway.send({ exchange: 'bybit', quantity: 1e15, price: 1e15 });
    expectRefusal(sent, 'ORDER_TOO_LARGE', 'tradeResult', 'notificationResult');
    expect((await gateway.request('GET', '/trades')).body.result[0]).toMatchObject({ quantity: 1e15, price: 1e15 });
  });
});

describe('price', () => {
  it.each([
    ['null', null, 'send a number'],
    ['zero', 0, 'more than 0'],
    ['negative', -1, 'more than 0'],
    ['in quotes', '100', 'drop the quotes'],
    ['true', true, 'send a number'],
    ['below the twelfth place', 9e-13, 'smaller than any market trades at'],
    ['more than any market', 1.1e15, 'at most'],
  ])('that is %s is 400', (_, value, words) => expectFault(gateway, 'price', value, words));

  it('that is absent makes a market order', async () => {
    const sent = await gateway.send();
    expect((await gateway.trade(sent.body.requestId)).orders[0].price).toBe(null);
  });

  it('that is there makes a limit order at that price', async () => {
    const sent = await gateway.send({ price: 99.5 });
    expect((await gateway.trade(sent.body.requestId)).orders[0].price).toBe(99.5);
  });
});

describe('leverage', () => {
  it.each([
    ['null', null, 'send a number'],
    ['zero', 0, 'at least 1'],
    ['negative', -5, 'at least 1'],
    ['one and a half', 1.5, 'whole number'],
    ['in quotes', '5', 'drop the quotes'],
    ['true', true, 'send a number'],
    ['beyond whole numbers', 2 ** 53, 'at most'],
  ])('that is %s is 400', async (_, value, words) => {
    const sent = await gateway.send({ leverage: value });
    expectFaults(sent, 'leverage');
    expect(sent.body.error).toContain(words);
  });

  it.each([1, 2, 50])('of %i is set before the order', async (leverage) => {
    const sent = await gateway.send({ leverage });
    expectFilled(sent);
    expect((await gateway.trade(sent.body.requestId)).leverage).toBe(leverage);
  });

  it('written as 5.0 is the whole number 5', async () => {
    const body = JSON.stringify(gateway.signal({ leverage: 77 })).replace('"leverage":77', '"leverage":5.0');
    expectFilled(await gateway.request('POST', '/webhook', body));
  });
});
