// Prices that matter to the account: lines across the pane of the bars, with their labels.

import { type IPriceLine, type ISeriesApi, LineStyle } from 'lightweight-charts';
import type { ChartTheme } from './chart-theme.ts';
import { Layer } from './layer.ts';
import type { Level } from './level.ts';
import { paintLevelLabels } from './level-labels.ts';

export class LevelLines {
  readonly #candles: ISeriesApi<'Candlestick'>;
  readonly #theme: () => ChartTheme;
  readonly #lines = new Map<string, IPriceLine>();
  readonly #levels = new Map<string, Level>();
  readonly #labels: Layer;

  constructor(candles: ISeriesApi<'Candlestick'>, theme: () => ChartTheme, legendLines: () => number) {
    this.#candles = candles;
    this.#theme = theme;
    this.#labels = new Layer({
      onTop: (context, sight) => {
        const { painting, font } = this.#theme();
        const look = { theme: painting, font, legendLines: legendLines() };
        paintLevelLabels(context, sight, [...this.#levels.values()], look);
      },
    });
    candles.attachPrimitive(this.#labels);
  }

  /** These and no others. */
  set(levels: readonly Level[]): void {
    const wanted = new Set(levels.map(({ id }) => id));
    for (const [id, line] of this.#lines) {
      if (wanted.has(id)) continue;
      this.#candles.removePriceLine(line);
      this.#lines.delete(id);
      this.#levels.delete(id);
    }
    for (const level of levels) this.move(level);
    this.#labels.repaint();
  }

  move(level: Level): void {
    const { id, price, kind } = level;
    this.#levels.set(id, level);
    const { css } = this.#theme();
    const color = { entry: css['ink-2'], stop: css.down, target: css.up }[kind];
    const look = {
      // The library would write labels over each other, and those of lines out of view into it.
      ...{ price, color, axisLabelVisible: false, lineWidth: 1 as const },
      lineStyle: kind === 'entry' ? LineStyle.Solid : LineStyle.Dashed,
    };
    const line = this.#lines.get(id);
    if (line === undefined) this.#lines.set(id, this.#candles.createPriceLine(look));
    else line.applyOptions(look);
  }
}
