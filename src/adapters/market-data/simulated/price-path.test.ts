// The statistics of simulated prices: calm and wild stretches, jumps, and no drift, over years and in every market.

import { describe, expect, test } from 'vitest';
import { hashText } from './hash.ts';
import { createPricePath } from './price-path.ts';
import { referenceMarket, USUAL_MARKETS } from './reference-markets.ts';

const YEAR_S = 365 * 86_400;
const END_S = Date.UTC(2026, 0, 1) / 1000;

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function variance(values: readonly number[]): number {
  const average = mean(values);
  return mean(values.map((value) => (value - average) ** 2));
}

function kurtosis(values: readonly number[]): number {
  const average = mean(values);
  return mean(values.map((value) => (value - average) ** 4)) / variance(values) ** 2;
}

function autocorrelation(values: readonly number[], lag: number): number {
  const average = mean(values);
  const products = values.slice(lag).map((value, index) => (value - average) * (values[index]! - average));
  return mean(products) / variance(values);
}

function returnsOf(market: string, everyS: number, count: number): number[] {
  const path = createPricePath(hashText(3, market), 1);
  const logs = Array.from({ length: count + 1 }, (_, index) => path.at(END_S - (count - index) * everyS));
  return logs.slice(1).map((log, index) => log - logs[index]!);
}

describe.each(['BTCUSDT', 'ETHUSDT', 'DOGEUSDT'])('returns of %s', (market) => {
  const minutes = returnsOf(market, 60, 60_000);
  const hours = returnsOf(market, 3600, 9_000);

  test('have fat tails: kurtosis above that of a bell curve', () => {
    expect(kurtosis(minutes)).toBeGreaterThan(3);
    expect(kurtosis(hours)).toBeGreaterThan(3);
  });

  test('cluster: after a large move the next ones are large too, hours later still', () => {
    const sizes = minutes.map(Math.abs);
    for (const lag of [1, 10, 60, 120]) expect(autocorrelation(sizes, lag)).toBeGreaterThan(0.02);
    expect(autocorrelation(hours.map(Math.abs), 1)).toBeGreaterThan(0.02);
  });

  test('tell next to nothing about the direction of the next one', () => {
    expect(Math.abs(autocorrelation(minutes, 1))).toBeLessThan(0.15);
    expect(Math.abs(autocorrelation(hours, 1))).toBeLessThan(0.1);
  });

  test('jump: some seconds move by more than a half per cent, most by next to nothing', () => {
    const path = createPricePath(hashText(3, market), 1);
    let jumps = 0;
    const days = 20;
    for (let second = END_S - days * 86_400; second < END_S; second++)
      if (Math.abs(path.at(second + 1) - path.at(second)) > 0.005) jumps++;
    expect(jumps).toBeGreaterThan(2);
    expect(jumps).toBeLessThan(days * 3);
  });
});

test('over twenty years no price leaves its bounds or becomes nothing, in any market', () => {
  for (const market of USUAL_MARKETS) {
    const { volatility, pathSeed } = referenceMarket(1, market);
    const { low, high } = createPricePath(pathSeed, volatility).extremes(END_S - 20 * YEAR_S, END_S);
    expect(low).toBeGreaterThan(-0.57 * volatility);
    expect(high).toBeLessThan(0.57 * volatility);
  }
});

test('the extremes of a stretch with a jump are those of its seconds, none missed', () => {
  const path = createPricePath(hashText(3, 'BTCUSDT'), 1);
  // A day has a jump or two; stretches that begin and end anywhere around them are compared second by second.
  for (let start = END_S - 86_400; start < END_S - 5_000; start += 4_093) {
    const values = Array.from({ length: 4_999 }, (_, index) => path.at(start + index));
    expect(path.extremes(start, start + 4_999)).toEqual({ low: Math.min(...values), high: Math.max(...values) });
  }
});
