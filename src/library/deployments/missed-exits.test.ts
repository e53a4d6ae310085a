// A strategy whose exits filled while nobody looked: they are made up late and once, and its entries of that time are not.

import { afterEach, describe, expect, test } from 'vitest';
import type { DeploymentEvent } from './deployment.ts';
import { ANN, HOOK, type TestSetup } from './testing/open-test-setup.ts';
import { deployOrders, HOUR_MS, type OrderingOptions, type OrderingStrategy } from './testing/ordering-strategy.ts';

let strategy: OrderingStrategy;
let setup: TestSetup;
let id: string;
afterEach(() => setup.close());

async function deployed(orders: readonly number[], options?: OrderingOptions): Promise<void> {
  strategy = await deployOrders(orders, options);
  ({ setup, id } = strategy);
}

const live = (bars: number): Promise<void> => strategy.live(bars);
const away = (bars: number): Promise<void> => strategy.away(bars);
const tick = (): Promise<void> => strategy.tick();
const moves = () => strategy.orders().map(({ action, contracts, before, after }) => [action, contracts, before, after]);
const linesOf = async (kind: string): Promise<string[]> =>
  (await setup.logs(id)).filter((line) => line.startsWith(`${kind}: `));

describe('after an outage', () => {
  test('an exit of the missed bars closes what was held, at once, and the next entry does not double it', async () => {
    await deployed([1, 0, -1, 0, 0, 1]);
    await live(2);
    expect(moves()).toEqual([['buy', 1, 0, 1]]);
    await away(3);
    expect(moves()).toEqual([
      ['buy', 1, 0, 1],
      ['sell', 1, 1, 0],
    ]);
    expect((await linesOf('order')).at(-1)).toContain('o2: sell 1 at 100, from 1 to 0. It is late');
    expect(await linesOf('missed')).toEqual([expect.stringContaining('3 bars were missed')]);
    await live(2);
    expect(moves().slice(2)).toEqual([['buy', 1, 0, 1]]);
  });

  test('an entry of the missed bars does not act, and the log names its side, its quantity and its bar', async () => {
    await deployed([0, 2]);
    await live(1);
    await away(3);
    await live(2);
    expect(strategy.orders()).toEqual([]);
    const bar = new Date(strategy.firstMs + 2 * HOUR_MS).toISOString();
    expect((await linesOf('missed'))[1]).toContain(
      `o1: buy 2 at 100 was missed and will not act: it filled on the bar of ${bar}`,
    );
  });

  test('only the closing part of a reversal acts, in words that nobody opens anything by', async () => {
    await deployed([1, 0, -3], { fields: ', alert_message = "sell 3"' });
    await live(2);
    await away(3);
    expect(moves().slice(1)).toEqual([['sell', 1, 1, 0]]);
    expect(setup.arrived.at(-1)?.event.message).toContain('Order sell @ 1 filled late');
    expect(await linesOf('missed')).toEqual([
      expect.stringContaining('3 bars'),
      expect.stringContaining('o2: sell 2 of 3 at 100 was missed'),
    ]);
  });

  test('a reversal at the open of the bar that forms is closed late as well', async () => {
    await deployed([1, 0, -2]);
    await live(2);
    await setup.closeBar();
    setup.die();
    await setup.clock.advance(HOUR_MS / 2);
    await setup.rise();
    await tick();
    await tick();
    await live(1);
    expect(moves().slice(1)).toEqual([['sell', 1, 1, 0]]);
  });

  test('what was entered and left meanwhile is not closed, and of what was added and reduced the rest stays', async () => {
    await deployed([2, 0, 3, -3, -1, 1, -1]);
    await live(2);
    await away(7);
    // 2 are held; 5, 2, 1, 2, 1 after the fills of the outage.
    expect(moves().slice(1)).toEqual([['sell', 1, 2, 1]]);
    await setup.clock.advance(60_000);
    expect(await setup.store.read(ANN, id)).toMatchObject({ position: 1, toldPosition: 1 });
  });

  test('a late exit has the id it would have had, and comes once, whatever dies between', async () => {
    const run = async (isAway: boolean): Promise<DeploymentEvent[]> => {
      await deployed([1, 0, -1]);
      await live(2);
      await (isAway ? away(2) : live(2));
      if (isAway) {
        await away(0);
        await away(2);
      }
      const events = setup.events();
      expect(setup.arrived.map(({ event }) => event.id)).toEqual(events.map((event) => event.id));
      return events;
    };
    const inTime = await run(false);
    await setup.close();
    const late = await run(true);
    expect(late.map((event) => event.id)).toEqual(inTime.map((event) => event.id));
    expect(late).toHaveLength(2);
  });

  test('an exit that a tick has told is not told again when its bar is missed', async () => {
    await deployed([1, 0, -1, 1]);
    await live(3);
    expect(moves()).toHaveLength(2);
    await away(3);
    expect(moves()).toHaveLength(2);
  });

  test('an outage of more bars than one turn takes is made up to its end', async () => {
    await deployed([1, ...Array<number>(1100).fill(0), -1]);
    await live(2);
    await away(1105);
    await setup.clock.advance(5000);
    expect(moves()).toEqual([
      ['buy', 1, 0, 1],
      ['sell', 1, 1, 0],
    ]);
    expect(await linesOf('missed')).toEqual([
      expect.stringContaining('1000 bars were missed'),
      expect.stringContaining('105 bars were missed'),
    ]);
  });

  test('other targets are told of the late exit too, in the words of the script', async () => {
    await deployed([1, 0, -1], { target: HOOK, fields: ', alert_message = "o!"' });
    await live(2);
    await away(3);
    expect(setup.arrived.map(({ event }) => event.message)).toEqual(['o!', 'o!']);
  });
});

test('an error of the script in the missed bars is told as such, and counts as one', async () => {
  const boom = (firstMs: number) => `if time == ${firstMs + 3 * HOUR_MS}\n    runtime.error("boom")\n`;
  await deployed([1], { lines: boom });
  await live(2);
  await away(3);
  expect(await linesOf('missed')).toEqual([expect.stringContaining('3 bars were missed')]);
  expect(await linesOf('error')).toEqual([expect.stringContaining('boom')]);
  expect(await setup.store.read(ANN, id)).toMatchObject({ failures: 1, state: 'running', toldPosition: 1 });
});

test('drift says where the script holds what was never traded', async () => {
  await deployed([0, 2]);
  await live(1);
  await away(3);
  await setup.clock.advance(70_000);
  expect((await setup.store.read(ANN, id))?.drift).toContain('The script holds long 2 that was never traded');
  expect(strategy.raised.at(-1)).toContain('never traded');
});
