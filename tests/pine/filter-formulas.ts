// What the filters, stops and structures of tests/pine/scripts must answer, worked out a second time in plain TypeScript.

import type { Bar } from '../../src/pine/index.ts';
import {
  atr,
  before,
  changes,
  closes,
  ema,
  type Formula,
  highest,
  highs,
  lowest,
  lows,
  middles,
  of,
  type Series,
  sma,
  trueRange,
  windowed,
} from './plain-averages.ts';

const or = (value: number | undefined, other: number) => (value === undefined || Number.isNaN(value) ? other : value);
const sum = (values: Series, length: number) => windowed(values, length, (window) => window.reduce((a, b) => a + b, 0));

/** A series of which each value is made from those before it. */
function running(count: number, next: (index: number, done: Series) => number): number[] {
  const done: number[] = [];
  for (let index = 0; index < count; index += 1) done.push(next(index, done));
  return done;
}

const adaptive: Formula = (bars) => {
  const x = closes(bars);
  const path = sum(
    changes(x).map((move) => Math.abs(move)),
    10,
  );
  const kama = running(x.length, (i, done) => {
    const share = path[i]! > 0 ? Math.abs(x[i]! - x[i - 10]!) / path[i]! : 0;
    const last = done[i - 1] ?? 0;
    return last + (share * (2 / 3 - 2 / 31) + 2 / 31) ** 2 * (x[i]! - last);
  });
  const seed = ema(x, 14);
  const mcginley = running(x.length, (i, done) => {
    const last = before(done, i);
    return Number.isNaN(last) ? seed[i]! : last + (x[i]! - last) / (14 * (x[i]! / last) ** 4);
  });
  const chain = [1, 2, 3, 4, 5, 6].reduce<Series[]>((all) => [...all, ema(all.at(-1) ?? x, 8)], []);
  const [, , e3, e4, e5, e6] = chain as [Series, Series, Series, Series, Series, Series];
  const b = 0.7;
  const t3 = x.map(
    (_, i) =>
      -(b ** 3) * e6[i]! +
      (3 * b ** 2 + 3 * b ** 3) * e5[i]! +
      (-6 * b ** 2 - 3 * b - 3 * b ** 3) * e4[i]! +
      (1 + 3 * b + b ** 3 + 3 * b ** 2) * e3[i]!,
  );
  return { KAMA: kama, McGinley: mcginley, T3: t3, JMA: jurik(x) };
};

/** Of length 7, phase 50 and power 2. A ratio of 50 / 100 is a half: a parameter is no constant, also not in version 5. */
function jurik(x: Series): number[] {
  const beta = (0.45 * 6) / (0.45 * 6 + 2);
  const alpha = beta ** 2;
  let [e0, e1, e2, j] = [0, 0, 0, 0];
  return x.map((value) => {
    e0 = (1 - alpha) * value + alpha * e0;
    e1 = (value - e0) * (1 - beta) + beta * e1;
    e2 = (e0 + 2 * e1 - j) * (1 - alpha) ** 2 + alpha ** 2 * e2;
    j += e2;
    return j;
  });
}

const ehlers: Formula = (bars) => {
  const x = middles(bars);
  const a1 = Math.exp((-Math.SQRT2 * Math.PI) / 10);
  const [c2, c3] = [2 * a1 * Math.cos((Math.SQRT2 * Math.PI) / 10), -a1 * a1];
  const smooth = running(x.length, (i, done) => {
    const last = or(x[i - 1], x[i]!);
    return ((1 - c2 - c3) * (x[i]! + last)) / 2 + c2 * or(done[i - 1], x[i]!) + c3 * or(done[i - 2], last);
  });
  let [l0, l1, l2, l3] = [0, 0, 0, 0];
  const g = 0.8;
  const laguerre = x.map((value) => {
    const [p0, p1, p2] = [l0, l1, l2];
    l0 = (1 - g) * value + g * l0;
    l1 = -g * l0 + p0 + g * l1;
    l2 = -g * l1 + p1 + g * l2;
    l3 = -g * l2 + p2 + g * l3;
    return (l0 + 2 * l1 + 2 * l2 + l3) / 6;
  });
  return { 'Super smoother': smooth, Laguerre: laguerre };
};

const kalman: Formula = (bars) => {
  let [x, p] = [Number.NaN, 1];
  const line = closes(bars).map((z) => {
    p += 0.05;
    if (Number.isNaN(x)) x = z;
    else {
      const gain = p / (p + 3);
      x += gain * (z - x);
      p *= 1 - gain;
    }
    return x;
  });
  return { Kalman: line };
};

const rangeFilter: Formula = (bars) => {
  const x = closes(bars);
  const width = ema(
    ema(
      changes(x).map((move) => Math.abs(move)),
      100,
    ),
    199,
  ).map((value) => value * 3);
  const filter = running(x.length, (i, done) => {
    const [last, r, now] = [or(done[i - 1], 0), width[i]!, x[i]!];
    if (now > last) return now - r < last ? last : now - r;
    return now + r > last ? last : now + r;
  });
  return { 'Range Filter': filter, HalfTrend: halfTrend(bars) };
};

/** Of amplitude 2. On the first bar there is no highest of two, and its place, na, is read as the bar itself. */
function halfTrend(bars: readonly Bar[]): number[] {
  const two = (i: number) => [bars[i]!, ...(i > 0 ? [bars[i - 1]!] : [])];
  let [trend, next, maxLow, minHigh, up, down] = [0, 0, bars[0]!.low, bars[0]!.high, 0, 0];
  return bars.map(({ close, high, low }, i) => {
    const last = bars[i - 1] ?? { high, low };
    const [highPrice, lowPrice] = [Math.max(...two(i).map((b) => b.high)), Math.min(...two(i).map((b) => b.low))];
    const mean = (pick: (bar: Bar) => number) => (i === 0 ? Number.NaN : (pick(bars[i]!) + pick(bars[i - 1]!)) / 2);
    const before = trend;
    if (next === 1) {
      maxLow = Math.max(lowPrice, maxLow);
      if (mean((b) => b.high) < maxLow && close < last.low) [trend, next, minHigh] = [1, 0, highPrice];
    } else {
      minHigh = Math.min(highPrice, minHigh);
      if (mean((b) => b.low) > minHigh && close > last.high) [trend, next, maxLow] = [0, 1, lowPrice];
    }
    if (trend === 0) up = i > 0 && before !== 0 ? down : Math.max(maxLow, up);
    else down = i > 0 && before !== 1 ? up : Math.min(minHigh, down);
    return trend === 0 ? up : down;
  });
}

const trendlines: Formula = (bars) => {
  const length = 14;
  const slope = atr(bars, length).map((value) => value / length);
  // A bar as high to its right takes the pivot from a bar, one to its left does not.
  const turn = (values: Series, side: number) => (i: number) => {
    const middle = i - length;
    if (middle < length) return Number.NaN;
    const over = values.slice(middle - length, i + 1).map((other) => side * (values[middle]! - other));
    return over.every((by, at) => at === length || (at < length ? by >= 0 : by > 0)) ? values[middle]! : Number.NaN;
  };
  const line = (pivot: (i: number) => number, side: number) => {
    let [level, fall] = [0, 0];
    return bars.map((_, i) => {
      const found = pivot(i);
      if (!Number.isNaN(found)) fall = slope[i]!;
      level = Number.isNaN(found) ? level - side * fall : found;
      return level;
    });
  };
  return { Upper: line(turn(highs(bars), 1), 1), Lower: line(turn(lows(bars), -1), -1) };
};

const imbalances: Formula = (bars) => {
  let open: { top: number; bottom: number; bull: boolean }[] = [];
  const counts = { 'Bull total': 0, 'Bear total': 0, 'Bull done': 0, 'Bear done': 0 };
  const lists: Record<string, number[]> = {
    'Bull total': [],
    'Bear total': [],
    'Bull done': [],
    'Bear done': [],
    Open: [],
  };
  for (const [i, { high, low }] of bars.entries()) {
    const still = open.filter(({ top, bottom, bull }) => (bull ? low > (top + bottom) / 2 : high < (top + bottom) / 2));
    for (const { bull } of open.filter((gap) => !still.includes(gap))) counts[bull ? 'Bull done' : 'Bear done'] += 1;
    open = still;
    const [old, last] = [bars[i - 2], bars[i - 1]];
    if (old !== undefined && low > old.high && last!.close > old.high) {
      open.push({ top: low, bottom: old.high, bull: true });
      counts['Bull total'] += 1;
    } else if (old !== undefined && high < old.low && last!.close < old.low) {
      open.push({ top: old.low, bottom: high, bull: false });
      counts['Bear total'] += 1;
    }
    for (const [name, count] of Object.entries(counts)) lists[name]!.push(count);
    lists.Open!.push(open.length);
  }
  return lists;
};

const oscillators: Formula = (bars) => {
  const range = trueRange(bars, false);
  const pressure = bars.map(({ close, low }, i) => close - Math.min(low, bars[i - 1]?.close ?? Number.NaN));
  const share = (length: number) => {
    const [up, all] = [sum(pressure, length), sum(range, length)];
    return up.map((value, i) => value / all[i]!);
  };
  const [short, middle, long] = [share(7), share(14), share(28)];
  const [top, bottom] = [highest(highs(bars), 14), lowest(lows(bars), 14)];
  const known = sum(trueRange(bars, true), 14);
  const [mean, mean21] = [ema(closes(bars), 13), sma(closes(bars), 21)];
  const moved = bars.map(({ close, high, low, volume }) =>
    high === low ? 0 : ((2 * close - low - high) / (high - low)) * volume!,
  );
  const volumes = of(bars, ({ volume }) => volume!);
  const [flow, traded] = [sum(moved, 20), sum(volumes, 20)];
  return {
    Ultimate: short.map((value, i) => (100 * (4 * value + 2 * middle[i]! + long[i]!)) / 7),
    Choppiness: known.map((value, i) => (100 * Math.log10(value / (top[i]! - bottom[i]!))) / Math.log10(14)),
    CMF: flow.map((value, i) => value / traded[i]!),
    Elder: bars.map(({ high, low }, i) => high + low - 2 * mean[i]!),
    DPO: closes(bars).map((close, i) => close - before(mean21, i, 11)),
  };
};

export const FILTER_FORMULAS: Readonly<Record<string, Formula>> = {
  'adaptive-averages': adaptive,
  'ehlers-filters': ehlers,
  kalman,
  'range-filter': rangeFilter,
  'trendline-breaks': trendlines,
  'fvg-mitigation': imbalances,
  'gradient-oscillators': oscillators,
};
