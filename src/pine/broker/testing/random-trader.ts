// A market and a script at random, the same for a seed on every machine: every call of the broker in every mixture.

import type { Broker } from '../broker.ts';
import type { PriceColumns } from '../current-bar.ts';
import type { ExitWords } from '../exit-order.ts';
import type { OcaType, OrderWords } from '../order.ts';
import type { BrokerMarket, BrokerSettings, Direction } from '../settings.ts';

export const MARKET: BrokerMarket = {
  pricescale: 100,
  minmove: 1,
  pointvalue: 1,
  mincontract: 0.01,
  currency: 'USD',
  dayOf: (timeMs) => Math.floor(timeMs / 86_400_000),
};

export const SETTINGS: BrokerSettings = {
  initialCapital: 10_000,
  quantityType: 'fixed',
  quantityValue: 1,
  commissionType: 'percent',
  commissionValue: 0.1,
  slippage: 1,
  limitAssumption: 0,
  pyramiding: 3,
  marginLong: 0,
  marginShort: 0,
  closesAnyEntry: false,
  processOrdersOnClose: false,
  calcOnOrderFills: false,
  riskFreeRate: 2,
  nearerCounts: true,
  tradeFromMs: Number.NEGATIVE_INFINITY,
  tradeToMs: Number.POSITIVE_INFINITY,
};

/** Numbers from 0 up to but without 1, by a linear congruence of 32 bits whose upper bits are mixed. */
export function randomNumbers(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 16), 0x45d9f3b) >>> 0;
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 0x1_0000_0000;
  };
}

/** Bars of six hours around 100, some of them with gaps between. */
export function randomBars(random: () => number, count: number): PriceColumns {
  const column = () => new Float64Array(count);
  const bars = { time: column(), open: column(), high: column(), low: column(), close: column() };
  const cents = (price: number): number => Math.round(price * 100) / 100;
  let last = 100;
  for (let index = 0; index < count; index += 1) {
    const open = cents(last + (random() < 0.3 ? (random() - 0.5) * 6 : 0));
    const close = cents(Math.max(50, open + (random() - 0.5) * 8));
    bars.time[index] = index * 21_600_000;
    bars.open[index] = open;
    bars.close[index] = close;
    bars.high[index] = cents(Math.max(open, close) + random() * 2);
    bars.low[index] = cents(Math.min(open, close) - random() * 2);
    last = close;
  }
  return bars;
}

/** What a script does on one bar: the same calls whenever it is asked again. */
export type BarScript = (broker: Broker, close: number) => void;

const IDS = ['A', 'B', 'C'] as const;
const OCA_TYPES: readonly OcaType[] = ['none', 'none', 'cancel', 'reduce'];

export function randomScript(random: () => number): BarScript {
  const calls = Array.from({ length: Math.floor(random() * 4) }, () => randomCall(random));
  return (broker, close) => {
    for (const call of calls) call(broker, close);
  };
}

function randomCall(random: () => number): BarScript {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const id = pick(IDS);
  const direction: Direction = random() < 0.5 ? 1 : -1;
  const quantity = random() < 0.2 ? Number.NaN : Math.ceil(random() * 500) / 100;
  const [limitBy, stopBy] = [away(random), away(random)];
  const ocaType = pick(OCA_TYPES);
  const words: OrderWords = { id, ocaName: 'g', ocaType, comment: '', alertMessage: '', isSilent: false };
  const closing = { id, comment: '', isImmediate: random() < 0.2, alertMessage: '', isSilent: false, site: 0 };
  const exit = exitOf(random, pick(IDS), random() < 0.5 ? '' : id);
  const kind = random();
  if (kind < 0.3) return ({ calls }, close) => calls.entry(words, direction, quantity, close + limitBy, close + stopBy);
  if (kind < 0.5) return ({ calls }, close) => calls.order(words, direction, quantity, close + limitBy, close + stopBy);
  if (kind < 0.8) return exit;
  if (kind < 0.9) return ({ calls }) => calls.close(closing, quantity, 100);
  if (kind < 0.95) return ({ calls }) => calls.closeAll(closing);
  return kind < 0.98 ? ({ calls }) => calls.cancel(id) : ({ calls }) => calls.cancelAll();
}

function exitOf(random: () => number, id: string, fromEntry: string): BarScript {
  const texts = { comment: '', commentProfit: '', commentLoss: '', commentTrailing: '', alertMessage: '' };
  const alerts = { alertProfit: '', alertLoss: '', alertTrailing: '', isSilent: false };
  const words: ExitWords = { id, fromEntry, ocaName: '', ...texts, ...alerts };
  const quantity = random() < 0.5 ? Number.NaN : Math.ceil(random() * 300) / 100;
  const percent = random() < 0.5 ? 100 : Math.ceil(random() * 99);
  const [limitBy, stopBy] = [away(random), away(random)];
  const [profit, loss, points, offset] = [ticks(random), ticks(random), ticks(random), ticks(random)];
  // Levels around the entry stay the same from bar to bar, those around the close do not.
  const isAroundEntry = random() < 0.5;
  const isPlain = random() < 0.5;
  return ({ calls, ledger }, close) => {
    const middle = isAroundEntry && ledger.size !== 0 ? ledger.averagePrice : close;
    const [limit, stop] = [middle + limitBy, middle + stopBy];
    if (isPlain) calls.exitAt(words, limit, stop);
    else calls.exit(words, quantity, percent, profit, limit, loss, stop, Number.NaN, points, offset);
  };
}

/** A distance of up to three points on either side, or na. */
const away = (random: () => number): number => (random() < 0.5 ? Number.NaN : Math.round((random() - 0.5) * 600) / 100);
const ticks = (random: () => number): number => (random() < 0.6 ? Number.NaN : Math.floor(random() * 300));

/** One bar as generated code goes through it. */
export function runBar(broker: Broker, bars: PriceColumns, index: number, script: BarScript): void {
  do {
    broker.begin(index, index, bars);
    script(broker, bars.close[index]!);
  } while (broker.isPaused);
  broker.end();
}
