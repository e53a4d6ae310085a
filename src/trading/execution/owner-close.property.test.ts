// Random signals, closes of everything by the owner, and deaths at every step of them: nothing is doubled, nothing forgotten, and
// no close ever opens or turns a position.

import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { nextRequestId } from '../../../tests/ports/sample-trades.ts';
import { decimal } from '../decimal.ts';
import { createCrashableJournal } from '../testing/crashable-journal.ts';
import { advance, hurry, turn } from '../testing/hurry.ts';
import { createMemoryOutbox } from '../testing/memory-outbox.ts';
import { createSurvivingVenue } from '../testing/surviving-venue.ts';
import { memorySettings, openTestDesk, type TestDesk } from '../testing/test-desk.ts';

beforeEach(hurry);

const MARKETS = ['AUSDT', 'BUSDT', 'CUSDT'];

interface Fate {
  readonly commitTurns: () => number;
  readonly answerTurns: () => number;
}

/** A disk and two accounts that outlive the processes which trade on them. */
function world({ commitTurns, answerTurns }: Fate) {
  const disk = createCrashableJournal({ commitTurns, fails: () => false });
  const venues = ['main', 'scalp'].map((account) => createSurvivingVenue(answerTurns, account));
  const settings = memorySettings();
  const open = (): Promise<TestDesk> => {
    const storage = { journal: disk.connect(), signals: { add: async () => undefined } as never };
    return openTestDesk({
      ...{ ...storage, outbox: createMemoryOutbox(), venues: venues.map((venue) => venue.connect()) },
      settings,
      routes: ['main', 'scalp'].map((account) => ({ account, multiplier: 1 })),
    });
  };
  const start = async (): Promise<TestDesk> => {
    const made = await open();
    await made.desk.start({ afterCrash: true });
    return made;
  };
  const die = (): void => {
    disk.die();
    for (const venue of venues) venue.die();
    hurry();
  };
  const held = (): string[] => venues.flatMap((venue) => MARKETS.map((market) => venue.held(market)));
  return { disk, venues, open, start, die, held };
}

async function settle(desk: TestDesk, isOver: () => boolean): Promise<void> {
  for (let quiet = 0, patience = 0; quiet < 30; patience++) {
    if (patience > 3000) throw new Error('it does not come to an end');
    await turn();
    await advance(20);
    quiet = isOver() && desk.desk.backlog() === 0 ? quiet + 1 : 0;
  }
}

const closeAll = (desk: TestDesk, share = '1') =>
  desk.desk.ownerCloser.close({
    ...{ requestId: nextRequestId(), actor: 'test', positions: 'all', share: decimal(share) },
  });

const constant = (turns: number) => () => turns;
const openAll = async (desk: TestDesk): Promise<void> => {
  for (const [index, market] of MARKETS.entries()) {
    const action = index === 1 ? ('SHORT' as const) : ('LONG' as const);
    await desk.trade('failover', { order: { market, symbol: market, action, quantity: decimal('4') } });
  }
};

test('killed after any number of turns, a close of everything happens whole or not at all, and once', async () => {
  let outcomes = 0;
  for (let death = 0; death < 40; death++) {
    hurry();
    const here = world({ commitTurns: constant(3), answerTurns: constant(2) });
    const first = await here.start();
    const over = () => here.disk.rows().every(({ trade }) => ['filled', 'rejected'].includes(trade.state));
    const opened = openAll(first);
    await settle(first, over);
    await opened;
    const before = here.disk.rows().length;
    let answered = false;
    void closeAll(first).then(() => {
      answered = true;
    });
    for (let turns = death; turns > 0; turns--) await turn();
    here.die();
    const second = await here.start();
    await settle(second, over);
    const closes = here.disk.rows().slice(before);
    expect([0, 6]).toContain(closes.length);
    // What was answered is on disk; what is on disk is done, by one order each.
    if (answered) expect(closes).toHaveLength(6);
    expect(here.held().filter(Boolean)).toHaveLength(closes.length === 6 ? 0 : 6);
    expect(closes.map(({ trade }) => [trade.source, trade.state])).toEqual(closes.map(() => ['owner', 'filled']));
    expect(here.venues.flatMap(({ faults }) => faults)).toEqual([]);
    expect(here.disk.positions().every(({ quantity }) => (quantity === 0n) === (closes.length === 6))).toBe(true);
    outcomes |= closes.length === 0 ? 1 : answered ? 4 : 2;
  }
  // Deaths before it was on disk, between, and after the answer.
  expect(outcomes).toBe(7);
});

test('killed after any number of turns, a kill switch with flatten leaves nothing open, and closes nothing twice', async () => {
  for (let death = 0; death < 40; death++) {
    hurry();
    const here = world({ commitTurns: constant(3), answerTurns: constant(2) });
    const first = await here.start();
    const over = () => here.disk.rows().every(({ trade }) => ['filled', 'rejected'].includes(trade.state));
    const opened = openAll(first);
    await settle(first, over);
    await opened;
    await first.controls.set('killSwitch', { active: true, scope: 'all', cancelEntries: true, flatten: true }, 'test');
    for (let turns = death; turns > 0; turns--) await turn();
    here.die();
    const second = await here.start();
    await settle(second, () => over() && here.held().every((held) => held === ''));
    expect(here.venues.flatMap(({ faults }) => faults)).toEqual([]);
    const closes = here.disk.rows().filter(({ trade }) => trade.source === 'owner');
    expect(closes.filter(({ trade }) => trade.state === 'filled')).toHaveLength(6);
    expect(closes.flatMap(({ orders }) => orders).every(({ reduceOnly }) => reduceOnly)).toBe(true);
  }
});

test('a desk that was not started only keeps the switch; the next start closes what is open', async () => {
  const here = world({ commitTurns: constant(0), answerTurns: constant(0) });
  const first = await here.start();
  const opened = openAll(first);
  await settle(first, () => here.disk.rows().length === 6);
  await opened;
  here.die();
  const looking = await here.open();
  await looking.controls.set('killSwitch', { active: true, scope: 'all', flatten: true }, 'test');
  expect(await looking.desk.killSwitchGuard.enforced()).toEqual({ canceled: [], closed: [] });
  for (let turns = 50; turns > 0; turns--) await turn();
  expect(here.disk.rows()).toHaveLength(6);
  here.die();
  const second = await here.start();
  await settle(second, () => here.held().every((held) => held === ''));
  expect(here.disk.rows()).toHaveLength(12);
});

test('random closes among random signals and deaths turn no position and leave nothing of any share', async () => {
  const step = fc.record({
    market: fc.nat(MARKETS.length - 1),
    does: fc.constantFrom('LONG' as const, 'SHORT' as const, 'all', 'all', 'half'),
    quantity: fc.integer({ min: 1, max: 3 }),
    strategy: fc.constantFrom(undefined, 'trend', 'range'),
    gap: fc.constantFrom(0, 0, 1, 4, 12, 30),
    death: fc.option(fc.nat(60), { freq: 3 }),
  });
  const drawn = fc.infiniteStream(fc.nat(5)).map((stream) => () => stream.next().value as unknown as number);
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 12 }),
      drawn,
      drawn,
      async (steps, commitTurns, answerTurns) => {
        const here = world({ commitTurns, answerTurns });
        let desk = await here.start();
        for (const { market, does, quantity, strategy, gap, death } of steps) {
          const name = MARKETS[market] as string;
          const order = { market: name, symbol: name, quantity: decimal(quantity), strategy };
          if (does === 'all' || does === 'half') void closeAll(desk, does === 'all' ? '1' : '0.5');
          else void desk.trade('failover', { order: { ...order, action: does } });
          for (let turns = gap + (death ?? 0); turns > 0; turns--) await turn();
          if (death === null) continue;
          here.die();
          desk = await here.start();
        }
        const over = () => here.disk.rows().every(({ trade }) => ['filled', 'rejected'].includes(trade.state));
        await settle(desk, over);
        expect(here.venues.flatMap(({ faults }) => faults)).toEqual([]);
        expect(here.disk.adopted).toEqual([]);
        const ofOwner = here.disk.rows().filter(({ trade }) => trade.source === 'owner');
        // Only a share that others cancel out is closed by the name of its strategy, and that opens theirs.
        for (const { orders } of ofOwner.filter(({ trade }) => trade.order.strategy === undefined))
          expect(orders.map(({ reduceOnly }) => reduceOnly)).toEqual(orders.map(() => true));
        // Closed once more with nothing else under way, nothing is left, of no strategy.
        void closeAll(desk);
        await settle(desk, over);
        expect(here.held().filter(Boolean)).toEqual([]);
        expect(here.disk.books().filter(({ quantity }) => quantity !== 0n)).toEqual([]);
        hurry();
      },
    ),
    { numRuns: 40 },
  );
});
