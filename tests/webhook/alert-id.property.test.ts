// Any mix of doors, keys, alert ids and idempotency keys, many at one instant and over restarts: each claim trades once.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { freshGateway } from './answers.ts';

const DOORS = ['webhook', 'tradingview', 'mail'] as const;
interface Sending {
  readonly door: (typeof DOORS)[number];
  readonly key: number;
  readonly alertId: number | undefined;
  readonly idempotencyKey: number | undefined;
}

const few = fc.option(fc.nat({ max: 2 }), { nil: undefined, freq: 3 });
const sending = fc.record({
  door: fc.constantFrom(...DOORS),
  key: fc.nat({ max: 1 }),
  alertId: few,
  idempotencyKey: few,
});
/** A batch is sent at one instant; between two of them the process may be replaced. */
const batches = fc.array(
  fc.record({ sendings: fc.array(sending, { minLength: 1, maxLength: 6 }), restart: fc.boolean() }),
  { minLength: 1, maxLength: 4 },
);

const uuidOf = (n: number): string => `123e4567-e89b-42d3-a456-42661417400${n}`;

function send(gateway: TestGateway, keys: readonly string[], { door, key, alertId, idempotencyKey }: Sending) {
  const claims = {
    ...(alertId !== undefined && { alertId: `alert ${alertId}` }),
    ...(idempotencyKey !== undefined && { idempotencyKey: uuidOf(idempotencyKey) }),
  };
  const apiKey = keys[key];
  if (door === 'webhook') return gateway.send({ apiKey, ...claims });
  if (door === 'tradingview') {
    const order = { action: 'buy', marketPosition: 'long', ticker: 'BINANCE:BTCUSDT.P', contracts: '0.01' };
    return gateway.request('POST', '/webhook/tradingview', { apiKey, exchange: 'binance', ...order, ...claims });
  }
  const lines = Object.entries({ apiKey, ...claims }).map(([name, value]) => `${name}: ${value}`);
  return gateway.request('POST', '/email-signal', { text: [...lines, 'LONG 0.01 BTCUSDT on binance'].join('\n') });
}

const claimsOf = ({ key, alertId, idempotencyKey }: Sending): readonly string[] => [
  ...(alertId === undefined ? [] : [`key ${key} alert ${alertId}`]),
  ...(idempotencyKey === undefined ? [] : [`uuid ${idempotencyKey}`]),
];

it('every claim trades once, and a duplicate always names the one that has it', async () => {
  await fc.assert(
    fc.asyncProperty(batches, async (all) => {
      let gateway = await freshGateway();
      const keys = [gateway.apiKey, (await gateway.keys.create({ label: 'second' })).apiKey];
      /** The request that has a claim. */
      const holders = new Map<string, string>();
      let filled = 0;
      for (const { sendings, restart } of all) {
        const answers = await Promise.all(sendings.map((each) => send(gateway, keys, each)));
        const ended = answers.map((answer, at) => ({ answer, claims: claimsOf(sendings[at] as Sending) }));
        for (const { answer, claims } of ended.filter(({ answer: { status } }) => status < 300)) {
          filled++;
          for (const claim of claims) {
            expect(holders.has(claim)).toBe(false);
            holders.set(claim, answer.body.requestId);
          }
        }
        for (const { answer, claims } of ended.filter(({ answer: { status } }) => status >= 300))
          expectDuplicate(answer, claims, holders);
        if (!restart) continue;
        await gateway.close();
        gateway = await freshGateway({ dataDir: gateway.dataDir, afterCrash: false });
      }
      const { result } = (await gateway.request('GET', '/trades?limit=100')).body;
      expect(result).toHaveLength(filled);
      await gateway.close();
    }),
    { numRuns: 25 },
  );
});

function expectDuplicate({ body }: Sent, claims: readonly string[], holders: ReadonlyMap<string, string>): void {
  expect(body.code).toBe('DUPLICATE_SIGNAL');
  expect(claims.map((claim) => holders.get(claim))).toContain(body.originalRequestId);
}
