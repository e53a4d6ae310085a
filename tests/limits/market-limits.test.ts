// The limits that compare an entry with its market, through the front door: exactly at the bound an entry passes, one step beyond it is
// refused with its own code, and nothing is sent.

import { beforeEach, describe, expect, it } from 'vitest';
import { GATEWAY_ERRORS } from '../../src/services/gateway/index.ts';
import type { LimitCode } from '../../src/trading/intake/limit-rules.ts';
import type { SubjectKind, TradeLimits } from '../../src/trading/intake/restrictions.ts';
import { openProtected } from '../protection/written-market.ts';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { expectFilled } from '../webhook/answers.ts';
import { setLimits } from './provoke.ts';

const SUBJECTS: readonly (readonly [SubjectKind, string])[] = [
  ['key', 'test-0'],
  ['strategy', 'ema'],
  ['account', 'binance:main'],
  ['symbol', 'BTCUSDT'],
  ['symbol', 'binance:BTCUSDT'],
];
/** What a paper account quotes while the last trade was at 50000. */
const [BID, ASK] = [49_997.5, 50_002.5];

let gateway: TestGateway;
beforeEach(async () => {
  ({ gateway } = await openProtected());
});

const limit = async (kind: SubjectKind, name: string, limits: TradeLimits): Promise<void> => {
  expect((await setLimits(gateway, kind, name, limits)).status).toBe(200);
};
const entry = (fields: object = {}): Promise<Sent> => gateway.send({ strategy: 'ema', quantity: 0.01, ...fields });
const close = (fields: object = {}): Promise<Sent> => entry({ action: 'CLOSE_LONG', quantity: 1000, ...fields });

function expectLimited(sent: Sent, code: LimitCode, ...words: string[]): void {
  expect([sent.status, sent.body.code]).toEqual([GATEWAY_ERRORS[code].status, code]);
  expect(sent.status).toBe(422);
  for (const word of [...words, 'nothing was sent']) expect(sent.body.error).toContain(word);
}
const positions = async (): Promise<unknown[]> => (await gateway.request('GET', '/positions')).body.result;
const orders = async (): Promise<unknown[]> => (await gateway.request('GET', '/orders')).body.result;

describe.each(SUBJECTS)('of %s %s', (kind, name) => {
  it('leverage is the highest that an entry may trade with, whether it names one or not', async () => {
    await limit(kind, name, { leverage: 5 });
    expectLimited(
      await entry({ leverage: 6 }),
      'LIMIT_LEVERAGE',
      `leverage of ${kind} "${name}"`,
      'at most 5',
      'for 6',
    );
    expect(await positions()).toEqual([]);
    expectFilled(await entry({ leverage: 5 }));
    expectFilled(await entry());
    await limit(kind, name, { leverage: 4 });
    const unnamed = ['names none', 'BTCUSDT is set to 5 on binance', 'send 4 or less'];
    expectLimited(await entry(), 'LIMIT_LEVERAGE', ...unnamed);
    expectFilled(await entry({ leverage: 4 }));
    expectFilled(await entry());
    expectFilled(await close({ leverage: 6 }));
  });

  it.each([
    ['LONG', ASK, 52_002.6, 52_002.7, 48_002.4, 48_002.3],
    ['SHORT', BID, 51_997.4, 51_997.5, 47_997.6, 47_997.5],
  ] as const)(
    'priceDeviationPercent bounds the price of a %s, from %d, on both sides',
    async (action, best, highest, above, lowest, below) => {
      await limit(kind, name, { priceDeviationPercent: 4 });
      const words = [`priceDeviationPercent of ${kind} "${name}"`, String(best), '4 % are allowed'];
      const allowed = `from ${lowest} to ${highest}`;
      for (const price of [above, below])
        expectLimited(await entry({ action, price }), 'LIMIT_PRICE', ...words, String(price), '4.01 %', allowed);
      expect([await positions(), await orders()]).toEqual([[], []]);
      for (const price of [highest, lowest]) expect((await entry({ action, price })).status).toBe(200);
      expectFilled(await entry({ action }));
    },
  );

  it('spreadPercent is the widest that a market order goes into', async () => {
    await limit(kind, name, { spreadPercent: 0.0099 });
    const wide = await entry();
    expectLimited(wide, 'LIMIT_SPREAD', `spreadPercent of ${kind} "${name}"`, '0.01 %', String(BID), String(ASK));
    expect(await positions()).toEqual([]);
    // A limit price is a bound of its own.
    expectFilled(await entry({ price: 51_000 }));
    expectFilled(await close());
    await limit(kind, name, { spreadPercent: 0.01 });
    expectFilled(await entry());
  });
});

it('the strictest of several is told', async () => {
  await limit('key', 'test-0', { leverage: 10, priceDeviationPercent: 5, spreadPercent: 0.005 });
  await limit('strategy', 'ema', { leverage: 3, priceDeviationPercent: 1, spreadPercent: 0.001 });
  await limit('account', 'binance:main', { leverage: 7, priceDeviationPercent: 3, spreadPercent: 0.003 });
  expectLimited(await entry({ leverage: 20 }), 'LIMIT_LEVERAGE', 'strategy "ema"', 'at most 3');
  expectLimited(await entry({ price: 60_000, leverage: 3 }), 'LIMIT_PRICE', 'strategy "ema"', '1 % are allowed');
  expectLimited(await entry({ leverage: 3 }), 'LIMIT_SPREAD', 'strategy "ema"', '0.001 %');
});

it('a reversal is refused whole', async () => {
  expectFilled(await entry());
  await limit('symbol', 'BTCUSDT', { spreadPercent: 0.0099, leverage: 1 });
  expectLimited(await entry({ action: 'SHORT', leverage: 1 }), 'LIMIT_SPREAD');
  expectLimited(await entry({ action: 'SHORT', leverage: 2 }), 'LIMIT_LEVERAGE');
  expect(await positions()).toMatchObject([{ side: 'LONG', quantity: 0.01 }]);
});

it('a refused entry gives its idempotency key back', async () => {
  const idempotencyKey = '0b0f6a1c-6a1c-4a1c-8a1c-0b0f6a1c6a1c';
  await limit('symbol', 'BTCUSDT', { priceDeviationPercent: 1 });
  expectLimited(await entry({ price: 60_000, idempotencyKey }), 'LIMIT_PRICE');
  expectFilled(await entry({ price: 50_100, idempotencyKey }));
});

describe('what is no limit', () => {
  it.each([
    { leverage: 0 },
    { leverage: 1.5 },
    { leverage: 1001 },
    { priceDeviationPercent: 0 },
    { priceDeviationPercent: 1000.1 },
    { spreadPercent: 0 },
    { spreadPercent: -1 },
  ])('%j is refused', async (limits) => {
    expect((await setLimits(gateway, 'symbol', 'BTCUSDT', limits)).body.code).toBe('INVALID_PAYLOAD');
  });
});
