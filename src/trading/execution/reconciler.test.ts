// Comparing a whole account: what is believed, and when; what is booked first; and what is only told.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createScriptedVenue, type ScriptedVenue } from '../../../tests/support/scripted-venue.ts';
import { decimal, ZERO } from '../decimal.ts';
import type { Action } from '../signal.ts';
import { createCrashableJournal } from '../testing/crashable-journal.ts';
import { hurry, passTime, passTimeUntil, pretendedTimers } from '../testing/hurry.ts';
import { createMemoryOutbox } from '../testing/memory-outbox.ts';
import { openTestDesk, type TestDesk } from '../testing/test-desk.ts';
import { UnknownMarket, VenueError, type VenuePosition } from '../venue.ts';

type SharedVenue = ScriptedVenue & Required<Pick<ScriptedVenue, 'allPositions' | 'allOpenOrders'>>;

let venue: SharedVenue;
let disk: ReturnType<typeof createCrashableJournal>;
let opened: TestDesk | undefined;

beforeEach(() => {
  hurry();
  opened = undefined;
  const scripted = createScriptedVenue('binance', 'one-way', pretendedTimers);
  venue = Object.assign(scripted, {
    allPositions: () => venue.positions('BTCUSDT'),
    allOpenOrders: () => venue.openOrders('BTCUSDT'),
  });
  disk = createCrashableJournal({ commitTurns: () => 1, fails: () => false });
});
afterEach(async () => {
  if (opened) await passTime(opened.desk.stop(1000));
});

async function open(): Promise<TestDesk> {
  const signals = { add: async () => undefined } as never;
  const journal = disk.connect();
  opened = await openTestDesk({ journal, signals, outbox: createMemoryOutbox(), venues: [venue] });
  await opened.desk.start();
  await passTime(opened.desk.reconciler!.reconcileNow());
  return opened;
}

async function compare({ desk }: TestDesk) {
  const [account] = await passTime(desk.reconciler!.reconcileNow());
  return account!;
}
const outcomes = async (desk: TestDesk) =>
  (await compare(desk)).last?.differences.map(({ kind, outcome }) => `${kind} ${outcome}`);

const LONG: VenuePosition = {
  ...{ market: 'BTCUSDT', side: 'LONG', quantity: decimal('0.3'), entryPrice: decimal('100') },
};

test('accounts on which nobody else can trade need no comparison', async () => {
  const signals = { add: async () => undefined } as never;
  const alone = createScriptedVenue('binance', 'one-way', pretendedTimers);
  opened = await openTestDesk({ journal: disk.connect(), signals, outbox: createMemoryOutbox(), venues: [alone] });
  expect(opened.desk.reconciler).toBeUndefined();
});

test('the first comparison is at the start, the next ones follow each minute', async () => {
  const desk = await open();
  let looks = 0;
  const { allPositions } = venue;
  venue.allPositions = () => {
    looks += 1;
    return allPositions();
  };
  await passTimeUntil(() => looks === 1);
  venue.hold('LONG', '0.3');
  await passTimeUntil(() => disk.adopted.length === 1);
  expect(desk.alarms).toEqual([expect.stringContaining('our books had 0, the venue has 0.3')]);
});

test('an order of ours that is under way is not taken for a trade of somebody else', async () => {
  const desk = await open();
  // The venue has taken and filled it, and shows it only at the fifth look.
  venue.script.push({ fail: 'unknown', taken: true });
  venue.hiddenLooks = 5;
  const trading = desk.trade('direct');
  await passTimeUntil(() => venue.sent.length === 1);
  const [account] = await passTime(desk.desk.reconciler!.reconcileNow());
  await passTime(trading);
  await passTimeUntil(() => desk.desk.backlog() === 0);
  expect([disk.adopted, account?.last?.differences]).toEqual([[], []]);
  expect(disk.positions().map(({ quantity }) => quantity)).toEqual([decimal('0.5')]);
});

test('an order whose outcome is unknown keeps its market from being compared', async () => {
  const desk = await open();
  venue.script.push({ fail: 'unknown', taken: true });
  venue.hiddenLooks = 50;
  await passTime(desk.trade('direct'));
  await passTimeUntil(() => desk.desk.backlog() === 0);
  expect(await outcomes(desk)).toEqual(['position open']);
  expect(disk.adopted).toEqual([]);
});

test('a venue that tells a position later than its fill is not believed at once', async () => {
  const desk = await open();
  await passTime(desk.trade('direct'));
  const { positions } = venue;
  venue.positions = async () => [];
  expect(await outcomes(desk)).toEqual(['position open']);
  desk.clock.advance(2999);
  expect(await outcomes(desk)).toEqual(['position open']);
  venue.positions = positions;
  desk.clock.advance(1);
  expect([await outcomes(desk), disk.adopted]).toEqual([[], []]);
});

test('what still differs when nothing was traded for a while is adopted', async () => {
  const desk = await open();
  await passTime(desk.trade('direct'));
  venue.hold('LONG', '0.7');
  desk.clock.advance(3000);
  expect(await outcomes(desk)).toEqual(['position adopted']);
  expect(disk.adopted).toEqual(['LONG BTCUSDT on binance: our books had 0.5, the venue has 0.7']);
});

/** Holds 0.5, traded long enough ago to be compared. */
async function openHolding(): Promise<TestDesk> {
  const desk = await open();
  await passTime(desk.trade('direct'));
  desk.clock.advance(3000);
  return desk;
}

test.each([
  ['less', { LONG: '0.2', SHORT: '0' }],
  ['nothing', { LONG: '0', SHORT: '0' }],
  ['the other side', { LONG: '0', SHORT: '0.7' }],
])('a venue that shows %s of what our books have is believed when it has said so for 30 seconds', async (_, shown) => {
  const desk = await openHolding();
  venue.hold('LONG', shown.LONG);
  venue.hold('SHORT', shown.SHORT);
  const { last } = await compare(desk);
  const [difference] = last?.differences ?? [];
  expect(difference).toMatchObject({ kind: 'position', outcome: 'open', market: 'BTCUSDT' });
  expect(difference?.detail).toContain(`our books had 0.5, the venue has ${shown.LONG}; `);
  expect(difference?.detail).toContain('is believed when the venue says so for 30 seconds');
  desk.clock.advance(29_999);
  expect([await outcomes(desk), disk.adopted, desk.alarms]).toEqual([['position open'], [], []]);
  desk.clock.advance(1);
  expect((await outcomes(desk))?.[0]).toBe('position adopted');
  expect(disk.adopted[0]).toContain(`our books had 0.5, the venue has ${shown.LONG}`);
});

test.each([
  ['what our books have', '0.5'],
  ['something else again', '0.4'],
])('a look at the account that shows %s meanwhile lets the 30 seconds begin anew', async (_, shown) => {
  const desk = await openHolding();
  venue.hold('LONG', '0');
  expect(await outcomes(desk)).toEqual(['position open']);
  desk.clock.advance(20_000);
  // Only the whole account gets an answer.
  const { allPositions, positions } = venue;
  venue.allPositions = async () => [{ ...LONG, quantity: decimal(shown) }];
  venue.positions = async () => Promise.reject(new Error('the venue is away'));
  await compare(desk);
  Object.assign(venue, { allPositions, positions });
  desk.clock.advance(10_000);
  expect([await outcomes(desk), disk.adopted]).toEqual([['position open'], []]);
  desk.clock.advance(30_000);
  expect(await outcomes(desk)).toEqual(['position adopted']);
});

test('an account with a market in doubt is compared again as soon as that can be believed, not only after a minute', async () => {
  const desk = await openHolding();
  venue.hold('LONG', '0');
  expect(await outcomes(desk)).toEqual(['position open']);
  desk.clock.advance(30_000);
  let passedMs = 0;
  await passTimeUntil(() => {
    passedMs += 50;
    return disk.adopted.length === 1;
  });
  expect(passedMs).toBeLessThan(40_000);
});

test('a suspicion that is gone at the second look is none', async () => {
  const desk = await open();
  let looks = 0;
  venue.allPositions = async () => {
    looks += 1;
    return looks === 1 ? [LONG] : [];
  };
  expect([await outcomes(desk), looks, desk.alarms]).toEqual([[], 2, []]);
});

test('a suspicion that is new at the second look waits for the next comparison', async () => {
  const desk = await open();
  venue.hold('LONG', '0.3');
  let looks = 0;
  venue.allPositions = async () => {
    looks += 1;
    return looks === 1 ? [LONG] : [{ ...LONG, market: 'ETHUSDT' }];
  };
  expect([await outcomes(desk), disk.adopted]).toEqual([[], []]);
  expect(await outcomes(desk)).toEqual(['position adopted']);
});

describe('an order that is canceled at the venue by somebody else', () => {
  const CANCELED = 'was canceled at binance, and not by Signalbox';

  async function rests(action: Action = 'LONG') {
    const desk = await open();
    await passTime(desk.trade('direct'));
    venue.script.push({ rest: true });
    await passTime(desk.trade('direct', { order: { action, price: decimal('90') } }));
    return { desk, id: venue.sent.at(-1)!.clientOrderId };
  }
  const settles = ({ desk }: TestDesk) => passTimeUntil(() => desk.resting.entries().length + desk.backlog() === 0);

  test('is booked as canceled and told once where the comparison finds it', async () => {
    const { desk, id } = await rests();
    await venue.cancelOrder('BTCUSDT', id);
    expect(await outcomes(desk)).toEqual(['order-ended adopted']);
    await settles(desk);
    venue.tell(id, { status: 'canceled' });
    expect(await outcomes(desk)).toEqual([]);
    expect(desk.alarms).toEqual([expect.stringContaining(`rested at 90 ${CANCELED} (${id}). Send it again`)]);
  });

  test('is told once where the venue says so first, and of an exit that its position stays open', async () => {
    const { desk, id } = await rests('CLOSE_LONG');
    await venue.cancelOrder('BTCUSDT', id);
    venue.tell(id, { status: 'canceled' });
    await settles(desk);
    expect(await outcomes(desk)).toEqual([]);
    expect(desk.alarms).toEqual([expect.stringMatching(`${CANCELED} .*What it was to close stays open without it`)]);
  });

  test.each<[string, Action, (world: { readonly desk: TestDesk; readonly id: string }) => Promise<unknown>]>([
    [
      'that its exchange ends with its position',
      'CLOSE_LONG',
      async ({ desk, id }) => {
        venue.tell(id, { status: 'canceled' });
        await passTime(desk.trade('direct', { order: { action: 'CLOSE_LONG' } }));
      },
    ],
    [
      'that makes room for another signal, without an answer',
      'LONG',
      async ({ desk, id }) => {
        const { cancelOrder } = venue;
        venue.cancelOrder = async (...order) => {
          venue.cancelOrder = cancelOrder;
          await cancelOrder(...order);
          venue.tell(id, { status: 'canceled' });
          throw new VenueError('unknown', 'timed out');
        };
        await passTime(desk.trade('async', { order: { action: 'CLOSE_LONG' } }));
      },
    ],
  ])('is not told where it is one %s', async (_, action, end) => {
    const world = await rests(action);
    await end(world);
    await settles(world.desk);
    expect(world.desk.alarms.filter((alarm) => alarm.includes(CANCELED))).toEqual([]);
  });
});

test('an order of somebody else is an alarm until none rests any more', async () => {
  const desk = await open();
  venue.script.push({ rest: true });
  const { clientOrderId } = await venue.placeOrder({
    ...{ clientOrderId: 'mine-1', market: 'BTCUSDT', side: 'BUY', positionSide: 'LONG', reduceOnly: false },
    ...{ quantity: decimal('0.1'), price: decimal('90') },
  });
  await compare(desk);
  await compare(desk);
  expect(desk.alarms).toEqual([expect.stringContaining('has resting orders that Signalbox has not sent: BUY 0.1')]);
  expect(desk.alarmsOver).not.toContain('foreign orders binance:paper:main');
  await venue.cancelOrder('BTCUSDT', clientOrderId);
  await compare(desk);
  expect(desk.alarmsOver).toContain('foreign orders binance:paper:main');
});

test('an order that has filled unheard is booked as its fill', async () => {
  const desk = await open();
  venue.script.push({ rest: true });
  await passTime(desk.trade('direct', { order: { price: decimal('90') } }));
  const { clientOrderId } = venue.sent[0]!;
  // Nobody listens any more.
  venue.watchOrders = () => () => {};
  const { findOrder } = venue;
  venue.openOrders = async () => [];
  venue.hold('LONG', '0.5');
  venue.findOrder = async (market, id) => {
    const lookup = await findOrder(market, id);
    if (!lookup.found) return lookup;
    const { quantity } = lookup.order;
    const fill = { fillId: 'late', quantity, price: decimal('90'), fee: ZERO, atMs: 1 };
    const status = 'filled' as const;
    return {
      found: true,
      order: { ...lookup.order, status, executedQuantity: quantity, averagePrice: fill.price, fills: [fill] },
    };
  };
  const { last } = await compare(desk);
  expect(last?.differences.map(({ kind, outcome }) => `${kind} ${outcome}`)).toContain('order-ended adopted');
  expect(desk.alarms[0]).toContain(`order ${clientOrderId} rested in our books, and binance has it as filled`);
  expect([disk.adopted, disk.positions()[0]?.quantity]).toEqual([[], decimal('0.5')]);
});

test('an order that the venue has forgotten is told and stays in our books', async () => {
  const desk = await open();
  venue.script.push({ rest: true });
  await passTime(desk.trade('direct', { order: { price: decimal('90') } }));
  venue.openOrders = async () => [];
  venue.findOrder = async () => ({ found: false, certain: false });
  expect(await outcomes(desk)).toEqual([]);
  venue.findOrder = async () => ({ found: false, certain: true });
  expect(await outcomes(desk)).toEqual(['order-ended told']);
  expect(await outcomes(desk)).toEqual(['order-ended told']);
  expect(desk.desk.resting.entries()).toHaveLength(1);
  // It is news once, and over when it is found no more.
  expect(desk.alarms).toEqual([expect.stringContaining('binance does not have it any more')]);
  venue.findOrder = async () => ({ found: false, certain: false });
  await compare(desk);
  expect(desk.alarms[0]).toContain(desk.alarmsOver.find((kind) => kind.includes('any more')));
});

test('a position in a market that cannot be traded is told, and does not hide the others', async () => {
  const desk = await open();
  venue.allPositions = async () => [LONG, { ...LONG, market: 'BTCUSDT_270326' }];
  const { positions } = venue;
  venue.hold('LONG', '0.3');
  venue.positions = async (market) => {
    if (market !== 'BTCUSDT') throw new UnknownMarket('there is no such market');
    return positions(market);
  };
  expect((await outcomes(desk))?.sort()).toEqual(['position adopted', 'position told']);
  expect(desk.alarms.join()).toContain('holds a position in BTCUSDT_270326, which Signalbox cannot trade');
});

test('an account that cannot be compared is alarmed after five minutes, and shown with its reason at once', async () => {
  const desk = await open();
  venue.down = 'not-sent';
  expect(await compare(desk)).toMatchObject({ error: 'the scripted venue is down', last: { differences: [] } });
  desk.clock.advance(299_999);
  await compare(desk);
  expect(desk.alarms).toEqual([]);
  desk.clock.advance(1);
  await compare(desk);
  expect(desk.alarms).toEqual([expect.stringContaining('could not be compared with its venue for 5 minutes')]);
  desk.alarmsOver.length = 0;
  venue.down = undefined;
  expect(await compare(desk)).not.toHaveProperty('error');
  expect(desk.alarmsOver).toEqual(['reconciliation binance (paper)']);
});

test('differences of earlier comparisons are kept, the newest first', async () => {
  const desk = await open();
  venue.hold('LONG', '0.1');
  await compare(desk);
  desk.clock.advance(3000);
  venue.hold('LONG', '0.2');
  await compare(desk);
  const { last, earlier } = await compare(desk);
  expect(last?.differences).toEqual([]);
  expect(earlier.map(({ detail }) => detail.split(': ')[1])).toEqual([
    'our books had 0.1, the venue has 0.2',
    'our books had 0, the venue has 0.1',
  ]);
});

test('a balance that our books do not explain is told once; a little of it is forgiven', async () => {
  const desk = await open();
  const { summary } = venue;
  let more = ZERO;
  venue.summary = async () => ({ ...(await summary()), balance: (decimal('100') + more) as typeof more });
  more = decimal('1');
  expect(await outcomes(desk)).toEqual([]);
  more = decimal('2.000001');
  expect(await outcomes(desk)).toEqual(['balance told']);
  expect(desk.alarms[0]).toContain('the balance of binance has risen by 1.000001 USDT');
  expect(await outcomes(desk)).toEqual([]);
  more = decimal('-50');
  expect((await compare(desk)).last?.differences[0]?.detail).toContain('has fallen by 52.000001 USDT');
});
