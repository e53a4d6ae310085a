// The folder of golden samples: finds them, and reads the bars and libraries they name.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Bar, barColumns, type LibrarySource, type RunOptions, type RunResult } from '../../src/pine/index.ts';
import { type ExpectedTrade, parseSample, type Sample } from './golden-sample.ts';

const FOLDER = join(import.meta.dirname, 'golden');
const TOLERANCE = 1e-9;

export interface SampleFile {
  readonly path: string;
  readonly name: string;
  readonly sample: Sample;
}

export interface SampleGroup {
  readonly group: string;
  readonly samples: readonly SampleFile[];
}

export function goldenSamples(): SampleGroup[] {
  return readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'bars')
    .map(({ name }) => ({ group: name, samples: samplesOf(name) }));
}

function samplesOf(group: string): SampleFile[] {
  const files = readdirSync(join(FOLDER, group)).filter((name) => name.endsWith('.pine'));
  const samples = files.map((name) => {
    const path = join(FOLDER, group, name);
    return { path, name: basename(name, '.pine'), sample: parseSample(readFileSync(path, 'utf8')) };
  });
  // A file that others import is no sample of its own.
  const imported = new Set(samples.flatMap(({ sample }) => sample.libraries.map(({ file }) => file)));
  return samples.filter(({ name }) => !imported.has(`${name}.pine`));
}

export const barsOf = ({ bars }: Sample): Bar[] => barsIn(bars);

function barsIn(file: string | null): Bar[] {
  const [, ...lines] = readFileSync(join(FOLDER, 'bars', `${file}.csv`), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => {
    const [time = 0, open = 0, high = 0, low = 0, close = 0, volume = 0] = line.split(',').map(Number);
    return { time, open, high, low, close, volume };
  });
}

export const librariesOf = (sample: Sample, folder: string): LibrarySource[] =>
  sample.libraries.map(({ file, ...name }) => ({ ...name, source: readFileSync(join(folder, file), 'utf8') }));

export function optionsOf(sample: Sample): RunOptions {
  const { inputs, symbol, symbolBars, trading } = sample;
  const bars = trading === null ? [] : barsOf(sample);
  const timeOf = (bar: number): number => bars[bar]?.time ?? Number.POSITIVE_INFINITY;
  return {
    inputs,
    ...(symbol === null ? {} : { symbol }),
    symbolBars: symbolBars.map(({ bars: file, ...name }) => ({ ...name, bars: barColumns(barsIn(file)) })),
    ...(trading === null ? {} : { tradeFromMs: timeOf(trading.from), tradeToMs: timeOf(trading.to) }),
  };
}

export const expectsErrors = ({ diagnostics }: Sample) => diagnostics.some(({ severity }) => severity === 'error');

/** Absolute or relative, whichever is wider; na only fits na. */
export function isClose(value: number | undefined, expected: number | undefined): boolean {
  if (value === undefined || expected === undefined) return false;
  if (Number.isNaN(expected)) return Number.isNaN(value);
  return Math.abs(value - expected) <= Math.max(TOLERANCE, TOLERANCE * Math.abs(expected));
}

/** What is not as expected of the trades that a run has made. */
export function tradeFaults(expected: readonly ExpectedTrade[] | null, broker: RunResult['broker']): string[] {
  if (expected === null) return [];
  if (broker === null) return ['trades are expected, but it is no strategy'];
  const made = tradesOf(broker);
  const isRight = made.length === expected.length && expected.every((trade, index) => isSame(trade, made[index]!));
  return isRight ? [] : [`the trades are\n${made.map(textOf).join('\n') || 'none'}`];
}

function tradesOf({ ledger }: NonNullable<RunResult['broker']>): ExpectedTrade[] {
  const side = (direction: number) => (direction > 0 ? 'long' : 'short');
  const closed = ledger.closed.map((trade) => ({
    direction: side(trade.direction) as ExpectedTrade['direction'],
    quantity: trade.quantity,
    entryBar: trade.entryBar,
    entryPrice: trade.entryPrice,
    exit: { bar: trade.exitBar, price: trade.exitPrice, profit: trade.profit },
  }));
  const open = ledger.lots.map((lot) => ({
    direction: side(lot.direction) as ExpectedTrade['direction'],
    quantity: lot.quantity,
    entryBar: lot.bar,
    entryPrice: lot.price,
    exit: null,
  }));
  return [...closed, ...open];
}

const isSame = (a: ExpectedTrade, b: ExpectedTrade): boolean =>
  a.direction === b.direction &&
  a.entryBar === b.entryBar &&
  isClose(a.quantity, b.quantity) &&
  isClose(a.entryPrice, b.entryPrice) &&
  (a.exit === null) === (b.exit === null) &&
  a.exit?.bar === b.exit?.bar &&
  isClose(a.exit?.price ?? 0, b.exit?.price ?? 0) &&
  isClose(a.exit?.profit ?? 0, b.exit?.profit ?? 0);

const textOf = ({ direction, quantity, entryBar, entryPrice, exit }: ExpectedTrade): string =>
  `// trade ${direction} ${quantity}: ${entryBar} ${entryPrice} -> ${exit === null ? 'open' : `${exit.bar} ${exit.price} = ${exit.profit}`}`;
