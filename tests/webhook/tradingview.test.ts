// POST /webhook/tradingview takes the strategy placeholders as TradingView renders them and guesses nothing.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openGateway, type Sent, type TestGateway } from '../support/gateway.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { expectFaults, expectFilled, expectRefusal } from './answers.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openGateway({ venues: [createScriptedVenue('binance', 'hedge')] });
});
afterAll(() => gateway.close());

const post = (body: unknown): Promise<Sent> => gateway.request('POST', '/webhook/tradingview', body);
const alert = (fields: Record<string, unknown>): Promise<Sent> =>
  post({ apiKey: gateway.apiKey, exchange: 'binance', symbol: 'BTCUSDT', quantity: '1', ...fields });
const traded = async (sent: Sent) => {
  const { action, quantity, market, exchange, source } = await gateway.trade(sent.body.requestId);
  return { action, quantity, market, exchange, source };
};

describe('the action', () => {
  it.each([
    ['buy', 'long', 'flat', 'LONG'],
    ['buy', 'long', 'long', 'LONG'],
    ['buy', 'flat', 'short', 'CLOSE_SHORT'],
    ['buy', 'short', 'short', 'CLOSE_SHORT'],
    ['sell', 'short', 'flat', 'SHORT'],
    ['sell', 'short', 'short', 'SHORT'],
    ['sell', 'flat', 'long', 'CLOSE_LONG'],
    ['sell', 'long', 'long', 'CLOSE_LONG'],
  ])('%s with position %s after %s is %s', async (action, marketPosition, prevMarketPosition, expected) => {
    const sent = await alert({ action, marketPosition, prevMarketPosition });
    expect(await traded(sent)).toEqual({
      action: expected,
      quantity: 1,
      market: 'BTCUSDT',
      exchange: 'binance',
      source: 'tradingview',
    });
  });

  it('does not need the position before it', async () => {
    expect((await traded(await alert({ action: 'buy', marketPosition: 'long' }))).action).toBe('LONG');
  });

  it('may be written in any case, with blanks around it', async () => {
    expect((await traded(await alert({ action: ' Buy ', marketPosition: 'LONG' }))).action).toBe('LONG');
  });

  it.each(['LONG', 'SHORT', 'CLOSE_LONG', 'CLOSE_SHORT', 'close_long'])('may be %s itself', async (action) => {
    expect((await traded(await alert({ action }))).action).toBe(action.toUpperCase());
  });

  it.each(['', 'hold', 'close', 'buy to cover', '{{strategy.order.action}}'])('%j is refused', async (action) => {
    const sent = await alert({ action, marketPosition: 'long' });
    expectFaults(sent, 'action');
    expect(sent.body.error).toContain('{{strategy.order.action}}');
  });

  it.each([[undefined], [''], ['both'], ['{{x}}']])(
    'buy with position %j is refused, not guessed',
    async (marketPosition) => {
      const sent = await alert({ action: 'buy', marketPosition });
      expectFaults(sent, 'marketPosition');
      expect(sent.body.error).toContain('{{strategy.market_position}}');
    },
  );
});

describe('a reversal', () => {
  it.each([
    ['buy', 'long', 'short', 'LONG'],
    ['sell', 'short', 'long', 'SHORT'],
  ])('%s to %s from %s is sized by the new position', async (action, marketPosition, prevMarketPosition, expected) => {
    for (const marketPositionSize of ['2', 2, '-2', -2]) {
      const sent = await alert({ action, marketPosition, prevMarketPosition, marketPositionSize, quantity: '5' });
      expectFilled(sent);
      expect(await traded(sent)).toMatchObject({ action: expected, quantity: 2 });
    }
  });

  it('without the size of the new position is refused', async () => {
    const sent = await alert({ action: 'buy', marketPosition: 'long', prevMarketPosition: 'short' });
    expectFaults(sent, 'marketPositionSize');
    expect(sent.body.error).toContain('{{strategy.market_position_size}}');
  });

  it('to a size of nothing is refused', async () => {
    const reversal = { action: 'buy', marketPosition: 'long', prevMarketPosition: 'short' };
    expectFaults(await alert({ ...reversal, marketPositionSize: '0' }), 'quantity');
    expectFaults(await alert({ ...reversal, marketPositionSize: 'NaN' }), 'marketPositionSize');
  });
});

describe('numbers', () => {
  it.each([
    ['1.5', 1.5],
    [' 1.5 ', 1.5],
    ['+1.5', 1.5],
    ['.5', 0.5],
    ['1e1', 10],
    [1.5, 1.5],
  ])('%j are read as %d', async (quantity, expected) => {
    expect((await traded(await alert({ action: 'LONG', quantity }))).quantity).toBe(expected);
  });

  it.each(['NaN', 'nan'])('%s says that the placeholder was empty', async (quantity) => {
    const sent = await alert({ action: 'LONG', quantity });
    expectFaults(sent, 'quantity');
    expect(sent.body.error).toContain('rendered as NaN');
  });

  it.each(['', 'abc', '1,5', '1 000', '0x10', 'Infinity', '{{strategy.order.contracts}}', '1.5.5'])(
    '%j is no number',
    async (quantity) => expectFaults(await alert({ action: 'LONG', quantity }), 'quantity'),
  );

  it.each(['0', '-1', '1e400', '1e-400'])('%s is out of range', async (quantity) => {
    expectFaults(await alert({ action: 'LONG', quantity }), 'quantity');
  });

  it('that are missing altogether are asked for', async () => {
    expectFaults(await alert({ action: 'LONG', quantity: undefined }), 'quantity');
  });

  it('are read for price and leverage too', async () => {
    const sent = await alert({ action: 'LONG', price: '99.5', leverage: '3' });
    expect(await gateway.trade(sent.body.requestId)).toMatchObject({ price: 99.5, leverage: 3 });
    expectFaults(await alert({ action: 'LONG', price: 'NaN', leverage: 'x' }), 'price', 'leverage');
    expectFaults(await alert({ action: 'LONG', leverage: '1.5' }), 'leverage');
  });

  it('as a bare NaN are no JSON, and the words say what happened', async () => {
    const body = JSON.stringify({ apiKey: gateway.apiKey, action: 'LONG', quantity: 1 }).replace(':1', ':NaN');
    const sent = await post(body);
    expectRefusal(sent, 'INVALID_JSON');
    expect(sent.body.error).toContain('a placeholder rendered as NaN');
  });
});

describe('names', () => {
  it('may be those of the placeholders', async () => {
    const { apiKey } = gateway;
    const sent = await post({
      apiKey,
      exchange: 'BINANCE',
      ticker: 'ETHUSDT.P',
      action: 'buy',
      contracts: '4',
      market_position: 'long',
      prev_market_position: 'short',
      market_position_size: '2',
    });
    expect(await traded(sent)).toMatchObject({ action: 'LONG', quantity: 2, market: 'ETHUSDT', exchange: 'binance' });
  });

  it('of a symbol are read without its venue and its suffix', async () => {
    expect((await traded(await alert({ action: 'LONG', symbol: 'BINANCE:BTCUSDT.P' }))).market).toBe('BTCUSDT');
  });

  it('of an unknown exchange are refused', async () => {
    expectFaults(await alert({ action: 'LONG', exchange: 'NASDAQ' }), 'exchange');
  });

  it('that are missing are all listed', async () => {
    expectFaults(await post({}), 'apiKey', 'exchange', 'action');
    expectFaults(await alert({ action: 'LONG', symbol: undefined }), 'symbol');
  });
});

describe('the templates in examples/', () => {
  const render = (file: string, values: Record<string, string>): string => {
    const template = readFileSync(new URL(`../../examples/${file}`, import.meta.url), 'utf8');
    const filled = Object.entries(values).reduce(
      (text, [name, value]) => text.replaceAll(`{{${name}}}`, value),
      template,
    );
    return filled.replace('whk_PUT-YOUR-KEY-HERE', gateway.apiKey);
  };
  const values = {
    ticker: 'BTCUSDT.P',
    'strategy.order.id': 'Long "A"',
    'strategy.order.action': 'buy',
    'strategy.order.contracts': '0.05',
    'strategy.market_position': 'long',
    'strategy.prev_market_position': 'flat',
    'strategy.market_position_size': '0.05',
  };

  it('trade when TradingView renders them, sent as text/plain', async () => {
    const body = render('tradingview-strategy.json', values);
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    const sent = await gateway.request('POST', '/webhook/tradingview', body, { headers, peer: '52.89.214.238' });
    expectFilled(sent);
    expect(await traded(sent)).toMatchObject({ action: 'LONG', quantity: 0.05, market: 'BTCUSDT' });
  });

  it('notify too', async () => {
    const sent = await post(render('tradingview-strategy-with-notify.json', { ...values, 'strategy.order.id': 'L1' }));
    expectFilled(sent);
    expect(gateway.notices.at(-1)?.text).toBe('L1: buy BTCUSDT.P');
  });

  it('with a quote inside a placeholder are no JSON, and say where', async () => {
    const sent = await post(render('tradingview-strategy-with-notify.json', values));
    expectRefusal(sent, 'INVALID_JSON');
    expect(sent.body.error).toMatch(/Line \d+, column \d+/);
  });

  it.each(['tradingview-indicator.json', 'tradingview-close.txt'])('%s is for POST /webhook', async (file) => {
    expectFilled(await gateway.request('POST', '/webhook', render(file, values)));
  });
});
