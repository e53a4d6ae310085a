// What the oscillators, statistics and candles of tests/pine/scripts must answer, worked out a second time in plain TypeScript.

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
  rsi,
  type Series,
  sma,
  trueRange,
  windowed,
  wma,
} from './plain-averages.ts';

const NA = Number.NaN;
const HOUR_MS = 3_600_000;

const thirds = (bars: readonly Bar[]) => of(bars, ({ high, low, close }) => (high + low + close) / 3);
const volumes = (bars: readonly Bar[]) => of(bars, ({ volume }) => volume);
const mean = (values: Series) => values.reduce((sum, value) => sum + value, 0) / values.length;
const roc = (x: Series, length: number) =>
  x.map((value, i) => (100 * (value - before(x, i, length))) / before(x, i, length));
const minus = (a: Series, b: Series) => a.map((value, i) => value - b[i]!);

/** Of all values in the window, not of a sample. */
const deviation = (x: Series, length: number) =>
  windowed(x, length, (window) => {
    const middle = mean(window);
    return Math.sqrt(mean(window.map((value) => (value - middle) ** 2)));
  });

/** The last point of the straight line through the window. */
const lineEnd = (x: Series, length: number) =>
  windowed(x, length, (window) => {
    const [middleX, middleY] = [(length - 1) / 2, mean(window)];
    const slope =
      window.reduce((sum, y, i) => sum + (i - middleX) * (y - middleY), 0) /
      window.reduce((sum, _, i) => sum + (i - middleX) ** 2, 0);
    return middleY + slope * (length - 1 - middleX);
  });

const crossedUp = (a: Series, b: Series, i: number) => a[i]! > b[i]! && before(a, i) <= before(b, i);

const squeeze: Formula = (bars) => {
  const x = closes(bars);
  const [basis, width, range] = [sma(x, 20), deviation(x, 20), sma(trueRange(bars, false), 20)];
  const [top, bottom] = [highest(highs(bars), 20), lowest(lows(bars), 20)];
  const momentum = lineEnd(
    x.map((value, i) => value - ((top[i]! + bottom[i]!) / 2 + basis[i]!) / 2),
    20,
  );
  // Both bands lie around the same mean, so that only their widths matter.
  const state = x.map((_, i) => (width[i]! < range[i]! ? 1 : width[i]! > range[i]! ? -1 : 0));
  let inRow = 0;
  const rows = state.map((one) => {
    inRow = one === 1 ? inRow + 1 : 0;
    return inRow;
  });
  return { Momentum: momentum, Squeeze: state, 'In a row': rows };
};

const waveTrend: Formula = (bars) => {
  const x = thirds(bars);
  const base = ema(x, 10);
  const distance = ema(minus(x, base).map(Math.abs), 10);
  const wt1 = ema(
    x.map((value, i) => (value - base[i]!) / (0.015 * distance[i]!)),
    21,
  );
  const wt2 = sma(wt1, 4);
  const signals: { readonly side: number; readonly at: number }[] = [];
  const counts: number[] = [];
  const won = bars.map(({ close }, i) => {
    if (crossedUp(wt1, wt2, i) && wt2[i]! < -53) signals.push({ side: 1, at: close });
    else if (crossedUp(wt2, wt1, i) && wt2[i]! > 53) signals.push({ side: -1, at: close });
    if (signals.length > 20) signals.shift();
    counts.push(signals.length);
    return signals.reduce((sum, { side, at }) => sum + side * (close - at), 0);
  });
  return { WT1: wt1, WT2: wt2, Difference: minus(wt1, wt2), Signals: counts, 'Open result': won };
};

const kernelRegression: Formula = (bars) => {
  const x = closes(bars);
  const weights = Array.from({ length: 60 }, (_, i) => Math.exp(-(i ** 2) / 128));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const line = windowed(
    x,
    60,
    (window) => window.toReversed().reduce((sum, value, i) => sum + value * weights[i]!, 0) / total,
  );
  const error = sma(minus(x, line).map(Math.abs), 59).map((value) => value * 3);
  const slopes = changes(line).map(Math.sign);
  let count = 0;
  const turns = slopes.map((slope, i) => {
    const last = before(slopes, i);
    if (!Number.isNaN(last) && slope !== last) count += 1;
    return count;
  });
  return {
    Mean: line,
    Upper: line.map((value, i) => value + error[i]!),
    Lower: minus(line, error),
    Turns: turns,
  };
};

const qqe: Formula = (bars) => {
  const x = ema(rsi(closes(bars), 6), 5);
  const width = ema(ema(changes(x).map(Math.abs), 11), 11).map((value) => value * 3);
  const [longs, shorts, trends]: [number[], number[], number[]] = [[], [], []];
  const line = x.map((value, i) => {
    const [last, long, short] = [before(x, i), before(longs, i), before(shorts, i)];
    const [newLong, newShort] = [value - width[i]!, value + width[i]!];
    longs.push(last > long && value > long ? Math.max(long, newLong) : newLong);
    shorts.push(last < short && value < short ? Math.min(short, newShort) : newShort);
    const isAbove = value > short && last <= before(shorts, i, 2);
    const isBelow = value < long && last >= before(longs, i, 2);
    trends.push(isAbove ? 1 : isBelow ? -1 : (trends[i - 1] ?? 1));
    return (trends[i] === 1 ? longs[i]! : shorts[i]!) - 50;
  });
  const [basis, spread] = [sma(line, 50), deviation(line, 50)];
  let above = 0;
  const counted = x.map((value) => {
    above = value >= 50 ? above + 1 : 0;
    return above;
  });
  return {
    'QQE Line': line,
    'Smooth RSI': x.map((value) => value - 50),
    Upper: basis.map((value, i) => value + 0.35 * spread[i]!),
    'Bars above': counted,
  };
};

const sureThings: Formula = (bars) => {
  const x = closes(bars);
  const part = (length: number, smoothing: number) => sma(roc(x, length), smoothing);
  const [a, b, c, d] = [part(10, 10), part(15, 10), part(20, 10), part(30, 15)];
  const kst = a.map((value, i) => value + 2 * b[i]! + 3 * c[i]! + 4 * d[i]!);
  const signal = sma(kst, 9);
  const [r14, r11] = [roc(x, 14), roc(x, 11)];
  const coppock = wma(
    r14.map((value, i) => value + r11[i]!),
    10,
  );
  const rates = [10, 15, 20, 30].map((length) => roc(x, length));
  const special = x.map((_, i) => rates.reduce((sum, rate, place) => sum + ((place + 1) * rate[i]!) / 100, 0));
  let streak = 0;
  const streaks = kst.map((value, i) => {
    if (value > signal[i]!) streak = Math.max(streak, 0) + 1;
    else if (value < signal[i]!) streak = Math.min(streak, 0) - 1;
    return streak;
  });
  return { KST: kst, Signal: signal, Coppock: coppock, 'Special K': special, Streak: streaks };
};

const connors: Formula = (bars) => {
  const x = closes(bars);
  let run = 0;
  const streaks = x.map((value, i) => {
    const last = before(x, i);
    if (value === last) run = 0;
    else if (value > last) run = run <= 0 ? 1 : run + 1;
    else run = run >= 0 ? -1 : run - 1;
    return run;
  });
  const [quick, ofStreaks, rates] = [rsi(x, 3), rsi(streaks, 2), roc(x, 1)];
  const whole = x.map((_, i) => {
    if (i <= 100) return NA;
    const rank = rates.slice(i - 100, i).filter((rate) => rate <= rates[i]! + 1e-10).length;
    return (quick[i]! + ofStreaks[i]! + rank) / 3;
  });
  return { CRSI: whole, Streak: streaks };
};

const bottoms: Formula = (bars) => {
  const tops = highest(closes(bars), 22);
  const fear = bars.map(({ low }, i) => ((tops[i]! - low) / tops[i]!) * 100);
  const [middle, spread] = [sma(fear, 20), deviation(fear, 20)];
  const band = middle.map((value, i) => value + 2 * spread[i]!);
  const late = (values: Series) => values.map((value, i) => (i >= 72 ? value : NA));
  const high = late(highest(fear, 50).map((value) => value * 0.85));
  return {
    'Williams Vix Fix': fear,
    Band: band,
    High: high,
    Low: late(lowest(fear, 50).map((value) => value * 1.01)),
    Bottom: fear.map((value, i) => (i >= 72 && (value >= band[i]! || value >= high[i]!) ? 1 : 0)),
  };
};

const neighbours: Formula = (bars) => {
  const x = closes(bars);
  const [strength, range] = [rsi(x, 14), atr(bars, 14)];
  const [top, bottom] = [highest(highs(bars), 20), lowest(lows(bars), 20)];
  const features = x.map((value, i) => [
    strength[i]! / 10,
    (value - before(x, i, 10)) / range[i]!,
    ((value - bottom[i]!) / (top[i]! - bottom[i]!)) * 10,
  ]);
  const known: { readonly at: number; readonly label: number }[] = [];
  const [sizes, nearest]: [number[], number[]] = [[], []];
  const votes = x.map((value, i) => {
    const isReady = i >= 4 && !features[i - 4]!.some(Number.isNaN);
    if (isReady) known.push({ at: i - 4, label: Math.sign(value - x[i - 4]!) });
    if (known.length > 120) known.shift();
    sizes.push(known.length);
    nearest.push(NA);
    if (!isReady || known.length < 8) return NA;
    const ranked = known
      .filter((_, place) => place % 2 === 0)
      .map(({ at, label }) => {
        const apart = features[i]!.map((one, axis) => Math.log(1 + Math.abs(one - features[at]![axis]!)));
        return { label, distance: apart[0]! + apart[1]! + apart[2]! };
      })
      .toSorted((a, b) => a.distance - b.distance);
    nearest[i] = ranked[0]!.distance;
    return ranked.slice(0, 8).reduce((sum, { label }) => sum + label, 0);
  });
  return { Vote: votes, Nearest: nearest, Known: sizes };
};

/** New York is five hours behind in winter, and bars of a day are all of different four hours. */
const higherCandles: Formula = (bars) => {
  const candles: { open: number; high: number; low: number; close: number }[] = [];
  const out: Record<string, number[]> = { Open: [], High: [], Low: [], 'Last high': [], 'Last low': [], Rising: [] };
  const period = ({ time }: Bar) => Math.floor((time - 5 * HOUR_MS) / (4 * HOUR_MS));
  for (const [i, bar] of bars.entries()) {
    const { open, high, low, close } = bar;
    if (i === 0 || period(bar) !== period(bars[i - 1]!)) candles.push({ open, high, low, close });
    const now = candles.at(-1)!;
    Object.assign(now, { high: Math.max(now.high, high), low: Math.min(now.low, low), close });
    const last = candles.at(-2);
    out.Open!.push(now.open);
    out.High!.push(now.high);
    out.Low!.push(now.low);
    out['Last high']!.push(last?.high ?? NA);
    out['Last low']!.push(last?.low ?? NA);
    out.Rising!.push(candles.slice(-50).filter((candle) => candle.close >= candle.open).length);
  }
  return out;
};

const volumeOscillators: Formula = (bars) => {
  const [x, volume] = [closes(bars), volumes(bars)];
  let flow = 0;
  const flows = bars.map(({ high, low, close, volume }) => {
    flow += high === low ? 0 : ((2 * close - low - high) / (high - low)) * volume;
    return flow;
  });
  const [fast, slow] = [ema(volume, 12), ema(volume, 26)];
  const pvo = fast.map((value, i) => ((value - slow[i]!) / slow[i]!) * 100);
  const signed = changes(thirds(bars)).map((move, i) => (move >= 0 ? volume[i]! : -volume[i]!));
  const moves = changes(middles(bars));
  return {
    Chaikin: minus(ema(flows, 3), ema(flows, 10)),
    Force: ema(
      changes(x).map((move, i) => move * volume[i]!),
      13,
    ),
    EOM: sma(
      bars.map(({ high, low, volume }, i) => (10_000 * moves[i]! * (high - low)) / volume),
      14,
    ),
    PVO: pvo,
    'PVO signal': ema(pvo, 9),
    Klinger: minus(ema(signed, 34), ema(signed, 55)),
    'PVT difference': x.map((_, i) => (i === 0 ? NA : 0)),
  };
};

function correlation(a: Series, b: Series): number {
  const [middleA, middleB] = [mean(a), mean(b)];
  const sum = (p: Series, middleP: number, q: Series, middleQ: number) =>
    p.reduce((total, value, i) => total + (value - middleP) * (q[i]! - middleQ), 0);
  return sum(a, middleA, b, middleB) / Math.sqrt(sum(a, middleA, a, middleA) * sum(b, middleB, b, middleB));
}

/** By its first row. */
function determinant(m: readonly Series[]): number {
  if (m.length === 1) return m[0]![0]!;
  const without = (column: number) => m.slice(1).map((row) => row.filter((_, at) => at !== column));
  return m[0]!.reduce((sum, value, at) => sum + (-1) ** at * value * determinant(without(at)), 0);
}

const correlationMatrix: Formula = (bars) => {
  const columns = [changes(closes(bars)), changes(highs(bars)), changes(lows(bars)), volumes(bars)];
  const out: Record<string, number[]> = { Mean: [], Most: [], Pair: [], Determinant: [] };
  for (let i = 0; i < bars.length; i += 1) {
    const windows = columns.map((column) => column.slice(i - 19, i + 1));
    const m = windows.map((a) => windows.map((b) => (a === b ? 1 : correlation(a, b))));
    const pairs = m.flatMap((row, at) => row.slice(at + 1));
    const isKnown = i >= 20;
    out.Mean!.push(isKnown ? mean(pairs) : NA);
    out.Most!.push(isKnown ? Math.max(...pairs) : NA);
    out.Pair!.push(isKnown ? pairs.indexOf(Math.max(...pairs)) : NA);
    out.Determinant!.push(isKnown ? determinant(m) : NA);
  }
  return out;
};

const entropy: Formula = (bars) => {
  const bins = roc(closes(bars), 1).map((rate) => Math.round(rate / 0.5));
  const out: Record<string, number[]> = { Entropy: [], Relative: [], Bins: [], Mode: [] };
  for (let i = 0; i < bars.length; i += 1) {
    const window = bins.slice(Math.max(1, i - 39), i + 1);
    const counts = [...Map.groupBy(window, (bin) => bin)].map(([bin, found]) => ({ bin, count: found.length }));
    const disorder = -counts.reduce(
      (sum, { count }) => sum + (count / window.length) * Math.log2(count / window.length),
      0,
    );
    const [most] = counts.toSorted((a, b) => b.count - a.count || a.bin - b.bin);
    const isFull = window.length === 40;
    out.Entropy!.push(isFull ? disorder : NA);
    out.Relative!.push(isFull ? disorder / Math.log2(counts.length) : NA);
    out.Bins!.push(counts.length);
    out.Mode!.push(isFull ? most!.bin * 0.5 : NA);
  }
  return out;
};

/** By the script's file. */
export const OSCILLATOR_FORMULAS: Readonly<Record<string, Formula>> = {
  'connors-rsi': connors,
  'correlation-matrix': correlationMatrix,
  entropy,
  'higher-candles': higherCandles,
  'kst-and-coppock': sureThings,
  'nadaraya-watson': kernelRegression,
  'nearest-neighbours': neighbours,
  qqe,
  'squeeze-momentum': squeeze,
  'vix-fix': bottoms,
  'volume-oscillators': volumeOscillators,
  'wave-trend': waveTrend,
};
