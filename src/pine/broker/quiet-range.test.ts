// Bars that need no look: a broker that passes them over keeps the books of one that looks at every bar.

import { describe, expect, it } from 'vitest';
import { Broker } from './broker.ts';
import type { QuietRange } from './quiet-range.ts';
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

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed);
const BARS = 200;
/** How often the script does something else than on the bar before. */
const CHANGES = 0.08;

const VARIANTS: readonly (readonly [name: string, settings: Partial<BrokerSettings>])[] = [
  ['plain', {}],
  ['limits must be passed', { limitAssumption: 3 }],
  ['fills at the close', { processOrdersOnClose: true }],
  ['runs on fills', { calcOnOrderFills: true }],
  ['a tenth as margin', { marginLong: 0.1, marginShort: 0.1, initialCapital: 60 }],
  ['all as margin', { marginLong: 1, marginShort: 1, initialCapital: 400 }],
  ['more than all as margin', { marginLong: 1.5, marginShort: 1.5, initialCapital: 600 }],
];

const NOTHING: BarScript = () => {};

/** Scripts that do the same for a while, and nothing for a while: only then is a bar quiet. */
function scriptsOf(random: () => number): BarScript[] {
  let script = NOTHING;
  return Array.from({ length: BARS }, () => {
    if (random() < CHANGES) script = random() < 0.4 ? NOTHING : randomScript(random);
    return script;
  });
}

const rangeOf = (broker: Broker): QuietRange => (broker as unknown as { quiet: QuietRange }).quiet;

/** All that a script or a report can ask for; sums of doubles may differ in their last digits. */
function booksOf({ ledger, equityCurve }: Broker): object {
  const { lots, entries, closed, totals, size, averagePrice, netProfit, realizedEquity } = ledger;
  const books = { lots, entries, closed, totals, size, averagePrice, netProfit, realizedEquity };
  const round = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(11)) : value);
  return JSON.parse(JSON.stringify({ ...books, curve: [...equityCurve.all()] }, round));
}

it('a bar that passes a limit by exactly what is asked is not passed over', () => {
  const column = (...values: number[]) => Float64Array.from(values);
  // 90.04 + 0.03 is more than 90.07 in doubles.
  const bars = {
    time: column(0, 1, 2, 3),
    open: column(90, 90, 90, 90),
    high: column(90, 90, 90, 90.07),
    low: column(90, 90, 90, 90),
    close: column(90, 90, 90, 90),
  };
  const broker = new Broker({ ...SETTINGS, limitAssumption: 3, slippage: 0, commissionValue: 0 }, MARKET);
  const words = { id: 'A', ocaName: '', ocaType: 'none', comment: '', alertMessage: '', isSilent: false } as const;
  const texts = { comment: '', commentProfit: '', commentLoss: '', commentTrailing: '', alertMessage: '' };
  const alerts = { alertProfit: '', alertLoss: '', alertTrailing: '', isSilent: false };
  const exit = { id: 'X', fromEntry: 'A', ocaName: '', ...texts, ...alerts };
  runBar(broker, bars, 0, ({ calls }) => calls.entry(words, 1, 1, Number.NaN, Number.NaN));
  runBar(broker, bars, 1, ({ calls }) => calls.exitAt(exit, 90.04, Number.NaN));
  runBar(broker, bars, 2, NOTHING);
  expect(rangeOf(broker).isKnown).toBe(true);
  runBar(broker, bars, 3, NOTHING);
  expect(broker.ledger.closed).toMatchObject([{ exitPrice: 90.04 }]);
});

describe.each(VARIANTS)('bars that are passed over, %s', (_, settings) => {
  it('change nothing', () => {
    let quiet = 0;
    for (const seed of SEEDS) {
      const random = randomNumbers(seed);
      const bars = randomBars(random, BARS);
      const scripts = scriptsOf(random);
      const [passing, looking] = [0, 1].map(() => new Broker({ ...SETTINGS, ...settings }, MARKET)) as [Broker, Broker];
      rangeOf(looking).begin = () => {};
      for (const [index, script] of scripts.entries()) {
        const { above, below } = rangeOf(passing);
        if (bars.low[index]! > above && bars.high[index]! < below) quiet += 1;
        runBar(passing, bars, index, script);
        runBar(looking, bars, index, script);
      }
      expect(booksOf(passing), `seed ${seed}`).toEqual(booksOf(looking));
      expect(looking.ledger.closed.length).toBe(passing.ledger.closed.length);
    }
    expect(quiet).toBeGreaterThan(300);
  });
});
