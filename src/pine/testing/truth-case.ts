// Reads a case of values exported from TradingView and compares a computed column with it.

import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

export interface Bar {
  readonly index: number;
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  /** The bar before; every value of it is na on the first bar. */
  readonly previous: Bar;
}

export interface TruthCase {
  readonly bars: readonly Bar[];
  /** Compares one plot, computed bar by bar, with the exported column of that title. */
  check(title: string, compute: (bar: Bar) => number): void;
  /** Titles that were not checked yet. */
  unchecked(): string[];
}

export function openTruthCase(name: string): TruthCase {
  const folder = new URL(`../../../tests/pine/truth/${name}/`, import.meta.url);
  const { tolerance } = JSON.parse(readFileSync(new URL('case.json', folder), 'utf8')) as {
    tolerance: { abs: number; rel: number };
  };
  const bars = readBars(readFileSync(new URL('bars.csv', folder), 'utf8'));
  const [titles = [], ...rows] = readCsv(readFileSync(new URL('expected.csv', folder), 'utf8'));
  const left = new Set(titles.slice(1));
  const check = (title: string, compute: (bar: Bar) => number): void => {
    const column = titles.indexOf(title);
    if (column < 0) throw new Error(`${name} has no column ${title}; it has ${titles.join(' | ')}`);
    left.delete(title);
    const faults = bars.flatMap((bar) => {
      const actual = compute(bar);
      const wanted = Number(rows[bar.index]?.[column]);
      if (Number.isNaN(actual) && Number.isNaN(wanted)) return [];
      const distance = Math.abs(actual - wanted);
      if (distance <= tolerance.abs || distance <= tolerance.rel * Math.abs(wanted)) return [];
      return [`bar ${bar.index}: ${actual} instead of ${wanted}`];
    });
    expect(faults.slice(0, 5), title).toEqual([]);
  };
  return { bars, check, unchecked: () => [...left] };
}

function readBars(text: string): Bar[] {
  const bars: Bar[] = [];
  const na = Number.NaN;
  let previous = { index: -1, time: na, open: na, high: na, low: na, close: na, volume: na } as Bar;
  for (const [time, open, high, low, close, volume] of readCsv(text)
    .slice(1)
    .map((row) => row.map(Number))) {
    const bar = {
      index: bars.length,
      time: time!,
      open: open!,
      high: high!,
      low: low!,
      close: close!,
      volume: volume!,
    };
    previous = { ...bar, previous };
    bars.push(previous);
  }
  return bars;
}

function readCsv(text: string): string[][] {
  const cells = (line: string): string[] =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((cell) => cell[2] ?? cell[1]!.replaceAll('""', '"'));
  return text
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .map(cells);
}
