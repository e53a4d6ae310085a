// Something painted over a pane of the library: it is told the sight of the pane whenever that is drawn, behind the bars, in front of
// them, or above everything else.

import type {
  IChartApi,
  IPrimitivePaneRenderer,
  IPrimitivePaneView,
  ISeriesApi,
  ISeriesPrimitive,
  Logical,
  SeriesAttachedParameter,
  SeriesType,
  Time,
} from 'lightweight-charts';
import type { Sight } from './sight.ts';

export type Paint = (context: CanvasRenderingContext2D, sight: Sight) => void;

/** The distance of two bars is read off far apart, so that rounding does not count. */
const APART = 1000;

export class Layer implements ISeriesPrimitive<Time> {
  readonly #views: readonly IPrimitivePaneView[];
  #chart: IChartApi | undefined;
  #series: ISeriesApi<SeriesType> | undefined;
  #update: (() => void) | undefined;

  constructor({
    behind,
    inFront,
    onTop,
  }: { readonly behind?: Paint; readonly inFront?: Paint; readonly onTop?: Paint }) {
    const view = (zOrder: 'bottom' | 'normal' | 'top', paint: Paint | undefined): readonly IPrimitivePaneView[] => {
      if (paint === undefined) return [];
      const renderer: IPrimitivePaneRenderer = {
        draw: (target) =>
          target.useMediaCoordinateSpace(({ context, mediaSize }) => {
            const sight = this.#sight(mediaSize.width, mediaSize.height);
            if (sight !== undefined) paint(context, sight);
          }),
      };
      return [{ zOrder: () => zOrder, renderer: () => renderer }];
    };
    this.#views = [...view('bottom', behind), ...view('normal', inFront), ...view('top', onTop)];
  }

  attached({ chart, series, requestUpdate }: SeriesAttachedParameter<Time>): void {
    this.#chart = chart as IChartApi;
    this.#series = series;
    this.#update = requestUpdate;
  }

  detached(): void {
    this.#chart = this.#series = this.#update = undefined;
  }

  paneViews(): readonly IPrimitivePaneView[] {
    return this.#views;
  }

  repaint(): void {
    this.#update?.();
  }

  #sight(width: number, height: number): Sight | undefined {
    const [chart, series] = [this.#chart, this.#series];
    if (chart === undefined || series === undefined) return undefined;
    const scale = chart.timeScale();
    const range = scale.getVisibleLogicalRange();
    const [first, later] = [scale.logicalToCoordinate(0 as Logical), scale.logicalToCoordinate(APART as Logical)];
    const [topPrice, bottomPrice] = [series.coordinateToPrice(0), series.coordinateToPrice(height)];
    if (range === null || first === null || later === null || topPrice === null || bottomPrice === null)
      return undefined;
    const pxPerBar = (later - first) / APART;
    return { width, height, from: range.from, to: range.to, xOfFirst: first, pxPerBar, topPrice, bottomPrice };
  }
}
