// Random signals of several strategies, random deaths, slow and failing disks: every market ends as if its signals had been
// executed one by one in the order of their acceptance, our positions are the venue's, and the strategies' shares add up to them.

import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { replay } from '../../../tests/support/as-if-in-order.ts';
import type { UnfinishedTrade } from '../books/journal.ts';
import { sumOf } from '../books/strategy-book.ts';
import { decimal } from '../decimal.ts';
import type { QueueMode } from '../intake/controls.ts';
import { ACTIONS, type Action } from '../signal.ts';
import { type CrashableJournal, createCrashableJournal } from '../testing/crashable-journal.ts';
import { advance, hurry, turn } from '../testing/hurry.ts';
import { createMemoryOutbox } from '../testing/memory-outbox.ts';
import { createSurvivingVenue, type SurvivingVenue } from '../testing/surviving-venue.ts';
import { openTestDesk } from '../testing/test-desk.ts';

beforeEach(hurry);

const MARKETS = ['AUSDT', 'BUSDT'];
const RUNS = 120;

interface Step {
  readonly market: number;
  readonly action: Action;
  readonly quantity: number;
  readonly strategy: string | undefined;
  readonly mode: QueueMode;
  /** Such a signal takes more steps between the journal and its lane. */
  readonly trailed: boolean;
  /** Turns of the event loop until the next step. */
  readonly gap: number;
  /** The process dies after so many further turns. */
  readonly death: number | null;
}

const step = fc.record<Step>({
  market: fc.nat(MARKETS.length - 1),
  action: fc.constantFrom(...ACTIONS),
  quantity: fc.integer({ min: 1, max: 3 }),
  strategy: fc.constantFrom(undefined, 'trend', 'range'),
  mode: fc.constantFrom<QueueMode>('async', 'failover'),
  trailed: fc.boolean(),
  gap: fc.constantFrom(0, 0, 0, 1, 4, 12, 30),
  death: fc.option(fc.nat(150), { freq: 2 }),
});

/** Numbers drawn beforehand, one after the other, so that a failure can be shown again. */
const drawn = (max: number) =>
  fc.infiniteStream(fc.nat(max)).map((stream) => () => stream.next().value as unknown as number);

interface World {
  readonly commitTurns: () => number;
  readonly answerTurns: () => number;
  /** Of 100 writes so many fail. */
  readonly failing: number;
  readonly luck: () => number;
  /** Every signal is traded on all of them. */
  readonly accounts: readonly string[];
}

async function live(steps: readonly Step[], world: World) {
  let dying = true;
  const fails = (): boolean => dying && world.luck() < world.failing;
  const disk = createCrashableJournal({ commitTurns: world.commitTurns, fails });
  const venues = world.accounts.map((account) => createSurvivingVenue(world.answerTurns, account));
  const routes = world.accounts.map((account) => ({ account, multiplier: 1 }));
  const signals = { add: async () => undefined } as never;
  const start = async () => {
    const made = await openTestDesk({
      journal: disk.connect(),
      signals,
      outbox: createMemoryOutbox(),
      venues: venues.map((venue) => venue.connect()),
      routes,
    });
    await made.desk.start({ afterCrash: true });
    return made;
  };
  const acknowledged: string[] = [];
  let desk = await start();
  for (const { market, action, quantity, strategy, mode, trailed, gap, death } of steps) {
    const name = MARKETS[market] as string;
    const protect =
      trailed && !action.startsWith('CLOSE')
        ? { protect: { trail: { unit: 'percent', value: decimal('50') } } as const }
        : {};
    const order = { market: name, symbol: name, action, quantity: decimal(quantity), strategy, ...protect };
    desk.trade(mode, { order }).then(
      ({ requestId }) => void acknowledged.push(requestId),
      // Not accepted: the disk refused it, and the sender knows.
      () => undefined,
    );
    for (let turns = gap + (death ?? 0); turns > 0; turns--) await turn();
    if (death === null) continue;
    disk.die();
    for (const venue of venues) venue.die();
    hurry();
    desk = await start();
  }
  dying = false;
  const isOver = (): boolean => disk.rows().every(({ trade }) => ['filled', 'rejected'].includes(trade.state));
  for (let quiet = 0, patience = 0; quiet < 30; patience++) {
    if (patience > 3000) throw new Error('it does not come to an end');
    await turn();
    await advance(20);
    quiet = isOver() && desk.desk.backlog() === 0 ? quiet + 1 : 0;
  }
  hurry();
  return { disk, venues, acknowledged };
}

const replayed = ({ trade }: UnfinishedTrade) => ({
  name: `#${trade.seq}`,
  action: trade.order.action,
  quantity: Number(trade.order.quantity) / 1e12,
  strategy: trade.order.strategy,
  state: trade.state,
  executedQuantity: Number(trade.executedQuantity) / 1e12,
});

async function check(steps: readonly Step[], world: World): Promise<void> {
  const { disk, venues, acknowledged } = await live(steps, world);
  const rows = disk.rows();
  const ids = new Set(rows.map(({ trade }) => trade.requestId));
  expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
  expect(venues.flatMap(({ faults }) => faults)).toEqual([]);
  expect(disk.adopted).toEqual([]);
  // A signal is on all of its accounts or on none.
  expect(rows.length).toBe(
    new Set(rows.map(({ trade }) => trade.requestId.split('.')[0])).size * world.accounts.length,
  );
  for (const [index, account] of world.accounts.entries()) {
    for (const market of MARKETS) checkMarket(disk, venues[index] as SurvivingVenue, account, market);
  }
}

function checkMarket(disk: CrashableJournal, venue: SurvivingVenue, account: string, market: string): void {
  const isHere = (each: { account: string; market: string }) => each.account === account && each.market === market;
  const trades = disk.rows().filter(({ trade }) => isHere({ account: trade.account, market: trade.order.market }));
  const { faults, position, shares } = replay(trades.map(replayed));
  expect(faults).toEqual([]);
  expect(venue.held(market)).toBe(position);
  const ours = disk.positions().filter((each) => isHere(each) && each.quantity > 0n);
  expect(ours.map(({ side, quantity }) => `${side} ${Number(quantity) / 1e12}`).join()).toBe(position);
  for (const [strategy, share] of shares) {
    const books = disk.books().filter((each) => isHere(each) && each.strategy === strategy);
    // Undivided, the position is the nameless share.
    if (books.length > 0 || strategy !== '') expect(Number(sumOf(books)) / 1e12).toBe(share);
  }
}

test.each([
  ['a disk that takes its time', 0, ['main'], RUNS],
  ['a disk that takes its time and fails now and then', 12, ['main'], RUNS],
  ['two accounts of every signal', 6, ['main', 'second'], RUNS / 3],
])('every market ends as if executed in order, on %s', async (_, failing, accounts, runs) => {
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 4, maxLength: 30 }),
    // A disk is far slower than a venue in the same process: so much can happen while one step is on its way.
    drawn(24),
    drawn(1),
    drawn(99),
    (steps, commitTurns, answerTurns, luck) => check(steps, { commitTurns, answerTurns, failing, luck, accounts }),
  );
  await fc.assert(property, { numRuns: runs });
});
