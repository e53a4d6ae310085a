// A desk over a venue that keeps stops, whose processes die and whose disks outlive them; the market trades where the test says.

import { isFinal } from '../../books/journal.ts';
import { shareInWords } from '../../books/strategy-book.ts';
import { decimal, toText, ZERO } from '../../decimal.ts';
import { type Level, priceLevel } from '../../level.ts';
import type { Action, ProtectRequest } from '../../signal.ts';
import { createCrashableJournal } from '../../testing/crashable-journal.ts';
import { advance, hurry, turn } from '../../testing/hurry.ts';
import { createMemoryOutbox } from '../../testing/memory-outbox.ts';
import { createStopKeepingVenue, KIND_VENUE, type VenueFate } from '../../testing/stop-keeping-venue.ts';
import { createTestClock, openTestDesk, type TestDesk } from '../../testing/test-desk.ts';
import type { Venue } from '../../venue.ts';
import type { Protection } from '../protection.ts';
import type { PendingStop, ProtectionStore } from '../protection-store.ts';
import type { VenueStopStore } from '../venue-stop-store.ts';
import type { VenueStopParts } from '../venue-stops.ts';
import { memoryVenueStopStore } from './memory-venue-stop-store.ts';

export type VenueStopWorld = Awaited<ReturnType<typeof openVenueStopWorld>>;

export interface WorldOptions extends Partial<Pick<VenueStopParts, 'isOn' | 'unprotected'>> {
  readonly fate?: Partial<VenueFate>;
  readonly commitTurns?: () => number;
  /** What is different about the venue. */
  readonly wrap?: (venue: Venue) => Partial<Venue>;
}

export async function openVenueStopWorld(options: WorldOptions = {}) {
  const { fate = {}, commitTurns = () => 0, unprotected = 'keep', isOn = true, wrap = () => ({}) } = options;
  hurry();
  const disk = createCrashableJournal({ commitTurns, fails: () => false });
  const kept = new Map<string, Protection>();
  const stored = memoryVenueStopStore();
  const settled = new Set<string>();
  const venue = createStopKeepingVenue({ ...KIND_VENUE, ...fate });
  const clock = createTestClock();
  const alarms: string[] = [];
  let generation = 0;
  let seen = '100';

  /** Writes reach the disk in their order, and those of a dead process not at all. */
  let written = Promise.resolve();
  const alive = (mine: number): Promise<void> => {
    if (mine !== generation) return new Promise<never>(() => {});
    written = written.then(async () => {
      for (let turns = commitTurns(); turns > 0; turns--) await turn();
      if (mine !== generation) await new Promise<never>(() => {});
    });
    return written;
  };
  const pending = (): PendingStop[] =>
    disk
      .rows()
      .flatMap(({ trade: { requestId, order } }) =>
        order.protect && !settled.has(requestId) ? [{ requestId, createdAtMs: 0, asked: order.protect }] : [],
      );
  const protectionsOf = (mine: number): ProtectionStore => ({
    load: async () => ({ protections: [...kept.values()], pending: pending() }),
    async write({ save = [], remove = [], settled: over = [] }) {
      await alive(mine);
      for (const name of remove) kept.delete(shareInWords(name));
      for (const protection of save) kept.set(shareInWords(protection), protection);
      for (const requestId of over) settled.add(requestId);
    },
  });
  const stopsOf = (mine: number): VenueStopStore => ({
    load: stored.load,
    add: (stop) => alive(mine).then(() => stored.add(stop)),
    remove: (id) => alive(mine).then(() => stored.remove(id)),
  });
  const start = async (): Promise<TestDesk> => {
    const prices = { lastPrice: async () => seen, range: async () => ({ low: seen, high: seen }) };
    const atVenue = { store: stopsOf(generation), isOn, unprotected };
    const connected = venue.connect();
    const made = await openTestDesk({
      ...{ journal: disk.connect(), signals: { add: async () => undefined } as never, outbox: createMemoryOutbox() },
      ...{
        venues: [{ ...connected, ...wrap(connected) }],
        clock,
        protection: { store: protectionsOf(generation), pricesOf: () => prices, atVenue },
      },
    });
    await made.desk.start({ afterCrash: true });
    return made;
  };

  let desk = await start();
  const world = {
    ...{ disk, venue, clock, stored },
    get desk() {
      return desk;
    },
    /** Of every process. */
    alarms: (): readonly string[] => [...alarms, ...desk.alarms],
    /** Lets everything that is under way come to rest; pauses pass. */
    async rest(): Promise<void> {
      for (let quiet = 0, patience = 0; quiet < 12; patience++) {
        if (patience > 2000) throw new Error('it does not come to rest');
        await turn();
        await advance(20);
        quiet = desk.desk.backlog() === 0 ? quiet + 1 : 0;
      }
    },
    /** A second passes, and our own guard looks. */
    async look(seconds = 1): Promise<void> {
      for (let left = seconds; left > 0; left--) {
        clock.advance(1000);
        await desk.desk.protections.look();
        await world.rest();
      }
    },
    /** What our own guard sees from now on; the venue may see something else. */
    see(price: number): void {
      seen = String(price);
    },
    async restart(): Promise<void> {
      world.die();
      await world.begin();
    },
    die(): void {
      alarms.push(...desk.alarms);
      generation++;
      written = Promise.resolve();
      disk.die();
      venue.die();
      hurry();
    },
    async begin(): Promise<void> {
      desk = await start();
    },
  };
  return world;
}

export const market = 'AUSDT';
export const price = (value: number): Level => priceLevel(decimal(value));
export const SHARE = { exchange: 'binance', account: 'main', market, side: 'LONG', strategy: '' } as const;

interface Asked {
  readonly strategy?: string;
  readonly protect?: ProtectRequest;
}

/** Sends a signal and lets everything come to rest. */
export async function send(world: VenueStopWorld, action: Action, quantity: number, { strategy, protect }: Asked = {}) {
  const order = { market, symbol: market, action, quantity: decimal(quantity), strategy, ...(protect && { protect }) };
  const sent = world.desk.trade('failover', { order });
  await world.rest();
  return sent;
}

/** A world that holds 3 with a stop loss at 97. */
export async function guarded(options?: WorldOptions, protect: ProtectRequest = { stopLoss: price(97) }) {
  const world = await openVenueStopWorld(options);
  await send(world, 'LONG', 3, { protect });
  return world;
}

/** All of the journal, as `stop-loss CLOSE_LONG - filled 3`. */
export const trades = ({ disk }: VenueStopWorld): readonly string[] =>
  disk
    .rows()
    .map(
      ({ trade: { source, state, executedQuantity, order } }) =>
        `${source} ${order.action} ${order.strategy ?? '-'} ${state} ${toText(executedQuantity)}`,
    );

/** What is held, by strategy, as `trend LONG 3`. */
export function shares({ disk }: VenueStopWorld): readonly string[] {
  const all = disk.books().length > 0 ? disk.books() : disk.positions().map((each) => ({ ...each, strategy: '' }));
  const held = all.filter(({ quantity }) => quantity > ZERO);
  return held.map(({ strategy, side, quantity }) => `${strategy} ${side} ${toText(quantity)}`);
}

/** Everything that is still held, waits or is remembered anywhere, and what went wrong at the venue. */
export const remains = async (world: VenueStopWorld) => ({
  held: [world.venue.held(market), ...shares(world)],
  stops: [...world.venue.waiting(), ...(await world.stored.load()), ...world.desk.desk.protections.list()],
  faults: [...world.venue.faults, ...world.disk.adopted],
  unfinished: world.disk.rows().filter(({ trade }) => !isFinal(trade.state)),
});
export const NOTHING_REMAINS = { held: [''], stops: [], faults: [], unfinished: [] };
