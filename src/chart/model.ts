// What is drawn: bars, what a script left behind, and the options; with the script's outputs ready to be asked.

import type { BarColumns, RunResult } from '../pine/index.ts';
import { isInvisible, readColor } from './colors.ts';
import type { ChartOptions } from './options.ts';
import { type Slots, shown } from './slots.ts';

export interface ChartModel {
  readonly bars: BarColumns;
  /** Of a run over the same bars; without one, only the bars are drawn. */
  readonly result?: RunResult | undefined;
  readonly options: ChartOptions;
  /** Whether everything of the script goes on the pane of the bars; what the script says when omitted. */
  readonly overlay?: boolean | undefined;
  /** As the language writes it, such as 60 or D; shown beside the title where it is known. */
  readonly timeframe?: string | undefined;
  /** Over the chart; the market of the run, or "Chart", when omitted. */
  readonly title?: string | undefined;
}

type PlotMeta = RunResult['plotMeta'] extends ReadonlyMap<string, infer Meta> ? Meta : never;

/** One output of a script: a plot, a level, a fill… */
export class Output {
  readonly title: string;
  readonly kind: string;
  /** One column; open, high, low and close of bars and candles; none of fills and colors. */
  readonly series: readonly Float64Array[];
  readonly #meta: PlotMeta;

  constructor(meta: PlotMeta, result: RunResult) {
    this.title = meta.title;
    this.kind = meta.kind;
    this.series = meta.series.map((name) => result.series.get(name) ?? new Float64Array(0));
    this.#meta = meta;
  }

  number(name: string, fallback: number): number {
    const value = this.#meta.settings[name];
    return typeof value === 'number' && Number.isFinite(value) ? value : fallback;
  }

  text(name: string): string {
    const value = this.#meta.settings[name];
    return typeof value === 'string' ? value : '';
  }

  isOn(name: string): boolean {
    return this.#meta.settings[name] === true;
  }

  get isShown(): boolean {
    return shownIn(this.text('display'), 'pane');
  }

  get isInLegend(): boolean {
    const hasColor = !isInvisible(this.color());
    return this.kind === 'plot' && hasColor && shownIn(this.text('display'), 'status_line');
  }

  /** The color on the last bar that has one; NaN for none. */
  color(name = 'color'): number {
    return readColor(this.#meta.settings[name]);
  }

  /** The first column where the chart shows it, bar by bar. */
  values(bars: number): Float64Array {
    return this.#shown(this.series[0] ?? new Float64Array(0), bars);
  }

  /** A color per slot, NaN where there is none. */
  colors(name: string, slots: Slots): Float64Array {
    return this.#perSlot(name, slots, this.color(name));
  }

  /** The color of one bar. */
  colorOf(name: string, bar: number): number {
    const offset = Math.round(this.number('offset', 0));
    return this.#meta.columns[name]?.[bar - offset] ?? this.color(name);
  }

  /** An argument per slot that may change from bar to bar. */
  numbers(name: string, slots: Slots): Float64Array {
    return this.#perSlot(name, slots, this.number(name, Number.NaN));
  }

  #perSlot(name: string, slots: Slots, only: number): Float64Array {
    const column = this.#meta.columns[name];
    if (column === undefined) return new Float64Array(slots.count).fill(only);
    const moved = this.#shown(column, slots.bars);
    // A color that a script turns off must stay off: only of many bars in one slot, the last color there is counts.
    return slots.lasts(moved);
  }

  #shown(column: Float64Array, bars: number): Float64Array {
    return shown(
      column,
      bars,
      Math.round(this.number('offset', 0)),
      this.number('show_last', Number.POSITIVE_INFINITY),
    );
  }
}

const shownIn = (display: string, place: string) =>
  display === '' || display === 'all' || display.split('+').includes(place);

export interface PaneContent {
  readonly outputs: readonly Output[];
  readonly drawings: readonly DrawingFields[];
}

/** A record of a drawing: its properties by the names of the language. */
export type DrawingFields = Readonly<Record<string, unknown>>;

/** What goes on the pane of the bars and what on the pane below; `all` also has what others refer to. */
export interface Contents {
  readonly all: ReadonlyMap<string, Output>;
  readonly price: PaneContent;
  readonly below: PaneContent;
}

export function contentsOf({ result, overlay }: Pick<ChartModel, 'result' | 'overlay'>): Contents {
  if (result === undefined) {
    const nothing = { outputs: [], drawings: [] };
    return { all: new Map(), price: nothing, below: nothing };
  }
  const all = new Map([...result.plotMeta].map(([title, meta]) => [title, new Output(meta, result)]));
  const outputs = [...all.values()].filter((output) => output.isShown);
  const drawings = result.drawings.filter(isRecord);
  const isOnPrice = (output: Output) => overlay ?? output.isOn('overlay');
  const onPrice = (drawing: DrawingFields) => overlay ?? (result.meta.overlay || drawing.force_overlay === true);
  return {
    all,
    price: { outputs: outputs.filter(isOnPrice), drawings: drawings.filter(onPrice) },
    below: {
      outputs: outputs.filter((output) => !isOnPrice(output)),
      drawings: drawings.filter((drawing) => !onPrice(drawing)),
    },
  };
}

const isRecord = (value: unknown): value is DrawingFields => typeof value === 'object' && value !== null;

/** How many bars the outputs and drawings reach beyond the last one. */
export function futureBarsOf({ all, price, below }: Contents, { time, count }: BarColumns): number {
  let most = 0;
  for (const output of all.values()) if (output.isShown) most = Math.max(most, output.number('offset', 0));
  const barMs = count > 1 ? time[count - 1]! - time[count - 2]! : 0;
  for (const drawing of [...price.drawings, ...below.drawings])
    for (const place of placesOf(drawing)) {
      const isByTime = drawing.xloc === 'bar_time';
      const future = isByTime ? (place - (time[count - 1] ?? 0)) / barMs : place - (count - 1);
      if (Number.isFinite(future)) most = Math.max(most, Math.ceil(future));
    }
  return most;
}

/** Where a drawing stands along the bars. */
function placesOf({ kind, x, x1, x2, left, right, points, xloc }: DrawingFields): number[] {
  const ends = kind === 'polyline' && Array.isArray(points) ? (points as readonly DrawingFields[]) : [];
  const name = xloc === 'bar_time' ? 'time' : 'index';
  return [x, x1, x2, left, right, ...ends.map((point) => point[name])].filter((place) => typeof place === 'number');
}
