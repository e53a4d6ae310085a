// Scripts on the chart: each draws over the bars, and in a pane of its own below them where it has something for one.

import { type IChartApi, type ISeriesApi, LineSeries, type UTCTimestamp } from 'lightweight-charts';
import { type Contents, type Context2D, contentsOf } from '../../src/chart/painting.ts';
import type { BarColumns, RunResult, StrategyAnswer } from '../../src/pine/index.ts';
import { seconds } from './chart-look.ts';
import { belowScaleOf } from './chart-scales.ts';
import type { ChartTheme } from './chart-theme.ts';
import { Layer } from './layer.ts';
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

/** Where a pane begins and how high it is, in pixels of the chart. */
export interface ShownPane {
  /** Of the script in it; that of the bars is `price`. */
  readonly id: string;
  readonly top: number;
  readonly height: number;
}

/** The chart that they are on, as it is at the moment. */
export interface ChartAround {
  readonly api: IChartApi;
  readonly candles: ISeriesApi<'Candlestick'>;
  readonly bars: () => BarColumns | undefined;
  readonly theme: () => ChartTheme;
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

/** How high the pane of the bars is beside that of one script. */
const PRICE_STRETCH = 3;

export class PlacedScripts {
  readonly #chart: ChartAround;
  readonly #placed = new Map<string, Placed>();
  #stretches: Record<string, number> = {};

  constructor(chart: ChartAround, stretches: Readonly<Record<string, number>>) {
    this.#chart = chart;
    this.stretch(stretches);
  }

  /** How high each pane is beside the others, by the scripts in them; also of those that come later. */
  stretch(stretches: Readonly<Record<string, number>>): void {
    this.#stretches = { ...stretches };
    for (const [index, { id }] of this.panes().entries()) {
      const beside = this.#stretches[id] ?? (index === 0 ? PRICE_STRETCH : 1);
      this.#chart.api.panes()[index]?.setStretchFactor(beside);
    }
  }

  /** What a script says on this chart; undefined where it is not on it. */
  contentsOf(id: string): Contents | undefined {
    return this.#placed.get(id)?.picture.contents;
  }

  get pictures(): readonly ScriptPicture[] {
    return [...this.#placed.values()].map(({ picture }) => picture);
  }

  /** What those say that color the bars, in their order. */
  get coloring(): readonly Contents[] {
    const colors = ({ price }: Contents) => price.outputs.some(({ kind }) => kind === 'barcolor');
    return this.pictures.map(({ contents }) => contents).filter(colors);
  }

  /** On the pane of the bars: theirs, and one of each script that has no pane of its own. */
  get legendLines(): number {
    return 1 + [...this.#placed.values()].filter(({ below }) => below === undefined).length;
  }

  /** These, in their order; those that are missing go. True where a script came, went, or ran over all bars again. */
  set(scripts: readonly ShownScript[]): boolean {
    const ids = new Set(scripts.map(({ id }) => id));
    const runs = this.#runs();
    for (const [id, placed] of this.#placed) if (!ids.has(id)) this.#remove(id, placed);
    for (const script of scripts) this.#place(script);
    this.#putInOrder(scripts.map(({ id }) => id));
    return this.#runs() !== runs;
  }

  /** So many bars were put before those that they ran over. */
  shift(added: number): void {
    for (const placed of this.#placed.values())
      placed.picture = { ...placed.picture, shift: placed.picture.shift + added };
  }

  /** The last bar is another one. */
  moveCarriers(): void {
    for (const placed of this.#placed.values()) this.#moveCarrier(placed);
  }

  panes(): readonly ShownPane[] {
    let top = 0;
    const byPane = new Map(
      [...this.#placed].flatMap(([id, { below }]) =>
        below ? [[below.series.getPane().paneIndex(), id] as const] : [],
      ),
    );
    return this.#chart.api.panes().map((pane, index) => {
      const place = { id: index === 0 ? 'price' : (byPane.get(index) ?? ''), top, height: pane.getHeight() };
      // The line between two panes is one pixel.
      top += place.height + 1;
      return place;
    });
  }

  stretches(): Readonly<Record<string, number>> {
    const panes = this.#chart.api.panes();
    for (const [index, { id }] of this.panes().entries())
      if (id !== '') this.#stretches[id] = panes[index]?.getStretchFactor() ?? 1;
    return { ...this.#stretches };
  }

  resizePane(id: string, height: number): void {
    const pane = this.#placed.get(id)?.below?.series.getPane();
    const above = pane && this.#chart.api.panes()[pane.paneIndex() - 1];
    if (pane === undefined || above === undefined) return;
    const both = pane.getStretchFactor() + above.getStretchFactor();
    const share = height / (pane.getHeight() + above.getHeight());
    pane.setStretchFactor(both * share);
    above.setStretchFactor(both * (1 - share));
  }

  /** A script that was ready later may stand before others: so it is drawn, and so its pane stands, whichever was quicker. */
  #putInOrder(ids: readonly string[]): void {
    if ([...this.#placed.keys()].join() === ids.join()) return;
    const { candles } = this.#chart;
    let pane = 0;
    for (const id of ids) {
      const placed = this.#placed.get(id)!;
      this.#placed.delete(id);
      this.#placed.set(id, placed);
      candles.detachPrimitive(placed.onPrice);
      candles.attachPrimitive(placed.onPrice);
      if (placed.below === undefined) continue;
      pane += 1;
      placed.below.series.getPane().moveTo(pane);
    }
  }

  /** Changes when a script came, went, or ran over all bars again. */
  #runs(): string {
    return [...this.#placed].map(([id, { shown }]) => `${id} ${shown.run}`).join();
  }

  #place(shown: ShownScript): void {
    const before = this.#placed.get(shown.id);
    if (before?.shown === shown) return;
    const contents = contentsOf({ result: shown.result });
    const now = this.#chart.bars();
    const bars = { ...(now as BarColumns), count: Math.min(now?.count ?? 0, shown.result.count) };
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
          const { painting: theme, font } = this.#chart.theme();
          const { bars, shift } = placed.picture;
          if (placed.trades !== undefined)
            paintTrades(context, shifted(sight, shift), bars, placed.trades, { theme, font });
        },
      }),
    };
    this.#placed.set(shown.id, placed);
    this.#chart.candles.attachPrimitive(placed.onPrice);
    return placed;
  }

  #paneBelow(placed: Placed): PaneBelow {
    const { api } = this.#chart;
    const decimals = placed.shown.result.meta.precision ?? 2;
    // A pane of the library needs a series for its scale; this one shows nothing itself.
    const series = api.addSeries(
      LineSeries,
      {
        ...{ lineVisible: false, lastValueVisible: false, priceLineVisible: false, crosshairMarkerVisible: false },
        priceFormat: { type: 'price', precision: decimals, minMove: 10 ** -decimals },
        autoscaleInfoProvider: () => belowScaleOf(placed.picture, api.timeScale().getVisibleLogicalRange()),
      },
      api.panes().length,
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
    const legendLines = place === 'price' ? this.legendLines : 1;
    paintScript(context, sight, picture, { place, part, theme: this.#chart.theme().painting, legendLines });
  }

  /** One of its points stands at the last bar, where the library always finds it. */
  #moveCarrier({ below }: Placed): void {
    const bars = this.#chart.bars();
    if (below === undefined || bars === undefined || bars.count === 0) return;
    const time = seconds(bars.time[bars.count - 1]!);
    if (below.carriedTo === time) return;
    // A new point costs nothing; other points would make the library put all series in order again.
    if (time > (below.carriedTo ?? Number.POSITIVE_INFINITY)) below.series.update({ time, value: 0 });
    else below.series.setData([{ time, value: 0 }]);
    below.carriedTo = time;
  }

  #remove(id: string, placed: Placed): void {
    this.#chart.candles.detachPrimitive(placed.onPrice);
    this.#removeBelow(placed);
    this.#placed.delete(id);
  }

  #removeBelow(placed: Placed): void {
    if (placed.below !== undefined) this.#chart.api.removeSeries(placed.below.series);
    placed.below = undefined;
  }
}
