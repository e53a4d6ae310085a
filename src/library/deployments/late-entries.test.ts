// An entry whose run or delivery had to wait does not act any more, at the very limit; an exit acts however late.

import { afterEach, describe, expect, test } from 'vitest';
import { ANN, type TestSetup } from './testing/open-test-setup.ts';
import { deployOrders, type OrderingOptions, type OrderingStrategy } from './testing/ordering-strategy.ts';

const GRACE_MS = 60_000;
const AT_CLOSE: OrderingOptions = { declared: ', process_orders_on_close = true' };

let strategy: OrderingStrategy;
let setup: TestSetup;
let gate = Promise.withResolvers<undefined>();
afterEach(() => setup.close());

async function deployed(orders: readonly number[], options: OrderingOptions = {}): Promise<void> {
  release();
  strategy = await deployOrders(orders, { ...options, hold: () => gate.promise });
  ({ setup } = strategy);
}

const hold = (): void => {
  gate = Promise.withResolvers();
};
const release = (): void => gate.resolve(undefined);
const moves = () => strategy.orders().map(({ action, contracts, before, after }) => [action, contracts, before, after]);
const missedLines = async (): Promise<string[]> =>
  (await setup.logs(strategy.id)).filter((line) => line.startsWith('missed: '));

/** The bar closes, and its run ends so long after that was noticed. */
async function closeLate(ms: number): Promise<void> {
  hold();
  await setup.closeBar();
  await setup.clock.advance(ms - 1000);
  release();
  await setup.clock.advance(0);
}

/** The next bar opens, and the look at its first tick ends so long after. */
async function tickLate(ms: number): Promise<void> {
  hold();
  setup.market.tick();
  await setup.clock.advance(ms);
  release();
  await setup.clock.advance(0);
}

describe('an entry', () => {
  test('at the close acts when its run has ended within the grace', async () => {
    await deployed([2], AT_CLOSE);
    await closeLate(GRACE_MS);
    expect(moves()).toEqual([['buy', 2, 0, 2]]);
  });

  test('at the close is missed a moment later, the log says why, and drift says that it was never traded', async () => {
    await deployed([2], AT_CLOSE);
    await closeLate(GRACE_MS + 1);
    await strategy.live(1);
    expect(moves()).toEqual([]);
    expect(await missedLines()).toEqual([
      expect.stringMatching(/o0: buy 2 at 100 was missed and will not act: .*, and the run had to wait 60 s\.$/),
    ]);
    await setup.clock.advance(70_000);
    expect(await setup.store.read(ANN, strategy.id)).toMatchObject({ position: 2, toldPosition: 0 });
    expect(strategy.raised.at(-1)).toContain('The script holds long 2 that was never traded');
  });

  test('at the open acts when the look at the first tick has ended within the grace', async () => {
    await deployed([2]);
    await setup.closeBar();
    await tickLate(GRACE_MS);
    expect(moves()).toEqual([['buy', 2, 0, 2]]);
  });

  test('at the open is missed a moment later, and once, however often the bar is looked at', async () => {
    await deployed([2]);
    await setup.closeBar();
    await tickLate(GRACE_MS + 1);
    await strategy.tick();
    await strategy.live(1);
    expect(moves()).toEqual([]);
    expect(await missedLines()).toEqual([expect.stringContaining('the run had to wait 60 s')]);
  });

  test('at the open is missed when the run of the close before had to wait, though its own look did not', async () => {
    await deployed([2]);
    hold();
    await setup.closeBar();
    setup.market.tick();
    await setup.clock.advance(GRACE_MS + 1);
    release();
    await setup.clock.advance(0);
    await strategy.tick();
    expect(moves()).toEqual([]);
    expect(await missedLines()).toHaveLength(1);
  });

  test('of a bar whose ticks were never looked at is missed at its close', async () => {
    await deployed([2]);
    await setup.closeBar();
    setup.onStore = (method) => {
      if (method === 'eventIds') throw new Error('disk full');
    };
    await strategy.tick();
    await setup.clock.advance(GRACE_MS);
    setup.onStore = undefined;
    await setup.closeBar();
    expect(moves()).toEqual([]);
    expect(await missedLines()).toHaveLength(1);
  });

  test('acts where the market itself was silent: it is as old as the tick that shows it', async () => {
    await deployed([2]);
    await setup.closeBar();
    await setup.clock.advance(20 * GRACE_MS);
    await strategy.tick();
    expect(moves()).toEqual([['buy', 2, 0, 2]]);
  });
});

test('of a reversal whose run had to wait the closing part acts', async () => {
  await deployed([1, 0, -3]);
  await strategy.live(2);
  await setup.closeBar();
  await tickLate(GRACE_MS + 1);
  expect(moves().slice(1)).toEqual([['sell', 1, 1, 0]]);
  expect(await missedLines()).toEqual([expect.stringContaining('o2: sell 2 of 3 at 100 was missed')]);
});

test.each([
  ['open', {}],
  ['close', AT_CLOSE],
])('an exit at the %s acts however long its run had to wait', async (_, options) => {
  await deployed([1, 0, -1], options);
  await strategy.live(2);
  if (options === AT_CLOSE) await closeLate(9 * GRACE_MS);
  else {
    await setup.closeBar();
    await tickLate(9 * GRACE_MS);
  }
  expect(moves()).toEqual([
    ['buy', 1, 0, 1],
    ['sell', 1, 1, 0],
  ]);
});

describe('a delivery that is refused for a while', () => {
  /** The gateway refuses until so long after the fill was noticed. */
  async function refusedFor(ms: number): Promise<void> {
    const untilMs = setup.clock.nowMs() + ms;
    setup.onDeliver = () => {
      if (setup.clock.nowMs() < untilMs)
        throw Object.assign(new Error('busy'), { retryAfterMs: untilMs - setup.clock.nowMs() });
    };
    setup.market.tick();
    await setup.clock.advance(ms + 1000);
  }
  const abandoned = async (): Promise<string[]> =>
    (await setup.logs(strategy.id)).filter((line) => line.startsWith('abandoned: '));

  test('is traded within the grace', async () => {
    await deployed([2]);
    await setup.closeBar();
    await refusedFor(GRACE_MS);
    expect(moves()).toEqual([['buy', 2, 0, 2]]);
  });

  test('is given up a moment later where it opens something', async () => {
    await deployed([2]);
    await setup.closeBar();
    await refusedFor(GRACE_MS + 1);
    expect(moves()).toEqual([]);
    expect(await abandoned()).toEqual([expect.stringContaining('it had to wait too long')]);
  });

  test('is cut to the closing part where it reverses', async () => {
    await deployed([1, 0, -3]);
    await strategy.live(2);
    await setup.closeBar();
    await refusedFor(GRACE_MS + 1);
    expect(moves().slice(1)).toEqual([['sell', 1, 1, 0]]);
  });

  test('is tried for a day where it closes something', async () => {
    await deployed([1, 0, -1]);
    await strategy.live(2);
    await setup.closeBar();
    let tries = 0;
    setup.onDeliver = () => {
      tries += 1;
      throw new Error('no gateway');
    };
    setup.market.tick();
    await setup.clock.advance(3_000_000);
    expect(tries).toBeGreaterThan(30);
    expect(await abandoned()).toEqual([]);
    setup.onDeliver = undefined;
    await setup.clock.advance(60_000);
    expect(moves().slice(1)).toEqual([['sell', 1, 1, 0]]);
  });
});
