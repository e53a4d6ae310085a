// A reversal of a TradingView strategy ends with the position that the strategy has: marketPositionSize is its target.

import { describe, expect, it } from 'vitest';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { expectFaults, expectFilled, freshGateway } from './answers.ts';

interface Held {
  readonly account: string;
  readonly side: string;
  readonly quantity: number;
}

const alert = (gateway: TestGateway, fields: object): Promise<Sent> =>
  gateway.request('POST', '/webhook/tradingview', {
    ...{ apiKey: gateway.apiKey, exchange: 'binance', ticker: 'ETHUSDT.P', ...fields },
  });
const enter = (gateway: TestGateway, size: number) =>
  alert(gateway, {
    ...{ action: 'buy', contracts: `${size}`, marketPosition: 'long', marketPositionSize: `${size}` },
    ...{ prevMarketPosition: 'flat', prevMarketPositionSize: '0' },
  });
/** From long to short: the order counts both. */
const turn = (gateway: TestGateway, from: number, to: number, more: object = {}) =>
  alert(gateway, {
    ...{ action: 'sell', contracts: `${from + to}`, marketPosition: 'short', marketPositionSize: `-${to}` },
    ...{ prevMarketPosition: 'long', prevMarketPositionSize: `${from}`, ...more },
  });
const held = async (gateway: TestGateway): Promise<string> =>
  (await gateway.request('GET', '/positions')).body.result
    .map(({ account, side, quantity }: Held) => `${account} ${side} ${quantity}`)
    .sort()
    .join(', ');

describe('on a one-way account', () => {
  it.each([
    [2, 3],
    [3, 2],
    [2, 2],
    [0.001, 5],
  ])('from long %d to short %d', async (from, to) => {
    const gateway = await freshGateway();
    if (from >= 0.01) expectFilled(await enter(gateway, from));
    expectFilled(await turn(gateway, from, to));
    expect(await held(gateway)).toBe(`main SHORT ${to}`);
  });

  it('reaches its target also where less is held than the strategy believes, or nothing', async () => {
    const gateway = await freshGateway();
    expectFilled(await enter(gateway, 1));
    expectFilled(await turn(gateway, 2, 3));
    expect(await held(gateway)).toBe('main SHORT 3');
  });

  it('with multipliers each account has its own target', async () => {
    const gateway = await freshGateway({ accounts: ['half'] });
    const { keyId } = gateway.keys.list()[0] as { keyId: string };
    await gateway.keys.route(keyId, [
      { account: 'main', multiplier: 1 },
      { account: 'half', multiplier: 0.5 },
    ]);
    await enter(gateway, 2);
    expect(await held(gateway)).toBe('half LONG 1, main LONG 2');
    await turn(gateway, 2, 3);
    expect(await held(gateway)).toBe('half SHORT 1.5, main SHORT 3');
  });

  it('of a named strategy leaves the shares of others alone', async () => {
    const gateway = await freshGateway();
    expectFilled(await gateway.send({ symbol: 'ETHUSDT', quantity: 4, strategy: 'other' }));
    expectFilled(await enter(gateway, 2));
    expectFilled(await turn(gateway, 2, 3));
    expect(await held(gateway)).toBe('main LONG 1');
  });

  it('with a size in money of its own opens that, and needs no marketPositionSize', async () => {
    const gateway = await freshGateway();
    expectFilled(await enter(gateway, 2));
    const size = { quantity: 5000, quantityType: 'quote', marketPositionSize: undefined };
    const sent = await turn(gateway, 2, 3, size);
    expectFilled(sent);
    expect(await gateway.trade(sent.body.requestId)).toMatchObject({ quantity: 5000, quantityType: 'quote' });
    expect(sent.body.tradeResult.requestedQuantity).toBe(5000);
    expect(await held(gateway)).toBe(`main SHORT ${sent.body.tradeResult.quantity}`);
  });

  it('without marketPositionSize is refused: the order counts two positions', async () => {
    const gateway = await freshGateway();
    const sent = await turn(gateway, 2, 3, { marketPositionSize: undefined });
    expectFaults(sent, 'marketPositionSize');
  });
});
