// A chart while it is open: its bars, its scripts and its replay, and the picture that is made of them.

import type { MissingBars } from '../../../src/pine/index.ts';
import { type BarColumns, barColumns } from '../../../src/pine/light.ts';
import { MarketChart } from '../../chart/market-chart.ts';
import type { Bars, Result } from '../../server/answers.ts';
import { ask, SLOW_WITHIN_MS } from '../../server/ask.ts';
import type { StreamBar } from '../../server/market-stream.ts';
import { BarReplay } from './bar-replay.ts';
import type { ChartChoice, ChosenScript } from './chart-choice.ts';
import { type FeedState, MarketFeed } from './market-feed.ts';
import { MarketRules } from './market-rules.ts';
import { type RunGround, type RunningScript, RunningScripts } from './running-scripts.ts';
import { timeframeOf } from './timeframes.ts';

export interface SessionOptions {
  /** Something that is shown beside the chart has changed. */
  readonly onChange: () => void;
}

/**
 * The library goes through all bars again when the newest changes: with thousands of them a few times a second is as often as
 * anybody needs, and leaves the time to those who move the chart.
 */
const TICK_EVERY_MS = 400;
/** Bars that a request of another symbol or timeframe is given. */
const REQUESTED_BARS = 5_000;

export class ChartSession {
  readonly place: HTMLElement;
  readonly chart: MarketChart;
  readonly replay: BarReplay;
  feedState: FeedState = { status: 'loading' };
  /** The bar under the crosshair. */
  pointed: number | undefined;
  /** The script that is open beside the chart. */
  openId: string | undefined;
  readonly #options: SessionOptions;
  readonly #scripts: RunningScripts;
  readonly #rules = new MarketRules();
  #feed: MarketFeed | undefined;
  #market: Pick<ChartChoice, 'symbol' | 'timeframe'> | undefined;
  #frame = 0;

  constructor(place: HTMLElement, choice: ChartChoice, options: SessionOptions) {
    this.place = place;
    this.#options = options;
    this.chart = new MarketChart(
      place,
      {
        onPoint: (index) => {
          this.pointed = index;
          this.#tell();
        },
        onPast: () => void this.#feed?.loadPast(),
        onPanes: () => this.#tell(),
      },
      choice.stretches,
    );
    this.replay = new BarReplay({
      count: () => this.#feed?.bars.count ?? 0,
      onChange: (_, added) => this.#showReplay(added),
    });
    this.#scripts = new RunningScripts({
      ground: () => this.#ground(),
      barsOf: (missing) => this.#barsOf(missing),
      onChange: () => this.#show(),
    });
    this.setScripts(choice.scripts);
    this.setMarket(choice);
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#tickTimer);
    this.replay.end();
    this.#feed?.close();
    this.#feed = undefined;
    this.#scripts.stop();
    this.chart.close();
  }

  /** The bars that are shown; fewer than there are while they are replayed. */
  get bars(): BarColumns | undefined {
    const bars = this.#feed?.bars;
    return this.replay.state.isOn ? bars?.first(this.replay.state.shown) : bars?.columns;
  }

  /** Of the bars that are asked for now, those that have come are enough. */
  stopLoading(): void {
    this.#feed?.stopLoading();
  }

  /** Of the market at one exchange: another's may be coarser. */
  tickSizeAt(exchange: string): number | undefined {
    return this.#rules.tickSizeAt(exchange);
  }

  scripts(): readonly RunningScript[] {
    return this.#scripts.list();
  }

  /** The script under work: the one that is open beside the chart. */
  get underWork(): RunningScript | undefined {
    return this.openId === undefined ? undefined : this.#scripts.of(this.openId);
  }

  setMarket({ symbol, timeframe }: Pick<ChartChoice, 'symbol' | 'timeframe'>): void {
    if (this.#market?.symbol === symbol && this.#market.timeframe === timeframe) return;
    if (this.#market?.symbol !== symbol) void this.#learnRules(symbol);
    this.#market = { symbol, timeframe };
    this.replay.end();
    clearTimeout(this.#tickTimer);
    this.#feed?.close();
    this.pointed = undefined;
    this.feedState = { status: 'loading' };
    const feed = new MarketFeed({
      ...{ symbol, timeframe },
      onState: (state) => {
        this.feedState = state;
        this.#tell();
      },
      onBars: () => {
        this.#scripts.forgetShown();
        this.chart.setBars(feed.bars.columns);
        this.#scripts.startAll();
      },
      onPast: (added) => this.#addPast(added),
      onLast: (bar) => this.#goOn(bar),
    });
    this.#feed = feed;
    this.#tell();
  }

  setScripts(chosen: readonly ChosenScript[]): void {
    this.#scripts.set(chosen);
  }

  /** Ends a run that takes too long for who waits. */
  cancelRun(id: string): void {
    this.#scripts.of(id)?.run.cancel();
  }

  async #learnRules(symbol: string): Promise<void> {
    if (await this.#rules.learn(symbol)) this.#scripts.startAll();
  }

  #show(): void {
    if (this.bars === undefined) return;
    this.chart.setScripts(this.#scripts.shown);
    this.#tell();
  }

  /** What scripts run over: the bars that are shown, and the one that forms after them. */
  #ground(): RunGround | undefined {
    const [feed, market] = [this.#feed, this.#market];
    if (feed === undefined || market === undefined || feed.bars.count === 0 || !this.#rules.areKnown) return undefined;
    const { isOn, shown } = this.replay.state;
    const isForming = !isOn && !feed.isLastClosed;
    return {
      bars: trimmed(feed.bars.first(isOn ? shown : feed.bars.count - (isForming ? 1 : 0))),
      forming: isForming ? feed.bars.last : undefined,
      symbol: this.#rules.symbolInfo(),
      timeframe: timeframeOf(market.timeframe).pine,
    };
  }

  #addPast(added: number): void {
    this.replay.moveBy(added);
    const { bars } = this;
    if (bars !== undefined) this.chart.addPast(bars, added);
    this.#scripts.startAll();
    this.#tell();
  }

  /** A bar that ends is shown and run at once, ticks of one that forms every so often. */
  #goOn(bar: StreamBar): void {
    clearTimeout(this.#tickTimer);
    const waitMs = bar.closed ? 0 : this.#tickedAtMs + TICK_EVERY_MS - performance.now();
    if (waitMs <= 0) this.#showTick(bar);
    else this.#tickTimer = setTimeout(() => this.#showTick(bar), waitMs);
  }

  #showTick(bar: StreamBar): void {
    const { bars } = this;
    // The store has it; a replay shows the past.
    if (bars === undefined || this.replay.state.isOn) return;
    this.#tickedAtMs = performance.now();
    const added = bars.count - this.chart.count;
    this.chart.updateLast(bars);
    if (added > 1) {
      // After a long sleep there are thousands: scripts run over all bars once, and not once for each.
      this.#scripts.startAll();
    } else {
      // What ended since the last tick that was shown ends for the scripts too, as it came to be.
      const ended = added === 1 ? this.#feed?.bars.at(bars.count - 2) : undefined;
      if (ended !== undefined) this.#scripts.push(ended, true);
      this.#scripts.push(bar, bar.closed);
    }
    this.#tell();
  }

  #tickTimer: ReturnType<typeof setTimeout> | undefined;
  #tickedAtMs = 0;

  #showReplay(added: boolean): void {
    const [feed, { bars }] = [this.#feed, this];
    if (feed === undefined || bars === undefined) return;
    const isMoved = bars.count !== this.#replayed;
    this.#replayed = bars.count;
    const last = feed.bars.at(bars.count - 1);
    if (added && last !== undefined) {
      this.chart.updateLast(bars);
      this.#scripts.push(last, true);
    } else if (isMoved) {
      this.chart.cutBars(bars);
      this.#scripts.startAll();
    }
    this.#tell();
  }

  #replayed = -1;

  /** Of the chart's own symbol where none is named; an exchange before the name is not asked about. */
  async #barsOf({ symbol, timeframe }: MissingBars): Promise<BarColumns> {
    const market = symbol.replace(/^.*:/, '') || (this.#market?.symbol ?? '');
    const query = new URLSearchParams({ symbol: market, timeframe, limit: String(REQUESTED_BARS) });
    const { result } = await ask<Result<Bars>>(`/bars?${query}`, { withinMs: SLOW_WITHIN_MS });
    return barColumns(result.bars);
  }

  /** Once a frame at most: the crosshair and ticks come faster than anybody reads. */
  #tell(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#options.onChange();
    });
  }
}

/** Without the room for bars to come: a message copies whatever a column holds. */
const trimmed = ({ count, ...columns }: BarColumns): BarColumns => ({
  count,
  time: columns.time.slice(0, count),
  open: columns.open.slice(0, count),
  high: columns.high.slice(0, count),
  low: columns.low.slice(0, count),
  close: columns.close.slice(0, count),
  volume: columns.volume.slice(0, count),
});
