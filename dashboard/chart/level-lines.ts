// Prices that matter to the account, as lines across the pane of the bars.

import { type IPriceLine, type ISeriesApi, LineStyle } from 'lightweight-charts';
import type { ChartTheme } from './chart-theme.ts';

export interface Level {
  readonly id: string;
  readonly price: number;
  readonly title: string;
  readonly kind: 'entry' | 'stop' | 'target';
}

export class LevelLines {
  readonly #candles: ISeriesApi<'Candlestick'>;
  readonly #theme: () => ChartTheme;
  readonly #lines = new Map<string, IPriceLine>();

  constructor(candles: ISeriesApi<'Candlestick'>, theme: () => ChartTheme) {
    this.#candles = candles;
    this.#theme = theme;
  }

  /** These and no others. */
  set(levels: readonly Level[]): void {
    const wanted = new Set(levels.map(({ id }) => id));
    for (const [id, line] of this.#lines) {
      if (wanted.has(id)) continue;
      this.#candles.removePriceLine(line);
      this.#lines.delete(id);
    }
    for (const level of levels) this.move(level);
  }

  move({ id, price, title, kind }: Level): void {
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
