// The folder of golden samples: finds them, and reads the bars and libraries they name.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Bar, barColumns, type LibrarySource, type RunOptions } from '../../src/pine/index.ts';
import { parseSample, type Sample } from './golden-sample.ts';

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

export const optionsOf = ({ inputs, symbol, symbolBars }: Sample): RunOptions => ({
  inputs,
  ...(symbol === null ? {} : { symbol }),
  symbolBars: symbolBars.map(({ bars, ...name }) => ({ ...name, bars: barColumns(barsIn(bars)) })),
});

export const expectsErrors = ({ diagnostics }: Sample) => diagnostics.some(({ severity }) => severity === 'error');

/** Absolute or relative, whichever is wider; na only fits na. */
export function isClose(value: number | undefined, expected: number | undefined): boolean {
  if (value === undefined || expected === undefined) return false;
  if (Number.isNaN(expected)) return Number.isNaN(value);
  return Math.abs(value - expected) <= Math.max(TOLERANCE, TOLERANCE * Math.abs(expected));
}
