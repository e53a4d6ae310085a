// The scripts of the Pine benchmark as a programmer would write them by hand: one loop over typed arrays each.
//
// They keep no more than they need, know nothing of na beyond the warm-up, and cannot be run bar by bar: a bound for what
// any engine can reach, not an engine.

import type { BarColumns } from '../../src/pine/index.ts';

export type Columns = Readonly<Record<string, Float64Array>>;

const column = (count: number): Float64Array => new Float64Array(count).fill(Number.NaN);

function a({ close, count }: BarColumns): Columns {
  const [fast, slow, cross] = [column(count), column(count), column(count)];
  const weight = 2 / 13;
  let ema = Number.NaN;
  let sum12 = 0;
  let sum26 = 0;
  let [fastBefore, slowBefore] = [Number.NaN, Number.NaN];
  for (let i = 0; i < count; i++) {
    const price = close[i]!;
    if (i < 12) {
      sum12 += price;
      if (i === 11) ema = sum12 / 12;
    } else ema += weight * (price - ema);
    sum26 += price;
    if (i >= 26) sum26 -= close[i - 26]!;
    const average = i >= 25 ? sum26 / 26 : Number.NaN;
    fast[i] = ema;
    slow[i] = average;
    const up = ema > average && fastBefore <= slowBefore;
    const down = ema < average && fastBefore >= slowBefore;
    cross[i] = up ? 1 : down ? -1 : 0;
    fastBefore = ema;
    slowBefore = average;
  }
  return { fast, slow, cross };
}

function b({ close, count }: BarColumns): Columns {
  const [rsi, macd, signal, histogram] = [column(count), column(count), column(count), column(count)];
  const [middle, upper, lower] = [column(count), column(count), column(count)];
  let [gain, loss, fast, slow, line] = [0, 0, 0, 0, Number.NaN];
  let [sumFast, sumSlow, sumSignal, sum, squares] = [0, 0, 0, 0, 0];
  for (let i = 0; i < count; i++) {
    const price = close[i]!;
    if (i > 0) {
      const change = price - close[i - 1]!;
      const [up, down] = [change > 0 ? change : 0, change < 0 ? -change : 0];
      if (i <= 14) {
        gain += up / 14;
        loss += down / 14;
      } else {
        gain = (up + 13 * gain) / 14;
        loss = (down + 13 * loss) / 14;
      }
      if (i >= 14) rsi[i] = loss === 0 ? 100 : 100 - 100 / (1 + gain / loss);
    }
    if (i < 12) {
      sumFast += price;
      fast = sumFast / 12;
    } else fast += (2 / 13) * (price - fast);
    if (i < 26) {
      sumSlow += price;
      slow = sumSlow / 26;
    } else slow += (2 / 27) * (price - slow);
    if (i >= 25) {
      const value = fast - slow;
      macd[i] = value;
      if (i < 34) {
        sumSignal += value;
        line = sumSignal / 9;
      } else line += 0.2 * (value - line);
      if (i >= 33) {
        signal[i] = line;
        histogram[i] = value - line;
      }
    }
    sum += price;
    squares += price * price;
    if (i >= 20) {
      const old = close[i - 20]!;
      sum -= old;
      squares -= old * old;
    }
    if (i >= 19) {
      const mean = sum / 20;
      const band = 2 * Math.sqrt(Math.max(0, squares / 20 - mean * mean));
      middle[i] = mean;
      upper[i] = mean + band;
      lower[i] = mean - band;
    }
  }
  return { rsi, macd, signal, histogram, middle, upper, lower };
}

function c({ close, count }: BarColumns): Columns {
  const [weighted, average] = [column(count), column(count)];
  const recent: number[] = [];
  for (let i = 0; i < count; i++) {
    let total = 0;
    let weights = 0;
    for (let back = 0; back < 20; back++) {
      const weight = 20 - back;
      total += (i >= back ? close[i - back]! : Number.NaN) * weight;
      weights += weight;
    }
    weighted[i] = total / weights;
    recent.push(close[i]!);
    if (recent.length > 20) recent.shift();
    let sum = 0;
    for (const value of recent) sum += value;
    average[i] = sum / recent.length;
  }
  return { weighted, average };
}

export const BY_HAND: Readonly<Record<string, (bars: BarColumns) => Columns>> = { a, b, c };
