// Random positions, resting orders, limits and switches, random signals of both doors: what a check says of a signal is what then
// becomes of it on the paper venue, and the check itself changes nothing.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toNumber } from '../../src/trading/decimal.ts';
import type { TradeLimits } from '../../src/trading/intake/restrictions.ts';
import { setLimits } from '../limits/provoke.ts';
import { openProtected } from '../protection/written-market.ts';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { storedRows } from '../support/stored-rows.ts';

const weighted = <T>(arbitrary: fc.Arbitrary<T>, absent: number) =>
  fc.oneof({ weight: absent, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
const sometimes = <T>(arbitrary: fc.Arbitrary<T>) => weighted(arbitrary, 1);
const rarely = <T>(arbitrary: fc.Arbitrary<T>) => weighted(arbitrary, 6);
const price = fc.constantFrom(30_000, 45_000.04, 49_900, 50_100, 55_000, 70_000);
const distance = fc.oneof(
  fc.record({ percent: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ ticks: fc.integer({ min: 1, max: 500 }) }),
);
const level = fc.oneof({ weight: 4, arbitrary: distance }, { weight: 1, arbitrary: price });
const KEYS = ['123e4567-e89b-42d3-a456-426614174001', '123e4567-e89b-42d3-a456-426614174002'];

const common = {
  symbol: fc.constantFrom('BTCUSDT', 'BTCUSDT', 'BTCUSDT', 'BTCUSDT', 'ETHUSDT', 'NOSUCHUSDT'),
  price: rarely(price),
  strategy: sometimes(fc.constantFrom('trend', 'range')),
  account: rarely(fc.constantFrom('main', 'scalp', 'scalp', 'nobody')),
  idempotencyKey: rarely(fc.constantFrom(...KEYS)),
  alertId: rarely(fc.constantFrom('a', 'b')),
};
const entry = fc.record({
  ...common,
  action: fc.constantFrom('LONG', 'SHORT'),
  quantity: fc.constantFrom(0.00001, 0.002, 0.01, 0.0237, 0.05, 20),
  quantityType: rarely(fc.constantFrom('quote', 'percent_equity', 'risk_percent')),
  leverage: rarely(fc.constantFrom(1, 5, 500)),
  stopLoss: rarely(level),
  takeProfit: rarely(level),
});
const exit = fc.record({
  ...common,
  action: fc.constantFrom('CLOSE_LONG', 'CLOSE_SHORT'),
  quantity: fc.constantFrom(0.002, 0.01, 0.05, 100),
  quantityType: rarely(fc.constant('percent_position')),
});
const plain = fc
  .oneof({ weight: 3, arbitrary: entry }, { weight: 2, arbitrary: exit })
  .map((fields) => ({ path: '/webhook', fields }));

const CHANGES = [
  { action: 'buy', prevMarketPosition: 'flat', marketPosition: 'long', marketPositionSize: '0.01' },
  { action: 'sell', prevMarketPosition: 'flat', marketPosition: 'short', marketPositionSize: '0.01' },
  { action: 'sell', prevMarketPosition: 'long', marketPosition: 'flat', marketPositionSize: '0' },
  { action: 'buy', prevMarketPosition: 'short', marketPosition: 'long', marketPositionSize: '0.02' },
  { action: 'buy', prevMarketPosition: 'flat', marketPosition: 'flat' },
] as const;
const alert = fc
  .record({
    change: fc.constantFrom(...CHANGES),
    symbol: fc.constant('BTCUSDT.P'),
    quantity: fc.constantFrom('0.01', '0.01', '0.01', 'NaN'),
    strategy: sometimes(fc.constantFrom('trend', 'range')),
  })
  .map(({ change, ...fields }) => ({ path: '/webhook/tradingview', fields: { ...change, ...fields } }));

const limits: fc.Arbitrary<TradeLimits> = fc
  .record({
    largestOrder: rarely(fc.constantFrom(600, 1500)),
    largestPosition: rarely(fc.constantFrom(1000, 3000)),
    openPositions: rarely(fc.integer({ min: 1, max: 2 })),
    entriesPerDay: rarely(fc.integer({ min: 2, max: 6 })),
    rate: rarely(fc.integer({ min: 2, max: 6 })),
    leverage: rarely(fc.constantFrom(3, 10)),
    actions: rarely(fc.constantFrom(['LONG'], ['LONG', 'SHORT'])),
  })
  .map((each) => JSON.parse(JSON.stringify(each)) as TradeLimits);

const control = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ kind: 'nothing' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('kill' as const),
      scope: fc.constantFrom('all', 'entries', 'off', 'off'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('limits' as const), limits }) },
);
const step = fc.record({
  signal: fc.oneof({ weight: 3, arbitrary: plain }, { weight: 1, arbitrary: alert }),
  control,
});

type Change = typeof control extends fc.Arbitrary<infer T> ? T : never;

async function make(gateway: TestGateway, wanted: Change): Promise<void> {
  if (wanted.kind === 'limits') await setLimits(gateway, 'symbol', 'BTCUSDT', wanted.limits);
  if (wanted.kind === 'kill')
    await gateway.request('PUT', '/admin/kill-switch', {
      ...{
        active: wanted.scope !== 'off',
        cancelEntries: false,
        ...(wanted.scope !== 'off' && { scope: wanted.scope }),
      },
    });
}

const ORDER = ['leg', 'side', 'positionSide', 'reduceOnly', 'quantity', 'price'] as const;
const shown = (order: Record<string, unknown>): unknown[] => ORDER.map((name) => order[name] ?? null);

/** The orders of a trade as they went to the venue. */
async function sentOrders(gateway: TestGateway, requestId: string): Promise<unknown[][]> {
  const detail = await gateway.data.journal.trade(requestId);
  return (detail?.orders ?? []).map(({ leg, side, positionSide, reduceOnly, quantity, price: limit }) =>
    shown({
      ...{ leg, side, positionSide, reduceOnly, quantity: toNumber(quantity) },
      price: limit === undefined ? null : toNumber(limit),
    }),
  );
}

/** What the venue did before it refused the rest is told beforehand as what it would do. */
const foretold = (error: string): string =>
  error.replace(
    'the opposite position was closed, but opening was refused',
    'the opposite position would be closed, but opening would be refused',
  );

const ENDS = ['Filled', 'PartiallyFilled', 'Submitted', 'Rejected', 'Canceled', 'Expired'];

/** On a busy machine its answer may have left before its end: then the trade tells it. */
async function compareLate(told: Sent['body'], sent: Sent, gateway: TestGateway): Promise<void> {
  const trade = await gateway.until(sent.body.requestId, ...ENDS);
  const orders = await sentOrders(gateway, sent.body.requestId);
  if (told.outcome === 'would_refuse') expect(foretold(trade.error)).toBe(told.error);
  else if (orders.length > 0) expect(orders).toEqual(told.accounts[0].orders.map(shown));
}

function compare(told: Sent['body'], sent: Sent, orders: readonly unknown[][]): void {
  const [account] = told.accounts;
  if (told.outcome === 'would_trade') {
    // The paper venue takes what it said it would.
    expect([orders, sent.status]).toEqual([account.orders.map(shown), 200]);
    expect(sent.body.warnings ?? []).toEqual([...told.warnings, ...account.warnings]);
    expect(sent.body.tradeResult.leverage ?? null).toBe(account.leverage);
  } else {
    expect(told.outcome).toBe('would_refuse');
    // Only what the venue itself refuses was sent.
    if (told.code !== 'ORDER_REJECTED') expect(orders).toEqual([]);
    expect([sent.status, sent.body.code, foretold(sent.body.error)]).toEqual([told.status, told.code, told.error]);
    expect(sent.body.faults ?? []).toEqual(told.faults);
  }
  expect(sent.body.tradeResult?.canceled ?? []).toEqual(account?.cancels ?? []);
}

it.each(['one-way', 'hedge'] as const)(
  'what a check says of a signal is what becomes of it on a %s account',
  async (positionMode) => {
    const outcomes = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 20 }), async (steps) => {
        const { gateway } = await openProtected({ positionMode, accounts: ['scalp'], positionCheck: 'refuse' });
        for (const { signal, control: wanted } of steps) {
          await make(gateway, wanted);
          const body = JSON.stringify({ apiKey: gateway.apiKey, exchange: 'binance', ...signal.fields });
          await gateway.desk.atRest();
          const before = storedRows(gateway.dataDir, 'refusals');
          const asked = await gateway.request('POST', '/webhook/check', {
            body,
            route: signal.path,
            address: '127.0.0.1',
          });
          expect(storedRows(gateway.dataDir, 'refusals')).toEqual(before);
          const told = asked.body.result;
          const sent = await gateway.request('POST', signal.path, body);
          if (sent.status === 202) await compareLate(told, sent, gateway);
          else compare(told, sent, await sentOrders(gateway, sent.body.requestId));
          const name = told.code ?? told.outcome;
          outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
        }
        expect(gateway.troubles).toEqual([]);
        await gateway.close();
      }),
      { numRuns: 15 },
    );
    // Otherwise it would compare little.
    expect(outcomes.get('would_trade')).toBeGreaterThan(30);
    expect(outcomes.size).toBeGreaterThan(10);
  },
  240_000,
);
