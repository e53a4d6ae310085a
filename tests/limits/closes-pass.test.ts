// Whatever the market looks like and however narrow the limits are: no close is ever refused because of prices, spreads, leverage or
// stale data, and no entry passes what forbids it.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decimal } from '../../src/trading/decimal.ts';
import { type Quote, VenueError } from '../../src/trading/venue.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { freshGateway } from '../webhook/answers.ts';
import { setLimits } from './provoke.ts';

/** What the venue says of its best prices around 100, and how old that is. */
const market = fc.record({
  kind: fc.constantFrom('fresh', 'fresh', 'stale', 'fails', 'nonsense'),
  spreadTenths: fc.integer({ min: 0, max: 200 }),
});
const signal = fc.record({
  market,
  closes: fc.boolean(),
  price: fc.option(fc.integer({ min: 60, max: 300 }), { nil: undefined }),
  leverage: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
});
const limits = fc.record({
  leverage: fc.integer({ min: 1, max: 10 }),
  priceDeviationPercent: fc.integer({ min: 1, max: 50 }),
  spreadPercent: fc.integer({ min: 1, max: 4 }),
});

const GATES = /^(LIMIT_|STALE_DATA)/;

it('a close passes every gate of prices, and an entry none that forbids it', async () => {
  await fc.assert(
    fc.asyncProperty(limits, fc.array(signal, { minLength: 8, maxLength: 16 }), async (bounds, signals) => {
      let next = { kind: 'fresh', spreadTenths: 0 };
      let looks = 0;
      const quote = async (): Promise<Quote> => {
        looks++;
        if (next.kind === 'fails') throw new VenueError('unknown', 'timed out');
        if (next.kind === 'nonsense') throw new VenueError('rejected', 'no such thing');
        const half = next.spreadTenths / 20;
        const ageMs = next.kind === 'stale' ? 10_100 : 0;
        return { bid: decimal(100 - half), ask: decimal(100 + half), atMs: Date.now() - ageMs };
      };
      const venue = Object.assign(createScriptedVenue(), { mode: 'live', quote });
      const gateway = await freshGateway({ venues: [venue] });
      await setLimits(gateway, 'symbol', 'BTCUSDT', bounds);
      let held = 0;
      for (const { market: seen, closes, price, leverage } of signals) {
        next = seen;
        looks = 0;
        const action = closes ? 'CLOSE_LONG' : 'LONG';
        const sent = await gateway.send({ action, quantity: 0.01, price, leverage });
        if (closes) {
          expect(sent.body.code ?? '').not.toMatch(GATES);
          expect(sent.body.code).toBe(held > 0 ? undefined : 'ORDER_REJECTED');
          expect(looks).toBe(0);
          if (held > 0) held -= 1;
          continue;
        }
        const ask = 100 + seen.spreadTenths / 20;
        const forbidden =
          seen.kind !== 'fresh' ||
          (leverage ?? 0) > bounds.leverage ||
          (price === undefined
            ? seen.spreadTenths / 10 > bounds.spreadPercent
            : Math.abs(price - ask) * 100 > bounds.priceDeviationPercent * ask || price > ask * 1.2);
        expect([sent.status, sent.body.code ?? ''], JSON.stringify({ seen, price, leverage, bounds })).toEqual(
          forbidden ? [422, expect.stringMatching(GATES)] : [200, ''],
        );
        expect(looks).toBe(1);
        if (!forbidden) held += 1;
      }
      await gateway.close();
    }),
    { numRuns: 10 },
  );
}, 120_000);
