// A world for stops: a market written second by second, one position, a journal of closes, and a process that can die at any point.

import { createHandClock } from '../../../timing/testing/hand-clock.ts';
import { heldAt } from '../../books/holding.ts';
import { isFinal, type Trade } from '../../books/journal.ts';
import type { Position } from '../../books/position.ts';
import type { PositionChange } from '../../books/position-book.ts';
import { type Decimal, decimal, minus, ZERO } from '../../decimal.ts';
import type { Levels } from '../../fixed-levels.ts';
import { priceLevel } from '../../level.ts';
import type { OrderReport, PositionSide, Venue } from '../../venue.ts';
import type { Closer, Closing } from '../close-position.ts';
import type { AskedChange } from '../named-parts.ts';
import type { ProtectionStore } from '../protection-store.ts';
import { Protections } from '../protections.ts';
import { type MemoryProtectionStore, memoryProtectionStore } from './memory-protection-store.ts';

/** A full hour. */
export const WORLD_START_MS = 1_749_999_600_000;

/** Lowest and highest price of one second; undefined when nothing was traded in it. */
export type Cell = { readonly low: number; readonly high: number } | undefined;

export interface StopWorld {
  readonly store: MemoryProtectionStore;
  readonly closes: Closing[];
  readonly alarms: string[];
  /** The kinds of those that are not over. */
  readonly standing: Set<string>;
  readonly troubles: string[];
  readonly cells: Cell[];
  /** Milliseconds since the world began. */
  elapsedMs: number;
  /** What cannot be read. */
  blind: 'ranges' | 'all' | undefined;
  /** The grain of the source: stretches that are not whole multiples of it have nothing to tell. */
  grainMs: number;
  /** What the next close meets: the process dies before or after the journal has it, or the venue refuses. */
  fate: 'dies-before' | 'dies-after' | 'refused' | undefined;
  readonly protections: Protections;
  /** Ends the waiting of whoever reads the market SLOWUSDT first: it hangs. */
  readonly slow: (() => void)[];
  /** False: the venue and, after a restart, the books have no such position. */
  held: boolean;
  position(quantity: string): void;
  /** A fill of an entry with this request id. */
  fill(requestId: string, price: number): void;
  /** Every trade the journal has ends as its lane would end it. */
  settleTrades(): void;
  /** Kills the process and starts another. */
  restart(): Promise<void>;
  readonly trades: Map<string, Trade>;
}

export async function openStopWorld(side: PositionSide): Promise<StopWorld> {
  const name = { exchange: 'binance', mode: 'paper', account: 'main', market: 'BTCUSDT', side } as const;
  const store = memoryProtectionStore();
  const trades = new Map<string, Trade>();
  let ids = 0;
  let generation = 0;
  let current: Position = {
    ...{ ...name, ...heldAt(decimal('1'), decimal('100')), entryPrice: decimal('100') },
    ...{ realizedPnl: ZERO, fees: ZERO, updatedAtMs: 0 },
  };
  let listener: ((change: PositionChange) => void) | undefined;

  const tell = (requestId: string, price: number, reduceOnly: boolean): void => {
    const fill = { fillId: 'f', quantity: decimal('1'), price: decimal(price), fee: ZERO, atMs: nowMs() };
    const report = { reduceOnly, averagePrice: decimal(price), fills: [fill] } as unknown as OrderReport;
    const order = { ...name, symbol: name.market, action: side, quantity: decimal('1') };
    const trade = { requestId, mode: name.mode, account: name.account, order } as unknown as Trade;
    const by = { trade, report, added: reduceOnly ? ZERO : decimal('1'), price: decimal(price), fills: [] };
    listener?.({ shares: [{ ...current, strategy: '' }], by });
  };
  const nowMs = (): number => WORLD_START_MS + world.elapsedMs;

  const closerOf = (mine: number): Closer => ({
    find: async (requestId) => trades.get(requestId),
    unfinished: async () => [...trades.values()].filter(({ state }) => !isFinal(state)),
    async close(_, closing) {
      if (mine !== generation) return died();
      const { fate } = world;
      world.fate = undefined;
      if (fate === 'dies-before') return died();
      if (trades.has(closing.requestId)) throw new Error('UNIQUE constraint failed: trades.request_id');
      world.closes.push(closing);
      const refused = fate === 'refused';
      const state = refused ? 'rejected' : 'accepted';
      const order = { ...name, action: `CLOSE_${side}`, quantity: closing.quantity };
      const trade = { requestId: closing.requestId, state, executedQuantity: ZERO, order } as unknown as Trade;
      trades.set(closing.requestId, trade);
      if (fate === 'dies-after') return died();
    },
    isHeld: async () => world.held && current.quantity > ZERO,
  });
  /** Whatever a dead process was doing never ends. */
  const died = (): Promise<never> => new Promise(() => {});

  /** A process that is dead writes nothing any more. */
  const storeOf = (mine: number): ProtectionStore => ({
    load: store.load,
    write: (change) => (mine === generation ? store.write(change) : died()),
  });

  const start = async (): Promise<Protections> => {
    const protections = new Protections({
      store: storeOf(generation),
      positions: {
        share: () => ({ ...current, strategy: '' }),
        sharesOf: () => (current.quantity > ZERO ? [{ ...current, strategy: '' }] : []),
        watch: (heard) => {
          listener = heard;
        },
      },
      closer: closerOf(generation),
      accounts: {
        find: () => ({ mode: 'paper', tickOf: (): Decimal => decimal('0.01') }) as unknown as Venue,
        has: ({ mode, account }) => mode === 'paper' && account === 'main',
      },
      pricesOf: () => ({
        async lastPrice() {
          const cell = world.cells[Math.floor(world.elapsedMs / 1000)];
          if (world.blind === 'all' || !cell) throw new Error('no price');
          return String(cell.low);
        },
        async range(market, fromMs, toMs) {
          if (market === 'SLOWUSDT' && world.slow.length === 0)
            await new Promise<void>((resolve) => world.slow.push(resolve));
          if (world.blind) throw new Error('no stream');
          return rangeOf(world, fromMs - WORLD_START_MS, Math.min(toMs, nowMs()) - WORLD_START_MS);
        },
      }),
      newRequestId: () => `close-${++ids}`,
      nowMs,
      monotonicMs: () => world.elapsedMs,
      timers: createHandClock(0).timers,
      onAlarm(kind, text) {
        world.alarms.push(text);
        world.standing.add(kind);
      },
      onAlarmOver: (kind) => void world.standing.delete(kind),
      onTrouble: (what, error) => world.troubles.push(`${what}: ${error}`),
    });
    await protections.load();
    return protections;
  };

  const world: StopWorld = {
    store,
    closes: [],
    alarms: [],
    standing: new Set(),
    troubles: [],
    cells: [],
    elapsedMs: 0,
    blind: undefined,
    grainMs: 1000,
    fate: undefined,
    held: true,
    slow: [],
    trades,
    get protections() {
      return protections;
    },
    position(quantity) {
      current = { ...current, quantity: decimal(quantity) };
      tell('somebody', 100, quantity === '0');
    },
    fill: (requestId, price) => tell(requestId, price, false),
    settleTrades() {
      for (const [requestId, trade] of trades) {
        if (trade.state !== 'accepted') continue;
        const { quantity } = trade.order;
        trades.set(requestId, { ...trade, state: 'filled', executedQuantity: quantity });
        current = { ...current, quantity: minus(current.quantity, quantity) };
        tell(requestId, 100, true);
      }
    },
    async restart() {
      generation++;
      if (!world.held) current = { ...current, quantity: ZERO };
      protections = await start();
    },
  };
  let protections = await start();
  return world;
}

/** Lets a closing take its steps: they are many small promises. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 16; turns++) await new Promise((resolve) => setImmediate(resolve));
}

/** One price for each second from now on. */
export function tradePrices(world: StopWorld, ...prices: number[]): void {
  const now = Math.floor(world.elapsedMs / 1000);
  prices.forEach((price, index) => {
    world.cells[now + index] = { low: price, high: price };
  });
}

export async function lookAfter(world: StopWorld, seconds = 1): Promise<void> {
  world.elapsedMs += seconds * 1000;
  await world.protections.look();
  await settle();
}

function rangeOf({ cells, grainMs }: StopWorld, fromMs: number, toMs: number) {
  const [from, to] = [Math.ceil(fromMs / grainMs) * grainMs, Math.floor(toMs / grainMs) * grainMs];
  const seen = cells.slice(Math.max(0, from / 1000), Math.max(0, to / 1000)).filter((cell) => cell !== undefined);
  if (seen.length === 0) return undefined;
  const low = Math.min(...seen.map((cell) => cell.low));
  const high = Math.max(...seen.map((cell) => cell.high));
  return { low: String(low), high: String(high) };
}

/** These levels, as somebody who knows the prices asks for them. */
export function askedLike({ targets, trail, stopLoss, takeProfit, ...rest }: Levels): AskedChange {
  return {
    ...rest,
    ...(trail && {
      trail: 'percent' in trail ? { unit: 'percent', value: trail.percent } : priceLevel(trail.amount),
    }),
    ...(stopLoss !== undefined && { stopLoss: priceLevel(stopLoss) }),
    ...(takeProfit !== undefined && { takeProfit: priceLevel(takeProfit) }),
    ...(targets && { targets: targets.map(({ level, share }) => ({ level: priceLevel(level), share })) }),
  };
}
