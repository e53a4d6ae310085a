// Whatever bytes arrive, the answer is in shape, never a 5xx, and nothing trades without a good key.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openGateway, type Sent, type TestGateway } from '../support/gateway.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import { expectEnvelope, tradeCount } from './answers.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const limits = { webhookRatePerMinute: 0, failedAuthPerMinute: 0 };
  gateway = await openGateway({ venues: [createScriptedVenue('binance', 'hedge')], controls: { limits } });
});
afterAll(() => gateway.close());

const path = fc.constantFrom('/webhook', '/webhook/tradingview');

function expectOneOf(sent: Sent, statuses: number[]): void {
  expect(statuses).toContain(sent.status);
  expectEnvelope(sent);
  expect(sent.body.success).toBe(sent.status === 200);
}

/** A field of a good signal, or anything at all in its place. */
const orAnything = (...good: unknown[]) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...good) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
const fields = fc.record({
  exchange: orAnything('binance', 'bybit', 'mexc'),
  action: orAnything('LONG', 'SHORT', 'CLOSE_LONG', 'CLOSE_SHORT', 'buy'),
  symbol: orAnything('BTCUSDT', 'ETH/USDT', '1000PEPEUSDT'),
  quantity: fc.oneof(orAnything(0.01, '1', 5), fc.double()),
  price: fc.oneof(orAnything(undefined, 100), fc.double()),
  leverage: fc.oneof(orAnything(undefined, 3), fc.integer()),
  idempotencyKey: orAnything(undefined),
  marketPosition: orAnything('long', 'flat'),
  prevMarketPosition: orAnything('short', undefined),
  marketPositionSize: orAnything('1', undefined),
  prevMarketPositionSize: orAnything('1', undefined, '1e400', 1e300),
});

describe('hostile input', () => {
  it('of any bytes is 400', () =>
    fc.assert(
      fc.asyncProperty(path, fc.uint8Array({ maxLength: 200 }), async (where, bytes) => {
        expectOneOf(await gateway.request('POST', where, bytes), [400]);
      }),
      { numRuns: 300 },
    ));

  it('of any JSON is 400', () =>
    fc.assert(
      fc.asyncProperty(path, fc.json({ noUnicodeString: false }), async (where, text) => {
        expectOneOf(await gateway.request('POST', where, text), [400]);
      }),
      { numRuns: 300 },
    ));

  it('of a good signal cut anywhere is 400', () =>
    fc.assert(
      fc.asyncProperty(path, fc.nat({ max: 150 }), async (where, length) => {
        const text = JSON.stringify(gateway.signal());
        fc.pre(length < text.length);
        expectOneOf(await gateway.request('POST', where, text.slice(0, length)), [400]);
      }),
      { numRuns: 150 },
    ));

  it('with any key but a good one never trades', async () => {
    const before = await tradeCount(gateway);
    await fc.assert(
      fc.asyncProperty(path, fc.oneof(fc.string(), fc.jsonValue()), async (where, apiKey) => {
        expectOneOf(await gateway.request('POST', where, gateway.signal({ apiKey })), [400, 403]);
      }),
      { numRuns: 300 },
    );
    expect(await tradeCount(gateway)).toBe(before);
  });

  it('in any field is refused or traded, and what was accepted can always be read back', () =>
    fc.assert(
      fc.asyncProperty(path, fields, async (where, given) => {
        const sent = await gateway.request('POST', where, gateway.signal(given));
        expectOneOf(sent, [200, 400, 409, 422]);
        const known = await gateway.request('GET', `/trades/${sent.body.requestId}`);
        expect(known.status).toBe(sent.status === 200 || sent.status === 422 ? 200 : 404);
      }),
      { numRuns: 500 },
    ));
});
