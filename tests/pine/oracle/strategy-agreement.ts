// Runs a strategy in the engine and in the oracle, or closed and live, and says in words where the books first differ.

import { type Bar, barColumns, compile, type RunResult } from '../../../src/pine/index.ts';
import { tickOf } from '../../../src/pine/run/market-tick.ts';
import { RandomSequence } from '../random-sequence.ts';
import { agrees, differenceFrom, endingOf, firstError, whereKnown } from './agreement.ts';
import type { PlainBroker } from './broker/plain-broker.ts';
import type { Coverage } from './coverage.ts';
import { interpret } from './interpret.ts';
import { garbageTicks, randomBars } from './random-bars.ts';
import { refused } from './reduce.ts';

type Broker = NonNullable<RunResult['broker']>;

/** One closed trade in words and numbers; both sides are brought into this form. */
type TradeLine = readonly (number | string)[];

const BARS = 60;

/** The market a script names in its comments, as `// symbol {...}`, `// scale 1` and, of bars, `// trading 5..40`. */
function marketOf(source: string, seed: number) {
  const symbol = JSON.parse(/^\/\/ symbol (.*)$/m.exec(source)?.[1] ?? '{}') as Record<string, number>;
  const scale = Number(/^\/\/ scale (.*)$/m.exec(source)?.[1] ?? 1);
  const tick = tickOf(symbol);
  if (typeof tick === 'string') throw new Error(tick);
  const market = { mincontract: 0.000001, pointvalue: 1, ...symbol, ...tick };
  const at = (price: number): number => Number((price * scale).toPrecision(12));
  const rows = randomBars(seed, BARS).map((bar): Bar => {
    const prices = { open: at(bar.open), high: at(bar.high), low: at(bar.low), close: at(bar.close) };
    return { time: bar.time, ...prices, volume: bar.volume };
  });
  const facts = Object.fromEntries(Object.entries(market).map(([name, value]) => [`syminfo.${name}`, value]));
  const range = /^\/\/ trading (\d+)\.\.(\d+)$/m
    .exec(source)
    ?.slice(1)
    .map((bar) => rows[Number(bar)]!.time);
  const [tradeFromMs, tradeToMs] = range ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const named = { ticker: 'TEST', timezone: 'UTC', session: '24x7', period: '60', ...market };
  const options = { symbol: named, tradeFromMs: tradeFromMs!, tradeToMs: tradeToMs! };
  return { rows, facts, options, range: { fromMs: tradeFromMs!, toMs: tradeToMs! } };
}

/** Null when engine and oracle make the same trades and agree on equity and on every value the script plots. */
export function strategyDisagreement(source: string, seed: number, coverage: Coverage): string | null {
  const compiled = compile(source);
  if (compiled.program === null) return refused(firstError(compiled.diagnostics));
  const { program } = compiled;
  const { rows, facts, options, range } = marketOf(source, seed);
  const bars = barColumns(rows);
  return whereKnown(coverage, () => {
    const expected = interpret(program.checked, bars, { facts, range });
    const ending = endingOf(() => program.run(bars, options));
    const { broker } = expected;
    if ('result' in ending && broker !== null) {
      const fault = booksDifference(ending.result.broker!, broker, rows);
      if (fault !== null) return fault;
    }
    return differenceFrom(expected, program, bars, options);
  });
}

function booksDifference({ ledger, equityCurve }: Broker, oracle: PlainBroker, rows: readonly Bar[]): string | null {
  const { books } = oracle.desk;
  const side = (sign: number): string => (sign > 0 ? 'long' : 'short');
  const made: TradeLine[] = [
    ...ledger.closed.map((trade) => [
      ...[trade.exitBar, trade.exitId, trade.exitPrice, side(trade.direction), trade.quantity],
      ...[trade.entryId, trade.entryBar, trade.entryPrice, trade.profit, trade.commission, trade.runup],
      Math.abs(trade.drawdown),
    ]),
    ...ledger.lots.map((lot) => ['open', side(lot.direction), lot.quantity, lot.id, lot.bar, lot.price, lot.fee]),
  ];
  const wanted: TradeLine[] = [
    ...books.closed.map(({ row, ...trade }) => [
      ...[trade.exitBar, trade.exitId, trade.exitPrice, side(row.side), trade.quantity],
      ...[row.id, row.bar, row.price, trade.profit, trade.commission, trade.runup, trade.drawdown],
    ]),
    ...books.rows.map((row) => ['open', side(row.side), row.left, row.id, row.bar, row.price, row.fee]),
  ];
  const curve = equityCurve.all();
  const bar = curve.findIndex((equity, index) => !agrees(equity, oracle.equityCurve[index] ?? Number.NaN));
  const shown = bar < 0 ? '' : `; equity differs on bar ${bar}: ${barsAround(rows, bar)}`;
  for (let at = 0; at < Math.max(made.length, wanted.length); at += 1)
    if (!isSameTrade(made[at], wanted[at]))
      return `trade ${at}: engine ${lineOf(made[at])}, oracle ${lineOf(wanted[at])}${shown}`;
  return bar < 0 ? null : `equity: engine ${curve[bar]}, oracle ${oracle.equityCurve[bar]}${shown}`;
}

const lineOf = (trade: TradeLine | undefined): string => trade?.join(' ') ?? 'none';

const isSameTrade = (a: TradeLine | undefined, b: TradeLine | undefined): boolean =>
  a !== undefined &&
  a.length === b?.length &&
  a.every((value, at) => value === b[at] || (typeof value === 'number' && agrees(value, b[at] as number)));

/** The bars that lead to a difference, as open high low close. */
const barsAround = (rows: readonly Bar[], bar: number): string =>
  rows
    .slice(Math.max(0, bar - 2), bar + 1)
    .map(({ open, high, low, close }, at) => `[${Math.max(0, bar - 2) + at}: ${open} ${high} ${low} ${close}]`)
    .join(' ');

/** Null when live bars full of garbage ticks leave the very books and values that closed ones leave. */
export function liveStrategyDisagreement(source: string, seed: number, coverage: Coverage): string | null {
  const compiled = compile(source);
  if (compiled.program === null) return refused(firstError(compiled.diagnostics));
  const { program } = compiled;
  const { rows, options } = marketOf(source, seed);
  const random = new RandomSequence(seed);
  const past = Math.floor(random.next(0, rows.length));
  const closed = endingOf(() => program.run(barColumns(rows), options));
  if ('error' in closed) {
    coverage.pass('ends with an error of its own');
    return null;
  }
  coverage.compare();
  const live = program.open(barColumns(rows.slice(0, past)), options);
  const wanted = booksOf(closed.result.broker!);
  for (const [at, row] of rows.slice(past).entries()) {
    for (const tick of garbageTicks(random, row)) live.update(tick);
    for (const [title, value] of live.close(row).values) {
      const confirmed = closed.result.series.get(title)![past + at]!;
      if (!agrees(value, confirmed)) return `${title} on live bar ${past + at}: ${value}, closed ${confirmed}`;
    }
  }
  const found = booksOf(live.broker!);
  const line = found.findIndex((text, at) => text !== wanted[at]);
  if (line < 0 && found.length === wanted.length) return null;
  return `live from bar ${past}: ${found[line]}, closed ${wanted[line]}`;
}

/** The books to the last digit, a line for each thing in them. */
function booksOf({ ledger, equityCurve }: Broker): string[] {
  const lines = [...ledger.closed, ...ledger.lots, ledger.totals, ...equityCurve.all()];
  return lines.map((line) => JSON.stringify(line));
}
