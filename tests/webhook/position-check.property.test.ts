// Strategies of one market whose alerts are missed at random, over restarts: what each holds here is what it says it holds.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toNumber, ZERO } from '../../src/trading/decimal.ts';
import type { PositionMode } from '../../src/trading/venue.ts';
import type { GatewayOptions, Sent, TestGateway } from '../support/gateway.ts';
import { createStrategy, type TradingviewStrategy } from '../support/tradingview-strategy.ts';
import { freshGateway } from './answers.ts';

const NAMES = ['trend', 'range'] as const;
type Name = (typeof NAMES)[number];

interface Step {
  readonly strategy: Name;
  readonly to: number;
  readonly arrives: boolean;
  readonly restart: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  strategy: fc.constantFrom(...NAMES),
  to: fc.integer({ min: -3, max: 3 }),
  arrives: fc.boolean(),
  restart: fc.nat({ max: 9 }).map((dice) => dice === 0),
});
const steps = fc.array(step, { minLength: 4, maxLength: 14 });

const alert = (gateway: TestGateway, strategy: Name, fields: object): Promise<Sent> =>
  gateway.request('POST', '/webhook/tradingview', {
    ...{ apiKey: gateway.apiKey, exchange: 'binance', ticker: 'ETHUSDT.P', strategy, ...fields },
  });

/** What a strategy holds, long positive. */
async function shareOf(gateway: TestGateway, name: Name): Promise<number> {
  const stored = await gateway.data.journal.strategyBooks();
  const books = stored.filter(({ strategy, quantity }) => strategy === name && quantity > ZERO);
  // A strategy has one position, also where its account could hold both sides.
  expect(books.length).toBeLessThanOrEqual(1);
  return books.reduce((sum, { side, quantity }) => sum + (side === 'LONG' ? 1 : -1) * toNumber(quantity), 0);
}

interface Look {
  readonly gateway: TestGateway;
  readonly sent: Sent;
  readonly name: Name;
  readonly heldBefore: number;
  readonly saidBefore: number;
  readonly says: number;
}

/** Walks through the steps, each time from flat; `arrived` looks at each alert that came, with what was held before it. */
function createWalk(options: GatewayOptions, arrived: (look: Look) => Promise<void>) {
  let opened: TestGateway | undefined;
  return async (all: readonly Step[]): Promise<void> => {
    opened ??= await freshGateway(options);
    await opened.request('POST', '/positions/close', { all: true });
    const strategies: Record<Name, TradingviewStrategy> = { trend: createStrategy(), range: createStrategy() };
    for (const { strategy: name, to, arrives, restart } of all) {
      const saidBefore = strategies[name].position;
      if (to === saidBefore) continue;
      const fields = strategies[name].moveTo(to);
      if (!arrives) continue;
      if (restart) {
        await opened.close();
        opened = await freshGateway({ ...options, dataDir: opened.dataDir });
      }
      const heldBefore = await shareOf(opened, name);
      const sent = await alert(opened, name, fields);
      await arrived({ gateway: opened, sent, name, heldBefore, saidBefore, says: to });
    }
    expect(opened.troubles).toEqual([]);
  };
}

it.each<PositionMode>(['one-way', 'hedge'])(
  'catch_up, %s: after every alert that arrives, the share is what the strategy says',
  async (positionMode) => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        createWalk({ positionCheck: 'catch_up', positionMode }, async ({ gateway, sent, name, heldBefore, says }) => {
          expect(await shareOf(gateway, name)).toBe(says);
          if (sent.status === 200) return;
          // Refused only where nothing was left to do.
          expect([sent.status, heldBefore]).toEqual([422, says]);
        }),
      ),
      { numRuns: 15 },
    );
  },
);

it('refuse: nothing is sent while the two differ, but an exit to flat', async () => {
  await fc.assert(
    fc.asyncProperty(
      steps,
      createWalk({ positionCheck: 'refuse' }, async ({ gateway, sent, name, heldBefore, saidBefore, says }) => {
        const held = await shareOf(gateway, name);
        const isExit = says === 0 && Math.sign(heldBefore) === Math.sign(saidBefore) && heldBefore !== 0;
        if (heldBefore === saidBefore || isExit) {
          expect([sent.status, held]).toEqual([200, says]);
          return;
        }
        expect([sent.status, sent.body.code, held]).toEqual([422, 'POSITION_DIFFERS', heldBefore]);
        expect((await gateway.trade(sent.body.requestId)).orders).toEqual([]);
      }),
    ),
    { numRuns: 15 },
  );
});
