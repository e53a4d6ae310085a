// Prices that matter to the account, as lines across the pane of the bars, and at its edge where they lie beyond it.

import { type IPriceLine, type ISeriesApi, LineStyle } from 'lightweight-charts';
import type { ChartTheme } from './chart-theme.ts';
import { Layer } from './layer.ts';
import type { Level } from './level.ts';
import { paintEdges } from './level-edges.ts';

export class LevelLines {
  readonly #candles: ISeriesApi<'Candlestick'>;
  readonly #theme: () => ChartTheme;
  readonly #lines = new Map<string, IPriceLine>();
  readonly #levels = new Map<string, Level>();
  readonly #edges: Layer;

  constructor(candles: ISeriesApi<'Candlestick'>, theme: () => ChartTheme) {
    this.#candles = candles;
    this.#theme = theme;
    this.#edges = new Layer({
      onTop: (context, sight) => {
        const { painting, font } = this.#theme();
        paintEdges(context, sight, [...this.#levels.values()], { theme: painting, font });
      },
    });
    candles.attachPrimitive(this.#edges);
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
    this.#edges.repaint();
  }

  move(level: Level): void {
    const { id, price, title, kind } = level;
    this.#levels.set(id, level);
    const { css } = this.#theme();
    const color = { entry: css['ink-2'], stop: css.down, target: css.up }[kind];
    const look = {
      ...{ price, title, color, axisLabelVisible: true, lineWidth: 1 as const },
      lineStyle: kind === 'entry' ? LineStyle.Solid : LineStyle.Dashed,
    };
    const line = this.#lines.get(id);
    if (line === undefined) this.#lines.set(id, this.#candles.createPriceLine(look));
    else line.applyOptions(look);
  }
}
