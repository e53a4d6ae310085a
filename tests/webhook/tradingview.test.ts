// POST /webhook/tradingview takes the strategy placeholders as TradingView renders them and guesses nothing.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openGateway, type Sent, type TestGateway } from '../support/gateway.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { expectFaults, expectFilled, expectRefusal } from './answers.ts';

let gateway: TestGateway;
const venue = createScriptedVenue('binance', 'hedge');
beforeAll(async () => {
  gateway = await openGateway({ venues: [venue] });
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
    expectFaults(await alert({ ...reversal, marketPositionSize: '0' }), 'marketPositionSize');
    expectFaults(await alert({ ...reversal, marketPositionSize: 'NaN' }), 'marketPositionSize');
  });
});

describe('a flat position', () => {
  it.each([
    ['sell', 'long', 'LONG'],
    ['buy', 'short', 'SHORT'],
    ['CLOSE_LONG', 'long', 'LONG'],
  ] as const)('after a %s leaves nothing of the %s, whatever contracts says', async (action, before, side) => {
    for (const [held, named] of [
      ['3', '1'],
      ['0.003', '0.0029999999999'],
      ['0.001', '0.0004'],
      ['2', '5'],
    ] as const) {
      venue.hold(side, held);
      const sent = await alert({ action, marketPosition: 'flat', prevMarketPosition: before, quantity: named });
      expectFilled(sent);
      expect(sent.body.tradeResult.executedQty).toBe(Number(held));
      expect((await venue.positions('BTCUSDT')).filter((position) => position.side === side)).toEqual([]);
    }
  });

  it('leaves the other side of a hedge account alone', async () => {
    venue.hold('LONG', '2');
    venue.hold('SHORT', '5');
    expectFilled(await alert({ action: 'sell', marketPosition: 'flat', prevMarketPosition: 'long', quantity: '1' }));
    expect(await venue.positions('BTCUSDT')).toMatchObject([{ side: 'SHORT', quantity: 5_000_000_000_000n }]);
  });

  it('is told apart from a part of the position that is sold', async () => {
    venue.hold('LONG', '3');
    const sent = await alert({ action: 'sell', marketPosition: 'long', prevMarketPosition: 'long', quantity: '1' });
    expect(sent.body.tradeResult.executedQty).toBe(1);
  });

  it('says in the story of the trade why more was closed than was named', async () => {
    venue.hold('LONG', '3');
    const sent = await alert({ action: 'sell', marketPosition: 'flat', quantity: '1' });
    const { events } = await gateway.trade(sent.body.requestId);
    expect(events).toContainEqual(expect.objectContaining({ kind: 'closes-all', detail: '3 are held, 1 were named' }));
  });
});

describe('what no order can do', () => {
  it.each([
    ['buy', 'flat', 'flat'],
    ['buy', 'flat', 'long'],
    ['buy', 'short', 'flat'],
    ['buy', 'short', 'long'],
    ['sell', 'flat', 'flat'],
    ['sell', 'flat', 'short'],
    ['sell', 'long', 'flat'],
    ['sell', 'long', 'short'],
    ['CLOSE_LONG', 'flat', 'short'],
    ['CLOSE_SHORT', 'short', 'flat'],
  ])('%s to %s from %s is refused', async (action, marketPosition, prevMarketPosition) => {
    const orders = venue.sent.length;
    const sent = await alert({ action, marketPosition, prevMarketPosition, marketPositionSize: undefined });
    expectFaults(sent, 'prevMarketPosition');
    expect(venue.sent).toHaveLength(orders);
  });

  it.each([
    ['LONG', 'flat'],
    ['LONG', 'short'],
    ['SHORT', 'long'],
    ['SHORT', 'flat'],
    ['CLOSE_LONG', 'short'],
    ['CLOSE_SHORT', 'long'],
  ])('%s that ends %s is refused', async (action, marketPosition) => {
    expectFaults(await alert({ action, marketPosition }), 'marketPosition');
  });

  it.each([
    ['sell', 'long', '2', '3'],
    ['sell', 'long', '2', '2'],
    ['buy', 'long', '3', '2'],
    ['buy', 'short', '2', '3'],
    ['sell', 'short', '3', '2'],
  ])('a %s of a %s that goes from %s to %s is refused', async (action, position, before, after) => {
    const positions = { marketPosition: position, prevMarketPosition: position };
    const sizes = { marketPositionSize: after, prevMarketPositionSize: before };
    expectFaults(await alert({ action, ...positions, ...sizes }), 'marketPositionSize');
    const snake = { market_position_size: after, prev_market_position_size: before };
    expectFaults(await alert({ action, ...positions, ...snake }), 'marketPositionSize');
  });

  it.each([
    ['sell', 'long', '3', '2'],
    ['buy', 'long', '2', '3'],
    ['buy', 'short', '3', '2'],
    ['sell', 'short', '-2', '-3'],
  ])('but a %s of a %s that goes from %s to %s is taken', async (action, position, before, after) => {
    venue.hold('LONG', '5');
    venue.hold('SHORT', '5');
    const positions = { marketPosition: position, prevMarketPosition: position };
    expectFilled(await alert({ action, ...positions, marketPositionSize: after, prevMarketPositionSize: before }));
  });

  it.each([
    ['flat', '1', 'marketPositionSize'],
    ['long', '0', 'marketPositionSize'],
  ])('a position that is %s with a size of %s is refused', async (marketPosition, marketPositionSize, field) => {
    const action = marketPosition === 'flat' ? 'sell' : 'buy';
    expectFaults(await alert({ action, marketPosition, marketPositionSize }), field);
  });

  it.each(['', 'both', '{{strategy.prev_market_position}}'])(
    'a position before of %j is refused: it may hide a reversal',
    async (prevMarketPosition) => {
      const sent = await alert({ action: 'buy', marketPosition: 'long', prevMarketPosition });
      expectFaults(sent, 'prevMarketPosition');
      expect(sent.body.error).toContain('{{strategy.prev_market_position}}');
    },
  );
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

  it.each([
    ['BINANCE:1000PEPEUSDT.P', '1000PEPEUSDT'],
    [`${'BINANCEUSDM'.repeat(4)}:1000PEPE/USDT.P`, '1000PEPEUSDT'],
    [`BINANCE:${'A'.repeat(16)}USDT.P`, `${'A'.repeat(16)}USDT`],
  ])('of up to 64 characters are taken: %s', async (symbol, market) => {
    expect(symbol.length).toBeLessThanOrEqual(64);
    expect((await traded(await alert({ action: 'LONG', symbol }))).market).toBe(market);
    const ticker = { symbol: undefined, ticker: symbol };
    expect((await traded(await alert({ action: 'LONG', ...ticker }))).market).toBe(market);
  });

  it.each([`BINANCE:${'A'.repeat(17)}USDT.P`, 'NOT A MARKET, BUT A LONG TEXT', `X:${'A'.repeat(63)}`])(
    'that name no market are refused: %s',
    async (symbol) => expectFaults(await alert({ action: 'LONG', symbol }), 'symbol'),
  );

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
    'strategy.prev_market_position_size': '0',
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

describe('a Message that is not the template', () => {
  const raw = (body: string, path = '/webhook/tradingview') => gateway.request('POST', path, body);

  it.each(['BTCUSDT Crossing 94000', '1INCHUSDT Crossing 0.3', 'MA (9): order buy @ 1 filled on BTCUSDT'])(
    'as TradingView writes it itself (%s) is told to paste the template, at both doors',
    async (text) => {
      for (const path of ['/webhook/tradingview', '/webhook']) {
        const sent = await raw(text, path);
        expectRefusal(sent, 'INVALID_JSON');
        expect(sent.body.error).toContain("Paste the template of docs/guides/tradingview.md into the alert's Message");
      }
    },
  );

  it('with a bare NaN is told to quote the placeholder', async () => {
    const sent = await raw('{"action":"LONG","quantity":NaN}');
    expect(sent.body.error).toMatch(/column 29 has a bare NaN: .* no value on that bar\. .* in double quotes/);
  });

  it.each([
    [
      { quantity: '{{plot_0}}' },
      'quantity: {{plot_0}} was not filled in: check its name',
      '{{strategy.order.contracts}}',
    ],
    [{ symbol: '{{tikcer}}' }, 'symbol: {{tikcer}} was not filled in: check its name', 'or send {{ticker}}'],
    [{ stopLoss: '{{plot("SL")}}' }, 'stopLoss: {{plot("SL")}} was not filled in', "in the alert's Message"],
    [{ market_position: '{{strategy.market_position}}' }, 'only alerts of a strategy fill it in', 'marketPosition:'],
  ])('with an unfilled placeholder, %j, is told which', async (fields, words, remedy) => {
    const sent = await alert({ action: 'LONG', ...fields });
    expectRefusal(sent, 'INVALID_PAYLOAD', 'faults');
    expect(sent.body.error).toContain(words);
    expect(sent.body.error).toContain(remedy);
  });

  it('leaves our own placeholders of a notification alone', async () => {
    expectFilled(await alert({ action: 'LONG', notify: { message: '{{symbol}} {{status}}' } }));
  });
});
