// The chart: bars and their volume by the library, and over them whatever scripts, strategies and the account have to say.

import {
  CandlestickSeries,
  createChartEx,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  type LogicalRange,
  type MouseEventParams,
} from 'lightweight-charts';
import { type Contents, decimalsOfPrices, useLettering } from '../../src/chart/painting.ts';
import type { BarColumns } from '../../src/pine/index.ts';
import { type AxisTimes, axisTimesOf } from './axis-times.ts';
import { isByDay } from './bar-times.ts';
import { barColorsOf, candleLook, candleOf, chartLook, volumeOf } from './chart-look.ts';
import { priceScaleOf } from './chart-scales.ts';
import { type ChartTheme, letteringOf, themeOfPage } from './chart-theme.ts';
import { LevelLines } from './level-lines.ts';
import { PlacedScripts, type ShownPane, type ShownScript } from './placed-scripts.ts';

export interface MarketChartOptions {
  /** The bar under the crosshair; undefined when there is none. */
  readonly onPoint: (index: number | undefined) => void;
  /** The first bars are in view, or nearly. */
  readonly onPast: () => void;
  /** Panes came, went or changed their height. */
  readonly onPanes: () => void;
}

/** So many bars before the first in view the past is asked for. */
const PAST_FROM_BARS = 60;
const VOLUME_SHARE = 0.16;

export class MarketChart {
  readonly api: IChartApi;
  readonly candles: ISeriesApi<'Candlestick'>;
  readonly levels: LevelLines;
  readonly #volume: ISeriesApi<'Histogram'>;
  readonly #options: MarketChartOptions;
  readonly #scripts: PlacedScripts;
  readonly #axisTimes: AxisTimes;
  #bars: BarColumns | undefined;
  #theme: ChartTheme;
  #isPainted = false;
  #pointed: number | undefined;

  constructor(place: HTMLElement, options: MarketChartOptions, stretches: Readonly<Record<string, number>> = {}) {
    this.#options = options;
    this.#theme = themeOfPage();
    this.#axisTimes = axisTimesOf(() => isByDay(this.#bars));
    useLettering(letteringOf(this.#theme.font));
    this.api = createChartEx(place, this.#axisTimes.horizon, {
      autoSize: true,
      // The link that the licence asks for stands below the chart.
      layout: { attributionLogo: false },
      timeScale: { timeVisible: true, rightOffset: 8, minBarSpacing: 0.5, ...this.#axisTimes.timeScale },
      localization: this.#axisTimes.localization,
    });
    this.candles = this.api.addSeries(CandlestickSeries, {
      priceLineVisible: true,
      autoscaleInfoProvider: () => this.#priceScale(),
    });
    const { api, candles } = this;
    const around = { api, candles, bars: () => this.#bars, theme: () => this.#theme };
    this.#scripts = new PlacedScripts(around, stretches);
    this.levels = new LevelLines(candles, around.theme, () => this.#scripts.legendLines);
    this.#volume = this.api.addSeries(HistogramSeries, {
      priceScaleId: 'volume',
      lastValueVisible: false,
      priceLineVisible: false,
      priceFormat: { type: 'volume' },
    });
    this.api.priceScale('volume').applyOptions({ scaleMargins: { top: 1 - VOLUME_SHARE, bottom: 0 } });
    this.applyTheme();
    this.api.timeScale().subscribeVisibleLogicalRangeChange(this.#whenMoved);
    this.api.subscribeCrosshairMove(this.#whenPointed);
    this.#size.observe(place);
    void document.fonts.ready.then(() => this.#isOpen && useLettering(letteringOf(this.#theme.font)));
  }

  readonly #size = new ResizeObserver(() => this.#options.onPanes());
  #isOpen = true;

  close(): void {
    this.#isOpen = false;
    this.#size.disconnect();
    this.api.remove();
  }

  /** Bars that are shown. */
  get count(): number {
    return this.#bars?.count ?? 0;
  }

  get theme(): ChartTheme {
    return this.#theme;
  }

  /** What a script says on this chart; undefined where it is not on it. */
  contentsOf(id: string): Contents | undefined {
    return this.#scripts.contentsOf(id);
  }

  /** Reads the tokens anew: the page has become dark or light. */
  applyTheme(): void {
    this.#theme = themeOfPage();
    this.api.applyOptions(chartLook(this.#theme));
    this.candles.applyOptions(candleLook(this.#theme));
    if (this.#bars !== undefined) this.#showAll(this.#bars);
  }

  /** Other bars altogether. */
  setBars(bars: BarColumns): void {
    this.setScripts([]);
    this.#pointed = undefined;
    this.#bars = bars;
    // Labels that the library remembers may be those of another timeframe.
    this.api.applyOptions({ timeScale: this.#axisTimes.timeScale });
    this.#showAll(bars);
    this.showLatest();
  }

  /** The same bars, with so many more before them; those in view stay in view, and so does what scripts said of them. */
  addPast(bars: BarColumns, added: number): void {
    const range = this.api.timeScale().getVisibleLogicalRange();
    this.#bars = bars;
    this.#scripts.shift(added);
    this.#showAll(bars);
    if (range !== null) this.api.timeScale().setVisibleLogicalRange({ from: range.from + added, to: range.to + added });
  }

  /** The same bars, with fewer or more at their end, as a replay shows them. */
  cutBars(bars: BarColumns): void {
    this.#bars = bars;
    this.#showAll(bars);
    const range = this.api.timeScale().getVisibleLogicalRange();
    if (range === null) return;
    const width = range.to - range.from;
    this.api.timeScale().setVisibleLogicalRange({ from: bars.count - width * 0.8, to: bars.count + width * 0.2 });
  }

  /** The newest of the bars has changed, or some were added. */
  updateLast(bars: BarColumns): void {
    const from = Math.max((this.#bars?.count ?? 0) - 1, 0);
    this.#bars = bars;
    const colors = this.#isPainted ? this.#barColors(bars, from) : undefined;
    for (let i = from; i < bars.count; i += 1) {
      this.candles.update(candleOf(bars, i, colors?.[i - from]));
      this.#volume.update(volumeOf(bars, i, this.#theme));
    }
    this.#scripts.moveCarriers();
  }

  showLatest(): void {
    const count = this.#bars?.count ?? 0;
    const width = this.api.timeScale().width();
    const inView = Math.max(40, Math.min(Math.floor(width / 7), 220));
    this.api.timeScale().setVisibleLogicalRange({ from: count - inView, to: count + 7 });
  }

  /** The scripts that are shown, in their order; those that are missing go. */
  setScripts(scripts: readonly ShownScript[]): void {
    if (this.#scripts.set(scripts)) this.#repaintBars();
    else if (this.#isPainted && this.#bars !== undefined) this.updateLast(this.#bars);
    this.#options.onPanes();
  }

  panes(): readonly ShownPane[] {
    return this.#scripts.panes();
  }

  /** How much of the height each pane takes, to be remembered. */
  stretches(): Readonly<Record<string, number>> {
    return this.#scripts.stretches();
  }

  /** As they were remembered. */
  stretch(stretches: Readonly<Record<string, number>>): void {
    this.#scripts.stretch(stretches);
    this.#options.onPanes();
  }

  /** Gives the pane of a script that height, in pixels; the one above it gets what is left of the two. */
  resizePane(id: string, height: number): void {
    this.#scripts.resizePane(id, height);
    this.#options.onPanes();
  }

  #showAll(bars: BarColumns): void {
    const painted = this.#barColors(bars, 0);
    this.#isPainted = painted !== undefined;
    const places = Array.from({ length: bars.count }, (_, i) => i);
    this.candles.setData(places.map((i) => candleOf(bars, i, painted?.[i])));
    this.#volume.setData(places.map((i) => volumeOf(bars, i, this.#theme)));
    const precision = decimalsOfPrices(bars.close, bars.count);
    this.candles.applyOptions({ priceFormat: { type: 'price', precision, minMove: 10 ** -precision } });
    this.#scripts.moveCarriers();
  }

  #barColors(bars: BarColumns, from: number): readonly (string | undefined)[] | undefined {
    const { coloring } = this.#scripts;
    return coloring.length === 0 ? undefined : barColorsOf(coloring, bars.count, from, this.#theme);
  }

  #repaintBars(): void {
    if (this.#bars !== undefined && (this.#isPainted || this.#scripts.coloring.length > 0)) this.#showAll(this.#bars);
  }

  #priceScale() {
    if (this.#bars === undefined) return null;
    return priceScaleOf(this.#bars, this.#scripts.pictures, this.api.timeScale().getVisibleLogicalRange());
  }

  readonly #whenMoved = (range: LogicalRange | null): void => {
    if (range !== null && range.from < PAST_FROM_BARS) this.#options.onPast();
  };

  readonly #whenPointed = ({ logical, point }: MouseEventParams): void => {
    const index = point === undefined || logical === undefined ? undefined : Math.round(logical);
    const isBar = index !== undefined && index >= 0 && index < (this.#bars?.count ?? 0);
    const pointed = isBar ? index : undefined;
    // Who drags the chart keeps the same bar under the pointer, and the library tells of it with every move.
    if (pointed === this.#pointed) return;
    this.#pointed = pointed;
    this.#options.onPoint(pointed);
  };
}
