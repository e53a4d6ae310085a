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
import type { Merge } from './merge.ts';
import type { ChartTick, RequestedRun } from './requested-run.ts';
import { barAt, joined } from './resample.ts';

interface OpenBar {
  readonly startMs: number;
  readonly endMs: number;
  /** Made of the chart's bars that have closed; null while there is none. */
  readonly closed: Bar | null;
}

/** Whether the bars of the chart go on with them: those of its symbol that are not shorter. */
export const goesOn = ({ isChartSymbol, frame, chartFrame }: FoundBars): boolean =>
  isChartSymbol && timeframes.inSeconds(frame) >= timeframes.inSeconds(chartFrame);

/** Whether bars of the kind can be made one by one; others stay as they were when the chart went live. */
export const canGrow = (found: FoundBars): boolean =>
  goesOn(found) && (found.modifiers.type === undefined || found.modifiers.type === 'heikinashi');

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

  /** A bar of the chart as it stands. */
  update(tick: ChartTick): void {
    const { bar, closeMs, isClosing } = tick;
    const startMs = this.#clock.start(bar.time);
    if (this.#open !== null && this.#open.startMs !== startMs) this.#closeAsSeen(this.#open);
    this.#open ??= { startMs, endMs: this.#clock.end(bar.time), closed: null };
    const { endMs, closed } = this.#open;
    const whole = closed === null ? { ...bar, time: startMs } : joined(closed, bar);
    this.#isFirstChartBar = closed === null;
    this.#isComplete = closeMs >= endMs;
    const isOver = isClosing && this.#isComplete;
    this.#runBar(whole, isOver, tick);
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
    if (closed !== null) this.#runBar(closed, true, null);
    this.#open = null;
  }

  #runBar(bar: Bar, isClosing: boolean, tick: ChartTick | null): void {
    const shown = this.#heikinAshi?.next(bar, isClosing) ?? bar;
    this.slot = this.run.runLive(shown, { isNew: !this.#hasRun, isClosing }, tick);
    this.#hasRun = !isClosing;
  }
}
