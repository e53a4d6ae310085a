// The chart: bars and their volume by the library, and over them whatever scripts, strategies and the account have to say.

import {
  CandlestickSeries,
  createChart,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  LineSeries,
  type LogicalRange,
  type MouseEventParams,
  type UTCTimestamp,
} from 'lightweight-charts';
import { type Contents, type Context2D, contentsOf, decimalsOfPrices, useLettering } from '../../src/chart/painting.ts';
import type { BarColumns, RunResult, StrategyAnswer } from '../../src/pine/index.ts';
import { type AxisTimes, axisTimesOf } from './axis-times.ts';
import { barColorsOf, candleLook, candleOf, chartLook, seconds, volumeOf } from './chart-look.ts';
import { belowScaleOf, priceScaleOf } from './chart-scales.ts';
import { type ChartTheme, letteringOf, themeOfPage } from './chart-theme.ts';
import { Layer } from './layer.ts';
import { LevelLines } from './level-lines.ts';
import { isEmpty, paintScript, pictureOf, type ScriptPicture } from './script-layer.ts';
import { type Sight, shifted } from './sight.ts';
import { paintTrades, type TradeMarks, tradeMarksOf } from './trade-marks.ts';

export interface ShownScript {
  readonly id: string;
  readonly result: RunResult;
  readonly strategy: StrategyAnswer | null;
  /** Counts its runs over all bars; ticks in between change the newest bar alone. */
  readonly run: number;
}

export interface MarketChartOptions {
  /** The bar under the crosshair; undefined when there is none. */
  readonly onPoint: (index: number | undefined) => void;
  /** The first bars are in view, or nearly. */
  readonly onPast: () => void;
  /** Panes came, went or changed their height. */
  readonly onPanes: () => void;
}

/** The pane of a script's own: a layer, and the series that carries it, up to where its last point is. */
interface PaneBelow {
  readonly series: ISeriesApi<'Line'>;
  readonly layer: Layer;
  carriedTo?: UTCTimestamp;
}

/** A script on the chart. */
interface Placed {
  shown: ShownScript;
  picture: ScriptPicture;
  trades: TradeMarks | undefined;
  readonly onPrice: Layer;
  below: PaneBelow | undefined;
}

/** So many bars before the first in view the past is asked for. */
const PAST_FROM_BARS = 60;
const VOLUME_SHARE = 0.16;
/** How high the pane of the bars is beside that of one script. */
const PRICE_STRETCH = 3;

export class MarketChart {
  readonly api: IChartApi;
  readonly candles: ISeriesApi<'Candlestick'>;
  readonly levels: LevelLines;
  readonly #volume: ISeriesApi<'Histogram'>;
  readonly #options: MarketChartOptions;
  readonly #scripts = new Map<string, Placed>();
  readonly #axisTimes: AxisTimes;
  readonly #stretches: Record<string, number>;
  #bars: BarColumns | undefined;
  #theme: ChartTheme;
  #isPainted = false;
  #pointed: number | undefined;

  constructor(place: HTMLElement, options: MarketChartOptions, stretches: Readonly<Record<string, number>> = {}) {
    this.#options = options;
    this.#stretches = { ...stretches };
    this.#theme = themeOfPage();
    this.#axisTimes = axisTimesOf();
    useLettering(letteringOf(this.#theme.font));
    this.api = createChart(place, {
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
    this.levels = new LevelLines(
      this.candles,
      () => this.#theme,
      () => this.#legendLines(),
    );
    this.#volume = this.api.addSeries(HistogramSeries, {
      priceScaleId: 'volume',
      lastValueVisible: false,
      priceLineVisible: false,
      priceFormat: { type: 'volume' },
    });
    this.api.priceScale('volume').applyOptions({ scaleMargins: { top: 1 - VOLUME_SHARE, bottom: 0 } });
    this.api.panes()[0]?.setStretchFactor(this.#stretches.price ?? PRICE_STRETCH);
    this.applyTheme();
    this.api.timeScale().subscribeVisibleLogicalRangeChange(this.#whenMoved);
    this.api.subscribeCrosshairMove(this.#whenPointed);
    void document.fonts.ready.then(() => this.#isOpen && useLettering(letteringOf(this.#theme.font)));
  }

  #isOpen = true;

  close(): void {
    this.#isOpen = false;
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
    return this.#scripts.get(id)?.picture.contents;
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
    this.#showAll(bars);
    this.showLatest();
  }

  /** The same bars, with so many more before them; those in view stay in view, and so does what scripts said of them. */
  addPast(bars: BarColumns, added: number): void {
    const range = this.api.timeScale().getVisibleLogicalRange();
    this.#bars = bars;
    for (const placed of this.#scripts.values())
      placed.picture = { ...placed.picture, shift: placed.picture.shift + added };
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
    for (const placed of this.#scripts.values()) this.#moveCarrier(placed);
  }

  showLatest(): void {
    const count = this.#bars?.count ?? 0;
    const width = this.api.timeScale().width();
    const inView = Math.max(40, Math.min(Math.floor(width / 7), 220));
    this.api.timeScale().setVisibleLogicalRange({ from: count - inView, to: count + 7 });
  }

  /** The scripts that are shown, in their order; those that are missing go. */
  setScripts(scripts: readonly ShownScript[]): void {
    const ids = new Set(scripts.map(({ id }) => id));
    const runs = this.#runs();
    for (const [id, placed] of this.#scripts) if (!ids.has(id)) this.#remove(id, placed);
    for (const script of scripts) this.#place(script);
    this.#putInOrder(scripts.map(({ id }) => id));
    if (this.#runs() !== runs) this.#repaintBars();
    else if (this.#isPainted && this.#bars !== undefined) this.updateLast(this.#bars);
    this.#options.onPanes();
  }

  /** A script that was ready later may stand before others: so it is drawn, and so its pane stands, whichever was quicker. */
  #putInOrder(ids: readonly string[]): void {
    if ([...this.#scripts.keys()].join() === ids.join()) return;
    let pane = 0;
    for (const id of ids) {
      const placed = this.#scripts.get(id)!;
      this.#scripts.delete(id);
      this.#scripts.set(id, placed);
      this.candles.detachPrimitive(placed.onPrice);
      this.candles.attachPrimitive(placed.onPrice);
      if (placed.below === undefined) continue;
      pane += 1;
      placed.below.series.getPane().moveTo(pane);
    }
  }

  /** Changes when a script came, went, or ran over all bars again. */
  #runs(): string {
    return [...this.#scripts].map(([id, { shown }]) => `${id} ${shown.run}`).join();
  }

  /** By the scripts in them: where each pane begins and how high it is, in pixels of the chart. */
  panes(): readonly { readonly id: string; readonly top: number; readonly height: number }[] {
    let top = 0;
    const byPane = new Map(
      [...this.#scripts].flatMap(([id, { below }]) =>
        below ? [[below.series.getPane().paneIndex(), id] as const] : [],
      ),
    );
    return this.api.panes().map((pane, index) => {
      const place = { id: index === 0 ? 'price' : (byPane.get(index) ?? ''), top, height: pane.getHeight() };
      // The line between two panes is one pixel.
      top += place.height + 1;
      return place;
    });
  }

  /** How much of the height each pane takes, to be remembered. */
  stretches(): Readonly<Record<string, number>> {
    const panes = this.api.panes();
    for (const [index, { id }] of this.panes().entries())
      if (id !== '') this.#stretches[id] = panes[index]?.getStretchFactor() ?? 1;
    return { ...this.#stretches };
  }

  #showAll(bars: BarColumns): void {
    const painted = this.#barColors(bars, 0);
    this.#isPainted = painted !== undefined;
    const places = Array.from({ length: bars.count }, (_, i) => i);
    this.candles.setData(places.map((i) => candleOf(bars, i, painted?.[i])));
    this.#volume.setData(places.map((i) => volumeOf(bars, i, this.#theme)));
    const precision = decimalsOfPrices(bars.close, bars.count);
    this.candles.applyOptions({ priceFormat: { type: 'price', precision, minMove: 10 ** -precision } });
    for (const placed of this.#scripts.values()) this.#moveCarrier(placed);
  }

  #barColors(bars: BarColumns, from: number): readonly (string | undefined)[] | undefined {
    const coloring = this.#coloring().map(({ picture }) => picture.contents);
    return coloring.length === 0 ? undefined : barColorsOf(coloring, bars.count, from, this.#theme);
  }

  #repaintBars(): void {
    if (this.#bars !== undefined && (this.#isPainted || this.#coloring().length > 0)) this.#showAll(this.#bars);
  }

  #coloring(): readonly Placed[] {
    const colors = ({ picture: { contents } }: Placed) =>
      contents.price.outputs.some(({ kind }) => kind === 'barcolor');
    return [...this.#scripts.values()].filter(colors);
  }

  #place(shown: ShownScript): void {
    const before = this.#scripts.get(shown.id);
    if (before?.shown === shown) return;
    const contents = contentsOf({ result: shown.result });
    const bars = { ...(this.#bars as BarColumns), count: Math.min(this.#bars?.count ?? 0, shown.result.count) };
    const picture = pictureOf(contents, bars);
    const trades = shown.strategy === null ? undefined : tradeMarksOf(shown.strategy.trades);
    const placed = before ?? this.#added(shown, picture, trades);
    Object.assign(placed, { shown, picture, trades });
    if (placed.below === undefined && !isEmpty(contents.below)) placed.below = this.#paneBelow(placed);
    else if (placed.below !== undefined && isEmpty(contents.below)) this.#removeBelow(placed);
    this.#moveCarrier(placed);
    placed.onPrice.repaint();
    placed.below?.layer.repaint();
  }

  #added(shown: ShownScript, picture: ScriptPicture, trades: TradeMarks | undefined): Placed {
    const placed: Placed = {
      ...{ shown, picture, trades, below: undefined },
      onPrice: new Layer({
        behind: (context, sight) => this.#paint(context, sight, placed, 'price', 'behind'),
        inFront: (context, sight) => {
          this.#paint(context, sight, placed, 'price', 'front');
          const { painting: theme, font } = this.#theme;
          const { bars, shift } = placed.picture;
          if (placed.trades !== undefined)
            paintTrades(context, shifted(sight, shift), bars, placed.trades, { theme, font });
        },
      }),
    };
    this.#scripts.set(shown.id, placed);
    this.candles.attachPrimitive(placed.onPrice);
    return placed;
  }

  #paneBelow(placed: Placed): PaneBelow {
    const decimals = placed.shown.result.meta.precision ?? 2;
    // A pane of the library needs a series for its scale; this one shows nothing itself.
    const series = this.api.addSeries(
      LineSeries,
      {
        ...{ lineVisible: false, lastValueVisible: false, priceLineVisible: false, crosshairMarkerVisible: false },
        priceFormat: { type: 'price', precision: decimals, minMove: 10 ** -decimals },
        autoscaleInfoProvider: () => belowScaleOf(placed.picture, this.api.timeScale().getVisibleLogicalRange()),
      },
      this.api.panes().length,
    );
    const layer = new Layer({
      behind: (context, sight) => this.#paint(context, sight, placed, 'below', 'behind'),
      inFront: (context, sight) => this.#paint(context, sight, placed, 'below', 'front'),
    });
    series.attachPrimitive(layer);
    series.getPane().setStretchFactor(this.#stretches[placed.shown.id] ?? 1);
    return { series, layer };
  }

  #paint(
    context: Context2D,
    sight: Sight,
    { picture }: Placed,
    place: 'price' | 'below',
    part: 'behind' | 'front',
  ): void {
    if (isEmpty(picture.contents[place])) return;
    const legendLines = place === 'price' ? this.#legendLines() : 1;
    paintScript(context, sight, picture, { place, part, theme: this.#theme.painting, legendLines });
  }

  /** On the pane of the bars: theirs, and one of each script that has no pane of its own. */
  #legendLines(): number {
    return 1 + [...this.#scripts.values()].filter(({ below }) => below === undefined).length;
  }

  /** One of its points stands at the last bar, where the library always finds it. */
  #moveCarrier({ below }: Placed): void {
    if (below === undefined || this.#bars === undefined || this.#bars.count === 0) return;
    const time = seconds(this.#bars.time[this.#bars.count - 1]!);
    if (below.carriedTo === time) return;
    // A new point costs nothing; other points would make the library put all series in order again.
    if (time > (below.carriedTo ?? Number.POSITIVE_INFINITY)) below.series.update({ time, value: 0 });
    else below.series.setData([{ time, value: 0 }]);
    below.carriedTo = time;
  }

  #remove(id: string, placed: Placed): void {
    this.candles.detachPrimitive(placed.onPrice);
    this.#removeBelow(placed);
    this.#scripts.delete(id);
  }

  #removeBelow(placed: Placed): void {
    if (placed.below !== undefined) this.api.removeSeries(placed.below.series);
    placed.below = undefined;
  }

  #priceScale() {
    if (this.#bars === undefined) return null;
    const pictures = [...this.#scripts.values()].map(({ picture }) => picture);
    return priceScaleOf(this.#bars, pictures, this.api.timeScale().getVisibleLogicalRange());
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
