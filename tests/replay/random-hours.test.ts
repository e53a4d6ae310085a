// Random hours, replayed unchanged, are the same hours: whatever was sent, canceled, closed, limited or switched, in any order.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandLineHere } from '../cli/command-line.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { lastPrice, lookAround, SEED } from './busy-hour.ts';

const MARKETS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];
const STRATEGIES = [undefined, 'trend', 'fade'];
/** Of a size that every market trades, in USDT. */
const WORTH = 2000;
/** Of bets that an account can lose everything with. */
const BET = 2_350_000;

const pick = <T>(values: readonly T[]) => fc.constantFrom(...values);
const share = fc.integer({ min: 1, max: 8 }).map((eighths) => eighths / 8);
const anySignal = fc.record({
  kind: fc.constant('signal' as const),
  symbol: pick(MARKETS),
  action: pick(['LONG', 'LONG', 'SHORT', 'CLOSE_LONG', 'CLOSE_SHORT']),
  strategy: pick(STRATEGIES),
  account: pick([undefined, 'scalp']),
  share,
  /** Of a limit order: how far from the price, in thousandths; 0 means at the market. */
  offset: pick([0, 0, -1, -0.5, 0.5, 1]),
  stops: pick([undefined, 2, 5]),
});
const anyStep = fc.oneof(
  { weight: 8, arbitrary: anySignal },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('time' as const), seconds: fc.integer({ min: 1, max: 900 }) }),
  },
  // Past a moment at which funding is paid.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('time' as const), seconds: fc.constant(8 * 3600) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('close' as const), share }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('bet' as const),
      symbol: pick(MARKETS.slice(0, 2)),
      action: pick(['LONG', 'SHORT']),
      account: pick([undefined, 'scalp']),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), symbol: pick(MARKETS) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('switch' as const), active: fc.boolean(), flatten: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('limit' as const), entriesPerDay: fc.integer({ min: 0, max: 5 }) }),
  },
);
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;

async function take(gateway: TestGateway, step: Step): Promise<void> {
  switch (step.kind) {
    case 'signal':
      return sendOne(gateway, step);
    case 'time':
      gateway.clock.offsetMs += step.seconds * 1000;
      return lookAround(gateway);
    case 'bet': {
      const { symbol, action, account } = step;
      const quantity = Number((BET / (await lastPrice(gateway, symbol))).toFixed(2));
      await gateway.send({ symbol, action, account, quantity, leverage: 50 });
      return;
    }
    case 'close':
      await gateway.request('POST', '/positions/close', { all: true, share: step.share });
      return;
    case 'cancel':
      await gateway.request('POST', '/orders/cancel', { symbol: step.symbol });
      return;
    case 'switch':
      await gateway.request('PUT', '/admin/kill-switch', {
        active: step.active,
        scope: 'entries',
        flatten: step.flatten,
      });
      return;
    case 'limit':
      await gateway.request('PUT', '/admin/restrictions/strategy/fade/limits', { entriesPerDay: step.entriesPerDay });
  }
}

async function sendOne(gateway: TestGateway, step: Extract<Step, { kind: 'signal' }>): Promise<void> {
  const { symbol, action, strategy, account, offset, stops } = step;
  const price = await lastPrice(gateway, symbol);
  const isEntry = action === 'LONG' || action === 'SHORT';
  const sign = action === 'LONG' ? 1 : -1;
  const near = (thousandths: number): number => Number((price * (1 + thousandths / 1000)).toPrecision(5));
  await gateway.send({
    ...{ symbol, action, strategy, account },
    quantity: Number(((step.share * WORTH) / price).toFixed(3)),
    ...(offset !== 0 && { price: near(offset) }),
    ...(isEntry && stops !== undefined && { stopLoss: near(-sign * stops), takeProfit: near(sign * stops) }),
  });
}

test('any hour that is replayed unchanged is the same hour', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 20, maxLength: 40 }), async (steps) => {
      const gateway = await openGateway({ accounts: ['scalp'] });
      const startMs = Date.now();
      for (const step of steps) {
        await take(gateway, step);
        // Two steps of one millisecond have no order that anybody could tell.
        gateway.clock.offsetMs += 7;
        await gateway.desk.atRest();
      }
      await lookAround(gateway);
      const endMs = Date.now() + gateway.clock.offsetMs + 1000;
      await gateway.close();
      const cli = commandLineHere({ DATA_DIR: gateway.dataDir, MARKET_SEED: SEED });
      const { body } = await cli.json('replay', '--from', String(startMs), '--to', String(endMs), '--check');
      expect(body.signals.filter(({ same }: { same: boolean }) => !same)).toEqual([]);
      expect(body).toMatchObject({ same: true, holdings: [], troubles: [] });
    }),
    { numRuns: 4, endOnFailure: true },
  );
});
