// What some of the scripts of tests/pine/scripts must answer, worked out a second time in plain TypeScript.

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
  rma,
  rsi,
  type Series,
  sma,
  trueRange,
  wma,
} from './plain-averages.ts';

const flag = (holds: boolean) => (holds ? 1 : 0);

const hull: Formula = (bars) => {
  const [half, whole] = [wma(closes(bars), 10), wma(closes(bars), 21)];
  const mine = wma(
    half.map((value, index) => 2 * value - whole[index]!),
    4,
  );
  return { Mine: mine, 'Built in': mine };
};

const directionalIndex: Formula = (bars) => {
  const [ups, downs] = [changes(highs(bars)), changes(lows(bars)).map((move) => -move)];
  const moves = (these: Series, others: Series) =>
    these.map((move, index) => (Number.isNaN(move) ? move : move > others[index]! && move > 0 ? move : 0));
  const range = rma(trueRange(bars, false), 14);
  const share = (values: Series) => rma(values, 14).map((value, index) => (100 * value) / range[index]!);
  const [plus, minus] = [share(moves(ups, downs)), share(moves(downs, ups))];
  const apart = plus.map((value, index) => Math.abs(value - minus[index]!) / (value + minus[index]! || 1));
  return { '+DI': plus, '-DI': minus, ADX: rma(apart, 14).map((value) => 100 * value) };
};

const cloud: Formula = (bars) => {
  const middle = (length: number) => {
    const [top, bottom] = [highest(highs(bars), length), lowest(lows(bars), length)];
    return top.map((value, index) => (value + bottom[index]!) / 2);
  };
  const [turning, standard, spanB] = [middle(9), middle(26), middle(52)];
  const spanA = turning.map((value, index) => (value + standard[index]!) / 2);
  const score = bars.map(({ close }, index) => {
    const [a, b] = [before(spanA, index, 25), before(spanB, index, 25)];
    const place = close > Math.max(a, b) ? 1 : close < Math.min(a, b) ? -1 : 0;
    return place + flag(turning[index]! > standard[index]!) - flag(turning[index]! < standard[index]!);
  });
  return { Turning: turning, Standard: standard, 'Span A': spanA, 'Span B': spanB, Score: score };
};

const heikinAshi: Formula = (bars) => {
  const means = of(bars, ({ open, high, low, close }) => (open + high + low + close) / 4);
  const opens: number[] = [];
  for (const [index, { open, close }] of bars.entries())
    opens.push(index === 0 ? (open + close) / 2 : (opens[index - 1]! + means[index - 1]!) / 2);
  const extreme = (pick: (...values: number[]) => number, side: 'high' | 'low') =>
    bars.map((bar, index) => pick(bar[side], opens[index]!, means[index]!));
  return {
    'HA: open': opens,
    'HA: close': means,
    'HA: high': extreme(Math.max, 'high'),
    'HA: low': extreme(Math.min, 'low'),
    arrow: means.map((mean, index) => mean - opens[index]!),
  };
};

const supertrend: Formula = (bars) => {
  const width = atr(bars, 10).map((value) => 3 * value);
  const up: number[] = [];
  const down: number[] = [];
  let [upper, lower, isUp] = [Number.NaN, Number.NaN, false];
  for (const [index, middle] of middles(bars).entries()) {
    const [top, bottom] = [middle + width[index]!, middle - width[index]!];
    const [close, last] = [bars[index]!.close, bars[index - 1]?.close ?? Number.NaN];
    const isFirst = Number.isNaN(upper);
    if (isFirst || top < upper || last > upper) upper = top;
    if (isFirst || bottom > lower || last < lower) lower = bottom;
    if (!isFirst) isUp = isUp ? close >= lower : close > upper;
    up.push(isUp ? lower : Number.NaN);
    down.push(isUp ? Number.NaN : upper);
  }
  return { Up: up, Down: down };
};

const HOUR_MS = 3_600_000;

/** New York is five hours behind in the winter of these charts; the days of the other chart are new days anywhere. */
const dayOf = (timeMs: number) => Math.floor((timeMs - 5 * HOUR_MS) / (24 * HOUR_MS));

const vwap: Formula = (bars) => {
  let first = 0;
  const means = bars.map(({ time }, index) => {
    if (index > 0 && dayOf(time) !== dayOf(bars[index - 1]!.time)) first = index;
    const day = bars.slice(first, index + 1);
    const money = day.reduce((sum, { high, low, close, volume }) => sum + ((high + low + close) / 3) * volume, 0);
    return money / day.reduce((sum, { volume }) => sum + volume, 0);
  });
  return { VWAP: means };
};

const renko: Formula = (bars) => {
  const size = 2;
  let bottom = Math.floor(bars[0]!.open / size) * size;
  let top = Math.ceil(bars[0]!.open / size) * size;
  let [side, count] = [0, 0];
  const lists: Record<'Top' | 'Bottom' | 'Bricks', number[]> = { Top: [], Bottom: [], Bricks: [] };
  for (const { close } of bars) {
    for (;;) {
      const isUp = close >= top + (side === -1 ? 2 : 1) * size;
      const isDown = close <= bottom - (side === 1 ? 2 : 1) * size;
      if (!isUp && !isDown) break;
      bottom = isUp ? (side === -1 ? top + size : top) : (side === 1 ? bottom - size : bottom) - size;
      top = bottom + size;
      side = isUp ? 1 : -1;
      count += 1;
    }
    lists.Top.push(top);
    lists.Bottom.push(bottom);
    lists.Bricks.push(count);
  }
  return lists;
};

const tradeSimulator: Formula = (bars) => {
  const [fast, slow, width] = [ema(closes(bars), 8), ema(closes(bars), 21), atr(bars, 14)];
  const results: number[] = [];
  const gross: number[] = [];
  const share: number[] = [];
  let trade: { side: number; entry: number; stop: number; target: number } | null = null;
  for (const [index, { high, low, close }] of bars.entries()) {
    if (trade !== null) {
      const { side, entry, stop, target }: NonNullable<typeof trade> = trade;
      const [worst, best] = side === 1 ? [low, high] : [high, low];
      const exit = side * (worst - stop) <= 0 ? stop : side * (best - target) >= 0 ? target : null;
      if (exit !== null) {
        results.push(side * (exit - entry));
        trade = null;
      }
    }
    const [now, last] = [fast[index]! - slow[index]!, before(fast, index) - before(slow, index)];
    const side = now > 0 && last <= 0 ? 1 : now < 0 && last >= 0 ? -1 : 0;
    if (trade === null && side !== 0)
      trade = { side, entry: close, stop: close - side * width[index]!, target: close + side * width[index]! * 3 };
    gross.push(results.reduce((sum, result) => sum + result, 0));
    share.push(results.length === 0 ? 0 : (100 * results.filter((result) => result > 0).length) / results.length);
  }
  return { gross, 'win rate': share };
};

const regression: Formula = (bars) => {
  const length = 60;
  const ends = closes(bars).map((_, index, all) => {
    const window = all.slice(Math.max(0, index - length + 1), index + 1);
    if (window.length < length) return { end: Number.NaN, spread: Number.NaN };
    const [meanX, meanY] = [(length - 1) / 2, window.reduce((sum, value) => sum + value, 0) / length];
    const cross = window.reduce((sum, value, x) => sum + (x - meanX) * (value - meanY), 0);
    const slope = cross / window.reduce((sum, _value, x) => sum + (x - meanX) ** 2, 0);
    const squares = window.reduce((sum, value, x) => sum + (value - meanY - slope * (x - meanX)) ** 2, 0);
    return { end: meanY + slope * (length - 1 - meanX), spread: Math.sqrt(squares / length) };
  });
  return { End: ends.map(({ end }) => end), 'Upper end': ends.map(({ end, spread }) => end + 2 * spread) };
};

const confluence: Formula = (bars) => {
  const [mean, strength] = [ema(closes(bars), 50), rsi(closes(bars), 14)];
  const { Up } = supertrend(bars);
  const score = bars.map(({ close }, index) => {
    // Before there is an ATR, the built-in says "down".
    const trend = Number.isNaN(Up![index]!) ? -1 : 1;
    const side = (above: boolean, below: boolean) => flag(above) - flag(below);
    return (
      side(close > mean[index]!, close < mean[index]!) + trend + side(strength[index]! > 55, strength[index]! < 45)
    );
  });
  return { Score: score };
};

const gapBlocks: Formula = (bars) => {
  let open: { top: number; bottom: number; isUp: boolean; from: number }[] = [];
  let filled = 0;
  const lists: Record<'Open gaps' | 'Filled', number[]> = { 'Open gaps': [], Filled: [] };
  for (const [index, { high, low }] of bars.entries()) {
    const old = bars[index - 2];
    if (old !== undefined && low > old.high) open.unshift({ top: low, bottom: old.high, isUp: true, from: index });
    if (old !== undefined && high < old.low) open.unshift({ top: old.low, bottom: high, isUp: false, from: index });
    const still = open.filter(({ top, bottom, isUp, from }) => from === index || !(isUp ? low < bottom : high > top));
    filled += open.length - still.length;
    open = still.slice(0, 10);
    lists['Open gaps'].push(open.length);
    lists.Filled.push(filled);
  }
  return lists;
};

/** Only where bars are shorter than sessions. */
const sessionBoxes: Formula = (bars) => (bars[1]!.time - bars[0]!.time < HOUR_MS ? withinDays(bars) : {});

const withinDays: Formula = (bars) => {
  const within = (hours: number, from: number, to: number) => hours >= from && hours < to;
  const hoursOf = (time: number) => (time / HOUR_MS) % 24;
  let [asia, isAsia] = [Number.NaN, false];
  const high = bars.map((bar) => {
    const isNow = within(hoursOf(bar.time), 0, 8);
    if (isNow) asia = isAsia ? Math.max(asia, bar.high) : bar.high;
    isAsia = isNow;
    return asia;
  });
  const open = bars.map(({ time }) => {
    const hours = hoursOf(time);
    const isWorkday = ![0, 6].includes(new Date(time).getUTCDay());
    const sessions = [within(hours, 0, 8), within(hours, 7, 16), isWorkday && within(hours, 13, 22)];
    return [...sessions, hours >= 22 || hours < 2].filter(Boolean).length;
  });
  return { 'Asia high': high, 'Open sessions': open };
};

export const FORMULAS: Readonly<Record<string, Formula>> = {
  'hull-average': hull,
  'directional-index': directionalIndex,
  cloud,
  'heikin-ashi': heikinAshi,
  'supertrend-by-hand': supertrend,
  'vwap-by-hand': vwap,
  'renko-bricks': renko,
  'trade-simulator': tradeSimulator,
  'regression-channel': regression,
  confluence,
  'gap-blocks': gapBlocks,
  'session-boxes': sessionBoxes,
  divergences: (bars) => ({ RSI: rsi(closes(bars), 14) }),
  'moving-average-kinds': (bars) => ({ Fast: ema(closes(bars), 20) }),
  // A window kept by hand in an array has the mean that ta.sma has, as soon as there is one.
  'array-tools': (bars) => ({ 'sma diff': sma(closes(bars), 20).map((mean) => (Number.isNaN(mean) ? mean : 0)) }),
};
