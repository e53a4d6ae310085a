// What holds for the broker whatever a script orders: the books agree, nothing is negative, a live bar can be taken back.

import { describe, expect, it } from 'vitest';
import { Broker } from './broker.ts';
import type { PriceColumns } from './current-bar.ts';
import { inUnits } from './grid.ts';
import type { BrokerSettings } from './settings.ts';
import {
  type BarScript,
  MARKET,
  randomBars,
  randomNumbers,
  randomScript,
  runBar,
  SETTINGS,
} from './testing/random-trader.ts';

const SEEDS = Array.from({ length: 20 }, (_, seed) => seed);
const BARS = 100;

const VARIANTS: readonly (readonly [name: string, settings: Partial<BrokerSettings>])[] = [
  ['plain', {}],
  ['fills at the close', { processOrdersOnClose: true }],
  ['runs on fills', { calcOnOrderFills: true }],
  ['closes any entry', { closesAnyEntry: true }],
  ['margin', { marginLong: 1, marginShort: 1, initialCapital: 600 }],
  ['percent of equity', { quantityType: 'percent_of_equity', quantityValue: 40, marginLong: 0.5, marginShort: 0.5 }],
];

interface Case {
  readonly broker: Broker;
  readonly bars: PriceColumns;
  readonly scripts: readonly BarScript[];
}

function caseOf(seed: number, settings: Partial<BrokerSettings>): Case {
  const random = randomNumbers(seed);
  const bars = randomBars(random, BARS);
  const scripts = Array.from({ length: BARS }, () => randomScript(random));
  const broker = new Broker({ ...SETTINGS, ...settings }, MARKET);
  // A script sets its rules on every bar; these are far enough away to let it trade.
  broker.risk.onEveryBar().max_intraday_filled_orders(seed % 3 === 0 ? 6 : 1000);
  broker.risk.max_position_size(seed % 5 === 0 ? 4 : 1000);
  return { broker, bars, scripts };
}

describe.each(VARIANTS)('random orders, %s', (_, settings) => {
  it('leave books that agree with each other after every bar', () => {
    for (const seed of SEEDS) {
      const { broker, bars, scripts } = caseOf(seed, settings);
      for (const [index, script] of scripts.entries()) {
        runBar(broker, bars, index, script);
        const faults = disagreements(broker);
        if (faults.length > 0) expect.fail(`seed ${seed}, bar ${index}: ${faults.join('; ')}`);
      }
    }
  });

  it('earn what the trades of the list add up to', () => {
    for (const seed of SEEDS) {
      const { broker, bars, scripts } = caseOf(seed, settings);
      for (const [index, script] of scripts.entries()) runBar(broker, bars, index, script);
      const { ledger } = broker;
      const closed = ledger.closed.reduce((sum, { profit }) => sum + profit, 0);
      const fees = ledger.lots.reduce((sum, { fee }) => sum + fee, 0);
      expect(ledger.netProfit, `seed ${seed}`).toBeCloseTo(closed - fees, 6);
      const { grossProfit, grossLoss, wins, losses, evens, maxDrawdown, maxRunup } = ledger.totals;
      expect(grossProfit - grossLoss).toBeCloseTo(closed, 6);
      expect(wins + losses + evens).toBe(ledger.closed.length);
      expect(Math.min(maxDrawdown, maxRunup)).toBeGreaterThanOrEqual(0);
    }
  });

  it('end on a live bar as in history, however often it is taken back', () => {
    for (const seed of SEEDS) {
      const history = caseOf(seed, settings);
      const live = caseOf(seed, settings);
      const other = caseOf(seed + 1000, settings);
      for (const [index, script] of history.scripts.entries()) {
        runBar(history.broker, history.bars, index, script);
        live.broker.save();
        runBar(live.broker, shortened(live.bars, index), index, live.scripts[index]!);
        live.broker.restore();
        runBar(live.broker, live.bars, index, other.scripts[index]!);
        live.broker.restore();
        runBar(live.broker, live.bars, index, live.scripts[index]!);
        const [found, wanted] = [stateOf(live.broker), stateOf(history.broker)];
        if (found !== wanted) expect(JSON.parse(found), `seed ${seed}, bar ${index}`).toEqual(JSON.parse(wanted));
      }
    }
  });
});

it('random orders make trades of every kind, so that the rest says something', () => {
  const made = SEEDS.flatMap((seed) => {
    const { broker, bars, scripts } = caseOf(seed, {});
    for (const [index, script] of scripts.entries()) runBar(broker, bars, index, script);
    return broker.ledger.closed;
  });
  expect(made.length).toBeGreaterThan(500);
  for (const id of ['A', 'B', 'C', 'Close position order']) expect(made.some(({ exitId }) => exitId === id)).toBe(true);
  for (const direction of [1, -1]) expect(made.some((trade) => trade.direction === direction)).toBe(true);
});

it('a rule of risk that is set on a tick is taken back with it', () => {
  const { broker, bars } = caseOf(1, {});
  broker.save();
  broker.risk.max_position_size(1);
  broker.risk.allow_entry_in('short');
  broker.restore();
  const words = { id: 'A', ocaName: '', ocaType: 'none', comment: '', alertMessage: '', isSilent: false } as const;
  runBar(broker, bars, 0, ({ calls }) => calls.entry(words, 1, 3, Number.NaN, Number.NaN));
  runBar(broker, bars, 1, () => {});
  expect(broker.ledger.size).toBe(3);
});

it('a broker that is taken back has exactly the state that was saved', () => {
  for (const seed of SEEDS) {
    const { broker, bars, scripts } = caseOf(seed, {});
    for (const [index, script] of scripts.entries()) {
      broker.save();
      const saved = stateOf(broker);
      runBar(broker, bars, index, script);
      broker.restore();
      if (stateOf(broker) !== saved) expect.fail(`seed ${seed}, bar ${index} is not as it was saved`);
      runBar(broker, bars, index, script);
    }
  }
});

/** What of two books that must say the same does not. */
function disagreements({ ledger }: Broker): string[] {
  const { lots, entries, size, closed, direction } = ledger;
  const faults: string[] = [];
  const check = (isRight: boolean, words: string): void => {
    if (!isRight) faults.push(words);
  };
  const held = inUnits(lots.reduce((sum, { quantity }) => sum + quantity, 0));
  const bound = inUnits(entries.reduce((sum, lot) => sum + lot.bound, 0));
  check(held === Math.abs(size), `rows hold ${held}, the position is ${size}`);
  check(bound === Math.abs(size), `${bound} are bound, the position is ${size}`);
  check(
    lots.every((lot) => lot.quantity > 0 && lot.quantity <= lot.original && lot.direction === direction),
    'a row is empty, too large or of the other direction',
  );
  check(
    entries.every((lot) => lot.bound > 0 && lot.bound <= lot.original),
    'an entry has nothing or too much bound to it',
  );
  check(
    closed.every(({ quantity }) => quantity > 0),
    'a closed trade has no quantity',
  );
  check(Number.isFinite(ledger.netProfit), 'the profit is no number');
  return faults;
}

/** The first tick of a bar: its open, and nothing else yet. */
function shortened(bars: PriceColumns, index: number): PriceColumns {
  const at = (column: Float64Array): Float64Array => {
    const copy = Float64Array.from(column);
    copy[index] = bars.open[index]!;
    return copy;
  };
  return { time: bars.time, open: bars.open, high: at(bars.high), low: at(bars.low), close: at(bars.close) };
}

/** Everything that later bars depend on, as text. */
function stateOf(broker: Broker): string {
  const { ledger } = broker;
  const { book, risk } = broker as unknown as {
    book: { orders: object[]; exits: object[]; waiting: object[] };
    risk: { rules: object; state: object };
  };
  const { rules, state } = risk;
  const { lots, entries, closed, totals, size, averagePrice } = ledger;
  const { orders, exits, waiting } = book;
  const books = { lots, entries, totals, size, averagePrice, orders, exits, waiting, rules, state };
  const digits = (_: string, value: unknown) => (Object.is(value, -0) ? 0 : value === Infinity ? 'all' : value);
  return JSON.stringify({ ...books, closed: closed.length, last: closed.at(-1) }, digits);
}
