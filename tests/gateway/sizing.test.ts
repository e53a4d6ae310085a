// Sizes through the front door: worked out with fresh facts, cut to the step, and told in the answer.

import { beforeAll, describe, expect, it } from 'vitest';
import type { RangeSource } from '../../src/market-data/price-source.ts';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { expectFault, expectFaults, expectFilled, freshGateway } from '../webhook/answers.ts';

const PRICE = '50000';
/** A market that stands still, so that sizes can be said beforehand. */
const prices: RangeSource = {
  label: 'simulated',
  lastPrice: async () => PRICE,
  bars: async () => [],
  range: async () => ({ high: PRICE, low: PRICE }),
};

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await freshGateway({ prices, accounts: ['scalp'] });
});

const size = ({ body }: Sent) => {
  const { requestedQuantity, quantity, executedQty } = body.tradeResult;
  return { requestedQuantity, quantity, executedQty };
};

describe('an entry', () => {
  it('of an amount of money', async () => {
    const sent = await gateway.send({ quantityType: 'quote', quantity: 1234 });
    expectFilled(sent);
    expect(size(sent)).toEqual({ requestedQuantity: 1234, quantity: 0.024, executedQty: 0.024 });
    expect(sent.body.tradeResult.notional).toBe(1200);
    expect(sent.body).not.toHaveProperty('warnings');
  });

  it('of a percentage of the account, each account by its own', async () => {
    const sent = await gateway.send({ account: 'scalp', quantityType: 'percent_equity', quantity: 10 });
    expectFilled(sent);
    expect(size(sent)).toEqual({ requestedQuantity: 10, quantity: 0.2, executedQty: 0.2 });
  });

  it('of a risk', async () => {
    const signal = { account: 'scalp', quantityType: 'risk_percent', quantity: 1, stopLoss: 49_000, symbol: 'BTCUSDT' };
    const sent = await gateway.send(signal);
    expectFilled(sent);
    // A little less than 100000 is left after the fees of the entry before: 1 % of it over 1000.
    expect(sent.body.tradeResult.quantity).toBe(0.999);
  });

  it('says what it counts in the list of trades, and base where nothing was said', async () => {
    const sent = await gateway.send({ quantityType: 'quote', quantity: 500 });
    const story = await gateway.request('GET', `/trades/${sent.body.requestId}`);
    expect(story.body.result).toMatchObject({ quantity: 500, quantityType: 'quote' });
    const plain = await gateway.send({ quantity: 0.01 });
    expect(plain.body.tradeResult).not.toHaveProperty('requestedQuantity');
    const other = await gateway.request('GET', `/trades/${plain.body.requestId}`);
    expect(other.body.result.quantityType).toBe('base');
  });
});

describe('a close', () => {
  it('of a percentage of what the strategy holds', async () => {
    const of = { symbol: 'ETHUSDT', strategy: 'trend' };
    expectFilled(await gateway.send({ ...of, quantity: 1 }));
    expectFilled(await gateway.send({ symbol: 'ETHUSDT', quantity: 1 }));
    const half = await gateway.send({ ...of, action: 'CLOSE_LONG', quantityType: 'percent_position', quantity: 50 });
    expect(size(half)).toEqual({ requestedQuantity: 50, quantity: 0.5, executedQty: 0.5 });
    const rest = await gateway.send({ ...of, action: 'CLOSE_LONG', quantityType: 'percent_position', quantity: 100 });
    expect(size(rest)).toEqual({ requestedQuantity: 100, quantity: 0.5, executedQty: 0.5 });
  });

  it('of a percentage is one of what was held before it, also when its second order has to be sent again', async () => {
    const venue = createScriptedVenue();
    const own = await freshGateway({ venues: [venue] });
    expectFilled(await own.send({ strategy: 'trend', quantity: 4 }));
    expectFilled(await own.send({ strategy: 'range', action: 'SHORT', quantity: 3 }));
    // What is left of the position is 1: one order closes that, a second one opens what the other strategy holds against it.
    venue.script.push({ waitMs: 0 }, { fail: 'not-sent' });
    const half = await own.send({
      strategy: 'trend',
      action: 'CLOSE_LONG',
      quantityType: 'percent_position',
      quantity: 50,
    });
    const { executedQty } = await own.until(half.body.requestId, 'Filled');
    expect(executedQty).toBe(2);
    const rest = await own.send({
      strategy: 'trend',
      action: 'CLOSE_LONG',
      quantityType: 'percent_position',
      quantity: 100,
    });
    expect(size(rest)).toMatchObject({ quantity: 2, executedQty: 2 });
  });

  it('by a TradingView exit leaves out what sizes entries', async () => {
    const alert = { exchange: 'BINANCE', symbol: 'SOLUSDT', quantityType: 'quote', quantity: '100000' };
    const send = (more: object) =>
      gateway.request('POST', '/webhook/tradingview', { apiKey: gateway.apiKey, ...alert, ...more });
    expectFilled(await send({ action: 'buy', marketPosition: 'long' }));
    const exit = await send({ action: 'sell', marketPosition: 'flat', prevMarketPosition: 'long' });
    expectFilled(exit);
    expect(exit.body.tradeResult).toMatchObject({ executedQty: 2 });
  });

  describe('by a TradingView exit of a part, in a template that sizes entries in another unit', () => {
    const market = { exchange: 'BINANCE', symbol: 'BTCUSDT', strategy: 'parts' };
    const alert = { ...market, marketPosition: 'long', prevMarketPosition: 'long' };
    const send = (more: object) =>
      gateway.request('POST', '/webhook/tradingview', { apiKey: gateway.apiKey, ...alert, ...more });
    const exit = (more: object) => send({ action: 'sell', ...more });

    it.each([
      ['quote', '500'],
      ['percent_equity', '5'],
      ['risk_percent', '1'],
    ])('%s closes by the contracts', async (quantityType, quantity) => {
      expectFilled(await send({ action: 'buy', quantity: '0.01' }));
      const sent = await exit({ quantityType, quantity, contracts: '0.002' });
      expectFilled(sent);
      expect(sent.body.tradeResult).toMatchObject({ executedQty: 0.002 });
      expect(sent.body).not.toHaveProperty('warnings');
    });

    it('needs the contracts', async () => {
      expectFaults(await exit({ quantityType: 'quote', quantity: '500' }), 'contracts');
    });

    it('closes by its quantity where that is in base currency, or a percentage of the position', async () => {
      expectFilled(await send({ action: 'buy', quantity: '1', strategy: 'half' }));
      const base = await exit({ quantityType: 'base', quantity: '0.2', contracts: '0.1', strategy: 'half' });
      expect(base.body.tradeResult).toMatchObject({ executedQty: 0.2 });
      const percent = { quantityType: 'percent_position', quantity: '50', contracts: '0.1', strategy: 'half' };
      expect((await exit(percent)).body.tradeResult).toMatchObject({ executedQty: 0.4 });
    });

    it('and its entries are told of nothing, because their exits need the contracts', async () => {
      const sent = await send({ action: 'buy', quantityType: 'quote', quantity: '500', contracts: '0.002' });
      expectFilled(sent);
      expect(sent.body.tradeResult).toMatchObject({ executedQty: 0.01 });
      expect(sent.body).not.toHaveProperty('warnings');
    });
  });
});

it('a route multiplies a size, but not a percentage of what is held', async () => {
  const routes = [{ account: 'main' }, { account: 'scalp', multiplier: 0.5 }];
  const { apiKey } = (await gateway.request('POST', '/admin/webhook-keys', { label: 'two', routes })).body.result;
  const quantities = ({ body }: Sent) => body.tradeResults.map((each: { quantity: number }) => each.quantity);
  const of = { apiKey, symbol: 'XRPUSDT' };
  expect(quantities(await gateway.send({ ...of, quantityType: 'quote', quantity: 100_000 }))).toEqual([2, 1]);
  const half = { ...of, action: 'CLOSE_LONG', quantityType: 'percent_position', quantity: 50 };
  expect(quantities(await gateway.send(half))).toEqual([1, 0.5]);
});

describe('what cannot be meant is refused', () => {
  it.each([
    [{ quantityType: 'percent_position' }, 'quantityType'],
    [{ action: 'CLOSE_LONG', quantityType: 'percent_equity' }, 'quantityType'],
    [{ action: 'CLOSE_LONG', quantityType: 'risk_percent' }, 'quantityType'],
    [{ action: 'CLOSE_LONG', quantityType: 'percent_position', quantity: 100.1 }, 'quantity'],
    [{ quantityType: 'risk_percent', quantity: 1 }, 'stopLoss'],
    [{ quantityType: 'risk_percent', quantity: 101, stopLoss: 40_000 }, 'quantity'],
    [{ quantityType: 'percent_equity', quantity: 12_501 }, 'quantity'],
  ])('%j', async (signal, field) => {
    expectFaults(await gateway.send(signal), field);
  });

  it('as is an unknown word, and a misspelled field', async () => {
    await expectFault(gateway, 'quantityType', 'percent', 'base');
    expectFaults(await gateway.send({ quantity_type: 'quote' }), 'quantity_type');
  });
});
