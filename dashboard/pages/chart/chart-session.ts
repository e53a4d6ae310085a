// A chart while it is open: its bars, its scripts and its replay, and the picture that is made of them.

import type { MissingBars, SymbolInfo } from '../../../src/pine/index.ts';
import { type BarColumns, barColumns } from '../../../src/pine/light.ts';
import { MarketChart, type ShownScript } from '../../chart/market-chart.ts';
import { ScriptRun, type ScriptState } from '../../engine/script-run.ts';
import type { Bars, Market, Result } from '../../server/answers.ts';
import { ask, SLOW_WITHIN_MS } from '../../server/ask.ts';
import { importedLibraries } from '../../server/imported-libraries.ts';
import type { StreamBar } from '../../server/market-stream.ts';
import { scriptKey } from '../../server/script-key.ts';
import { BarReplay } from './bar-replay.ts';
import type { ChartChoice, ChosenScript } from './chart-choice.ts';
import { type FeedState, MarketFeed } from './market-feed.ts';
import { timeframeOf } from './timeframes.ts';

export interface RunningScript {
  /** As it is now, with its present text and inputs. */
  script: ChosenScript;
  readonly run: ScriptRun;
  state: ScriptState;
  /** What it said last, shown until it says something new. */
  shown: ShownScript | undefined;
}

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
  readonly #scripts = new Map<string, RunningScript>();
  #feed: MarketFeed | undefined;
  #market: Pick<ChartChoice, 'symbol' | 'timeframe'> | undefined;
  #rules: Market | undefined;
  /** The market at every exchange that has it. */
  #markets: readonly Market[] = [];
  /** Whether the server has said them, or that it cannot: no script runs before, and none with wrong ones. */
  #areRulesAsked = false;
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
    this.setScripts(choice.scripts);
    this.setMarket(choice);
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#tickTimer);
    this.replay.end();
    this.#feed?.close();
    this.#feed = undefined;
    for (const { run } of this.#scripts.values()) run.stop();
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
    return this.#markets.find((market) => market.exchange === exchange)?.tickSize ?? undefined;
  }

  scripts(): readonly RunningScript[] {
    return [...this.#scripts.values()];
  }

  /** The script under work: the one that is open beside the chart. */
  get underWork(): RunningScript | undefined {
    return this.openId === undefined ? undefined : this.#scripts.get(this.openId);
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
        for (const script of this.#scripts.values()) script.shown = undefined;
        this.chart.setBars(feed.bars.columns);
        this.#startAll();
      },
      onPast: (added) => this.#addPast(added),
      onLast: (bar) => this.#goOn(bar),
    });
    this.#feed = feed;
    this.#tell();
  }

  setScripts(chosen: readonly ChosenScript[]): void {
    const ids = new Set(chosen.map(({ id }) => id));
    for (const [id, { run }] of this.#scripts) {
      if (ids.has(id)) continue;
      run.stop();
      this.#scripts.delete(id);
    }
    for (const script of chosen) {
      const known = this.#scripts.get(script.id);
      if (known !== undefined) {
        this.#change(known, script);
        continue;
      }
      const running: RunningScript = {
        ...{ script, state: { status: 'running' }, shown: undefined },
        run: new ScriptRun({
          onChange: (state) => this.#hear(running, state),
          barsOf: (missing) => this.#barsOf(missing),
          librariesOf: (source) => importedLibraries(source, scriptKey()),
        }),
      };
      this.#scripts.set(script.id, running);
      this.#start(running);
    }
    this.#show();
  }

  /** Ends a run that takes too long for who waits. */
  cancelRun(id: string): void {
    this.#scripts.get(id)?.run.cancel();
  }

  #change(running: RunningScript, script: ChosenScript): void {
    const { source, inputs } = running.script;
    running.script = script;
    if (script.source !== source || script.inputs !== inputs) this.#start(running);
  }

  /** Ticks of prices and steps of quantities: what a strategy may order at all. */
  async #learnRules(symbol: string): Promise<void> {
    this.#rules = undefined;
    this.#markets = [];
    this.#areRulesAsked = false;
    const markets = await ask<Result<readonly Market[]>>(`/markets?${new URLSearchParams({ symbol })}`).catch(
      () => undefined,
    );
    if (this.#market?.symbol !== symbol) return;
    this.#markets = markets?.result ?? [];
    this.#rules = this.#markets.find(({ tickSize }) => tickSize !== null);
    this.#areRulesAsked = true;
    this.#startAll();
  }

  #hear(running: RunningScript, state: ScriptState): void {
    running.state = state;
    if (state.status === 'ready') {
      const { result, strategy, run } = state;
      running.shown = { id: running.script.id, result, strategy, run };
    }
    // A text with errors is most often one that is being written: what it said before stays until it says something new.
    if (state.status === 'failed') running.shown = undefined;
    this.#show();
  }

  #show(): void {
    if (this.bars === undefined) return;
    this.chart.setScripts(this.scripts().flatMap(({ shown }) => shown ?? []));
    this.#tell();
  }

  #startAll(): void {
    for (const running of this.#scripts.values()) this.#start(running);
  }

  #start({ run, script }: RunningScript): void {
    const [feed, market] = [this.#feed, this.#market];
    if (feed === undefined || market === undefined || feed.bars.count === 0 || !this.#areRulesAsked) return;
    const { isOn, shown } = this.replay.state;
    const isForming = !isOn && !feed.isLastClosed;
    run.start({
      source: script.source,
      bars: trimmed(feed.bars.first(isOn ? shown : feed.bars.count - (isForming ? 1 : 0))),
      symbol: symbolInfo(market.symbol, this.#rules),
      timeframe: timeframeOf(market.timeframe).pine,
      inputs: script.inputs ?? {},
    });
    const { last } = feed.bars;
    if (isForming && last !== undefined) run.push(last, false);
  }

  #addPast(added: number): void {
    this.replay.moveBy(added);
    const { bars } = this;
    if (bars !== undefined) this.chart.addPast(bars, added);
    this.#startAll();
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
      this.#startAll();
    } else {
      // What ended since the last tick that was shown ends for the scripts too, as it came to be.
      const ended = added === 1 ? this.#feed?.bars.at(bars.count - 2) : undefined;
      if (ended !== undefined) this.#push(ended, true);
      this.#push(bar, bar.closed);
    }
    this.#tell();
  }

  #tickTimer: ReturnType<typeof setTimeout> | undefined;
  #tickedAtMs = 0;

  /** What a strategy traded is known after a run over all bars, so it runs again when a bar has ended. */
  #push(bar: Parameters<ScriptRun['push']>[0], isClosed: boolean): void {
    for (const running of this.#scripts.values()) {
      const { state, run } = running;
      const isStrategy = state.status === 'ready' && state.strategy !== null;
      if (isStrategy && isClosed) this.#start(running);
      else run.push(bar, isClosed);
    }
  }

  #showReplay(added: boolean): void {
    const [feed, { bars }] = [this.#feed, this];
    if (feed === undefined || bars === undefined) return;
    const isMoved = bars.count !== this.#replayed;
    this.#replayed = bars.count;
    const last = feed.bars.at(bars.count - 1);
    if (added && last !== undefined) {
      this.chart.updateLast(bars);
      this.#push(last, true);
    } else if (isMoved) {
      this.chart.cutBars(bars);
      this.#startAll();
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

const symbolInfo = (symbol: string, rules: Market | undefined): SymbolInfo => ({
  ...{ ticker: symbol, type: 'crypto', timezone: 'Etc/UTC', session: '24x7', currency: 'USDT' },
  ...(rules?.tickSize != null && { mintick: rules.tickSize }),
  ...(rules?.stepSize != null && { mincontract: rules.stepSize }),
});
