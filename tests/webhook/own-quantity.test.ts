// A quantity of one's own in a strategy's alert is what is traded, by the message that the dashboard writes: also at a reversal,
// where the strategy's order counts its old and its new position.

import { describe, expect, it } from 'vitest';
import { type AlertChoice, alertTemplate } from '../../dashboard/pages/alerts/alert-template.ts';
import type { GatewayOptions, Sent, TestGateway } from '../support/gateway.ts';
import { createStrategy, type StrategyAlert } from '../support/tradingview-strategy.ts';
import { expectFaults, expectFilled, freshGateway } from './answers.ts';

const CHOICE: AlertChoice = {
  ...{ kind: 'strategy', apiKey: '', exchange: 'binance', symbol: '', account: '', action: 'LONG' },
  ...{ quantity: '0.02', strategy: '', stopLoss: '', tradesOnce: false },
};
/** As dashboards before this version wrote it, and as it stands in alerts that were never changed. */
const OLD_MESSAGE = `{
  "apiKey": "KEY", "exchange": "binance", "symbol": "{{ticker}}", "action": "{{strategy.order.action}}", "quantity": QUANTITY,
  "marketPosition": "{{strategy.market_position}}", "prevMarketPosition": "{{strategy.prev_market_position}}",
  "marketPositionSize": "{{strategy.market_position_size}}", "prevMarketPositionSize": "{{strategy.prev_market_position_size}}"
}`;

const samplesOf = (alert: StrategyAlert): Record<string, string> => ({
  ticker: 'ETHUSDT.P',
  'strategy.order.action': alert.action,
  'strategy.order.contracts': alert.contracts,
  'strategy.market_position': alert.marketPosition,
  'strategy.prev_market_position': alert.prevMarketPosition,
  'strategy.market_position_size': alert.marketPositionSize,
  'strategy.prev_market_position_size': alert.prevMarketPositionSize,
});
const filledIn = (message: string, alert: StrategyAlert): string =>
  Object.entries(samplesOf(alert)).reduce((text, [name, value]) => text.replaceAll(`{{${name}}}`, value), message);

/** A strategy of five coins whose alerts arrive here, each with the message of the builder. */
async function trading(choice: Partial<AlertChoice> = {}, options: GatewayOptions = {}) {
  const gateway = await freshGateway(options);
  const { path, body } = alertTemplate({ ...CHOICE, apiKey: gateway.apiKey, ...choice });
  const strategy = createStrategy();
  const goTo = (position: number): Promise<Sent> =>
    gateway.request('POST', path, filledIn(body, strategy.moveTo(position)));
  return { gateway, goTo };
}

const held = async (gateway: TestGateway): Promise<string> =>
  (await gateway.request('GET', '/positions')).body.result
    .map(({ side, quantity }: { readonly side: string; readonly quantity: number }) => `${side} ${quantity}`)
    .join(', ');
const old = (gateway: TestGateway, quantity: number): string =>
  OLD_MESSAGE.replace('KEY', gateway.apiKey).replace('QUANTITY', `${quantity}`);

describe.each(['one-way', 'hedge'] as const)('on a %s account', (positionMode) => {
  it('entries, the flip and the way back trade exactly it, and flat is flat', async () => {
    const { gateway, goTo } = await trading({}, { positionMode });
    expectFilled(await goTo(5));
    expect(await held(gateway)).toBe('LONG 0.02');
    const flip = await goTo(-5);
    expectFilled(flip);
    expect([flip.body.tradeResult.executedQty, flip.body.warnings]).toEqual([0.02, undefined]);
    expect(await held(gateway)).toBe('SHORT 0.02');
    expectFilled(await goTo(5));
    expect(await held(gateway)).toBe('LONG 0.02');
    expectFilled(await goTo(0));
    expect(await held(gateway)).toBe('');
  });
});

it('larger than the position of the strategy, or as large as its order, it is traded too', async () => {
  const { gateway, goTo } = await trading({ quantity: '0.04' });
  for (const position of [0.01, -0.03, 0.01]) expectFilled(await goTo(position));
  expect(await held(gateway)).toBe('LONG 0.04');
});

it('an exit of a part closes it', async () => {
  const { gateway, goTo } = await trading({ quantity: '0.5' });
  for (const position of [5, 10, 7]) expectFilled(await goTo(position));
  expect(await held(gateway)).toBe('LONG 0.5');
});

it('without one the strategy’s own sizes are traded', async () => {
  const { gateway, goTo } = await trading({ quantity: '' });
  for (const position of [5, -4]) expectFilled(await goTo(position));
  expect(await held(gateway)).toBe('SHORT 4');
});

it('ownQuantity without a quantity, or that is no yes or no, is refused', async () => {
  const gateway = await freshGateway();
  const alert = { exchange: 'binance', ticker: 'ETHUSDT.P', ...createStrategy(5).moveTo(-5), apiKey: gateway.apiKey };
  expectFaults(await gateway.request('POST', '/webhook/tradingview', { ...alert, ownQuantity: true }), 'quantity');
  const maybe = await gateway.request('POST', '/webhook/tradingview', { ...alert, ownQuantity: 'maybe' });
  expectFaults(maybe, 'ownQuantity');
  expect(await held(gateway)).toBe('');
});

describe('a message without ownQuantity', () => {
  it('never opens more than its quantity', async () => {
    const gateway = await freshGateway();
    const strategy = createStrategy();
    for (const position of [5, -5])
      expectFilled(
        await gateway.request('POST', '/webhook/tradingview', filledIn(old(gateway, 0.02), strategy.moveTo(position))),
      );
    expect(await held(gateway)).toBe('SHORT 0.02');
  });

  it('opens the strategy’s size where that is less than its quantity, and the answer says so', async () => {
    const gateway = await freshGateway();
    const sent = await gateway.request(
      'POST',
      '/webhook/tradingview',
      filledIn(old(gateway, 2), createStrategy(1).moveTo(-1.5)),
    );
    expectFilled(sent);
    expect(await held(gateway)).toBe('SHORT 1.5');
    expect(sent.body.warnings).toContainEqual(expect.stringMatching(/^quantity: 2 .*1\.5.*ownQuantity/));
  });

  it('is warned of by the check, whatever the order that it is checked with', async () => {
    const gateway = await freshGateway();
    const check = async (body: string, from: number, to: number): Promise<readonly string[]> =>
      (await gateway.request('POST', '/webhook/check', { body, samples: samplesOf(createStrategy(from).moveTo(to)) }))
        .body.result.warnings;
    const warned = expect.arrayContaining([expect.stringMatching(/^quantity: .*reversal.*"ownQuantity": true/)]);
    expect(await check(old(gateway, 0.02), 0, 5)).toEqual(warned);
    expect(await check(old(gateway, 20), 5, -5)).toEqual(warned);
    const written = (quantity: string) => alertTemplate({ ...CHOICE, apiKey: gateway.apiKey, quantity }).body;
    for (const quantity of ['0.02', ''])
      for (const [from, to] of [
        [0, 5],
        [5, -5],
        [-5, 0],
      ] as const)
        expect((await check(written(quantity), from, to)).filter((warning) => warning.startsWith('quantity'))).toEqual(
          [],
        );
  });
});
