// Random limits and random signals: whatever the limits are, no entry passes that one of them forbids, and no close is stopped.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SubjectKind, TradeLimits } from '../../src/trading/intake/restrictions.ts';
import { openProtected, PRICE } from '../protection/written-market.ts';
import { setLimits } from './provoke.ts';

const SUBJECTS: readonly (readonly [SubjectKind, string])[] = [
  ['key', 'test-0'],
  ['strategy', 'ema'],
  ['account', 'binance:main'],
  ['symbol', 'BTCUSDT'],
];
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const limits = fc.record({
  largestOrder: optional(fc.integer({ min: 400, max: 1000 })),
  largestPosition: optional(fc.integer({ min: 600, max: 1500 })),
  openPositions: optional(fc.integer({ min: 1, max: 3 })),
  entriesPerDay: optional(fc.integer({ min: 4, max: 12 })),
});
const signal = fc.record({
  closes: fc.constantFrom(true, false, false, false),
  symbol: fc.constantFrom('BTCUSDT', 'ETHUSDT', 'SOLUSDT'),
  strategy: fc.constantFrom('ema', 'macd'),
  thousandths: fc.integer({ min: 2, max: 20 }),
});

it('never let a forbidden entry through, and never stop a close', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(limits, { minLength: 4, maxLength: 4 }),
      fc.array(signal, { minLength: 10, maxLength: 20 }),
      async (wanted, signals) => {
        const { gateway } = await openProtected();
        const set = wanted.map((each) => JSON.parse(JSON.stringify(each)) as TradeLimits);
        for (const [at, [kind, name]] of SUBJECTS.entries()) await setLimits(gateway, kind, name, set[at] ?? {});
        const [key = {}, ema = {}, account = {}, btc = {}] = set;
        let entries = { all: 0, ema: 0, btc: 0 };
        for (const { closes, symbol, strategy, thousandths } of signals) {
          const quantity = thousandths / 1000;
          const sent = await gateway.send({ action: closes ? 'CLOSE_LONG' : 'LONG', symbol, strategy, quantity });
          expect([200, 422]).toContain(sent.status);
          if (closes) {
            // There may be nothing to close; no limit is in its way.
            expect([undefined, 'ORDER_REJECTED']).toContain(sent.body.code);
            continue;
          }
          if (sent.status !== 200) continue;
          const [isEma, isBtc] = [strategy === 'ema', symbol === 'BTCUSDT'];
          const binding = [key, account, ...(isEma ? [ema] : []), ...(isBtc ? [btc] : [])];
          entries = { all: entries.all + 1, ema: entries.ema + Number(isEma), btc: entries.btc + Number(isBtc) };
          for (const { largestOrder = Number.POSITIVE_INFINITY } of binding)
            expect(sent.body.tradeResult.executedQty * PRICE).toBeLessThanOrEqual(largestOrder + 1e-6);
          for (const { entriesPerDay = Number.POSITIVE_INFINITY } of [key, account])
            expect(entries.all).toBeLessThanOrEqual(entriesPerDay);
          if (isEma) expect(entries.ema).toBeLessThanOrEqual(ema.entriesPerDay ?? Number.POSITIVE_INFINITY);
          if (isBtc) expect(entries.btc).toBeLessThanOrEqual(btc.entriesPerDay ?? Number.POSITIVE_INFINITY);
          const open = (await gateway.request('GET', '/positions')).body.result;
          for (const { openPositions = Number.POSITIVE_INFINITY } of [key, account])
            expect(open.length).toBeLessThanOrEqual(openPositions);
          const held = open.find((row: { market: string }) => row.market === symbol).quantity;
          for (const { largestPosition = Number.POSITIVE_INFINITY } of [key, account, ...(isBtc ? [btc] : [])])
            expect(held * PRICE).toBeLessThanOrEqual(largestPosition + 1e-6);
        }
        await gateway.close();
      },
    ),
    { numRuns: 8 },
  );
}, 120_000);
