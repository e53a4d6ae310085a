// A requested expression on bars that grow with the chart: every tick of the chart is one of the open requested bar.
//
//   no bar ──tick──▶ open ──tick──▶ open ──the chart's bar that ends it closes──▶ no bar
//                     └──a chart bar of a later one: closed as it was last seen──▶ open
//
// The run keeps the state at the end of the last closed bar, and goes back to it before every tick. What the closed bars
// of the chart made of the open bar is kept beside, so that a tick only replaces the chart's newest bar.

import { BarClock, timeframes } from '../../values/index.ts';
import type { Bar, BarColumns } from '../bars.ts';
import type { FoundBars } from './bar-library.ts';
import { HeikinAshi } from './chart-kinds.ts';
import type { BarTimes, Merge } from './merge.ts';
import type { RequestedRun } from './requested-run.ts';
import { barAt, barsBetween, joined } from './resample.ts';

interface OpenBar {
  readonly startMs: number;
  readonly endMs: number;
  /** Made of the chart's bars that have closed; null while there is none. */
  readonly closed: Bar | null;
}

/** Whether bars of the kind can be made one by one. */
export const canGrow = ({ isChartSymbol, modifiers, frame }: FoundBars, chartFrame: timeframes.Timeframe): boolean =>
  isChartSymbol &&
  timeframes.inSeconds(frame) >= timeframes.inSeconds(chartFrame) &&
  (modifiers.type === undefined || modifiers.type === 'heikinashi');

/** The bars that were over when the chart's bar of this time opened. */
export function closedBefore(bars: BarColumns, times: BarTimes, timeMs: number): BarColumns {
  let count = bars.count;
  while (count > 0 && times.close[count - 1]! > timeMs) count -= 1;
  return barsBetween(bars, 0, count);
}

export class LiveSeries {
  readonly run: RequestedRun;
  /** Where the newest values stand, or -1. */
  slot = -1;
  readonly #clock: BarClock;
  readonly #heikinAshi: HeikinAshi | null;
  #open: OpenBar | null = null;
  /** Whether the run has the open bar already. */
  #hasRun = false;
  #isFirstChartBar = false;
  #isComplete = false;

  /** `run` has done `history`, and is live. */
  constructor(run: RequestedRun, found: FoundBars, history: BarColumns) {
    this.run = run;
    this.#clock = new BarClock(found.market.calendar, found.frame);
    const last = history.count === 0 ? undefined : barAt(history, history.count - 1);
    this.#heikinAshi = found.modifiers.type === 'heikinashi' ? new HeikinAshi(last) : null;
  }

  /** A bar of the chart as it stands, and when it closes. */
  update(bar: Bar, closeMs: number, isClosing: boolean): void {
    const startMs = this.#clock.start(bar.time);
    if (this.#open !== null && this.#open.startMs !== startMs) this.#closeAsSeen(this.#open);
    this.#open ??= { startMs, endMs: this.#clock.end(bar.time), closed: null };
    const { endMs, closed } = this.#open;
    const whole = closed === null ? { ...bar, time: startMs } : joined(closed, bar);
    this.#isFirstChartBar = closed === null;
    this.#isComplete = closeMs >= endMs;
    const isOver = isClosing && this.#isComplete;
    this.#runBar(whole, isOver);
    if (isOver) this.#open = null;
    else if (isClosing) this.#open = { startMs, endMs, closed: whole };
  }

  /** What a chart bar of history adds to the open bar, without a run. */
  seed(bar: Bar): void {
    const startMs = this.#clock.start(bar.time);
    const closed = this.#open?.startMs === startMs ? this.#open.closed : null;
    const whole = closed === null ? { ...bar, time: startMs } : joined(closed, bar);
    this.#open = { startMs, endMs: this.#clock.end(bar.time), closed: whole };
  }

  /** Whether the chart's bar sees a value: with gaps only where it sees a new one. */
  isSeen({ gaps, lookahead }: Merge): boolean {
    if (this.slot < 0) return false;
    return !gaps || (lookahead ? this.#isFirstChartBar : this.#isComplete);
  }

  #closeAsSeen({ closed }: OpenBar): void {
    // Ticks of a chart bar that never closed are taken back with it.
    if (closed !== null) this.#runBar(closed, true);
    this.#open = null;
  }

  #runBar(bar: Bar, isClosing: boolean): void {
    const shown = this.#heikinAshi?.next(bar, isClosing) ?? bar;
    this.slot = this.run.runLive(shown, { isNew: !this.#hasRun, isClosing });
    this.#hasRun = !isClosing;
  }
}
