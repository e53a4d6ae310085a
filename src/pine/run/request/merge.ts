// Which bar of the requested chart a bar of the script's chart sees.
//
// Without lookahead it is the last one that has closed when the chart's bar closes; with it, the last one that has opened
// when the chart's bar opens, whose final values nobody could know then. On a timeframe below the chart's those are the
// last and the first of the bars inside. With gaps a bar is seen only by the first chart bar that could see it.

export interface Merge {
  readonly lookahead: boolean;
  readonly gaps: boolean;
}

/** Opening and closing times, in order. */
export interface BarTimes {
  readonly count: number;
  readonly time: Float64Array;
  readonly close: Float64Array;
}

/** The chart that requests: when its bars close is asked for few of them. */
export interface ChartTimes {
  readonly count: number;
  readonly time: Float64Array;
  closeOf(timeMs: number): number;
}

/** By bar of the chart the place of the requested bar, or -1. */
export function mergeIndex(chart: ChartTimes, requested: BarTimes, merge: Merge, isLower: boolean): Int32Array {
  const index = merge.lookahead ? withLookahead(chart, requested, isLower) : closedBars(chart, requested);
  return merge.gaps ? withGaps(index, chart, requested, merge) : index;
}

/** Chart bars that see the same are filled at once: of a long chart most are. */
function closedBars(chart: ChartTimes, { count, close }: BarTimes): Int32Array {
  const index = new Int32Array(chart.count);
  let from = 0;
  for (let place = 0; place < count && from < chart.count; place += 1) {
    const to = firstClosing(chart, from, close[place]!);
    index.fill(place - 1, from, to);
    from = to;
  }
  return index.fill(count - 1, from);
}

/** The first bar, from a place on, that does not close earlier; looked for in steps that grow. */
function firstClosing(chart: ChartTimes, from: number, timeMs: number): number {
  const { count, time } = chart;
  let [low, high, step] = [from, from, 1];
  while (high < count && chart.closeOf(time[high]!) < timeMs) {
    low = high + 1;
    high += step;
    step *= 2;
  }
  high = Math.min(high, count);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (chart.closeOf(time[middle]!) < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

function withLookahead(chart: ChartTimes, { count, time }: BarTimes, isLower: boolean): Int32Array {
  const index = new Int32Array(chart.count);
  for (let bar = 0, next = 0; bar < chart.count; bar += 1) {
    const opening = chart.time[bar]!;
    while (next < count && time[next]! <= opening) next += 1;
    // The first bar inside may begin later than the chart's own.
    const isInside = isLower && next < count && time[next]! < chart.closeOf(opening);
    index[bar] = isInside && (next === 0 || time[next - 1]! < opening) ? next : next - 1;
  }
  return index;
}

function withGaps(index: Int32Array, chart: ChartTimes, requested: BarTimes, { lookahead }: Merge): Int32Array {
  const gapped = new Int32Array(index.length).fill(-1);
  for (let bar = 0; bar < index.length; bar += 1) {
    const place = index[bar]!;
    if (place < 0) continue;
    const isNew = bar === 0 ? isOfFirst(place, chart, requested, lookahead) : place !== index[bar - 1];
    if (isNew) gapped[bar] = place;
  }
  return gapped;
}

/** Whether the first bar of the chart is the one that a requested bar begins with, or closes in. */
function isOfFirst(place: number, chart: ChartTimes, requested: BarTimes, lookahead: boolean): boolean {
  return lookahead ? requested.time[place]! >= chart.time[0]! : requested.close[place]! > chart.time[0]!;
}
