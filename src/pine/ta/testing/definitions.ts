// The textbook definition of each function, looking at all its values anew on every bar: what the kernels are held to.

import type { Row } from './drive.ts';
import { FIXED } from './drive.ts';

/** The result on row `i`, of all rows so far. */
export type Definition = (rows: readonly Row[], i: number, length: number) => number | boolean | readonly number[];

const na = Number.NaN;
const isNa = Number.isNaN;
const TINY = 1e-10;
const add = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => add(values) / values.length;
const at = (values: readonly number[], i: number): number => values[i] ?? na;
const sources = (rows: readonly Row[], i: number): number[] => rows.slice(0, i + 1).map((row) => row.source);
const column = (rows: readonly Row[], i: number, pick: (row: Row) => number): number[] =>
  rows.slice(0, i + 1).map(pick);

/** The last `length` values that are not na, oldest first; none when there are not so many. */
function known(values: readonly number[], length: number): number[] | undefined {
  const kept = values.filter((value) => !isNa(value)).slice(-length);
  return kept.length === length ? kept : undefined;
}

/** The last `length` values, na among them or not; none when there are not so many. */
const last = <T>(values: readonly T[], length: number): T[] | undefined =>
  values.length < length ? undefined : values.slice(-length);

const ofKnown =
  (compute: (window: number[], length: number) => number): Definition =>
  (rows, i, length) => {
    const window = known(sources(rows, i), length);
    return window === undefined ? na : compute(window, length);
  };

const ofAll =
  (compute: (window: number[]) => number): Definition =>
  (rows, i, length) => {
    const window = last(sources(rows, i), length);
    return window === undefined || window.some(isNa) ? na : compute(window);
  };

const sumOf = (values: readonly number[], length: number): number => add(known(values, length) ?? [na]);
const weightedMean = (window: readonly number[]): number =>
  add(window.map((value, i) => value * (i + 1))) / add(window.map((_, i) => i + 1));
const variance = (window: readonly number[]): number => mean(window.map((value) => (value - mean(window)) ** 2));
const sorted = (window: readonly number[]): number[] => window.toSorted((a, b) => a - b);
/** Seen from the first value, which keeps the digits that a mean far from zero would round away. */
const centered = (window: readonly number[]): number[] => window.map((value) => value - window[0]!);
const deviation = (window: readonly number[]): number =>
  mean(centered(window).map((value) => Math.abs(value - mean(centered(window)))));

/** From old to new, and whatever is not at least as far out as the newer one, an na above all, gives way to it. */
function extremeOf(values: readonly number[], length: number, sign: number): { value: number; offset: number } {
  const window = last(values, length);
  if (window === undefined) return { value: na, offset: na };
  let best = 0;
  for (const [i, value] of window.entries()) if (!(sign * window[best]! >= sign * value)) best = i;
  return { value: window[best]!, offset: best - length + 1 };
}

/** Value on each row of an average that is seeded by the first `length` values and na where its source is. */
function recursive(values: readonly number[], length: number, alpha: number): number[] {
  const seed: number[] = [];
  let average = na;
  return values.map((value) => {
    if (isNa(value)) return na;
    if (seed.length < length) {
      seed.push(value);
      if (seed.length === length) average = mean(seed);
    } else average = alpha * value + (1 - alpha) * average;
    return average;
  });
}

const ema = (values: readonly number[], length: number): number[] => recursive(values, length, 2 / (length + 1));
const rma = (values: readonly number[], length: number): number[] => recursive(values, length, 1 / length);

const changes = (values: readonly number[]): number[] => values.map((value, i) => value - at(values, i - 1));
const filled = (values: readonly number[]): number[] =>
  values.map((_, i) => values.slice(0, i + 1).findLast((value) => !isNa(value)) ?? na);
const wma = (values: readonly number[], length: number): number[] =>
  values.map((value, i) => {
    const seen = values.slice(0, i + 1);
    const window = last(filled(seen), length);
    const begun = seen.filter((known) => !isNa(known)).length >= length;
    return isNa(value) || window === undefined || !begun ? na : weightedMean(window);
  });

function ranges(rows: readonly Row[], i: number, first: (row: Row) => number): number[] {
  return rows.slice(0, i + 1).map((row, k) => {
    const close = rows[k - 1]?.close;
    if (close === undefined) return first(row);
    return Math.max(row.high - row.low, Math.abs(row.high - close), Math.abs(row.low - close));
  });
}

function ranks(window: readonly number[]): number[] {
  const below = (value: number): number => window.filter((other) => value - other > TINY).length;
  const same = (value: number): number => window.filter((other) => Math.abs(value - other) <= TINY).length;
  return window.map((value) => below(value) + (same(value) + 1) / 2);
}

const correlation = (a: readonly number[], b: readonly number[]): number =>
  quotient(mean(a.map((value, i) => (value - mean(a)) * (b[i]! - mean(b)))), Math.sqrt(variance(a) * variance(b)));

/** Rounding leaves a spread where there is none. */
const quotient = (covariance: number, spread: number): number =>
  spread < 1e-13 || Math.abs(covariance) < TINY ? 0 : covariance / spread;

const channel = (rows: readonly Row[], i: number, length: number): readonly [number, number] => {
  const [highs, lows] = [column(rows, i, (row) => row.high), column(rows, i, (row) => row.low)];
  return [extremeOf(highs, length, 1).value, extremeOf(lows, length, -1).value];
};
/** Of all values that are not na. */
const total = (values: readonly number[], join = (a: number, b: number): number => a + b): number => {
  const given = values.filter((value) => !isNa(value));
  return given.length === 0 ? na : given.reduce((a, b) => join(a, b));
};

const run =
  (sign: number): Definition =>
  (rows, i, length) =>
    known(changes(sources(rows, i)), length)?.every((move) => sign * move > TINY) ?? false;

const pivot =
  (sign: number): Definition =>
  (rows, i, length) => {
    const right = length >> 1;
    const window = last(sources(rows, i), length + right + 1);
    const value = window?.[length] ?? na;
    const upToNa = (side: readonly number[]): number[] => side.slice(0, (side.findIndex(isNa) + 1 || Infinity) - 1);
    const before = upToNa(window?.slice(0, length).toReversed() ?? []);
    const after = upToNa(window?.slice(length + 1) ?? []);
    const stands = before.every((old) => sign * value >= sign * old) && after.every((x) => sign * value > sign * x);
    return stands ? value : na;
  };

/** How far the two sources were apart when both were last known. */
const gapBefore = (rows: readonly Row[], i: number): number =>
  column(rows, i - 1, (row) => row.source - row.other).findLast((gap) => !isNa(gap)) ?? na;

const lagged = (rows: readonly Row[], i: number, length: number): number => at(sources(rows, i), i - length);

const keltner = (rows: readonly Row[], i: number, length: number): readonly number[] => {
  const middle = ema(sources(rows, i), length)[i]!;
  const span = ema(
    ranges(rows, i, () => na),
    length,
  )[i]!;
  return [middle, middle + FIXED.mult * span, middle - FIXED.mult * span];
};

export const DEFINITIONS: Readonly<Record<string, Definition>> = {
  fixnan: (rows, i) => sources(rows, i).findLast((value) => !isNa(value)) ?? na,
  'math.sum': ofKnown(add),
  'ta.sma': ofKnown(mean),
  'ta.wma': (rows, i, length) => wma(sources(rows, i), length)[i]!,
  'ta.hma': (rows, i, length) => {
    const slow = wma(sources(rows, i), length);
    const ahead = wma(sources(rows, i), length >> 1).map((fast, k) => 2 * fast - slow[k]!);
    return wma(ahead, Math.floor(Math.sqrt(length)))[i]!;
  },
  'ta.vwma': (rows, i, length) =>
    sumOf(
      column(rows, i, (row) => row.source * row.volume),
      length,
    ) /
    sumOf(
      column(rows, i, (row) => row.volume),
      length,
    ),
  'ta.swma': (rows, i) => {
    const window = last(sources(rows, i), 4);
    return window === undefined ? na : (window[0]! + 2 * window[1]! + 2 * window[2]! + window[3]!) / 6;
  },
  'ta.alma': ofAll((window) => {
    const n = window.length;
    const weights = window.map((_, k) =>
      Math.exp(-((k - FIXED.almaOffset * (n - 1)) ** 2) / (2 * (n / FIXED.sigma) ** 2)),
    );
    return add(window.map((value, k) => value * weights[k]!)) / add(weights);
  }),
  'ta.linreg': ofAll((window) => {
    const n = window.length;
    const times = window.map((_, k) => k);
    const slope = mean(window.map((value, k) => (value - mean(window)) * (k - mean(times)))) / variance(times);
    return mean(window) - slope * mean(times) + slope * (n - 1 - FIXED.offset);
  }),
  'ta.ema': (rows, i, length) => ema(sources(rows, i), length)[i]!,
  'ta.rma': (rows, i, length) => rma(sources(rows, i), length)[i]!,
  'ta.macd': (rows, i, length) => {
    const slow = ema(sources(rows, i), length + 2);
    const line = ema(sources(rows, i), length).map((fast, k) => fast - slow[k]!);
    const signal = ema(line, length)[i]!;
    return [line[i]!, signal, line[i]! - signal];
  },
  'ta.tsi': (rows, i, length) => {
    const momentum = changes(sources(rows, i));
    const smooth = (values: readonly number[]): number => ema(ema(values, length + 2), length)[i]!;
    const divisor = smooth(momentum.map(Math.abs));
    return smooth(momentum) / divisor;
  },
  'ta.rsi': (rows, i, length) => {
    const moves = changes(sources(rows, i));
    const larger = (sign: number): number[] => moves.map((move) => Math.max(sign * move, 0));
    const [up, down] = [rma(larger(1), length)[i]!, rma(larger(-1), length)[i]!];
    return down === 0 ? 100 : 100 - 100 / (1 + up / down);
  },
  'ta.highest': (rows, i, length) => extremeOf(sources(rows, i), length, 1).value,
  'ta.lowest': (rows, i, length) => extremeOf(sources(rows, i), length, -1).value,
  'ta.highestbars': (rows, i, length) => extremeOf(sources(rows, i), length, 1).offset,
  'ta.lowestbars': (rows, i, length) => extremeOf(sources(rows, i), length, -1).offset,
  'ta.range': ofKnown((window) => Math.max(...window) - Math.min(...window)),
  'ta.max': (rows, i) => total(sources(rows, i), Math.max),
  'ta.min': (rows, i) => total(sources(rows, i), Math.min),
  'ta.rising': run(1),
  'ta.falling': run(-1),
  'ta.pivothigh': pivot(1),
  'ta.pivotlow': pivot(-1),
  'ta.change': (rows, i, length) => rows[i]!.source - lagged(rows, i, length),
  'ta.mom': (rows, i, length) => rows[i]!.source - lagged(rows, i, length),
  'ta.roc': (rows, i, length) => {
    const old = lagged(rows, i, length);
    return old === 0 ? na : (100 * (rows[i]!.source - old)) / old;
  },
  'ta.cum': (rows, i) => (isNa(rows[i]!.source) ? na : total(sources(rows, i))),
  'ta.cross': (rows, i) => {
    const sides = rows.slice(0, i + 1).map(({ source, other }) => (source > other ? 1 : source < other ? -1 : 0));
    const before = sides.slice(0, -1).findLast((side) => side !== 0) ?? 0;
    return sides[i] !== 0 && before === -sides[i]!;
  },
  'ta.crossover': (rows, i) => rows[i]!.source > rows[i]!.other && gapBefore(rows, i) <= 0,
  'ta.crossunder': (rows, i) => rows[i]!.source < rows[i]!.other && gapBefore(rows, i) >= 0,
  'ta.barssince': (rows, i) => {
    const when = rows.slice(0, i + 1).findLastIndex((row) => row.condition);
    return when < 0 ? na : i - when;
  },
  'ta.valuewhen': (rows, i) => {
    const when = rows.slice(0, i + 1).filter((row) => row.condition);
    return when.at(-1 - FIXED.occurrence)?.source ?? na;
  },
  'ta.variance': ofKnown(variance),
  'ta.stdev': ofKnown((window) => Math.sqrt(variance(window))),
  'ta.dev': ofAll(deviation),
  'ta.correlation': (rows, i, length) => {
    const pairs = last(rows.slice(0, i + 1), length) ?? [];
    const [a, b] = [pairs.map((row) => row.source), pairs.map((row) => row.other)];
    if (pairs.length === length && ![...a, ...b].some(isNa)) return correlation(a, b);
    const [first, second, products] = [
      column(rows, i, (row) => row.source),
      column(rows, i, (row) => row.other),
      column(rows, i, (row) => row.source * row.other),
    ].map((values) => known(values, length) ?? [na]) as [number[], number[], number[]];
    return quotient(mean(products) - mean(first) * mean(second), Math.sqrt(variance(first) * variance(second)));
  },
  'ta.median': ofKnown((window) => {
    const order = sorted(window);
    return (order[(order.length - 1) >> 1]! + order[order.length >> 1]!) / 2;
  }),
  'ta.mode': ofKnown((window) => {
    const times = (value: number): number => window.filter((other) => other === value).length;
    return sorted(window).reduce((best, value) => (times(value) > times(best) ? value : best));
  }),
  'ta.percentile_nearest_rank': ofAll(
    (window) => sorted(window)[Math.max(Math.ceil((FIXED.percentage / 100) * window.length), 1) - 1]!,
  ),
  'ta.percentile_linear_interpolation': ofAll((window) => {
    const order = sorted(window);
    const place = (k: number): number => (100 * (k + 0.5)) / order.length;
    const above = order.findIndex((_, k) => place(k) >= FIXED.percentage);
    if (above < 1) return above === 0 ? order[0]! : order.at(-1)!;
    const part = (FIXED.percentage - place(above - 1)) / (place(above) - place(above - 1));
    return order[above - 1]! * (1 - part) + order[above]! * part;
  }),
  'ta.percentrank': (rows, i, length) => {
    const before = last(sources(rows, i - 1), length);
    if (before === undefined || i < 1) return na;
    return (100 * before.filter((old) => old <= rows[i]!.source + TINY).length) / length;
  },
  'ta.rci': (rows, i, length) => {
    const seen = sources(rows, i);
    const known = seen.findLastIndex((value) => !isNa(value));
    if (known < length) return na;
    const filled = seen.slice(0, known + 1);
    for (const [k, value] of filled.entries()) if (isNa(value)) filled[k] = filled[k - length - 1] ?? 0;
    const window = filled.slice(-length);
    const own = ranks(window);
    return new Set(own).size === 1 ? na : 100 * correlation(own, [...window.keys()]);
  },
  'ta.stoch': (rows, i, length) => {
    const [top, bottom] = channel(rows, i, length);
    return (100 * (rows[i]!.source - bottom)) / (top - bottom);
  },
  'ta.wpr': (rows, i, length) => {
    const [top, bottom] = channel(rows, i, length);
    return (100 * (rows[i]!.close - top)) / (top - bottom);
  },
  'ta.cci': (rows, i, length) => {
    const window = last(sources(rows, i), length);
    if (window === undefined || window.some(isNa) || new Set(window).size === 1) return na;
    return (centered(window).at(-1)! - mean(centered(window))) / (0.015 * deviation(window));
  },
  'ta.cmo': (rows, i, length) => {
    const moves = changes(sources(rows, i));
    const ups = moves.map((move) => (move >= -TINY ? move : 0));
    const downs = moves.map((move) => (move >= -TINY ? 0 : -move));
    const [up, down] = [sumOf(ups, length), sumOf(downs, length)];
    return up + down === 0 ? na : (100 * (up - down)) / (up + down);
  },
  'ta.mfi': (rows, i, length) => {
    const moves = changes(sources(rows, i));
    const flow = (isFlat: (move: number) => boolean): number =>
      sumOf(
        column(rows, i, (row) => row.source * row.volume).map((value, k) => (isFlat(moves[k]!) ? value * 0 : value)),
        length,
      );
    const up = flow((move) => move <= TINY);
    const down = flow((move) => move >= -TINY);
    return up === 0 && down === 0 ? 100 : 100 - 100 / (1 + up / down);
  },
  'ta.cog': ofAll((window) => -add(window.map((value, k) => value * (window.length - k))) / add(window)),
  'ta.tr': (rows, i) => ranges(rows, i, () => na)[i]!,
  'ta.atr': (rows, i, length) =>
    rma(
      ranges(rows, i, (row) => row.high - row.low),
      length,
    )[i]!,
  'ta.bb': (rows, i, length) => {
    const window = known(sources(rows, i), length) ?? [na];
    const distance = FIXED.mult * Math.sqrt(variance(window));
    return [mean(window), mean(window) + distance, mean(window) - distance];
  },
  'ta.bbw': ofKnown((window) => (200 * FIXED.mult * Math.sqrt(variance(window))) / mean(window)),
  'ta.kc': keltner,
  'ta.kcw': (rows, i, length) => {
    const [middle = na, upper = na, lower = na] = keltner(rows, i, length);
    return (upper - lower) / middle;
  },
  'ta.vwap': (rows, i) => {
    const anchor = rows.slice(0, i + 1).findLastIndex((row) => row.condition);
    const since = anchor < 0 ? [] : rows.slice(anchor, i + 1);
    const volume = add(since.map((row) => row.volume));
    const average = add(since.map((row) => row.source * row.volume)) / volume;
    const spread = add(since.map((row) => row.volume * (row.source - average) ** 2)) / volume;
    const distance = FIXED.mult * Math.sqrt(spread);
    return [average, average + distance, average - distance];
  },
  'ta.accdist': (rows, i) =>
    total(
      rows
        .slice(0, i + 1)
        .map(({ high, low, close, volume }) =>
          high === low ? 0 : ((close - low - (high - close)) / (high - low)) * volume,
        ),
    ),
  'ta.obv': (rows, i) =>
    total(changes(column(rows, i, (row) => row.close)).map((move, k) => Math.sign(move) * rows[k]!.volume)),
  'ta.pvt': (rows, i) =>
    total(
      changes(column(rows, i, (row) => row.close)).map(
        (move, k) => (move / (rows[k - 1]?.close ?? na)) * rows[k]!.volume,
      ),
    ),
  'ta.wad': (rows, i) =>
    add(
      rows.slice(1, i + 1).map(({ high, low, close }, k) => {
        const previous = rows[k]!.close;
        if (close === previous) return 0;
        return close > previous ? close - Math.min(low, previous) : close - Math.max(high, previous);
      }),
    ),
  'ta.wvad': (rows, i) => {
    const { open, high, low, close, volume } = rows[i]!;
    return ((close - open) / (high - low)) * volume;
  },
  'ta.iii': (rows, i) => {
    const { high, low, close, volume } = rows[i]!;
    return (2 * close - high - low) / ((high - low) * volume);
  },
  'ta.nvi': (rows, i) =>
    rows
      .slice(1, i + 1)
      .reduce((index, row, k) => (row.volume < rows[k]!.volume ? (index * row.close) / rows[k]!.close : index), 1),
  'ta.pvi': (rows, i) =>
    rows
      .slice(1, i + 1)
      .reduce((index, row, k) => (row.volume > rows[k]!.volume ? (index * row.close) / rows[k]!.close : index), 1),
  'ta.pivot_point_levels': (rows, i) => {
    const anchors = rows.slice(0, i + 1).flatMap((row, k) => (row.condition ? [k] : []));
    const end = anchors.at(-1) ?? 0;
    const period = rows.slice(anchors.at(-2) ?? 0, end);
    if (period.length === 0) return new Array<number>(11).fill(na);
    const h = Math.max(...period.map((row) => row.high));
    const l = Math.min(...period.map((row) => row.low));
    const p = (h + l + period.at(-1)!.close) / 3;
    const pairs = [1, 2, 3, 4].map((n) => [p * n + h - n * l, p * n - (n * h - l)]);
    return [p, 2 * p - l, 2 * p - h, p + h - l, p - h + l, ...pairs.slice(1).flat()];
  },
};
